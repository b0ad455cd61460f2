// Package sessiontest has stand-ins for sessions, for tests of what serves them.
package sessiontest

import (
	"fmt"
	"iter"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
)

// A Tape is a session's records in memory, with a real feed. Its owner keeps two
// goroutines from using it at a time.
type Tape struct {
	ID      clew.SessionID
	Head    clew.Head
	Records []clew.Record
	Feed    *feed.Feed

	frame func([]byte) []byte
}

// NewTape makes an empty one, whose feed makes frames of envelopes so.
func NewTape(id clew.SessionID, frame func([]byte) []byte) *Tape {
	return &Tape{ID: id, Feed: feed.New(0, frame), frame: frame}
}

// Write adds n records alike.
func (t *Tape) Write(n int, d clew.Draft) {
	batch := make([]clew.Record, 0, n)
	for range n {
		r := t.Head.Write(t.ID, 1, 1_700_000_000_000, d)
		t.Head = r.After()
		batch = append(batch, r)
	}
	t.Records = append(t.Records, batch...)
	t.Feed.Append(batch)
}

// Stream adds a piece of streamed text, which must need no escapes.
func (t *Tape) Stream(text string) {
	t.Feed.Stream(clew.EventAgentResponse, []byte(`{"type":"agent_response","session_id":"`+string(t.ID)+`","data":{"delta":"`+text+`"}}`))
}

// Move closes the feed and starts another one, as after a change of owner.
func (t *Tape) Move() {
	t.Feed.Close()
	t.Feed = feed.New(t.Head.Seq, t.frame)
}

// Read yields the records from..to of those that there are now.
func (t *Tape) Read(from, to uint64) iter.Seq2[clew.Record, error] {
	records := t.Records
	return func(yield func(clew.Record, error) bool) {
		for seq := from; seq <= to; seq++ {
			if seq > uint64(len(records)) {
				yield(clew.Record{}, fmt.Errorf("no record %d", seq))
				return
			}
			if !yield(records[seq-1], nil) {
				return
			}
		}
	}
}
