package feed

import (
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/view"
)

// An Item is one thing that happened in a session, ready to send. Records have
// a Seq; streamed text, which is never journaled, has none.
type Item struct {
	Seq      uint64
	Type     clew.EventType
	Envelope []byte

	// Change is what changed of the state, for those who watch that; nil for all
	// else. It has no envelope of its own, and no Seq.
	Change *view.Change
	// Text is a piece of a growing message, nil for all else.
	Text *clew.TextData
	// Monitor is the one that Text is about.
	Monitor clew.MonitorID

	encode func(envelope []byte) []byte
	once   sync.Once
	frame  []byte
	views  stateFrames
}

// NewItem makes an item; encode is called when its frame is first asked for.
func NewItem(seq uint64, typ clew.EventType, envelope []byte, encode func([]byte) []byte) *Item {
	return &Item{Seq: seq, Type: typ, Envelope: envelope, encode: encode}
}

// Frame is Envelope as the host's Encode function makes it: once for all
// connections, and not at all if nobody is watching.
func (it *Item) Frame() []byte {
	it.once.Do(func() { it.frame = it.encode(it.Envelope) })
	return it.frame
}

// stateFrames are the frames of an item in view `state`: one for all, and one
// for each set of monitors that somebody wants to hear of.
type stateFrames struct {
	mu     sync.Mutex
	frames map[string][]byte // nil if that set is told nothing
}

// NewChangeItem makes the item of a change. Its envelope names no session: there
// is one for each connection.
func NewChangeItem(now int64, c *view.Change, encode func([]byte) []byte) *Item {
	it := NewItem(0, clew.EventStateChanged, nil, func(data []byte) []byte {
		b := append(make([]byte, 0, 80+len(data)), `{"type":"state_changed","timestamp":"`...)
		b = append(clew.AppendTimestamp(b, now), `","data":`...)
		return encode(append(append(b, data...), '}'))
	})
	it.Change = c
	return it
}

// StateFrame is the item in view `state`, nil if it is not told there. Wanted
// names the monitors of shows; "" and nil are for all.
func (it *Item) StateFrame(wanted string, shows func(clew.MonitorID) bool) []byte {
	switch {
	case it.Change == nil && it.Text == nil:
		if it.Type == clew.EventPresence {
			return it.Frame()
		}
		return nil
	case it.Text != nil && shows != nil && it.Monitor != "" && !shows(it.Monitor):
		return nil
	case it.Text != nil:
		wanted = ""
	}
	it.views.mu.Lock()
	defer it.views.mu.Unlock()
	frame, ok := it.views.frames[wanted]
	if ok {
		return frame
	}
	if it.Text != nil {
		frame = it.textFrame()
	} else {
		frame = it.changeFrame(it.Change, shows)
	}
	if it.views.frames == nil {
		it.views.frames = map[string][]byte{}
	}
	it.views.frames[wanted] = frame
	return frame
}

// FrameFrom is StateFrame for one connection that has some of the change
// already: it goes on from there.
func (it *Item) FrameFrom(from uint64, shows func(clew.MonitorID) bool) []byte {
	c := *it.Change
	c.From = from
	return it.changeFrame(&c, shows)
}

func (it *Item) changeFrame(c *view.Change, shows func(clew.MonitorID) bool) []byte {
	data, ok := c.Data(shows)
	if !ok {
		return nil
	}
	return it.encode(data)
}

// textFrame writes text, the most frequent of all, without what the connection
// knows anyway.
func (it *Item) textFrame() []byte {
	data, err := clew.MarshalData(it.Text)
	if err != nil {
		return nil
	}
	b := append(make([]byte, 0, len(data)+32), `{"type":"text","data":`...)
	b = append(append(b, data...), '}')
	return it.encode(b)
}
