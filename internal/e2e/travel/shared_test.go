package travel_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/session"
)

// hashOf gives the checkpoint that a save put on record.
func (x *walk) hashOf(r session.Receipt) string {
	x.t.Helper()
	seq, err := r.Records[len(r.Records)-1].Seq()
	proc.Must(x.t, err)
	for record, err := range x.w.journal.Read(x.t.Context(), x.id, seq, seq) {
		proc.Must(x.t, err)
		ev, err := clew.DecodeEvent(record.Type, record.Data())
		proc.Must(x.t, err)
		return ev.Data.(*clew.CheckpointSavedData).ToHash
	}
	x.t.Fatal("there is no such record")
	return ""
}

// Sessions in one directory: a fork can go where the session could that it came
// from, and another session cannot, though it knows the name.
func TestSharedDirectory(t *testing.T) {
	w := newWorld(t)
	x := w.newWalk(t, 1)
	file := filepath.Join(x.dir, "file")
	is := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(file); err != nil || string(b) != want {
			t.Errorf("the file is %q, %v; want %q", b, err, want)
		}
	}
	proc.Must(t, os.WriteFile(file, []byte("1"), 0o600))
	first := x.hashOf(x.do(&clew.CheckpointSaveData{}))
	proc.Must(t, os.WriteFile(file, []byte("2"), 0o600))
	second := x.hashOf(x.do(&clew.CheckpointSaveData{}))
	fork := &walk{t: t, w: w, id: x.do(&clew.ForkSessionData{}).SessionID, dir: x.dir}
	proc.Must(t, os.WriteFile(file, []byte("3"), 0o600))
	later := x.hashOf(x.do(&clew.CheckpointSaveData{}))

	answer := fork.do(&clew.CheckpointDiffData{From: first, To: second}).Answer.Data.(*clew.CheckpointDiffAnswer)
	if len(answer.Files) != 1 || answer.FilesCount != 1 || answer.Files[0].Content.Before != "1" {
		t.Errorf("%+v", answer)
	}
	fork.do(&clew.CheckpointRestoreData{CommitHash: first, Mode: clew.RestoreFiles})
	is("1")
	id, err := w.host.Create(t.Context(), ann, session.NewSession{Workspace: x.dir})
	proc.Must(t, err)
	for session, hash := range map[clew.SessionID]string{id: first, fork.id: later} {
		for _, data := range []any{
			&clew.CheckpointDiffData{From: hash}, &clew.CheckpointRestoreData{CommitHash: hash, Mode: clew.RestoreFiles},
			&clew.CheckpointDiffData{From: hash}, // the attempt is on record
		} {
			if _, err := w.host.Do(t.Context(), session, clew.Command{By: ann, Data: data}); clew.CodeOf(err) != clew.InvalidMessage {
				t.Errorf("%T of another session's: %v", data, err)
			}
		}
	}
	if _, err := w.host.Do(t.Context(), id, clew.Command{By: ann, Data: &clew.CheckpointDiffData{}}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("a session without a checkpoint compares with one: %v", err)
	}
	is("1")
}
