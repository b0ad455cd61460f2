package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/clew-run/clew"
)

// rewinds compares taking a session back over very many records with taking back
// one that has only a hundred, and, as a detail, with going back over the last
// hundred of the many. Each rewind is undone, so that the next goes as far.
func (b *bench) rewinds() error {
	b.logf("rewind: filling a session of %d records", b.size.rewindRecords)
	c, err := startRole("clew", "-dir", filepath.Join(b.dir, "rewind"))
	if err != nil {
		return err
	}
	defer c.end()
	var ways []returning // over a hundred, over all of the many, over the last hundred of them
	for _, f := range []fill{
		{Set: "rewind-short", To: 1, Records: talkPart, Size: fanSize},
		{Set: "rewind-long", To: 1, Records: b.size.rewindRecords, Size: fanSize},
	} {
		if err := c.ask("create", f, nil); err != nil {
			return err
		}
		var said [2]clew.MessageID
		if err := c.ask("talk", f, &said); err != nil {
			return err
		}
		ways = append(ways, returning{sessionName(f.Set, 0), said[0]}, returning{sessionName(f.Set, 0), said[1]})
	}
	ways = slices.Delete(ways, 1, 2) // of the short one there is only one way
	b.logf("rewind")
	back, forth := make([]samples, len(ways)), make([]samples, len(ways))
	for range b.size.rewindRounds {
		for i, w := range ways {
			var t returned
			if err := c.ask("rewind", w, &t); err != nil {
				return err
			}
			back[i], forth[i] = append(back[i], t.Rewind), append(forth[i], t.Undo)
		}
	}
	longer := func(s []samples) float64 { return ratio(float64(s[1].p50()), float64(s[0].p50())) }
	b.figures.RewindLong = longer(back)
	b.detail("rewind_long", map[string]any{
		"records": b.size.rewindRecords, "rounds": len(back[0]),
		"short_us": us(back[0].p50()), "long_us": us(back[1].p50()), "last_hundred_of_long_us": us(back[2].p50()),
		"undo": longer(forth), "undo_short_us": us(forth[0].p50()), "undo_long_us": us(forth[1].p50()),
	})
	return nil
}

// talkPart is the number of records between two messages of a talk.
const talkPart = 100

// talk fills a session with messages, each with a turn that ends at once, and
// records between them. It gives the first message, and the one about a hundred
// records before the end.
func (n *node) talk(id clew.SessionID, records, size int) (said [2]clew.MessageID, err error) {
	for begun := uint64(0); ; {
		st, err := n.say(id)
		if err != nil {
			return said, err
		}
		at, err := st.LastMessageID.Seq()
		if err != nil {
			return said, err
		}
		last := st.Messages[len(st.Messages)-1].MessageID
		if begun == 0 {
			begun, said[0] = at, last
		}
		left := records - int(at-begun) //nolint:gosec // a count
		if left <= 0 {
			return said, nil
		}
		said[1] = last
		if err := n.fillRecords(id, min(left, talkPart), size); err != nil {
			return said, err
		}
	}
}

// say sends a message that the streamer answers with nothing, and waits for the
// turn's end.
func (n *node) say(id clew.SessionID) (st clew.SessionState, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), turnLimit)
	defer cancel()
	w, err := n.host.Watch(ctx, id)
	if err != nil {
		return st, err
	}
	defer w.Close()
	if _, err := n.host.Do(ctx, id, clew.Command{Type: clew.CommandUserMessage, By: owner, Data: &clew.UserMessageData{Text: "0 0"}}); err != nil {
		return st, err
	}
	for {
		st, err := w.State(ctx)
		if err != nil || len(st.Messages) > 0 && !slices.ContainsFunc(st.Monitors, func(m clew.MonitorState) bool { return m.Busy }) {
			return st, err
		}
		select {
		case <-time.After(100 * time.Microsecond):
		case <-ctx.Done():
			return st, fmt.Errorf("the turn did not end: %w", ctx.Err())
		}
	}
}

// returning asks for a rewind to a message, and for its undo.
type returning struct {
	Session clew.SessionID `json:"session"`
	To      clew.MessageID `json:"to"`
}

// returned is what the two took.
type returned struct {
	Rewind time.Duration `json:"rewind"`
	Undo   time.Duration `json:"undo"`
}

func (r returning) run(n *node) (t returned, err error) {
	back := clew.Command{Type: clew.CommandRewind, By: owner, Data: &clew.RewindData{Target: clew.Target{MessageID: r.To}}}
	if t.Rewind, err = n.timed(r.Session, back); err != nil {
		return t, err
	}
	if err := r.check(n, false); err != nil {
		return t, err
	}
	if t.Undo, err = n.timed(r.Session, clew.Command{Type: clew.CommandUndoRewind, By: owner, Data: &clew.UndoRewindData{}}); err != nil {
		return t, err
	}
	return t, r.check(n, true)
}

// check makes sure that something was measured: that the message is gone, or
// there again.
func (r returning) check(n *node, there bool) error {
	w, err := n.host.Watch(context.Background(), r.Session)
	if err != nil {
		return err
	}
	defer w.Close()
	seq, err := r.To.Seq()
	if err != nil {
		return err
	}
	page, err := w.Messages(context.Background(), 1, 0, clew.MessageIDOf(seq+1))
	if err == nil && (len(page.Messages) == 1 && page.Messages[0].MessageID == r.To) != there {
		err = fmt.Errorf("after a rewind or its undo %s is not where it should be", r.To)
	}
	return err
}
