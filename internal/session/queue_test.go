package session

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
)

// waiter holds a queue against a plain list: what waits, what was delivered and
// in which words.
type waiter struct {
	*bench
	t       *rapid.T
	said    int
	waits   []clew.MessageID
	words   map[clew.MessageID]string
	removed map[clew.MessageID]bool
	sent    []clew.MessageID // in order of delivery
}

func (w *waiter) message(how clew.Arrival) {
	w.said++
	text := fmt.Sprint("text ", w.said)
	_, types, err := w.do(clew.Command{By: by("ann"), ClientMessageID: clew.ClientMessageID(fmt.Sprint("m", w.said)), Data: &clew.UserMessageData{Text: text, Delivery: how}})
	if err != nil {
		if clew.CodeOf(err) != clew.QueueFull {
			w.t.Fatalf("say: %v", err)
		}
		return
	}
	id := last[clew.MessageCreatedData](w.bench, 1)[0].Message.MessageID
	w.words[id] = text
	if slices.Contains(types, clew.EventMessageQueued) {
		w.waits = append(w.waits, id)
	} else {
		w.sent = append(w.sent, id)
	}
}

// change does something to the queue and to the list.
func (w *waiter) change() {
	id := clew.MessageIDOf(2)
	if len(w.waits) > 0 {
		id = rapid.SampledFrom(w.waits).Draw(w.t, "which")
	}
	before := rapid.SampledFrom(append([]clew.MessageID{""}, w.waits...)).Draw(w.t, "before")
	left := slices.DeleteFunc(slices.Clone(w.waits), func(x clew.MessageID) bool { return x == id })
	var err error
	switch rapid.IntRange(0, 3).Draw(w.t, "change") {
	case 0:
		if _, _, err = w.ann(&clew.EditQueuedData{MessageID: id, Text: w.words[id] + "!"}); err == nil {
			w.words[id] += "!"
		}
	case 1:
		if _, _, err = w.ann(&clew.RemoveQueuedData{MessageID: id}); err == nil {
			w.removed[id], w.waits = true, left
		}
	case 2:
		if _, _, err = w.ann(&clew.MoveQueuedData{MessageID: id, Before: before}); err == nil && before != id {
			at := len(left)
			if before != "" {
				at = slices.Index(left, before)
			}
			w.waits = slices.Insert(left, at, id)
		}
	default:
		if _, _, err = w.ann(&clew.SendQueuedData{MessageID: id}); err == nil {
			w.waits, w.sent = left, append(w.sent, id)
		}
	}
	if err != nil && len(w.waits) > 0 && clew.CodeOf(err) != clew.QueueFull {
		w.t.Fatalf("%d wait: %v", len(w.waits), err)
	}
}

// turn has the agent hear what there is and rest. Then the next one's turn comes.
func (w *waiter) turn() {
	if !w.s.state.AtWork() {
		return
	}
	must(w.report(func(b Batch, t *Task) []clew.Event {
		var events []clew.Event
		for _, in := range Waiting(t) {
			events = append(events, clew.Event{Type: clew.EventModelMessage, Data: &clew.ModelMessageData{TaskID: t.TaskID, Message: Heard(in, b.TS(len(events)))}})
		}
		return append(events, idle(t))
	}))
	if len(w.waits) > 0 {
		w.sent, w.waits = append(w.sent, w.waits[0]), w.waits[1:]
	}
}

// crash has the session loaded from its records.
func (w *waiter) crash() {
	s, err := Restore("s", Loaded{Tail: w.records}, w.fresh)
	if err != nil {
		w.t.Fatalf("restore: %v", err)
	}
	w.s.state = s
}

func (w *waiter) verify() {
	var ids []clew.MessageID
	for _, q := range w.s.state.queued() {
		ids = append(ids, q.MessageID)
		if q.Text != w.words[q.MessageID] || q.UserID != "ann" || q.TS == 0 || q.ClientMessageID == "" {
			w.t.Fatalf("%+v waits, want the text %q", q, w.words[q.MessageID])
		}
	}
	if !slices.Equal(ids, w.waits) {
		w.t.Fatalf("%v wait, want %v", ids, w.waits)
	}
	for id := range w.removed {
		if w.s.state.Message(id) != nil || !w.s.state.Hidden(seqOfMessage(w.t, id)) {
			w.t.Fatalf("%s was taken back and is shown", id)
		}
	}
}

// Whatever is done to the queue, over crashes: each message is heard once, in the
// words it had last, in the order that people gave it; what was taken back is
// never heard.
//
// Covers: POL-02, POL-05
func TestQueueLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		b.create()
		w := &waiter{bench: b, words: map[clew.MessageID]string{}, removed: map[clew.MessageID]bool{}}
		act := func(f func()) func(*rapid.T) { return func(t *rapid.T) { w.t = t; f() } }
		t.Repeat(map[string]func(*rapid.T){
			"":        func(t *rapid.T) { w.t = t; w.verify(); b.verify(t) },
			"queue":   act(func() { w.message(clew.ArrivalQueue) }),
			"queue 2": act(func() { w.message(clew.ArrivalQueue) }),
			"steer":   act(func() { w.message(clew.ArrivalSteer) }),
			"change":  act(w.change), "change 2": act(w.change), "change 3": act(w.change),
			"turn": act(w.turn), "crash": act(w.crash),
		})
		w.t = t
		for i := 0; w.s.state.AtWork(); i++ {
			if i > queueMax+1 {
				t.Fatalf("the agent is never done")
			}
			w.turn()
		}
		var heard []clew.MessageID
		for _, d := range last[clew.ModelMessageData](b, len(b.records)) {
			heard = append(heard, d.Message.MessageID)
			if got := d.Message.Content[0].Text; got != w.words[d.Message.MessageID] {
				t.Fatalf("%s was heard as %q, want %q", d.Message.MessageID, got, w.words[d.Message.MessageID])
			}
		}
		if !slices.Equal(heard, w.sent) {
			t.Fatalf("heard were %v, want %v", heard, w.sent)
		}
		b.check(t)
	})
}

// What waited at a point in the past waits again after a rewind to there, and
// nothing of it begins by itself; one word sends it.
func TestQueueGoesBack(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.say("m2"))
	must(b.say("m3"))
	must(b.ann(&clew.UserMessageData{Text: "cut here", Delivery: clew.ArrivalQueue}))
	queue := b.s.state.queued()
	cut := queue[2].MessageID
	must(b.ann(&clew.RemoveQueuedData{MessageID: queue[0].MessageID}))
	must(b.ann(&clew.EditQueuedData{MessageID: queue[1].MessageID, Text: "other words"}))
	total := b.s.state.Total
	at := seqOfMessage(t, cut)
	past, err := b.fresh(at - 1)
	if err != nil {
		t.Fatal(err)
	}
	must(b.do(clew.Command{By: by("ann"), Data: &travel{course: course{kind: clew.KindRewind, id: "rw_1", to: at - 1, from: cut, past: past}}}))
	d := last[clew.HistoryRewoundData](b, 1)[0]
	if !slices.Equal(d.RemovedMessageIDs, []clew.MessageID{cut}) || !slices.Equal(d.RestoredMessageIDs, []clew.MessageID{queue[0].MessageID}) {
		t.Errorf("gone are %v, back are %v", d.RemovedMessageIDs, d.RestoredMessageIDs)
	}
	again := b.s.state.queued()
	if len(again) != 2 || again[0].MessageID != queue[0].MessageID || again[1].Text != "hello" || b.s.state.AtWork() {
		t.Fatalf("after the rewind %+v wait, at work: %v", again, b.s.state.AtWork())
	}
	if b.s.state.Total != total+1 { // one went, one is back, and one says that the model call was stopped
		t.Errorf("%d messages, were %d", b.s.state.Total, total)
	}
	must(b.ann(&clew.SendQueuedData{MessageID: again[1].MessageID}))
	if turn := b.task().Turn; turn == nil || turn.ID != again[1].MessageID || len(b.s.state.Queue) != 1 {
		t.Errorf("sent at rest: the turn is %+v, %d wait", turn, len(b.s.state.Queue))
	}
	b.check(t)
}

// In a fork, and in a session that was brought in, what waited waits on.
func TestQueueInAForkAndAfterAnImport(t *testing.T) {
	for _, how := range []*create{
		{owner: "bob", forked: &clew.ForkPoint{SessionID: "old", MessageID: clew.MessageIDOf(9)}},
		{owner: "bob", imported: &clew.SessionImportedData{Owner: "bob", From: "old"}},
	} {
		b := newBench()
		b.atWork()
		must(b.say("m2"))
		if how.imported != nil {
			b.s.state.Owner = ""
		} else {
			b.s.state.CreatedMS = 0
		}
		must(b.do(clew.Command{By: by("bob"), Data: how}))
		s := b.s.state
		if len(s.Queue) != 1 || s.AtWork() {
			t.Fatalf("%d wait, at work: %v", len(s.Queue), s.AtWork())
		}
		must(b.do(clew.Command{By: by("bob"), Data: &clew.SendQueuedData{MessageID: s.Queue[0].MessageID}}))
		if len(s.Queue) != 0 || !s.AtWork() {
			t.Errorf("sent: %d wait, at work: %v", len(s.Queue), s.AtWork())
		}
	}
}

// A message that waits longer than the tail is long can still be changed, is
// delivered whole, and is read back as it is.
func TestQueueOutlivesTheTail(t *testing.T) {
	b := newBench()
	b.create()
	x := newTraveller(b, t, func(n int) int { return n - 1 })
	must(b.say("m1"))
	b.think()
	must(b.say("m2"))
	id := b.s.state.Queue[0].MessageID
	for range tailMessages * 2 {
		must(b.begin())
		must(b.update("word", false))
	}
	if b.s.state.Message(id) != nil {
		t.Fatal("it is still in the tail")
	}
	must(b.do(clew.Command{By: by("ann"), Data: &clew.EditQueuedData{MessageID: id, Text: "late words"}}))
	if m := last[clew.MessageUpdatedData](b, 1)[0].Message; m.UserID != "ann" || m.ClientMessageID != "m2" || m.TS == 0 {
		t.Errorf("the update carries %+v", m)
	}
	read := func() string {
		tr := b.s.state.transcript(x.tape)
		list, err := tr.messages(t.Context(), 1, tr.total-1-2, "")
		if err != nil || len(list) != 1 || list[0].MessageID != id {
			t.Fatalf("read back %+v, %v", list, err)
		}
		return list[0].Text
	}
	if got := read(); got != "late words" {
		t.Errorf("while it waits it reads %q", got)
	}
	must(b.ann(&clew.SendQueuedData{MessageID: id}))
	if in := b.task().Inbox; len(in) != 1 || in[0].Text != "late words" {
		t.Errorf("steered with %+v", in)
	}
	if got := read(); got != "late words" {
		t.Errorf("once sent it reads %q", got)
	}
}
