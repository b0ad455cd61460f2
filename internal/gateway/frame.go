package gateway

import (
	"encoding/binary"

	"github.com/gobwas/ws"
	"github.com/tidwall/gjson"

	"github.com/clew-run/clew"
)

// Frame makes the WebSocket text frame of an envelope, header and payload in
// one allocation. Feeds keep it, and all connections share it.
//
// Behind the frame, between its length and its capacity, lies the monitor that
// the envelope is about, so that connections with a monitor filter need not
// look into the JSON each. Only monitorOf reads there.
func Frame(envelope []byte) []byte {
	monitor := monitorIn(envelope)
	size := headerSize(len(envelope)) + len(envelope)
	b := make([]byte, 0, size+len(monitor))
	b = appendFrame(b, ws.OpText, envelope)
	copy(b[size:cap(b)], monitor)
	return b
}

// monitorOf gives the monitor of a frame that Frame made, "" if it has none.
func monitorOf(frame []byte) []byte { return frame[len(frame):cap(frame)] }

// monitorIn looks the monitor up in an envelope: that of the event, or of the
// message that the event is about.
func monitorIn(envelope []byte) string {
	for _, path := range []string{"data.monitor_id", "data.message.monitor_id"} {
		if m := gjson.GetBytes(envelope, path); m.Str != "" {
			return m.Str
		}
	}
	return ""
}

func headerSize(payload int) int {
	switch {
	case payload < 126:
		return 2
	case payload <= 0xffff:
		return 4
	default:
		return 10
	}
}

// appendFrame writes an unmasked, final frame to the end of b.
func appendFrame(b []byte, op ws.OpCode, payload []byte) []byte {
	return append(appendHeader(b, op, len(payload)), payload...)
}

func appendHeader(b []byte, op ws.OpCode, payload int) []byte {
	b = append(b, 0x80|byte(op))
	switch headerSize(payload) {
	case 2:
		return append(b, byte(payload))
	case 4:
		return binary.BigEndian.AppendUint16(append(b, 126), uint16(payload))
	default:
		return binary.BigEndian.AppendUint64(append(b, 127), uint64(payload))
	}
}

// A filter is the set of monitors that a connection wants to hear of.
type filter []clew.MonitorID

// hides reports whether something about this monitor is left out. What is
// about none passes.
func (f *filter) hides(monitor []byte) bool {
	if f == nil || len(monitor) == 0 {
		return false
	}
	for _, m := range *f {
		if string(m) == string(monitor) {
			return false
		}
	}
	return true
}
