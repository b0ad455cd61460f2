package session

import (
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/view"
)

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
