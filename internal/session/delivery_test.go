package session

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
)

// deliveries lists how what people said reached an agent, in the fold and as the
// records give it, which must be the same.
func deliveries(t *testing.T, b *bench) string {
	t.Helper()
	list := func(messages []clew.Message) string {
		var ways []string
		for _, m := range messages {
			if m.Role == clew.SpeakerUser && m.AgentID == "" {
				ways = append(ways, string(m.Delivery))
			}
		}
		return strings.Join(ways, " ")
	}
	folded, read := list(b.s.state.Messages.Tail()), list(readAll(t, b))
	if folded != read {
		t.Fatalf("folded %q, read %q", folded, read)
	}
	for _, r := range b.records {
		if m := messageIn(r); m != nil && m.Delivery != "" {
			t.Errorf("record %d has what follows from others: %s", r.Seq, r.Data())
		}
	}
	return folded
}

// Covers: MSG-02
func TestMessagesTellHowTheyWereDelivered(t *testing.T) {
	say := func(b *bench, how clew.Arrival) {
		must(b.ann(&clew.UserMessageData{Text: "more", Delivery: how}))
	}
	for name, c := range map[string]struct {
		do   func(b *bench)
		want string
	}{
		"direct":  {(*bench).atWork, "direct"},
		"steered": {func(b *bench) { b.atWork(); say(b, clew.ArrivalSteer) }, "direct steer"},
		"waiting": {func(b *bench) { b.atWork(); say(b, clew.ArrivalQueue) }, "direct"},
		"waited":  {func(b *bench) { b.atWork(); say(b, clew.ArrivalQueue); must(b.begin()); must(b.finish("done")) }, "direct direct"},
		"waited, edited and sent": {func(b *bench) {
			b.atWork()
			say(b, clew.ArrivalQueue)
			id := b.firstWaiting()
			must(b.ann(&clew.EditQueuedData{MessageID: id, Text: "other"}))
			must(b.ann(&clew.SendQueuedData{MessageID: id}))
		}, "direct steer"},
		"an answer": {func(b *bench) { b.asked(1); say(b, "") }, "direct answer"},
		"a run":     {func(b *bench) { b.executing("a", "b"); say(b, clew.ArrivalSteer) }, "direct steer"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			c.do(b)
			if got := deliveries(t, b); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			b.check(t)
		})
	}
}

// A page that ends with somebody's words says how they were delivered, though
// that is recorded behind it. It does not look for it forever.
func TestDeliveryBehindThePage(t *testing.T) {
	b := newBench()
	b.create()
	must(b.say("m1"))
	tr := view.NewPager(b.s.state, &tape{b: b})
	at := b.s.state.Messages.Tail()[0].MessageID
	seq, err := at.Seq()
	if err != nil {
		t.Fatal(err)
	}
	list, err := tr.Fold(context.Background(), 1, seq+1)
	if err != nil || len(list) != 1 || list[0].Delivery != clew.DeliveryDirect {
		t.Errorf("%s, %v", decide.PlainJSON(list), err)
	}
	f := view.PageFold{End: seq + 1, Messages: []clew.Message{{MessageID: at, Role: clew.SpeakerUser}}, Outcomes: view.NewOutcomes(nil)}
	if !f.Waits(seq+view.AcceptReach-1) || f.Waits(seq+view.AcceptReach) {
		t.Error("it stops elsewhere")
	}
}

// A person's words carry the line that a list shows of them, however they are delivered.
func TestWordsCarryTheirShortForm(t *testing.T) {
	marked := func(b *bench, how clew.Arrival) {
		must(b.ann(&clew.UserMessageData{Text: "see **this**\nand that", Delivery: how}))
	}
	for name, do := range map[string]func(b *bench){
		"direct":  func(b *bench) { b.create(); marked(b, "") },
		"steered": func(b *bench) { b.atWork(); marked(b, clew.ArrivalSteer) },
		"waited": func(b *bench) {
			b.atWork()
			marked(b, clew.ArrivalQueue)
			must(b.begin())
			must(b.finish("done"))
		},
		"edited": func(b *bench) {
			b.atWork()
			must(b.ann(&clew.UserMessageData{Text: "more", Delivery: clew.ArrivalQueue}))
			id := b.firstWaiting()
			must(b.ann(&clew.EditQueuedData{MessageID: id, Text: "see **this**\nand that"}))
			must(b.ann(&clew.SendQueuedData{MessageID: id}))
		},
		"an answer": func(b *bench) { b.asked(1); marked(b, "") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			do(b)
			var got []string
			for _, m := range b.s.state.Messages.Tail() {
				if m.Role == clew.SpeakerUser && m.AgentID == "" && m.Text != "hello" {
					got = append(got, m.Text+" = "+m.Summary)
				}
			}
			if want := []string{"see **this**\nand that = see this and that"}; !slices.Equal(got, want) {
				t.Errorf("got %q", got)
			}
		})
	}
}
