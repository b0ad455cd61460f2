package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
)

// A tree is a workspace that is saved by clew and by git. git's own directory
// lies outside, so that the bare walk sees what clew sees.
type tree struct {
	root, dir string
	size      int // bytes of a file
	git       plainGit
	store     *checkpoint.Store
	place     *checkpoint.Place
	ids       int
}

// checkpoints measures what checkpoints of a tree of files cost, beside git on
// the same tree and beside what cannot be spared.
func (b *bench) checkpoints() error {
	b.logf("checkpoints: making %d files, %d MB", b.size.treeFiles, b.size.treeBytes>>20)
	dir, err := filepath.Abs(filepath.Join(b.dir, "checkpoint"))
	if err != nil {
		return err
	}
	t := &tree{root: filepath.Join(dir, "work"), dir: dir, size: int(b.size.treeBytes / int64(b.size.treeFiles))}
	if err := checkpointtest.Fill(t.root, b.size.treeFiles, b.size.treeBytes); err != nil {
		return err
	}
	defer t.close()
	if err := b.firstCheckpoint(t); err != nil {
		return err
	}
	if err := b.nextCheckpoint(t); err != nil {
		return err
	}
	return b.restoreOne(t)
}

// firstCheckpoint compares the first save of a tree, each time into a new store
// and a new repository. The last ones are used from then on.
func (b *bench) firstCheckpoint(t *tree) error {
	b.logf("checkpoint, the first")
	var ours, gits samples
	for i := range b.rounds(b.size.firstRounds, 0.1) {
		if err := t.open(i); err != nil {
			return err
		}
		if err := inTurn(0,
			step{&ours, func(int) error { return t.save() }},
			step{&gits, func(int) error { return t.git.commit() }},
		); err != nil {
			return err
		}
	}
	b.figures.FirstCheckpointVsGit = ratio(float64(ours.p50()), float64(gits.p50()))
	b.detail("first_checkpoint", map[string]any{
		"files": b.size.treeFiles, "mb": b.size.treeBytes >> 20, "rounds": len(ours), "clew_ms": ms(ours.p50()), "git_ms": ms(gits.p50()),
	})
	return nil
}

// nextCheckpoint compares the save of a tree of which one file changed.
func (b *bench) nextCheckpoint(t *tree) error {
	b.logf("checkpoint, one file changed")
	if err := t.save(); err != nil { // files that were young at first are settled now
		return err
	}
	objects := filepath.Join(t.dir, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return err
	}
	var bare, change, ours, gits, unchanged samples
	for i := range b.size.checkpointRounds { // short ones, and all of them however late it is
		if err := inTurn(i,
			step{&bare, func(i int) error { return t.walkAndWrite(objects, i) }},
			step{&change, t.change},
			step{&ours, func(int) error { return t.save() }},
			step{&gits, func(int) error { return t.git.commit() }},
			step{&unchanged, func(int) error { return t.save() }},
		); err != nil {
			return err
		}
	}
	b.figures.CheckpointVsGit = ratio(float64(ours.p50()), float64(gits.p50()))
	b.figures.CheckpointVsStat = ratio(float64(ours.p50()), float64(bare.p50()))
	b.detail("checkpoint", map[string]any{
		"rounds": len(ours), "clew_ms": ms(ours.p50()), "git_ms": ms(gits.p50()), "walk_and_object_ms": ms(bare.p50()), "unchanged_ms": ms(unchanged.p50()),
	})
	return nil
}

// restoreOne compares taking one file back with writing it.
func (b *bench) restoreOne(t *tree) error {
	b.logf("checkpoint, one file restored")
	var hashes []string
	for i := range 2 {
		if err := t.change(i); err != nil {
			return err
		}
		s, err := t.place.Save(context.Background(), t.ref())
		if err != nil {
			return err
		}
		hashes = append(hashes, s.Hash)
	}
	beside := filepath.Join(t.root, filepath.Dir(changing), "beside")
	var written, ours samples
	for i := range b.size.restoreRounds {
		if err := inTurn(i,
			step{&written, func(i int) error { return writeFlushed(beside, t.content(i)) }},
			step{&ours, func(i int) error { return t.restore(hashes[i%2]) }},
		); err != nil {
			return err
		}
	}
	b.figures.RestoreOne = ratio(float64(ours.p50()), float64(written.p50()))
	b.detail("restore_one", map[string]any{"rounds": len(ours), "clew_us": us(ours.p50()), "written_us": us(written.p50())})
	return nil
}

// changing is the file of a tree that changes.
var changing = checkpointtest.Name(7)

// open begins a new store and a new repository in place of the last ones.
func (t *tree) open(round int) (err error) {
	t.close()
	store, repository := filepath.Join(t.dir, "store"), filepath.Join(t.dir, "git")
	for _, dir := range []string{store, repository} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	t.git = plainGit{tree: t.root, dir: repository}
	if err := t.git.run("init", "-q"); err != nil {
		return err
	}
	if t.store, err = checkpoint.Open(store, checkpoint.Options{}); err != nil {
		return err
	}
	if t.place, err = t.store.Workspace(context.Background(), t.root, checkpoint.Rules{}); err != nil {
		return err
	}
	if round == 0 {
		err = statWalk(t.root) // nobody pays for the first look at the disk
	}
	unix.Sync() // nor for what others wrote
	return err
}

func (t *tree) close() {
	if t.store != nil {
		_ = t.store.Close() // its directory goes
		t.store = nil
	}
}

func (t *tree) ref() checkpoint.Ref {
	t.ids++
	return checkpoint.Ref{Session: "bench", ID: fmt.Sprint("c-", t.ids)}
}

func (t *tree) save() error {
	_, err := t.place.Save(context.Background(), t.ref())
	return err
}

func (t *tree) restore(hash string) error {
	r := t.ref()
	done, err := t.place.Restore(context.Background(), hash, checkpoint.RestoreOptions{Session: r.Session, ID: r.ID, Paths: []string{changing}})
	if err == nil && done.Changed != 1 {
		err = fmt.Errorf("the restore changed %d files, want 1", done.Changed)
	}
	return err
}

// content is what the changing file holds in a round.
func (t *tree) content(round int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "line %d of it\n", round), t.size/12+1)[:t.size]
}

func (t *tree) change(round int) error {
	return os.WriteFile(filepath.Join(t.root, changing), t.content(round), 0o644)
}

// walkAndWrite is what a checkpoint cannot do without: a look at every file, and
// the changed one stored.
func (t *tree) walkAndWrite(objects string, round int) error {
	if err := statWalk(t.root); err != nil {
		return err
	}
	return writeObject(objects, t.content(round))
}

// A step is one of several things that are timed in turn.
type step struct {
	into *samples
	fn   func(round int) error
}

func inTurn(round int, steps ...step) error {
	for _, s := range steps {
		start := time.Now()
		if err := s.fn(round); err != nil {
			return err
		}
		*s.into = append(*s.into, time.Since(start))
	}
	return nil
}
