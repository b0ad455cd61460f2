package session_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// shelf keeps checkpoints of a workspace that is one string.
type shelf struct {
	mu    sync.Mutex
	files string
	saved []string
	done  map[string]rewind.RestoredFiles
	fail  error
	hold  chan struct{} // a restore waits for it

	copied []string
}

func (f *shelf) Save(context.Context, rewind.Workspace, string) (core.SavedFiles, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.save(), nil
}

func (f *shelf) save() core.SavedFiles {
	if n := len(f.saved); n == 0 || f.saved[n-1] != f.files {
		f.saved = append(f.saved, f.files)
	}
	return core.SavedFiles{ID: fmt.Sprint("cp_", len(f.saved)), Hash: "h:" + f.files}
}

func (f *shelf) Restore(_ context.Context, _ rewind.Workspace, id, hash string) (rewind.RestoredFiles, error) {
	if f.hold != nil {
		<-f.hold
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return rewind.RestoredFiles{}, f.fail
	}
	if r, ok := f.done[id]; ok {
		return r, nil
	}
	if f.done == nil {
		f.done = map[string]rewind.RestoredFiles{}
	}
	f.done[id] = rewind.RestoredFiles{Before: f.save().Hash, Changed: 1}
	f.files = hash[2:]
	return f.done[id], nil
}

func (f *shelf) Diff(_ context.Context, _ rewind.Workspace, from, to string, _ int) ([]clew.CheckpointFile, int, error) {
	return []clew.CheckpointFile{{Content: clew.FileContent{Before: from, After: to}}}, 1, nil
}

func (f *shelf) Copy(_ context.Context, _ rewind.Workspace, hash string, to rewind.Workspace) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.copied = append(f.copied, hash+" to "+string(to.Session)+to.Dir)
	return nil
}

func (f *shelf) write(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files = text
}

func (f *shelf) is(t testing.TB, want string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files != want {
		t.Errorf("files %q, want %q", f.files, want)
	}
}

// Covers: HIS-29, CHK-22, CHK-23, UIC-47
func TestRewindWithFiles(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Files: f})
	for i, text := range []string{"a", "b", "c"} {
		f.write(fmt.Sprint(i))
		x.do(&clew.CheckpointSaveData{Message: "at " + text})
		x.say(text)
	}
	f.write("now")
	b := x.message(4)
	if b.Text != "b" {
		t.Fatalf("message %+v", b)
	}
	p := x.do(&clew.RewindPreviewData{Target: at(b.MessageID), RestoreCheckpoint: true}).Answer.Data.(*clew.RewindPreviewAnswer)
	if len(p.Files) != 1 || p.Files[0].Content != (clew.FileContent{Before: "h:now", After: "h:1"}) {
		t.Errorf("preview %+v", p.Files)
	}
	x.do(&clew.RewindData{Target: at(b.MessageID), RestoreCheckpoint: true})
	f.is(t, "1")
	x.wants("at a", "a", "re: a", "at b")
	x.do(&clew.UndoRewindData{})
	f.is(t, "now")
	x.wants("at a", "a", "re: a", "at b", "b", "re: b", "at c", "c", "re: c")
	x.do(&clew.RedoRewindData{})
	f.is(t, "1")
	x.do(&clew.CheckpointRestoreData{CommitHash: "h:0", Mode: clew.RestoreFiles})
	f.is(t, "0")
	x.wants("at a", "a", "re: a", "at b")
	x.do(&clew.CheckpointRestoreData{CommitHash: "h:2", Mode: clew.RestoreBoth, MessageID: x.message(1).MessageID})
	f.is(t, "2")
	x.wants("at a")
	d := x.do(&clew.CheckpointDiffData{From: "h:0"}).Answer.Data.(*clew.CheckpointDiffAnswer)
	if len(d.Files) != 1 {
		t.Errorf("diff %+v", d)
	}
}

// Files that cannot be taken back leave everything as it was.
func TestRewindFails(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Files: f})
	f.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	f.fail = clew.Errorf(clew.StorageFailed, "the disk is full")
	_, err := x.try(&clew.RewindData{Target: at(x.message(1).MessageID), RestoreCheckpoint: true})
	if clew.CodeOf(err) != clew.StorageFailed {
		t.Errorf("error %v", err)
	}
	st := x.state()
	if len(st.Messages) != 3 || st.Returning != nil || st.CanUndo {
		t.Errorf("state %+v", st)
	}
	x.same()
	x.say("b")
}

// A return that was cut off is finished by whoever opens the session next, and
// the one that was cut off has no say any more.
func TestRewindGoesOn(t *testing.T) {
	f := &shelf{}
	m := new(journaltest.Memory)
	stuck := &shelf{hold: make(chan struct{})}
	x := &trip{t: t, j: m.Node("a"), id: "s1"}
	x.h = start(t, x.j, session.Config{Agent: parrot, Files: stuck})
	create(t, x.h, x.id)
	stuck.write("0")
	x.do(&clew.CheckpointSaveData{})
	x.say("a")
	f.write("1")
	target := x.message(1)
	ctx, cancel := context.WithCancel(t.Context())
	lost := make(chan error, 1)
	go func() {
		_, err := x.h.Do(ctx, x.id, x.cmd(&clew.EditMessageConfirmData{Target: at(target.MessageID), Text: "b", RestoreCheckpoint: true}))
		lost <- err
	}()
	w := watch(t, x.h, x.id)
	until(t, w, func(st clew.SessionState) bool { return st.Returning != nil })
	if _, err := x.try(&clew.UserMessageData{Text: "now"}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("something was said while files are on their way: %v", err)
	}
	m.Down("a")
	y := *x
	y.j = m.Node("b")
	y.h = start(t, y.j, session.Config{Agent: parrot, Files: f})
	y.idle()
	close(stuck.hold)
	cancel()
	if err := <-lost; err == nil {
		t.Error("the node that was cut off says it did it")
	}
	f.is(t, "0")
	y.idle()
	y.wants("saved by ann", "b", "re: b")
	y.do(&clew.UndoRewindData{})
	f.is(t, "1")
	y.wants("saved by ann", "a", "re: a")
}
