package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

func (b *bench) archive(on bool) error {
	_, _, err := b.ann(&clew.ArchiveSessionData{Archived: on})
	return err
}

// A session is not put away while somebody is at work in it or asks, and the
// refusal says what to do.
func TestWhatCannotBeArchived(t *testing.T) {
	for name, tt := range map[string]struct {
		in   func(b *bench)
		want string // in the refusal; "" if there is none
	}{
		"idle":         {(*bench).create, ""},
		"a turn":       {func(b *bench) { b.create(); must(b.say("m1")) }, "stop it"},
		"a question":   {func(b *bench) { b.asked(1) }, "a question is open: answer it, or cancel"},
		"two":          {func(b *bench) { b.asked(2); b.approval(clew.AskCommand, b.pick(1).ID, "") }, "2 questions are open: answer them, or cancel"},
		"a plan":       {func(b *bench) { b.reviewing("a") }, "a question is open"},
		"a paused run": {func(b *bench) { b.executing("a"); must(b.ann(&clew.ControlPauseData{})) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			tt.in(b)
			err := b.archive(true)
			if tt.want == "" && err != nil || tt.want != "" && (clew.CodeOf(err) != clew.SessionInvalidState || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("%v, want %q", err, tt.want)
			}
			if b.s.state.Archived != (err == nil) {
				t.Errorf("archived is %v after %v", b.s.state.Archived, err)
			}
			b.check(t)
		})
	}
}

// Who says something in a session that was put away, sets an agent to work or has
// a question asked brings it back, in the same batch.
func TestWhatBringsASessionBack(t *testing.T) {
	for name, tt := range map[string]struct {
		in   func(b *bench)
		data func(b *bench) any
		back bool
	}{
		"a message":       {(*bench).create, func(*bench) any { return &clew.UserMessageData{Text: "go on"} }, true},
		"a task":          {(*bench).create, func(*bench) any { return &clew.NewTaskData{Text: "more"} }, true},
		"a run":           {(*bench).create, func(*bench) any { return &clew.UserMessageData{Text: "more", Mode: clew.ModeRun} }, true},
		"a task's name":   {(*bench).rested, func(b *bench) any { return &clew.ResumeTaskData{TaskID: b.rootTask()} }, true},
		"a resumed run":   {(*bench).pausedRun, func(*bench) any { return &clew.ControlResumeData{} }, true},
		"words to a run":  {(*bench).pausedRun, func(*bench) any { return &clew.UserMessageData{Text: "faster"} }, true},
		"a title":         {(*bench).create, func(*bench) any { return &clew.RenameSessionData{Title: "x"} }, false},
		"rights":          {(*bench).create, func(*bench) any { return &clew.SetAccessData{UserID: "bob", Role: clew.RoleViewer} }, false},
		"a cancelled run": {(*bench).pausedRun, func(*bench) any { return &clew.ControlCancelData{} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			tt.in(b)
			if err := b.archive(true); err != nil {
				t.Fatal(err)
			}
			_, types, err := b.ann(tt.data(b))
			if err != nil {
				t.Fatal(err)
			}
			last := types[len(types)-1] == clew.EventSessionArchived
			if b.s.state.Archived == tt.back || last != tt.back || slices.Contains(types[:len(types)-1], clew.EventSessionArchived) {
				t.Errorf("archived is %v after %v", b.s.state.Archived, types)
			}
			if d, ok := decoded(b.records[len(b.records)-1]).(*clew.SessionArchivedData); tt.back && (!ok || d.Archived || d.By != "ann") {
				t.Errorf("the last record says %+v", d)
			}
			b.check(t)
		})
	}
}

func (b *bench) rested() {
	b.create()
	must(b.say("m1"))
	must(b.ann(&clew.InterruptData{}))
}

func (b *bench) pausedRun() {
	b.executing("a")
	must(b.ann(&clew.ControlPauseData{Reason: "lunch"}))
}

// To go back to where a question was open opens it again: the session is back.
func TestRewindBringsASessionBack(t *testing.T) {
	b := newBench()
	b.asked(1)
	must(b.ann(&clew.UserMessageData{Text: "rather not"})) // it answers
	must(b.ann(&clew.InterruptData{}))
	if err := b.archive(true); err != nil {
		t.Fatal(err)
	}
	travellerOn(t, b).before(func(m clew.Message) bool { return m.Text == "rather not" })
	if s := b.s.state; len(s.Questions) == 0 || s.Archived {
		t.Errorf("%d questions are open, archived %v", len(s.Questions), s.Archived)
	}
	b.check(t)
}

// A client is told that a session was put away, since when a run is paused, and why.
func TestStateOfWhatRests(t *testing.T) {
	b := newBench()
	b.pausedRun()
	paused := int64(0)
	for _, r := range b.records {
		if r.Type == clew.EventHitlPaused {
			paused = r.TS
		}
	}
	if err := b.archive(true); err != nil {
		t.Fatal(err)
	}
	if st := b.s.sessionState(); !st.Archived || len(st.Runs) != 1 || !st.Runs[0].Paused || st.Runs[0].PausedSinceMS != paused || st.Runs[0].PausedWhy != "lunch" {
		t.Errorf("archived %v, paused at %d: %+v", st.Archived, paused, st.Runs)
	}
	must(b.ann(&clew.ControlResumeData{}))
	if st := b.s.sessionState(); st.Archived || st.Runs[0].Paused || st.Runs[0].PausedSinceMS != 0 || st.Runs[0].PausedWhy != "" {
		t.Errorf("archived %v: %+v", st.Archived, st.Runs[0])
	}
}

// What people are told to go counts what they see: model calls are named alone.
func TestCountOfWhatGoes(t *testing.T) {
	b := newBench()
	b.rested()
	then, err := b.fresh(b.s.state.Seq)
	if err != nil {
		t.Fatal(err)
	}
	must(b.say("m2"))
	b.think()
	must(b.begin())
	must(b.finish("done"))
	past, err := core.DecodeState("s", then)
	if err != nil {
		t.Fatal(err)
	}
	ids, n := core.RemovedSince(past.Branch(), b.s.state.TranscriptSide(), past.TranscriptSide())
	if n != 2 || len(ids) != 3 { // what ann said and the answer; and a model call
		t.Errorf("%d go, named are %v", n, ids)
	}
}

// In a journal of an older version a session may be put away with a question open.
// It is in the inbox, and who answers brings the session back; other changes do not.
func TestQuestionOfAnArchivedSession(t *testing.T) {
	b := newBench()
	b.asked(1)
	b.inject("ann", "", func(tx *decide.Tx) { tx.Add(&clew.SessionArchivedData{Archived: true}) })
	if rows := b.s.state.Inbox(); len(rows["ann"]) != 1 {
		t.Errorf("the inbox has %v", rows)
	}
	must(b.ann(&clew.RenameSessionData{Title: "x"}))
	if s := b.s.state; !s.Archived || s.Title != "x" {
		t.Errorf("archived %v, title %q", s.Archived, s.Title)
	}
	must(b.ann(&clew.HitlApprovalResponseData{RequestID: b.oldestQuestion(), Action: clew.ChoiceApprove}))
	if s := b.s.state; s.Archived || !s.Busy() {
		t.Errorf("archived %v, busy %v", s.Archived, s.Busy())
	}
	b.check(t)
}

// What waits in records from elsewhere is for nobody here, whichever version
// wrote them, also not after going back to before the import.
func TestImportLeavesTheQueue(t *testing.T) {
	old := clew.Message{MessageID: clew.MessageIDOf(4), TS: 4, Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "old", UserID: "eve"}
	fold := func(s *core.State, events ...any) {
		for _, data := range events {
			core.Apply(s, clew.Record{Seq: s.Seq + 1, TS: s.TS + 1, Type: clew.NewEvent(data).Type}, data)
		}
	}
	s := &core.State{ID: "s"}
	fold(s, &clew.SessionCreatedData{Owner: "eve"},
		&clew.MessageCreatedData{Message: clew.Message{MessageID: clew.MessageIDOf(2), Role: clew.SpeakerUser, Text: "first"}},
		&clew.MessageQueuedData{MessageID: clew.MessageIDOf(3), Text: "new", UserID: "eve"},
		&clew.MessageCreatedData{Message: old}, &clew.MessageQueuedData{MessageID: old.MessageID})
	if len(s.Main().Queue) != 2 {
		t.Fatalf("%+v waits", s.Main().Queue)
	}
	then, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	fold(s, &clew.SessionImportedData{Owner: "ann"})
	if len(s.Main().Queue) != 0 {
		t.Errorf("%+v waits for ann's agent", s.Main().Queue)
	}
	if s.Pending, err = core.DecodeState("s", then); err != nil {
		t.Fatal(err)
	}
	fold(s, &clew.HistoryRewoundData{Return: clew.Return{To: clew.MessageIDOf(5)}})
	if len(s.Main().Queue) != 0 || s.Total != 2 {
		t.Errorf("%+v waits for ann's agent, %d messages", s.Main().Queue, s.Total)
	}
}
