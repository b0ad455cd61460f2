package travelcrash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest/trap"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// repackAfter is more checkpoints than are left in packs of their own.
const repackAfter = 105

// The real program, started with a hostile environment and home, goes back and
// forth in a workspace full of traps, forks, verifies, collects and exports.
// Nothing runs, nothing outside is written, the repositories are not touched;
// and plain git does walk into the trap.
//
// Covers: CHK-06, CHK-24
func TestHostileWorkspace(t *testing.T) {
	t.Parallel()
	var x *trap.Trap
	s := newStage(t, proc.Program(t, "crashpoints"), func(work string) map[string]string {
		x = trap.New(t, filepath.Dir(work), work)
		return x.Env
	})
	theirs := func() (list []string) {
		for _, name := range []string{"work/.git", "work/nested/.git", "work/including/.git", "elsewhere.git", "outside", "home"} {
			list = append(list, s.manifest(filepath.Join(s.dir, "live", name)))
		}
		return list
	}
	before := theirs()
	s.Start()
	_, err := s.API().CreateSession(t.Context(), client.NewSession{SessionID: sessionID, Title: "Shopping", Workspace: s.Work})
	s.must(err)
	s.say("Start a list")
	first := s.manifest(s.Work)
	s.say("Add pears")
	s.files(map[string]string{"a.txt": "changed", "sub/a.txt": "-", "out": "-", ".gitattributes": "-", ".gitmodules": "changed", "bare/a.txt": "-"})
	s.files(map[string]string{"out/file": "where a link was", "late/.git/config": "[core]\n\tfsmonitor = touch canary\n"})
	s.say("Add plums")
	last := s.manifest(s.Work)
	for i := range repackAfter {
		s.files(map[string]string{"many.txt": fmt.Sprint(i)})
		_, err := s.send("", clew.CommandCheckpointSave, clew.CheckpointSaveData{})
		s.must(err)
	}
	s.files(map[string]string{"many.txt": "-"})
	target := clew.Target{MessageID: s.said["Add pears"]}
	s.do(clew.CommandCheckpointDiff, clew.CheckpointDiffData{})
	s.do(clew.CommandRewindPreview, clew.RewindPreviewData{Target: target, RestoreCheckpoint: true})
	s.do(rewindTo("Add pears")(s))
	s.must(os.RemoveAll(filepath.Join(s.Work, "late"))) // it holds a repository, so it was left
	if got := s.manifest(s.Work); got != first {
		t.Errorf("taken back, files are others:\n%s", differ(first, got))
	}
	s.file(filepath.Join(s.Work, "late/.git/config"), false, "[core]\n\tfsmonitor = touch canary\n")
	s.do(undo(s, trip{}))
	if got := s.manifest(s.Work); got != last {
		t.Errorf("taken forth again, files are others:\n%s", differ(last, got))
	}
	s.must(os.Mkdir(aside(s), 0o700))
	s.do(clew.CommandForkSession, clew.ForkSessionData{MessageID: s.said["Add pears"], Workspace: aside(s)})
	s.Run("export", string(sessionID), "--server", s.Srv.URL(), "-o", filepath.Join(s.dir, "bundle"))
	s.Run("checkpoint", "fsck")
	s.must(s.Srv.Stop())
	s.Run("checkpoint", "gc")
	s.Run("checkpoint", "fsck")
	s.Run("doctor", "--json")

	if packs, err := filepath.Glob(filepath.Join(s.Srv.Dir, "checkpoints/*/repo/objects/pack/*.pack")); err != nil || len(packs) > repackAfter {
		t.Errorf("%d packs: nothing was repacked, %v", len(packs), err)
	}
	for i, now := range theirs() {
		if now != before[i] {
			t.Errorf("what is not ours was changed:\n%s", differ(before[i], now))
		}
	}
	if fired := x.Fired(); len(fired) > 0 {
		t.Errorf("fired: %s", strings.Join(fired, " "))
	}
	if stolen := x.Stolen(); len(stolen) > 0 {
		t.Errorf("made: %v", stolen)
	}
	t.Logf("%d canaries are alive", len(x.Prove()))
}
