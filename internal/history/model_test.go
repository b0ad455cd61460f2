package history_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
	"github.com/clew-run/clew/internal/nightly"
)

func said(n int) clew.ModelMessage {
	role := clew.SpeakerUser
	if n%2 == 0 {
		role = clew.SpeakerAssistant
	}
	return clew.ModelMessage{Role: role, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: fmt.Sprint("msg", n)}}}
}

// condense hides the first n messages behind a summary, as a condense does.
func condense(list []clew.ModelMessage, n int, id, summary string, ts int64) []clew.ModelMessage {
	return history.Cover(list, n, history.Summary(id, summary, ts))
}

// truncate hides the first n messages behind a marker, as a sliding window does.
func truncate(list []clew.ModelMessage, n int, id string, ts int64) []clew.ModelMessage {
	return history.Cover(list, n, history.Marker(list, n, id, ts))
}

// uncondense undoes either: the summary or the marker goes, and what it hid is
// sent again. That it can shows that nothing was lost.
func uncondense(list []clew.ModelMessage, id string) []clew.ModelMessage {
	out := slices.DeleteFunc(slices.Clone(list), func(m clew.ModelMessage) bool {
		return m.IsSummary && m.CondenseID == id || m.IsTruncationMarker && m.TruncationID == id
	})
	for i := range out {
		if out[i].CondenseParent == id {
			out[i].CondenseParent = ""
		}
		if out[i].TruncationParent == id {
			out[i].TruncationParent = ""
		}
	}
	return out
}

func texts(list []clew.ModelMessage) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Content[0].Text)
	}
	return out
}

// Covers: HIS-06, HIS-07, HIS-08
func TestCondense(t *testing.T) {
	list := []clew.ModelMessage{said(1), said(2), said(3), said(4), said(5), said(6)}
	got := condense(list, 3, "c1", "SUMMARY", 7)
	if len(got) != 7 || !got[3].IsSummary || got[3].CondenseID != "c1" || got[0].CondenseParent != "c1" {
		t.Errorf("stored: %+v", got)
	}
	if sent := texts(history.Effective(got)); !slices.Equal(sent, []string{"SUMMARY", "msg4", "msg5", "msg6"}) {
		t.Errorf("sent: %v", sent)
	}
	if list[0].CondenseParent != "" {
		t.Error("the list that was given has changed")
	}
	back := uncondense(got, "c1")
	if sent := texts(history.Effective(back)); !slices.Equal(sent, texts(list)) {
		t.Errorf("after undoing: %v", sent)
	}
}

// A marker is sent: it says how many messages are gone and what the first one
// wanted.
//
// Covers: HIS-09
func TestTruncate(t *testing.T) {
	list := []clew.ModelMessage{said(1), said(2), said(3), said(4)}
	got := truncate(list, 2, "t1", 7)
	if len(got) != 5 || !got[2].IsTruncationMarker || got[2].TruncationID != "t1" || got[1].TruncationParent != "t1" {
		t.Errorf("stored: %+v", got)
	}
	marker := "[2 earlier messages were left out here to make room.]\n\nThe conversation began with this:\n\nmsg1\n\n[From here on nothing is left out.]"
	if sent := texts(history.Effective(got)); !slices.Equal(sent, []string{marker, "msg3", "msg4"}) {
		t.Errorf("sent: %q", sent)
	}
	// The next one counts on, and still knows the first words.
	got = truncate(append(got, said(5), said(6)), 3, "t2", 8)
	marker = strings.Replace(marker, "[2 ", "[4 ", 1)
	if sent := texts(history.Effective(got)); !slices.Equal(sent, []string{marker, "msg5", "msg6"}) {
		t.Errorf("sent: %q", sent)
	}
	if back := history.Effective(uncondense(uncondense(got, "t2"), "t1")); !slices.Equal(texts(back), []string{"msg1", "msg2", "msg3", "msg4", "msg5", "msg6"}) {
		t.Errorf("after undoing: %q", texts(back))
	}
}

// A marker's words are clipped, by characters.
func TestMarkerIsShort(t *testing.T) {
	long := clew.ModelMessage{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: strings.Repeat("ä", 10_000)}}}
	m := history.Marker([]clew.ModelMessage{long, said(2)}, 2, "t", 1)
	if got := m.Content[0].Text; !strings.HasSuffix(got, "ä…\n\n[From here on nothing is left out.]") || strings.Count(got, "ä") != 4000 {
		t.Errorf("marker of %d bytes", len(got))
	}
}

// A summary can hide an older one, and undoing them one after the other brings
// everything back.
//
// Covers: HIS-07
func TestNestedCondense(t *testing.T) {
	list := []clew.ModelMessage{said(1), said(2), said(3), said(4), said(5), said(6)}
	once := condense(list, 2, "c1", "FIRST", 7)
	twice := condense(once, 3, "c2", "SECOND", 8)
	if sent := texts(history.Effective(twice)); !slices.Equal(sent, []string{"SECOND", "msg5", "msg6"}) {
		t.Errorf("sent: %v", sent)
	}
	if len(twice) != 8 || twice[2].CondenseParent != "c2" || twice[0].CondenseParent != "c1" {
		t.Errorf("stored: %+v", twice)
	}
	if back := uncondense(twice, "c2"); !reflect.DeepEqual(back, once) {
		t.Errorf("after undoing: %v", texts(back))
	}
}

// use and result are a call and what came of it.
func use(ids ...string) clew.ModelMessage {
	m := clew.ModelMessage{Role: clew.SpeakerAssistant}
	for _, id := range ids {
		m.Content = append(m.Content, clew.Part{Type: clew.PartToolUse, Text: "use", ToolCallID: id})
	}
	return m
}

func result(ids ...string) clew.ModelMessage {
	m := clew.ModelMessage{Role: clew.SpeakerUser}
	for _, id := range ids {
		m.Content = append(m.Content, clew.Part{Type: clew.PartToolResult, Text: "result", ToolCallID: id})
	}
	return m
}

func TestFit(t *testing.T) {
	chat := []clew.ModelMessage{said(1), said(2), said(3), said(4)}
	work := []clew.ModelMessage{said(1), use("a"), result("a"), use("b", "c"), result("b", "c"), said(2)}
	open := []clew.ModelMessage{said(1), use("a"), result("a"), use("a")}
	half := []clew.ModelMessage{said(1), use("a", "b"), result("a")}
	for _, tt := range []struct {
		name    string
		list    []clew.ModelMessage
		n, want int
	}{
		{"none", chat, 0, 0},
		{"fewer than none", chat, -3, 0},
		{"chat", chat, 3, 3},
		{"all", chat, 4, 4},
		{"more than all", chat, 9, 4},
		{"between a call and its result", work, 2, 1},
		{"behind the result", work, 3, 3},
		{"between two calls and their results", work, 4, 3},
		{"all with calls", work, 6, 6},
		{"a call is open", open, 4, 3},
		{"one of two calls is open", half, 3, 1},
	} {
		if got := history.Fit(tt.list, tt.n); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A window slides to the next thing that the user began, if that is near.
func TestOlder(t *testing.T) {
	near := []clew.ModelMessage{said(1), use("a"), result("a"), said(2), said(3), said(4), said(5), said(6)}
	if got := history.Older(near, 3); got != 4 {
		t.Errorf("near: %d", got)
	}
	far := []clew.ModelMessage{said(1), use("a"), result("a"), use("b"), result("b"), use("c"), result("c"), said(2), said(3)}
	if got := history.Older(far, 4); got != 3 {
		t.Errorf("far: %d", got)
	}
}

// drawHistory makes a conversation as a provider would take it: the user begins,
// and every call has its result in the message after it. The names of calls come
// again.
func drawHistory(t *rapid.T) []clew.ModelMessage {
	list := []clew.ModelMessage{said(1)}
	for range rapid.IntRange(0, 12).Draw(t, "steps") {
		switch rapid.SampledFrom([]string{"talk", "call", "calls"}).Draw(t, "step") {
		case "talk":
			list = append(list, said(2), said(1))
		case "call":
			list = append(list, use("a"), result("a"))
		case "calls":
			list = append(list, use("a", "b"), result("a", "b"))
		}
	}
	if rapid.Bool().Draw(t, "open") {
		list = append(list, use("a"))
	}
	return list
}

// checkSent says what a vendor would refuse. Calls of the last message may be
// open: their results are yet to come.
func checkSent(sent []clew.ModelMessage) error {
	if len(sent) > 0 && sent[0].Role != clew.SpeakerUser {
		return fmt.Errorf("the first message is the %s's", sent[0].Role)
	}
	var open []string
	for i, m := range sent {
		var results, uses []string
		for _, p := range m.Content {
			switch p.Type {
			case clew.PartToolResult:
				results = append(results, p.ToolCallID)
			case clew.PartToolUse:
				uses = append(uses, p.ToolCallID)
			case clew.PartText, clew.PartImage, clew.PartThinking:
			}
		}
		if !slices.Equal(results, open) {
			return fmt.Errorf("message %d answers %v, want %v", i, results, open)
		}
		open = uses
	}
	return nil
}

// Whatever is hidden and how often: nothing is lost, what is sent is valid, the
// end stays, and undoing the steps backwards gives the list as it was. A history
// that forgets what is hidden sends the same.
//
// Covers: HIS-07, HIS-09, HIS-30
func TestHidingKeepsEverything(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		stored := drawHistory(t)
		short := stored
		for i := range rapid.IntRange(1, 5).Draw(t, "times") {
			before := stored
			id := fmt.Sprint("x", i)
			n := rapid.IntRange(0, len(stored)).Draw(t, "n")
			if rapid.Bool().Draw(t, "condense") {
				stored, short = condense(stored, n, id, "summary", 1), history.Effective(condense(short, n, id, "summary", 1))
			} else {
				n = history.Older(stored, n)
				stored, short = truncate(stored, n, id, 1), history.Effective(truncate(short, n, id, 1))
			}
			if back := uncondense(stored, id); !reflect.DeepEqual(back, before) {
				t.Fatalf("undone:\n%+v\nwant\n%+v", back, before)
			}
			sent := history.Effective(stored)
			if err := checkSent(sent); err != nil {
				t.Fatalf("after step %d: %v\n%+v", i, err, sent)
			}
			if !reflect.DeepEqual(sent, short) {
				t.Fatalf("sent\n%+v\nwithout what is hidden\n%+v", sent, short)
			}
			if len(stored) != len(before)+1 {
				t.Fatalf("%d messages are kept of %d", len(stored), len(before))
			}
			if rapid.Bool().Draw(t, "more") && !strings.Contains(fmt.Sprint(stored[len(stored)-1].Content), "use") {
				more := []clew.ModelMessage{said(2), said(1)}
				stored, short = append(slices.Clip(stored), more...), append(slices.Clip(short), more...)
			}
		}
	})
}
