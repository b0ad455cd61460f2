package wire_test

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A command is read as it was written, and an event too.
//
// Covers: IPC-03, IPC-04, IPC-05, IPC-06
func TestLocalRoundTrip(t *testing.T) {
	line, err := wire.EncodeLocalCommand("c1", clew.TaskCommandData{
		CommandName: clew.TaskCommandSendMessage, SessionID: "s1", ClientMessageID: "m <1>", Data: clew.UserMessageData{Text: "two\nlines"},
	})
	if err != nil || strings.Count(string(line), "\n") != 1 {
		t.Fatalf("%s %v", line, err)
	}
	cmd, err := wire.DecodeLocalCommand(line[:len(line)-1])
	if err != nil || cmd.ClientID != "c1" || cmd.Name != clew.TaskCommandSendMessage || cmd.SessionID != "s1" || cmd.ClientMessageID != "m <1>" || string(cmd.Data) != `{"text":"two\nlines"}` {
		t.Errorf("%+v %v", cmd, err)
	}
	line = wire.AppendTaskEvent(nil, "c1", []byte("{\"type\":\"ping\",\n\"session_id\":\"s\"}"))
	f, err := wire.DecodeLocalFrame(line)
	if err != nil || strings.Count(string(line), "\n") != 1 || f.RelayClientID != "c1" || f.Event.Type != "ping" || f.Event.SessionID != "s" {
		t.Errorf("%s %v", line, err)
	}
	f, err = wire.DecodeLocalFrame(wire.AppendAck(nil, clew.AckData{ClientID: "c1", PID: 2, PPID: 1, URL: "u"}))
	if err != nil || *f.Ack != (clew.AckData{ClientID: "c1", PID: 2, PPID: 1, URL: "u"}) {
		t.Errorf("%+v %v", f.Ack, err)
	}
}

// Nothing that comes over the socket breaks the readers, and what one takes fits
// the rules.
func FuzzLocal(f *testing.F) {
	for _, s := range []string{
		`{"type":"task_command","origin":"client","client_id":"c","data":{"command_name":"follow","session_id":"s","client_message_id":"1","data":{"scope":"own"}}}`,
		`{"type":"ack","data":{"client_id":"x"}}`, `{"type":"task_event","data":{"type":"ping"}}`, `{"type":"task_command","data":{"command_name":"\u0000","data":[[[]]]}}`, `{`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		cmd, err := wire.DecodeLocalCommand(line)
		if frame, err := wire.DecodeLocalFrame(line); err == nil && (frame.Ack == nil) == (frame.Event == nil) {
			t.Errorf("%s: %+v", line, frame)
		}
		if err == nil && (cmd.Name == "" || cmd.SessionID != "" && !cmd.SessionID.Valid() || cmd.ClientID != "" && !clew.ValidID(string(cmd.ClientID))) {
			t.Errorf("%s: %+v", line, cmd)
		}
		about, parts := wire.GlanceAt(line), wire.Glance{}
		for len(line) > 0 {
			n := min(3, len(line))
			parts.Add(line[:n])
			line = line[n:]
		}
		if err == nil && (about.Name() != cmd.Name && len(cmd.Name) < 64 || about.SessionID() != cmd.SessionID || about.ClientMessageID() != cmd.ClientMessageID || about.FromServer()) {
			t.Errorf("a glance sees %q %q %q of %+v", about.Name(), about.SessionID(), about.ClientMessageID(), cmd)
		}
		if about.Name() != parts.Name() || about.SessionID() != parts.SessionID() || about.ClientMessageID() != parts.ClientMessageID() || about.FromServer() != parts.FromServer() {
			t.Errorf("read in parts it is another line")
		}
	})
}
