package session

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
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
	if slices.Contains(types, clew.EventMessageQueued) {
		id := last[clew.MessageQueuedData](w.bench, 1)[0].MessageID
		w.words[id], w.waits = text, append(w.waits, id)
		return
	}
	id := last[clew.MessageCreatedData](w.bench, 1)[0].Message.MessageID
	w.words[id], w.sent = text, append(w.sent, id)
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
	must(w.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		for _, in := range decide.Waiting(t) {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, Message: decide.Heard(in, tx.NextTS())})
		}
		idle(tx, s, t)
	}))
	if len(w.waits) > 0 {
		w.sent, w.waits = append(w.sent, w.waits[0]), w.waits[1:]
	}
}

// crash has the session loaded from its records.
func (w *waiter) crash() {
	s, err := core.Restore("s", core.Loaded{Tail: w.records}, w.fresh)
	if err != nil {
		w.t.Fatalf("restore: %v", err)
	}
	w.s.state = s
}

func (w *waiter) verify() {
	var ids []clew.MessageID
	for _, q := range w.s.state.QueuedMessages() {
		ids = append(ids, q.MessageID)
		if q.Text != w.words[q.MessageID] || q.UserID != "ann" || q.TS == 0 || q.ClientMessageID == "" {
			w.t.Fatalf("%+v waits, want the text %q", q, w.words[q.MessageID])
		}
	}
	if !slices.Equal(ids, w.waits) {
		w.t.Fatalf("%v wait, want %v", ids, w.waits)
	}
	for _, m := range w.s.state.Messages.Tail() {
		if m.QueuedAs != "" && (w.removed[m.QueuedAs] || slices.Contains(w.waits, m.QueuedAs)) {
			w.t.Fatalf("%s waits or was taken back, and is shown", m.QueuedAs)
		}
	}
}

// Whatever is done to the queue, over crashes: each message is heard once, in the
// words it had last, in the order that people gave it; what was taken back is
// never heard.
//
// Covers: POL-02, POL-05
func TestQueueLosesNothing(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
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
			if i > core.QueueMax+1 {
				t.Fatalf("the agent is never done")
			}
			w.turn()
		}
		var heard []clew.MessageID
		waited := map[clew.MessageID]clew.MessageID{}
		for _, d := range last[clew.MessageCreatedData](b, len(b.records)) {
			if m := d.Message; m.QueuedAs != "" {
				waited[m.MessageID] = m.QueuedAs
				if m.UserID != "ann" || m.ClientMessageID == "" || m.Text != w.words[m.QueuedAs] {
					t.Fatalf("what waited as %s is shown as %+v", m.QueuedAs, m)
				}
			}
		}
		for _, d := range last[clew.ModelMessageData](b, len(b.records)) {
			id := d.Message.MessageID
			if was, ok := waited[id]; ok {
				id = was
			}
			heard = append(heard, id)
			if got := d.Message.Content[0].Text; got != w.words[id] {
				t.Fatalf("%s was heard as %q, want %q", id, got, w.words[id])
			}
		}
		if !slices.Equal(heard, w.sent) {
			t.Fatalf("heard were %v, want %v", heard, w.sent)
		}
		b.check(t)
	})
}

// A message stands in the transcript where the agent got it, not where it was
// typed: behind what the agent said meanwhile.
func TestQueuedMessageStandsWhereItWasHeard(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.ann(&clew.UserMessageData{Text: "and then?", Delivery: clew.ArrivalQueue}))
	if n := b.s.state.Total; n != 2 || len(b.s.state.QueuedMessages()) != 1 { // the request, and that the model is asked
		t.Fatalf("%d messages are shown while one waits", n)
	}
	must(b.begin())
	must(b.finish("the first answer"))
	var texts []string
	for _, m := range b.s.state.Messages.Tail() {
		if m.Role == clew.SpeakerUser || m.Say == clew.SayText {
			texts = append(texts, m.Text)
		}
	}
	if want := []string{"hello", "the first answer", "and then?"}; !slices.Equal(texts, want) {
		t.Errorf("the transcript is %q, want %q", texts, want)
	}
	tr := view.NewPager(b.s.state, &tape{b: b})
	page, err := tr.Fold(t.Context(), 1, b.s.state.Seq+1)
	if err != nil || len(page) != len(b.s.state.Messages.Tail()) || !reflect.DeepEqual(page[len(page)-1], b.s.state.Messages.Tail()[len(page)-1]) {
		t.Errorf("read from the journal it is %+v, %v", page, err)
	}
	b.check(t)
}

// What waits now was not heard: a rewind does not take it back, and nothing of it
// begins by itself; one word sends it. What was heard is gone with the rest.
func TestQueueStaysInARewind(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.say("m2"))
	must(b.say("m3"))
	must(b.begin())
	must(b.finish("done"))
	heard := b.s.state.Messages.Tail()[len(b.s.state.Messages.Tail())-1]
	if heard.QueuedAs == "" || heard.ClientMessageID != "m2" {
		t.Fatalf("heard is %+v", heard)
	}
	at := seqOfMessage(t, heard.MessageID)
	past, err := b.fresh(at - 1)
	if err != nil {
		t.Fatal(err)
	}
	must(b.do(clew.Command{By: by("ann"), Data: &decide.RewindCommand{RewindPlan: decide.RewindPlan{Kind: clew.KindRewind, RewindID: "rw_1", To: at - 1, From: heard.MessageID, TargetState: past}}}))
	again := b.s.state.QueuedMessages()
	if len(again) != 1 || again[0].ClientMessageID != "m3" || b.s.state.AtWork() {
		t.Fatalf("after the rewind %+v wait, at work: %v", again, b.s.state.AtWork())
	}
	b.check(t)
	must(b.ann(&clew.SendQueuedData{MessageID: again[0].MessageID}))
	if turn := b.task().Turn; turn == nil || b.s.state.Message(turn.ID).QueuedAs != again[0].MessageID || len(b.s.state.Main().Queue) != 0 {
		t.Errorf("sent at rest: the turn is %+v, %d wait", turn, len(b.s.state.Main().Queue))
	}
	b.check(t)
}

// A fork, and a session that was brought in, begin without what waited: it waits
// for the agent of the other one.
func TestQueueInAForkAndAfterAnImport(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.say("m2"))
	b.s.state.CreatedMS = 0
	must(b.do(clew.Command{By: by("bob"), Data: &decide.CreateCommand{Owner: "bob", Forked: &clew.ForkPoint{SessionID: "old", MessageID: clew.MessageIDOf(9)}}}))
	if s := b.s.state; len(s.Main().Queue) != 0 || s.AtWork() {
		t.Errorf("in a fork %d wait, at work: %v", len(s.Main().Queue), s.AtWork())
	}

	b = newBench()
	b.atWork()
	must(b.say("m2"))
	b.s.state.Owner = ""
	must(b.do(clew.Command{By: by("bob"), Data: &decide.CreateCommand{Owner: "bob", Imported: &clew.SessionImportedData{Owner: "bob", From: "old"}}}))
	if s := b.s.state; len(s.Main().Queue) != 0 || s.AtWork() {
		t.Errorf("brought in, %d wait, at work: %v", len(s.Main().Queue), s.AtWork())
	}
	must(b.do(clew.Command{By: by("bob"), Data: &clew.UserMessageData{Text: "go on"}}))
	if s := b.s.state; slices.ContainsFunc(s.Messages.Tail(), func(m clew.Message) bool { return m.ClientMessageID == "m2" }) {
		t.Errorf("what a stranger had waiting was said: %+v", s.Messages.Tail())
	}
}

// A journal from before has the message of what waits at the place where it was
// typed. It can be changed however long it waits, is delivered whole, and is read
// back as it is.
func TestOldQueue(t *testing.T) {
	b := newBench()
	b.create()
	x := newTraveller(b, t, func(n int) int { return n - 1 })
	must(b.say("m1"))
	b.think()
	b.inject("ann", "m2", func(tx *decide.Tx) {
		id := tx.Say(decide.UserMessageEvent(clew.Command{By: by("ann"), ClientMessageID: "m2"}, clew.MainMonitor, core.Input{Text: "hello"}, ""))
		tx.Add(&clew.MessageQueuedData{ClientMessageID: "m2", MessageID: id, Position: 1})
	})
	id := b.s.state.Main().Queue[0].MessageID
	for range core.TailMessages * 2 {
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
		tr := view.NewPager(b.s.state, x.tape)
		list, err := tr.Messages(t.Context(), 1, tr.Total-1-2, "")
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
