package session_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// A rewind with files that is asked for again is answered like the first time,
// and not before it is done.
func TestRewindWithFilesOnce(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Files: f})
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	f.write("1")
	f.hold = make(chan struct{})
	cmd := x.cmd(&clew.RewindData{Target: at(x.message(1).MessageID), RestoreCheckpoint: true})
	type answer struct {
		r   session.Receipt
		err error
	}
	first := make(chan answer, 1)
	go func() {
		r, err := x.h.Do(t.Context(), x.id, cmd)
		first <- answer{r, err}
	}()
	until(t, watch(t, x.h, x.id), func(st clew.SessionState) bool { return st.Returning != nil })
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if r, err := x.h.Do(soon, x.id, cmd); clew.CodeOf(err) != clew.Unavailable {
		t.Errorf("answered before the files are there: %+v, %v", r, err)
	}
	close(f.hold)
	was := <-first
	again, err := x.h.Do(t.Context(), x.id, cmd)
	if was.err != nil || err != nil || !again.Repeat || !slices.Equal(was.r.Records, again.Records) || len(again.Records) != 2 {
		t.Errorf("first %+v, again %+v %v", was, again, err)
	}
	f.is(t, "0")
	x.wants("saved by ann")
	x.do(&clew.UndoRewindData{})
	f.is(t, "1")
	x.wants("saved by ann", "a", "re: a")
}

// One that failed fails again, for the same reason and without another try.
func TestRewindFailsOnce(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Files: f})
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	f.write("1")
	f.fail = clew.Errorf(clew.CheckpointFailed, "the disk is full")
	cmd := x.cmd(&clew.RewindData{Target: at(x.message(1).MessageID), RestoreCheckpoint: true})
	_, first := x.h.Do(t.Context(), x.id, cmd)
	f.fail = nil
	_, again := x.h.Do(t.Context(), x.id, cmd)
	if clew.AsError(first).Message != "the disk is full" || clew.AsError(again).Message != "the disk is full" || clew.CodeOf(again) != clew.CheckpointFailed {
		t.Errorf("first %v, again %v", first, again)
	}
	f.is(t, "1")
	x.wants("saved by ann", "a", "re: a")
}

// No name that a client gives to something else keeps a return from its end.
func TestReturnHasItsOwnName(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Files: f})
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	f.write("1")
	target := at(x.message(1).MessageID)
	do(t, x.h, x.id, clew.Command{By: ann, ClientMessageID: "x.done", Data: &clew.RenameSessionData{Title: "t"}})
	do(t, x.h, x.id, clew.Command{By: ann, ClientMessageID: "x", Data: &clew.RewindData{Target: target, RestoreCheckpoint: true}})
	if st := x.state(); st.Returning != nil {
		t.Errorf("files are still on their way: %+v", st.Returning)
	}
	f.is(t, "0")
}
