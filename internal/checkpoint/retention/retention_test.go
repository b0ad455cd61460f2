package retention_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/checkpoint/retention"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/settings"
)

// A desk is a keeper with one session in one workspace. Time moves when the test
// says so.
type desk struct {
	*testing.T
	*retention.Keeper
	data    string
	at      rewind.Workspace
	values  settings.Values
	now     time.Time
	records map[clew.SessionID][]clew.Record
	broken  map[clew.SessionID]bool
	during  func() // happens after records were read
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir := t.TempDir()
	d := &desk{
		T: t, data: filepath.Join(dir, "data"), values: settings.Defaults(), now: time.Unix(1_700_000_000, 0),
		records: map[clew.SessionID][]clew.Record{}, broken: map[clew.SessionID]bool{},
	}
	d.at = rewind.Workspace{Session: "-sess_1", Dir: filepath.Join(dir, "work")}
	d.must(os.Mkdir(d.at.Dir, 0o755))
	d.open()
	return d
}

func (d *desk) open() {
	d.Helper()
	k, err := retention.Open(filepath.Join(d.data, "checkpoints"), retention.Options{
		Settings: func(own map[string]any) settings.Values {
			v := d.values
			if off, ok := own["checkpoints_enabled"].(bool); ok {
				v.Checkpoints = off
			}
			return v
		},
		Home: func(id clew.SessionID) string { return filepath.Join(d.data, "workspaces", string(id)) },
		Now:  func() time.Time { return d.now },
		Records: func(_ context.Context, id clew.SessionID) iter.Seq2[clew.Record, error] {
			return func(yield func(clew.Record, error) bool) {
				if d.broken[id] {
					yield(clew.Record{}, errors.New("damaged"))
					return
				}
				for _, r := range d.records[id] {
					if !yield(r, nil) {
						return
					}
				}
				if d.during != nil {
					d.during()
				}
			}
		},
	})
	d.must(err)
	d.Keeper = k
	d.Cleanup(func() { _ = k.Close() })
}

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *desk) put(name, content string) {
	d.Helper()
	p := filepath.Join(d.at.Dir, name)
	d.must(os.MkdirAll(filepath.Dir(p), 0o755))
	d.must(os.WriteFile(p, []byte(content), 0o644))
}

func (d *desk) read(name string) string {
	b, err := os.ReadFile(filepath.Join(d.at.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "gone"
	}
	d.must(err)
	return string(b)
}

func (d *desk) save() core.SavedFiles {
	d.Helper()
	s, err := d.Save(d.Context(), d.at, "test")
	d.must(err)
	return s
}

// record puts an event on the session's record.
func (d *desk) record(typ clew.EventType, data any) {
	d.Helper()
	b, err := json.Marshal(data)
	d.must(err)
	list, id := d.records[d.at.Session], d.at.Session
	var head clew.Head
	if len(list) > 0 {
		head = list[len(list)-1].After()
	}
	d.records[id] = append(list, head.Next(id, 1, d.now.UnixMilli(), "ann", typ, b))
}

// list gives the hashes of all checkpoints in the store.
func (d *desk) list() []string {
	d.Helper()
	s, err := checkpoint.Open(filepath.Join(d.data, "checkpoints"), checkpoint.Options{})
	d.must(err)
	defer func() { _ = s.Close() }()
	places, err := s.Places()
	d.must(err)
	var hashes []string
	for _, p := range places {
		list, err := p.List(d.Context(), "")
		d.must(err)
		for _, c := range list {
			hashes = append(hashes, c.Hash)
		}
	}
	return hashes
}

// The list of checkpoints is in the store, an empty save adds nothing, and a
// restore keeps the state before.
// Covers: C-42, CHK-12, CHK-13, CHK-15
func TestSaveAndRestore(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	first := d.save()
	if !strings.HasPrefix(first.ID, "cp_") || first.From != "" || first.Files != 1 || first.Bytes != 1 {
		t.Errorf("first checkpoint %+v", first)
	}
	if again := d.save(); again.Hash != first.Hash || again.ID != first.ID {
		t.Errorf("nothing changed, saved %+v", again)
	}
	d.put("a", "2")
	d.put("b", "new")
	d.must(d.Close())
	d.open() // nothing of the list was in memory alone
	second := d.save()
	if second.From != first.Hash || second.Hash == first.Hash {
		t.Errorf("second checkpoint %+v after %s", second, first.Hash)
	}
	d.put("a", "3")
	r, err := d.Restore(t.Context(), d.at, "rw_1", first.Hash)
	d.must(err)
	if d.read("a") != "1" || d.read("b") != "gone" || r.Changed != 1 || r.Removed != 1 || r.Before == second.Hash {
		t.Errorf("a %q, b %q after %+v", d.read("a"), d.read("b"), r)
	}
	if s := d.save(); s.Hash != first.Hash {
		t.Errorf("after the restore it is %s, want %s", s.Hash, first.Hash)
	}
	_, err = d.Restore(t.Context(), d.at, "rw_2", r.Before)
	d.must(err)
	if d.read("a") != "3" || d.read("b") != "new" {
		t.Errorf("after going back: a %q, b %q", d.read("a"), d.read("b"))
	}
}

// A restore is done once for each name, also after a restart, and says the same.
func TestRestoreOnce(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	first := d.save()
	d.put("a", "2")
	r, err := d.Restore(t.Context(), d.at, "rw_1", first.Hash)
	d.must(err)
	d.put("a", "written since")
	d.must(d.Close())
	d.open()
	again, err := d.Restore(t.Context(), d.at, "rw_1", first.Hash)
	d.must(err)
	if again.Before != r.Before || again.Changed != 1 || d.read("a") != "written since" {
		t.Errorf("again %+v, first %+v; a is %q", again, r, d.read("a"))
	}
	if _, err := d.Restore(t.Context(), d.at, "rw_1", r.Before); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("the same name for another checkpoint: %v", err)
	}
}

// Sessions in one workspace share objects and have checkpoints of their own; a
// session without a workspace has one below the data directory.
func TestPlacesOfSessions(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	first := d.save()
	other := d.at
	other.Session = "sess_2"
	s, err := d.Save(t.Context(), other, "")
	d.must(err)
	if s.Hash == first.Hash || s.From != "" {
		t.Errorf("the other session's first checkpoint is %+v", s)
	}
	homeless := rewind.Workspace{Session: clew.SessionID(strings.Repeat("x", 128))}
	empty, err := d.Save(t.Context(), homeless, "")
	d.must(err)
	file := filepath.Join(d.data, "workspaces", string(homeless.Session), "f")
	d.must(os.WriteFile(file, []byte("x"), 0o600))
	if _, err = d.Save(t.Context(), homeless, ""); err != nil {
		t.Fatal(err)
	}
	_, err = d.Restore(t.Context(), homeless, "rw", empty.Hash)
	d.must(err)
	if _, err := os.Lstat(file); err == nil {
		t.Error("the file is there still")
	}
}

// Covers: CHK-03, G-15
func TestWhatIsNotSaved(t *testing.T) {
	d := newDesk(t)
	home := filepath.Dir(d.at.Dir)
	t.Setenv("HOME", home)
	for _, dir := range []string{home, filepath.Join(home, "Documents"), "/etc", filepath.Join(d.data, "checkpoints"), "not/absolute", filepath.Join(home, "missing")} {
		_ = os.Mkdir(filepath.Join(home, "Documents"), 0o755)
		_, err := d.Save(t.Context(), rewind.Workspace{Session: "s", Dir: dir}, "")
		if code := clew.CodeOf(err); code != clew.Forbidden && code != clew.InvalidMessage {
			t.Errorf("%s: %v", dir, err)
		}
		if clew.CodeOf(err) == clew.Forbidden && !strings.Contains(dir, "checkpoints") && !strings.Contains(err.Error(), dir) {
			t.Errorf("the refusal of %s does not name it: %v", dir, err)
		}
	}
	d.values.CheckpointMaxFileMB, d.values.CheckpointExclude, d.values.ExcludePaths = 1, []string{"*.iso"}, []string{"secret.*"}
	for _, name := range []string{"kept", ".git/config", "node_modules/x", "disk.iso", "secret.pem", "ignored"} {
		d.put(name, "x")
	}
	d.put(".clewignore", "ignored\n")
	d.put("large", strings.Repeat("x", 1<<20+1))
	s := d.save()
	if s.Files != 2 || !slices.Equal(s.Left, []string{"large"}) {
		t.Errorf("saved %+v", s)
	}
	_, err := d.Restore(t.Context(), d.at, "rw", s.Hash)
	d.must(err)
	for _, name := range []string{".git/config", "node_modules/x", "disk.iso", "secret.pem", "ignored", "large"} {
		if d.read(name) == "gone" {
			t.Errorf("a restore took %s away", name)
		}
	}
}

// A workspace that holds the store is saved without it.
func TestStoreInsideTheWorkspace(t *testing.T) {
	d := newDesk(t)
	d.at.Dir = filepath.Dir(d.at.Dir)
	d.put("a", "1")
	first := d.save()
	if again := d.save(); again.Hash != first.Hash {
		t.Error("the store saw itself change")
	}
	d.put("a", "2")
	_, err := d.Restore(t.Context(), d.at, "rw", first.Hash)
	d.must(err)
	if d.read("a") != "1" || len(d.list()) != 2 {
		t.Errorf("a is %q, checkpoints %v", d.read("a"), d.list())
	}
}

func TestTroubleInWords(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	first := d.save()
	off := d.at
	off.Settings = map[string]any{"checkpoints_enabled": false}
	if _, err := d.Save(t.Context(), off, ""); clew.CodeOf(err) != clew.CheckpointFailed || !strings.Contains(err.Error(), "checkpoints_enabled") {
		t.Errorf("switched off: %v", err)
	}
	if _, err := d.Restore(t.Context(), off, "rw", first.Hash); err != nil {
		t.Errorf("switched off, a restore: %v", err)
	}
	d.values.CheckpointQuotaMB = 1
	noise := make([]byte, 2<<20)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	d.put("noise", string(noise))
	if _, err := d.Save(t.Context(), d.at, ""); clew.CodeOf(err) != clew.CheckpointFailed || !strings.Contains(err.Error(), "checkpoint_quota_mb") {
		t.Errorf("over the quota: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	other := rewind.Workspace{Session: "s", Dir: t.TempDir()}
	if _, err := d.Save(t.Context(), other, ""); clew.CodeOf(err) != clew.CheckpointFailed || !strings.Contains(err.Error(), "git") {
		t.Errorf("without git: %v", err)
	}
}

func TestCopy(t *testing.T) {
	d := newDesk(t)
	d.put("a", "0")
	zeroth := d.save()
	d.put("a", "1")
	d.put("sub/run", "x")
	d.must(os.Chmod(filepath.Join(d.at.Dir, "sub/run"), 0o751))
	first := d.save()
	d.put("a", "2")
	for _, to := range []rewind.Workspace{{Session: "fork"}, {Session: "fork", Dir: filepath.Join(t.TempDir(), "new")}} {
		d.must(d.Copy(t.Context(), d.at, first.Hash, to))
		dir := to.Dir
		if dir == "" {
			dir = filepath.Join(d.data, "workspaces", "fork")
		}
		b, err := os.ReadFile(filepath.Join(dir, "a"))
		d.must(err)
		info, err := os.Stat(filepath.Join(dir, "sub/run"))
		d.must(err)
		if string(b) != "1" || info.Mode().Perm() != 0o751 {
			t.Errorf("%s: a is %q, run is %v", dir, b, info.Mode())
		}
		if err := d.Copy(t.Context(), d.at, first.Hash, to); err != nil {
			t.Errorf("asked for a second time: %v", err)
		}
		if err := d.Copy(t.Context(), d.at, first.Hash, rewind.Workspace{Session: "other", Dir: dir}); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("a copy over another: %v", err)
		}
		r, err := d.Restore(t.Context(), to, "rw", first.Hash)
		if err != nil || r.Changed != 0 {
			t.Errorf("the fork does not know the checkpoint it began with: %+v, %v", r, err)
		}
		if _, err = d.Restore(t.Context(), to, "rw_2", zeroth.Hash); err != nil {
			t.Errorf("the fork cannot go back further: %v", err)
		}
		if b, err = os.ReadFile(filepath.Join(dir, "a")); err != nil || string(b) != "0" {
			t.Errorf("a is %q, %v", b, err)
		}
		if n, found, err := d.Check(t.Context(), dir); err != nil || n != 1 || len(found) > 0 {
			t.Errorf("fsck of the copy: %d, %v, %v", n, found, err)
		}
	}
}
