package view

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

func dataOf(t *testing.T, c *Change, shows func(clew.MonitorID) bool) (d clew.StateChangedData, ok bool) {
	t.Helper()
	b, ok := c.Data(shows)
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return d, ok
}

// Who watches some monitors is told of these and of what is about none; of a
// change that is about others only, nothing.
//
// Covers: C-81
func TestChangeForSomeMonitors(t *testing.T) {
	two := func(m clew.MonitorID) bool { return m == "monitor-2" }
	put := func(c *Change, monitor clew.MonitorID, ids ...clew.MessageID) {
		for _, id := range ids {
			if err := c.AddPut(clew.EntityMessage, monitor, clew.Message{MessageID: id, MonitorID: monitor}); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := &Change{From: 1, To: 9}
	put(c, "monitor-1", clew.MessageIDOf(2))
	put(c, "monitor-2", clew.MessageIDOf(3), clew.MessageIDOf(4))
	if d, ok := dataOf(t, c, two); !ok || len(d.Put.Message) != 2 || d.Put.Message[0].MessageID != clew.MessageIDOf(3) {
		t.Errorf("of two monitors: %+v, %v", d, ok)
	}
	if d, ok := dataOf(t, c, nil); !ok || len(d.Put.Message) != 3 {
		t.Errorf("all: %+v, %v", d, ok)
	}
	other := &Change{From: 1, To: 9}
	put(other, "monitor-1", clew.MessageIDOf(2))
	if _, ok := dataOf(t, other, two); ok {
		t.Error("told of another monitor")
	}
	other.Commands = []clew.ClientMessageID{"c-1"}
	if d, ok := dataOf(t, other, two); !ok || len(d.Put.Message) != 0 || len(d.Commands) != 1 {
		t.Errorf("whoever sent the command is told that it is done: %+v, %v", d, ok)
	}
	if _, ok := dataOf(t, &Change{To: 9}, two); !ok {
		t.Error("a whole state is told though nothing in it is shown")
	}
}

// A batch that changes more than can be told one by one puts the messages anew,
// and who comes back from before the tracker's memory gets the whole state.
//
// Covers: C-81
func TestMoreChangesThanAreCounted(t *testing.T) {
	s := &core.State{ID: "s", Seq: 1}
	tr := NewTracker(s)
	step := func(from, n int) *Change {
		for i := range n {
			s.Seq = uint64(from + i)
			s.Total++
			s.Messages.Append(clew.Message{MessageID: clew.MessageIDOf(s.Seq), Text: "x"}, func() []clew.MessageID { return nil })
		}
		c, err := tr.Step(s, func(*clew.Message) {})
		if err != nil || c == nil {
			t.Fatalf("%+v, %v", c, err)
		}
		return c
	}
	if c := step(2, 3); len(c.Reset) != 0 || len(c.Put) != 3 || c.From != 1 {
		t.Errorf("a small batch: reset %v, %d entities, from %d", c.Reset, len(c.Put), c.From)
	}
	c := step(10, 2000)
	if len(c.Reset) != 1 || c.Reset[0] != clew.EntityMessage || len(c.Put) != core.TailMessages {
		t.Errorf("a large batch: reset %v, %d entities, want the %d that are at hand", c.Reset, len(c.Put), core.TailMessages)
	}
	if since, err := tr.Since(s, 4, func(*clew.Message) {}); err != nil || since.From != 4 || len(since.Reset) != 1 {
		t.Errorf("since before it: %+v, %v", since, err)
	}
	for from := 5000; tr.floor <= 4; from += 100 {
		if from > 5000+20*revsMax {
			t.Fatal("nothing is ever forgotten")
		}
		step(from, 100)
	}
	if since, err := tr.Since(s, 4, func(*clew.Message) {}); err != nil || since.From != 0 {
		t.Errorf("from before what is known: %d, %v, want the whole state", since.From, err)
	}
}

// Of large messages a whole state has the newest: about half a megabyte of them, and a few
// in any case. A client sees by the total that there are more.
func TestWholeStateOfLargeMessages(t *testing.T) {
	for _, test := range []struct{ bytes, want int }{{10, core.TailMessages}, {10 << 10, 51}, {64 << 10, tailLeast}} {
		s := &core.State{ID: "s", Seq: 1}
		tr := NewTracker(s)
		for range core.TailMessages + 10 {
			s.Seq++
			s.Total++
			s.Messages.Append(clew.Message{MessageID: clew.MessageIDOf(s.Seq), Text: strings.Repeat("x", test.bytes)}, func() []clew.MessageID { return nil })
		}
		c, err := tr.All(s, func(*clew.Message) {})
		if err != nil {
			t.Fatal(err)
		}
		b, _ := c.Data(nil)
		var d clew.StateChangedData
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		if n := len(d.Put.Message); n != test.want || d.Total != core.TailMessages+10 {
			t.Fatalf("%d messages of %d, want %d", n, d.Total, test.want)
		}
		for i, m := range d.Put.Message {
			if want := clew.MessageIDOf(s.Seq - uint64(test.want-1-i)); m.MessageID != want {
				t.Fatalf("message %d is %s, want %s", i, m.MessageID, want)
			}
		}
	}
}
