package golden

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// Every data directory that an earlier tree left behind is opened by this one, and
// all that was under way in it goes on: what waited is answered, what was cut is
// settled, what was at rest is continued, taken back and exported. Nothing is
// damaged before or after.
func TestGolden(t *testing.T) {
	list, err := filepath.Glob("testdata/*.tar.gz")
	if err != nil || len(list) == 0 {
		t.Fatalf("no golden directories: %v", err)
	}
	for _, path := range list {
		name := strings.TrimSuffix(filepath.Base(path), ".tar.gz")
		t.Run(name, func(t *testing.T) {
			s := newStage(t, proc.Program(t, ""), name)
			s.unpack(path)
			if out := s.doctor(); !strings.Contains(out, " 0 damaged") {
				t.Errorf("before anything is done, the doctor says\n%s", out)
			}
			s.start()
			s.openKept()
			fork := s.fork()
			s.openSealed(fork)
			s.openWaiting()
			s.openReview()
			s.openRewound()
			s.openDeadline()
			s.openQueued()
			for _, id := range []clew.SessionID{sealed, fork, waiting, review, rewound, deadline} {
				s.export(id)
			}
			s.must(s.srv.Stop())
			if out := s.doctor(); !strings.Contains(out, " 0 damaged") || strings.Contains(out, "older version") {
				t.Errorf("in the end the doctor says\n%s", out)
			}
		})
	}
}

// want compares what people said and were told, and a file.
func (s *stage) want(id clew.SessionID, list string, texts ...string) {
	s.t.Helper()
	var got []string
	for _, m := range s.state(id).Messages {
		if m.Text != "" && (m.Role == clew.SpeakerUser || m.Say == clew.SayText) {
			got = append(got, m.Text)
		}
	}
	if !slices.Equal(got, texts) {
		s.t.Errorf("%s has the messages %q, want %q", id, got, texts)
	}
	if text := s.file(id, "list.txt"); list != "-" && text != list {
		s.t.Errorf("the list of %s is %q, want %q", id, text, list)
	}
}

func (s *stage) first(id clew.SessionID) clew.MessageID {
	s.t.Helper()
	page, err := s.api().Messages(s.t.Context(), id, client.PageOf{Limit: 100})
	s.must(err)
	return page.Messages[0].MessageID
}

// openSealed: a session at rest and its fork are what they were, go on, and are
// taken back.
func (s *stage) openSealed(fork clew.SessionID) {
	s.t.Helper()
	said := []string{"Start a list", "There is a list now.", "Add pears", "Pears are on it."}
	s.want(sealed, "-", said...)
	s.want(fork, "-", append(slices.Clone(said), "Start a list", "There is a list now.")...)
	if st := s.state(sealed); !st.Archived {
		s.t.Error("the sealed session is no longer archived")
	}
	if st := s.state(fork); st.ForkedFrom == nil || st.ForkedFrom.SessionID != sealed || st.Title != "a fork" || st.Archived {
		s.t.Errorf("the fork is %q of %+v, archived %v", st.Title, st.ForkedFrom, st.Archived)
	}
	s.send(sealed, clew.CommandArchiveSession, clew.ArchiveSessionData{Archived: false})
	s.say(sealed, "Add plums", "")
	s.want(sealed, "apples\npears\nplums\n", append(said, "Add plums", "Plums it is.")...)
	s.send(sealed, clew.CommandRewind, clew.RewindData{Target: clew.Target{MessageID: s.first(sealed)}, KeepTarget: true})
	s.idle(sealed)
	s.send(sealed, clew.CommandUndoRewind, clew.UndoRewindData{})
	s.idle(sealed)
	s.want(sealed, "apples\npears\nplums\n", append(said, "Add plums", "Plums it is.")...)
	s.send(fork, clew.CommandRewind, clew.RewindData{Target: clew.Target{MessageID: s.first(fork)}}) // into the parent's records
	s.idle(fork)
	s.want(fork, "-")
	s.say(fork, "Start a list", "")
	s.want(fork, "-", "Start a list", "There is a list now.")
	if text := s.file(sealed, "list.txt"); text != "apples\n" { // they share the directory
		s.t.Errorf("the fork wrote %q", text)
	}
}

// openWaiting: the turn waits for an approval, gets it and ends.
func (s *stage) openWaiting() {
	s.t.Helper()
	if st := s.state(waiting); st.Status != clew.StatusAwaitingInput || st.HitlPending == nil || st.HitlPending.Type != clew.EventHitlApprovalRequest {
		s.t.Fatalf("the turn does not wait for its approval: %s, %+v", st.Status, st.HitlPending)
	}
	s.answer(waiting, clew.ChoiceApprove)
	s.idle(waiting)
	s.want(waiting, "apples\n", "Start a list", "There is a list now.", "Count it", "It is counted.")
	if text := s.file(waiting, "count.txt"); !strings.Contains(text, "list.txt") {
		s.t.Errorf("the approved command wrote %q", text)
	}
}

// openReview: the plan is approved and carried out.
func (s *stage) openReview() {
	s.t.Helper()
	if st := s.state(review); st.HitlPending == nil || st.HitlPending.Type != clew.EventHitlPlanReview {
		s.t.Fatalf("the run does not wait for its review: %s, %+v", st.Status, st.HitlPending)
	}
	s.answer(review, clew.ChoiceApprove)
	s.await(review, func(st clew.SessionState) bool { return st.Status == clew.StatusCompleted })
	if text := s.file(review, "note.txt"); text != "noted\n" {
		s.t.Errorf("the run wrote %q", text)
	}
	s.say(review, "Start a list", "")
	if text := s.file(review, "list.txt"); text != "apples\n" {
		s.t.Errorf("after the run the list is %q", text)
	}
}

// openRewound: the rewind that was cut is done or not done, files and words alike,
// and can be taken back.
func (s *stage) openRewound() {
	s.t.Helper()
	before := []string{"Start a list", "There is a list now.", "Add pears", "Pears are on it."}
	s.idle(rewound)
	s.want(rewound, "apples\npears\n", before...)
	s.send(rewound, clew.CommandUndoRewind, clew.UndoRewindData{})
	s.idle(rewound)
	s.want(rewound, "apples\npears\nplums\n", append(before, "Add plums", "Plums it is.")...)
	s.send(rewound, clew.CommandRewind, clew.RewindData{Target: clew.Target{MessageID: s.first(rewound)}, RestoreCheckpoint: true})
	s.idle(rewound)
	s.want(rewound, "")
	s.say(rewound, "Start a list", "")
	s.want(rewound, "apples\n", "Start a list", "There is a list now.")
}

// openDeadline: nobody reviewed the plan in time, and the run is over.
func (s *stage) openDeadline() {
	s.t.Helper()
	s.await(deadline, func(st clew.SessionState) bool { return st.HitlPending == nil && st.Status == clew.StatusCancelled })
	s.say(deadline, "Start a list", "")
	if text := s.file(deadline, "list.txt"); text != "apples\n" {
		s.t.Errorf("after the deadline the list is %q", text)
	}
}

// openQueued: what waits is worked on in its order, once the turn before it is over.
// Older directories do not have it.
func (s *stage) openQueued() {
	s.t.Helper()
	if !s.isKept(queued) {
		return
	}
	if st := s.state(queued); len(st.Queue) != 2 || st.Queue[0].Text != "Add pears" || st.Queue[1].Text != "Add plums" || st.Monitors[0].Queued != 2 {
		s.t.Fatalf("%+v wait, on %+v", st.Queue, st.Monitors)
	}
	s.answer(queued, clew.ChoiceApprove)
	s.idle(queued)
	s.want(queued, "apples\npears\nplums\n", "Start a list", "There is a list now.", "Count it", "It is counted.",
		"Add pears", "Pears are on it.", "Add plums", "Plums it is.")
}
