package session_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// While files are on their way nobody can go elsewhere with the session, or fork
// it: where it stands is not settled.
func TestNothingWhileReturning(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Files: f})
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	x.say("b")
	f.write("1")
	f.hold = make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := x.h.Do(t.Context(), x.id, x.cmd(&clew.RewindData{Target: at(x.message(1).MessageID), RestoreCheckpoint: true}))
		done <- err
	}()
	until(t, watch(t, x.h, x.id), func(st clew.SessionState) bool { return st.Returning != nil })
	for _, data := range []any{&clew.ForkSessionData{}, &clew.UndoRewindData{}, &clew.RewindPreviewData{Target: at(x.message(1).MessageID)}} {
		if _, err := x.h.Do(t.Context(), x.id, clew.Command{By: ann, Data: data}); clew.CodeOf(err) != clew.SessionInvalidState || err.Error() == "" {
			t.Errorf("%T: %v", data, err)
		}
	}
	close(f.hold)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// The acknowledgement of the record that ends a return is lost, and so is the
// session: whether it followed the files shows when it is loaded again, and the
// files are not taken back meanwhile.
func TestReturnWithoutAcknowledgement(t *testing.T) {
	f := &shelf{}
	j := &faults{Journal: new(journaltest.Memory).Node("a")}
	x := &trip{t: t, id: "s1"}
	x.h = start(t, j, session.Config{Agent: parrot, Files: f})
	create(t, x.h, x.id)
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	f.write("1")
	target := x.message(1)
	j.set(func() {
		j.after = func(records []clew.Record) error {
			if records[len(records)-1].Type == clew.EventHistoryRewound {
				j.kill()
				return session.ErrLeaseLost
			}
			return nil
		}
	})
	_, _ = x.h.Do(t.Context(), x.id, x.cmd(&clew.RewindData{Target: at(target.MessageID), RestoreCheckpoint: true}))
	j.set(func() { j.dead, j.after = false, nil })
	x.do(&clew.RenameSessionData{Title: "again"}) // by whoever has it now
	x.idle()
	if slices.Contains(x.texts(), "a") {
		t.Errorf("the conversation is %q", x.texts())
	}
	f.is(t, "0")
}

// The store takes no records when the files are there: the session follows them as
// soon as it does.
func TestReturnWaitsForStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, d := &shelf{hold: make(chan struct{})}, newDisk()
		x := newTrip(t, session.Config{Files: f, Storage: d})
		f.write("0")
		x.do(&clew.CheckpointSaveData{})
		x.say("a")
		f.write("1")
		done := make(chan error, 1)
		cmd := x.cmd(&clew.RewindData{Target: at(x.message(1).MessageID), RestoreCheckpoint: true})
		go func() {
			_, err := x.h.Do(t.Context(), x.id, cmd)
			done <- err
		}()
		synctest.Wait() // the files are on their way
		d.set(errFull)
		close(f.hold)
		synctest.Wait()
		d.set(nil)
		if err := <-done; err != nil || slices.Contains(x.texts(), "a") {
			t.Errorf("%v, the conversation is %q", err, x.texts())
		}
		f.is(t, "0")
	})
}

// Whoever asked to go back gives up while the start of it goes on record. The
// session goes back all the same, and does not stand half-way until it is loaded
// again.
func TestReturnGivenUpAtItsStart(t *testing.T) {
	f := &shelf{}
	j := &faults{Journal: new(journaltest.Memory).Node("a")}
	x := &trip{t: t, id: "s1"}
	x.h = start(t, j, session.Config{Agent: parrot, Files: f})
	create(t, x.h, x.id)
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	f.write("1")
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan error, 1)
	j.set(func() {
		j.after = func(records []clew.Record) error {
			if records[len(records)-1].Type == clew.EventRewindStarted {
				giveUp()
				if err := <-done; err == nil {
					t.Error("the caller was answered before the start was on record")
				}
			}
			return nil
		}
	})
	cmd := x.cmd(&clew.RewindData{Target: at(x.message(1).MessageID), RestoreCheckpoint: true})
	_, err := x.h.Do(ctx, x.id, cmd)
	done <- err
	until(t, watch(t, x.h, x.id), func(st clew.SessionState) bool { return st.Returning == nil && st.Status == clew.StatusIdle })
	if slices.Contains(x.texts(), "a") {
		t.Errorf("the conversation is %q", x.texts())
	}
	f.is(t, "0")
}

// Files that can go neither on nor back keep the return open until they can.
func TestUnsettledFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &shelf{}
		x := newTrip(t, session.Config{Files: f})
		f.write("0")
		x.do(&clew.CheckpointSaveData{})
		x.say("a")
		f.write("1")
		f.fail = fmt.Errorf("no room: %w", rewind.ErrUnsettled)
		done := make(chan error, 1)
		cmd := x.cmd(&clew.RewindData{Target: at(x.message(1).MessageID), RestoreCheckpoint: true})
		go func() {
			_, err := x.h.Do(t.Context(), x.id, cmd)
			done <- err
		}()
		stays := func() {
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if st := x.state(); st.Returning == nil || !slices.Contains(x.texts(), "a") {
				t.Errorf("returning %+v, the conversation is %q", st.Returning, x.texts())
			}
		}
		stays()
		f.mu.Lock()
		f.fail = fmt.Errorf("too many open files: %w", rewind.ErrUnseen) // that says nothing of what was begun
		f.mu.Unlock()
		stays()
		f.mu.Lock()
		f.fail = nil
		f.mu.Unlock()
		if err := <-done; err != nil || slices.Contains(x.texts(), "a") {
			t.Errorf("%v, the conversation is %q", err, x.texts())
		}
		f.is(t, "0")
	})
}

// A fork that is taken back to before its own beginning has questions of its own
// there, too.
func TestQuestionsBeforeAFork(t *testing.T) {
	asker := agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
		_, err := sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
			decide.AskApproval(tx, s, t, clew.HitlApprovalRequestData{
				Ask: clew.AskCommand, Reason: "may I?", Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject},
			})
		})
		return err
	})
	x := newTrip(t, session.Config{Agent: asker, Files: &shelf{}})
	x.do(&clew.UserMessageData{Text: "a"})
	until(t, watch(t, x.h, x.id), func(st clew.SessionState) bool { return st.HitlPending != nil })
	x.do(&clew.CheckpointSaveData{Message: "one"})
	x.do(&clew.CheckpointSaveData{Message: "two"})
	y := *x
	y.id = x.do(&clew.ForkSessionData{}).SessionID
	there := y.state().HitlPending.RequestID()
	n := len(y.state().Messages)
	y.do(&clew.RewindData{Target: at(y.message(n - 1).MessageID)})
	if got := y.state().HitlPending.RequestID(); got != there || got == x.state().HitlPending.RequestID() {
		t.Errorf("the fork asks %s, then %s; the original %s", there, got, x.state().HitlPending.RequestID())
	}
	asked := ""
	for _, r := range journaled(t, x.j, y.id) { // who reads the records knows, too
		if ev, err := clew.DecodeEvent(r.Type, r.Data()); err == nil && r.Type == clew.EventHitlApprovalRequest {
			asked = string(ev.Data.(*clew.HitlApprovalRequestData).RequestID)
		}
	}
	if asked != string(there) {
		t.Errorf("the records end with the question %s, want %s", asked, there)
	}
	y.do(&clew.UndoRewindData{})
	if got := y.state().HitlPending.RequestID(); got != there {
		t.Errorf("after the undo the fork asks %s, want %s", got, there)
	}
}

// A session without a workspace has a directory of its own, and so has its fork,
// with the files in it.
func TestForkOfOwnDirectory(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Files: f})
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	f.write("1")
	id := x.do(&clew.ForkSessionData{}).SessionID
	if !slices.Equal(f.copied, []string{"h:1 to " + string(id)}) { // as they are now
		t.Errorf("copied: %q", f.copied)
	}
}

// An undo can leave the files as they are.
func TestUndoWithoutFiles(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Files: f})
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	f.write("1")
	x.do(&clew.RewindData{Target: at(x.message(1).MessageID), RestoreCheckpoint: true})
	no := false
	x.do(&clew.UndoRewindData{RestoreCheckpoint: &no})
	if !slices.Contains(x.texts(), "a") {
		t.Errorf("the conversation is %q", x.texts())
	}
	f.is(t, "0")
}
