package session_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
)

// scribe writes a session's records straight into a journal.
type scribe struct {
	t    testing.TB
	id   clew.SessionID
	log  session.Log
	term uint64
	head clew.Head
	// messages is the transcript as it must be in the end.
	messages []clew.Message
}

func newScribe(t testing.TB, j session.Journal, id clew.SessionID) *scribe {
	t.Helper()
	lease, err := j.Claim(t.Context(), session.ShardOf(id))
	if err != nil {
		t.Fatal(err)
	}
	log, _, err := j.Open(t.Context(), lease, id)
	if err != nil {
		t.Fatal(err)
	}
	s := &scribe{t: t, id: id, log: log, term: lease.Term}
	s.write(clew.EventSessionCreated, &clew.SessionCreatedData{Owner: "ann", Title: "long"})
	return s
}

func (s *scribe) write(typ clew.EventType, data any) {
	s.t.Helper()
	b, err := json.Marshal(data)
	if err != nil {
		s.t.Fatal(err)
	}
	r := s.head.Next(s.id, s.term, 1000, "ann", typ, b)
	if err := s.log.Append(s.t.Context(), []clew.Record{r}); err != nil {
		s.t.Fatal(err)
	}
	s.head = r.After()
}

func (s *scribe) say(text string, partial bool) int {
	m := clew.Message{
		MessageID: clew.MessageIDOf(s.head.Seq + 1), TS: max(1000, s.head.TS+1), Type: clew.TypeSay, Say: clew.SayText,
		Role: clew.SpeakerAssistant, Text: text, Partial: partial,
	}
	s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: m})
	s.messages = append(s.messages, m)
	return len(s.messages) - 1
}

func (s *scribe) finish(i int, text string) {
	m := &s.messages[i]
	m.Text, m.Partial = text, false
	s.write(clew.EventMessageUpdated, &clew.MessageUpdatedData{Message: *m})
}

func (s *scribe) other(n int) {
	for i := range n {
		s.write(clew.EventSessionRenamed, &clew.SessionRenamedData{Title: fmt.Sprint("title ", i)})
	}
}

// page is what Messages must give, by the plain reading of its contract.
func (s *scribe) page(limit, offset int, before clew.MessageID) (list []clew.Message, next clew.MessageID) {
	if limit <= 0 {
		limit = 200
	}
	limit = min(limit, 1000)
	end := len(s.messages)
	if before != "" {
		for end > 0 && s.messages[end-1].MessageID >= before {
			end--
		}
	}
	end = max(end-max(offset, 0), 0)
	from := max(end-limit, 0)
	if from > 0 {
		next = s.messages[from].MessageID
	}
	return s.messages[from:end], next
}

func checkPage(t interface{ Fatalf(string, ...any) }, w *session.Watch, s *scribe, limit, offset int, before clew.MessageID) {
	got, err := w.Messages(s.t.Context(), limit, offset, before)
	if err != nil {
		t.Fatalf("limit %d, offset %d, before %q: %v", limit, offset, before, err)
	}
	want, next := s.page(limit, offset, before)
	if !slices.EqualFunc(got.Messages, want, func(a, b clew.Message) bool {
		return a.MessageID == b.MessageID && a.TS == b.TS && a.Text == b.Text && a.Partial == b.Partial
	}) {
		t.Fatalf("limit %d, offset %d, before %q: %d messages, want %d", limit, offset, before, len(got.Messages), len(want))
	}
	if got.Next != next || got.Total != len(s.messages) {
		t.Fatalf("limit %d, offset %d, before %q: next %q of %d, want %q of %d", limit, offset, before, got.Next, got.Total, next, len(s.messages))
	}
}

// Covers: C-07, C-65, STO-27
func TestPages(t *testing.T) {
	sessions := map[string]func(*scribe){
		"empty":     func(*scribe) {},
		"one":       func(s *scribe) { s.say("a", false) },
		"late one":  func(s *scribe) { s.other(5); s.say("a", false) },
		"tail":      func(s *scribe) { many(s, 200) },
		"tail + 1":  func(s *scribe) { many(s, 201) },
		"trimmed":   func(s *scribe) { many(s, 251) },
		"long":      func(s *scribe) { many(s, 1300) },
		"sparse":    func(s *scribe) { many(s, 30); s.other(4500); many(s, 240) },
		"late ends": func(s *scribe) { i := s.say("grow", true); s.other(3000); s.finish(i, "grown"); many(s, 300) },
		"open end":  func(s *scribe) { many(s, 300); s.say("growing", true) },
	}
	for name, fill := range sessions {
		t.Run(name, func(t *testing.T) {
			j := new(journaltest.Memory).Node("a")
			s := newScribe(t, j, "s")
			fill(s)
			h := start(t, j, session.Config{})
			w := watch(t, h, "s")
			n := len(s.messages)
			for _, limit := range []int{-1, 1, 199, 200, 201, 5000} {
				for _, offset := range []int{-1, 0, 1, n - 1, n, 1 << 40} {
					checkPage(t, w, s, limit, offset, "")
				}
			}
			nightly.Check(t, func(t *rapid.T) {
				before := clew.MessageIDOf(rapid.Uint64Range(1, s.head.Seq+3).Draw(t, "before"))
				checkPage(t, w, s, rapid.IntRange(1, 300).Draw(t, "limit"), rapid.IntRange(0, n+2).Draw(t, "offset"), before)
			})
			walk(t, w, s)
			if _, err := w.Messages(t.Context(), 1, 0, "msg_x"); n > 0 && clew.CodeOf(err) != clew.MessageNotFound {
				t.Errorf("a bad before: %v", err)
			}
		})
	}
}

func many(s *scribe, n int) {
	for i := range n {
		s.say(fmt.Sprint("message ", i), false)
	}
}

// walk follows next from the newest page to the oldest and meets every message
// once.
func walk(t *testing.T, w *session.Watch, s *scribe) {
	t.Helper()
	var all []clew.Message
	var before clew.MessageID
	for {
		page, err := w.Messages(t.Context(), 77, 0, before)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append([]clew.Message{}, page.Messages...), all...)
		if before = page.Next; before == "" {
			break
		}
		if len(page.Messages) == 0 {
			t.Fatal("an empty page that names a next one")
		}
	}
	if len(all) != len(s.messages) {
		t.Errorf("the walk met %d messages of %d", len(all), len(s.messages))
	}
}
