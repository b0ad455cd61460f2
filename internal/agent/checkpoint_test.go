package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/retention"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/tool"
)

// watched is the real keeper of files, with its saves counted. It fails on
// demand.
type watched struct {
	rewind.Files
	mu    sync.Mutex
	saves []string // the reasons
	fail  error
}

func (f *watched) Save(ctx context.Context, at rewind.Workspace, reason string) (core.SavedFiles, error) {
	f.mu.Lock()
	f.saves = append(f.saves, reason)
	fail := f.fail
	f.mu.Unlock()
	if errors.Is(fail, errPanics) {
		panic(fail)
	}
	if fail != nil {
		return core.SavedFiles{}, fail
	}
	return f.Files.Save(ctx, at, reason)
}

// errPanics has a save panic.
var errPanics = errors.New("out of bounds")

func (f *watched) reasons() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.saves)
}

// runKept is run in a world whose files are kept.
func runKept(t *testing.T, set map[string]any, fn func(w *world, f *watched), steps ...step) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, set)
		k, err := retention.Open(filepath.Join(t.TempDir(), "checkpoints"), retention.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := &watched{Files: k}
		w.files, w.model = f, &model{t: t, steps: steps}
		w.open()
		defer func() {
			w.close()
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		}()
		fn(w, f)
		if left := w.model.left(); left > 0 {
			t.Errorf("%d answers of the model were not asked for", left)
		}
	})
}

// checkpoints gives those on record, and checks that each begins where the one
// before ended and that the last one is what the session stands at.
func (w *world) checkpoints() []clew.CheckpointSavedData {
	w.Helper()
	list := events[clew.CheckpointSavedData](w)
	for i, c := range list {
		if i > 0 && c.FromHash != list[i-1].ToHash || c.FromHash == c.ToHash && i > 0 || !c.SuppressMessage || c.Kind != clew.CheckpointWorkspace || c.TaskID == "" || c.TS == 0 || c.CheckpointID == "" {
			w.Errorf("checkpoint %d is %+v", i, c)
		}
	}
	if n := len(list); n > 0 && w.state().Checkpoint != list[n-1].ToHash {
		w.Errorf("the session stands at %q, want %q", w.state().Checkpoint, list[n-1].ToHash)
	}
	return list
}

// at gives a file's content at a checkpoint, as far as it differs from another.
func (w *world) at(f *watched, name, from, to string) string {
	w.Helper()
	diff, _, err := f.Diff(w.Context(), rewind.Workspace{Session: w.id, Dir: w.dir}, from, to, 100)
	if err != nil {
		w.Fatal(err)
	}
	for _, d := range diff {
		if d.Paths.Relative == name {
			return d.Content.After
		}
	}
	return "same"
}

// Files are saved at a message, and before and after each call that may change
// them. What is as it was is not recorded again, and what only reads is not
// saved for.
// Covers: CHK-10, CHK-13, CHK-14, C-62
func TestFilesAreSaved(t *testing.T) {
	look := &gadget{name: "look"}
	runKept(t, allowed(), func(w *world, f *watched) {
		w.tools = append(w.tools, look)
		w.write("a.txt", "mine")
		w.say("write")
		w.write("a.txt", "edited by hand")
		w.say("look")
		w.idle()
		list := w.checkpoints()
		if len(list) != 3 {
			t.Fatalf("checkpoints %+v", list)
		}
		var said []clew.MessageID
		for _, m := range w.state().Messages {
			if m.Role == clew.SpeakerUser {
				said = append(said, m.MessageID)
			}
		}
		if list[0].MessageID != said[0] || list[1].MessageID != "" || list[2].MessageID != said[1] {
			t.Errorf("they belong to %q, %q, %q; said was %v", list[0].MessageID, list[1].MessageID, list[2].MessageID, said)
		}
		first := events[clew.CheckpointInitializedData](w)
		if len(first) != 1 || first[0].BaseHash != list[0].ToHash || first[0].WorkspaceDir != w.dir || first[0].Kind != clew.CheckpointWorkspace {
			t.Errorf("initialized: %+v", first)
		}
		if got := w.at(f, "b.txt", list[0].ToHash, list[1].ToHash); got != "new" {
			t.Errorf("the call left %q", got)
		}
		if got := w.at(f, "a.txt", list[1].ToHash, list[2].ToHash); got != "edited by hand" {
			t.Errorf("between the messages: %q", got)
		}
		if got := f.reasons(); !slices.Equal(got, []string{"at a message", "before write_file", "after write_file", "at a message"}) {
			t.Errorf("saved %v", got)
		}
		if len(w.messages("checkpoint_saved")) != 0 {
			t.Error("what is saved without being asked for does not show")
		}
		order(w, clew.EventCheckpointInitialized, clew.EventCheckpointSaved, clew.EventModelMessage, clew.EventToolProgress, clew.EventCheckpointSaved, clew.EventToolProgress)
	}, calls(call("c1", "write_file", `{"path":"b.txt","content":"new"}`)), says("Written."), calls(call("c2", "look", `{}`)), says("Looked."))
}

// order checks that records of these kinds come in this order, whatever comes
// between them.
func order(w *world, want ...clew.EventType) {
	w.Helper()
	rest := want
	for _, typ := range w.types() {
		if len(rest) > 0 && typ == rest[0] {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 {
		w.Errorf("no %s where it should be: %v", rest[0], w.types())
	}
}

// What a person, or another program, changes while a question is open is saved
// before the call runs.
func TestFilesChangedWhileItWaited(t *testing.T) {
	runKept(t, nil, func(w *world, f *watched) {
		w.write("a.txt", "1")
		w.say("write")
		w.asked(clew.AskTool)
		w.write("other.txt", "2")
		w.yes()
		w.idle()
		list := w.checkpoints()
		if len(list) != 3 || list[1].Reason != "before write_file" || list[2].Reason != "after write_file" {
			t.Fatalf("checkpoints %+v", list)
		}
		if w.at(f, "other.txt", list[0].ToHash, list[1].ToHash) != "2" || w.at(f, "b.txt", list[1].ToHash, list[2].ToHash) != "new" {
			t.Error("the changes are not apart")
		}
		order(w, clew.EventHitlResolved, clew.EventCheckpointSaved, clew.EventToolProgress, clew.EventCheckpointSaved, clew.EventToolProgress)
	}, calls(call("c1", "write_file", `{"path":"b.txt","content":"new"}`)), says("Written."))
}

// dies is a call that changes a file and never returns.
func dies(class clew.ToolClass, rest *bool) *gadget {
	g := &gadget{name: "work", class: class, group: tool.GroupEdit}
	g.prepare = func(c tool.Call) (*tool.Action, error) {
		g.run = func(ctx context.Context, _ tool.Call, out tool.Output) (tool.Result, error) {
			if *rest {
				return tool.Result{Text: "ran"}, os.WriteFile(filepath.Join(c.Workspace.Dir, "again.txt"), []byte("again"), 0o600)
			}
			if err := os.WriteFile(filepath.Join(c.Workspace.Dir, "effect.txt"), []byte("half"), 0o600); err != nil {
				return tool.Result{}, err
			}
			return blocks(ctx, c, out)
		}
		return &tool.Action{Ask: clew.AskTool}, nil
	}
	return g
}

// The server dies between what a call does to files and the record of it: when
// the call is found to be in doubt, the files go on record as they are found,
// before anything else happens to them.
func TestFilesAfterACrash(t *testing.T) {
	t.Run("nobody knows", func(t *testing.T) {
		rest := false
		runKept(t, allowed(), func(w *world, f *watched) {
			w.tools = append(w.tools, dies(clew.ClassOnce, &rest))
			w.say("go")
			before := w.checkpoints()
			rest = true
			w.crash()
			w.asked(clew.AskResumeTask)
			list := w.checkpoints()
			if len(before) != 1 || len(list) != 2 || w.at(f, "effect.txt", list[0].ToHash, list[1].ToHash) != "half" {
				t.Fatalf("before %+v, after %+v", before, list)
			}
			order(w, clew.EventCheckpointSaved, clew.EventToolProgress, clew.EventCheckpointSaved, clew.EventHitlApprovalRequest)
			w.yes()
			w.idle()
		}, calls(call("c1", "work", `{}`)), says("Done."))
	})
	t.Run("it runs again", func(t *testing.T) {
		rest := false
		runKept(t, allowed(), func(w *world, f *watched) {
			w.tools = append(w.tools, dies(clew.ClassRepeatable, &rest))
			w.say("go")
			rest = true
			w.crash()
			w.idle()
			list := w.checkpoints()
			if len(list) != 3 || w.at(f, "effect.txt", list[0].ToHash, list[1].ToHash) != "half" || w.at(f, "again.txt", list[1].ToHash, list[2].ToHash) != "again" {
				t.Fatalf("checkpoints %+v", list)
			}
		}, calls(call("c1", "work", `{}`)), says("Done."))
	})
	t.Run("saved and not on record", func(t *testing.T) {
		runKept(t, nil, func(w *world, f *watched) {
			w.say("hello")
			w.write("a.txt", "1")
			s, err := f.Files.Save(w.Context(), rewind.Workspace{Session: w.id, Dir: w.dir}, "lost")
			if err != nil {
				t.Fatal(err)
			}
			w.crash()
			w.say("again")
			if list := w.checkpoints(); len(list) != 2 || list[1].ToHash != s.Hash || list[1].CheckpointID != s.ID {
				t.Errorf("checkpoints %+v, want the last to be %+v", list, s)
			}
		}, says("Hi."), says("Hi again."))
	})
}

// An interrupted call's changes are in the next checkpoint.
func TestFilesAfterAnInterrupt(t *testing.T) {
	rest := false
	runKept(t, allowed(), func(w *world, f *watched) {
		w.tools = append(w.tools, dies(clew.ClassOnce, &rest))
		w.say("go")
		w.do(&clew.InterruptData{})
		w.say("what now?")
		w.idle()
		list := w.checkpoints()
		if len(list) != 2 || w.at(f, "effect.txt", list[0].ToHash, list[1].ToHash) != "half" {
			t.Fatalf("checkpoints %+v", list)
		}
	}, calls(call("c1", "work", `{}`)), says("Done."))
}

// Work goes on without checkpoints. People hear of it, once in a turn.
func TestFilesCannotBeSaved(t *testing.T) {
	runKept(t, allowed(), func(w *world, f *watched) {
		f.fail = clew.WrapError(clew.CheckpointFailed, errors.New("EIO"), "the disk is full")
		w.say("write")
		w.idle()
		if b, err := os.ReadFile(filepath.Join(w.dir, "b.txt")); err != nil || string(b) != "new" {
			t.Errorf("the file is %q, %v", b, err)
		}
		if text := w.said(clew.SayError); !strings.Contains(text, "the disk is full") || strings.Contains(text, "EIO") {
			t.Errorf("people hear %q", text)
		}
		if len(f.reasons()) != 3 {
			t.Errorf("saved %v", f.reasons())
		}
		w.say("again")
		if n := len(w.messages("error")); n != 2 {
			t.Errorf("people heard of it %d times in two turns", n)
		}
		f.fail = nil
		w.say("and again")
		if n := len(w.messages("error")); n != 2 || len(w.checkpoints()) != 1 {
			t.Errorf("after it works again: %d messages, %+v", n, w.checkpoints())
		}
	}, calls(call("c1", "write_file", `{"path":"b.txt","content":"new"}`)), says("Written."), says("Yes."), says("Yes."))
}

// Files that could not be saved when somebody said something are nowhere to go back to:
// an older checkpoint has not what was changed by hand.
func TestNoReturnToUnsavedFiles(t *testing.T) {
	t.Run("error", func(t *testing.T) { noReturnAfter(t, clew.Errorf(clew.CheckpointFailed, "the disk is full")) })
	t.Run("panic", func(t *testing.T) { noReturnAfter(t, errPanics) })
}

func noReturnAfter(t *testing.T, fail error) {
	runKept(t, allowed(), func(w *world, f *watched) {
		w.say("write")
		w.idle()
		file := filepath.Join(w.dir, "b.txt")
		if err := os.WriteFile(file, []byte("by hand"), 0o600); err != nil {
			t.Fatal(err)
		}
		f.fail = fail
		w.say("go on")
		f.fail = nil
		said := events[clew.MessageCreatedData](w)
		said = slices.DeleteFunc(said, func(m clew.MessageCreatedData) bool { return m.Message.Role != clew.SpeakerUser })
		target := clew.Target{MessageID: said[1].Message.MessageID}
		if err := w.try(&clew.RewindData{Target: target, RestoreCheckpoint: true}); clew.CodeOf(err) != clew.SessionInvalidState || !strings.Contains(err.Error(), "could not be saved") {
			t.Errorf("the files went back: %v", err)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != "by hand" {
			t.Errorf("the file is %q, %v", b, err)
		}
		w.do(&clew.RewindData{Target: target})
	}, calls(call("c1", "write_file", `{"path":"b.txt","content":"new"}`)), says("Written."), says("Yes."))
}

// Nothing is saved where that is switched off, and where there is no workspace.
func TestFilesAreNotSaved(t *testing.T) {
	steps := []step{calls(call("c1", "write_file", `{"path":"b.txt","content":"new"}`)), says("Written.")}
	runKept(t, allowed(map[string]any{"checkpoints_enabled": false}), func(w *world, f *watched) {
		w.say("write")
		w.idle()
		if len(f.reasons()) != 0 || len(w.checkpoints()) != 0 {
			t.Errorf("switched off, saved %v", f.reasons())
		}
	}, steps...)
	runKept(t, allowed(), func(w *world, f *watched) {
		var err error
		if w.id, err = w.host.Create(w.Context(), ann, session.NewSession{}); err != nil {
			t.Fatal(err)
		}
		w.say("write")
		w.idle()
		if len(f.reasons()) != 0 {
			t.Errorf("without a workspace, saved %v", f.reasons())
		}
	}, steps...)
}

// Calls that run beside each other leave a chain of checkpoints: each begins
// where the one before ends, and the last one is the files as they are.
func TestFilesOfCallsAtOnce(t *testing.T) {
	const n = 6
	g := &gadget{name: "work", class: clew.ClassOnce, group: tool.GroupEdit, parallel: true}
	g.run = func(_ context.Context, c tool.Call, _ tool.Output) (tool.Result, error) {
		var in struct{ Name string }
		if err := json.Unmarshal(c.Input, &in); err != nil {
			return tool.Result{}, err
		}
		return tool.Result{Text: "ran"}, os.WriteFile(filepath.Join(c.Workspace.Dir, in.Name), []byte(in.Name), 0o600)
	}
	var parts []clew.Part
	for i := range n {
		parts = append(parts, call(fmt.Sprint("c", i), "work", fmt.Sprintf(`{"name":"f%d"}`, i)))
	}
	runKept(t, allowed(), func(w *world, f *watched) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.idle()
		list := w.checkpoints()
		diff, _, err := f.Diff(w.Context(), rewind.Workspace{Session: w.id, Dir: w.dir}, list[len(list)-1].ToHash, "", 100)
		if err != nil || len(diff) != 0 {
			t.Errorf("the files are not what the last checkpoint has: %+v, %v", diff, err)
		}
		if len(f.reasons()) != 2+n {
			t.Errorf("saved %v", f.reasons())
		}
	}, calls(parts...), says("Done."))
}
