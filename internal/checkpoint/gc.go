package checkpoint

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
	"github.com/clew-run/clew/internal/crash"
)

// A pack with more than this stays as it is when small ones become one.
const (
	smallPackSize    = 16 << 20
	smallPackObjects = 1 << 15
)

func (d *repository) smallPacks() []*object.Pack {
	var small []*object.Pack
	for _, x := range d.objects.Packs {
		if x.Size < smallPackSize && x.Count < smallPackObjects {
			small = append(small, x)
		}
	}
	return small
}

// tidyLater makes one pack of many in the background, once there are enough.
func (d *repository) tidyLater() {
	s := d.store
	if len(d.smallPacks()) < s.options.RepackAfter || s.ctx.Err() != nil {
		return
	}
	s.tidying.Go(func() {
		release, err := d.lock(s.ctx)
		if err != nil {
			return
		}
		defer release()
		if small := d.smallPacks(); len(small) >= s.options.RepackAfter {
			_ = d.tidy(s.ctx, small) // nothing is lost if it fails, and it is tried again
		}
	})
}

// tidy makes one pack of some, with differences instead of whole objects, and
// packs the references.
func (d *repository) tidy(ctx context.Context, packs []*object.Pack) error {
	d.freeLocks()
	if err := d.join(ctx, packs, nil, true); err != nil {
		return err
	}
	return object.Git(ctx, d.repo(), nil, nil, "pack-refs", "--all", "--prune")
}

// lockAge is more than git holds a lock for here.
const lockAge = time.Minute

// freeLocks removes the locks of a git process that died with the machine. No
// other one is at work on the repository, unless a server died just now.
func (d *repository) freeLocks() {
	old := time.Now().Add(-lockAge) //nolint:forbidigo // as files have it
	_ = filepath.WalkDir(d.repo(), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // git will say what is wrong
		}
		if e.Name() == "objects" && e.IsDir() {
			return fs.SkipDir
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".lock") && info.ModTime().Before(old) {
			_ = os.Remove(path)
		}
		return nil
	})
}

// join writes the objects of some packs into a new one and removes the old.
// With alive only those in it go along.
func (d *repository) join(ctx context.Context, packs []*object.Pack, alive map[object.ID]bool, deltas bool) error {
	var list bytes.Buffer
	seen := map[object.ID]bool{}
	for _, x := range packs {
		for _, h := range x.IDs() {
			if !seen[h] && (alive == nil || alive[h]) {
				seen[h] = true
				list.WriteString(h.String() + "\n")
			}
		}
	}
	made := ""
	if len(seen) > 0 {
		window := "--window=0"
		if deltas {
			window = "--window=20"
		}
		var out bytes.Buffer
		err := object.Git(ctx, d.repo(), &list, &out, "pack-objects", "--quiet", "--delta-base-offset", "--depth=50", window,
			filepath.Join(d.objects.PackDir(), "pack"))
		if err != nil {
			return err
		}
		made = "pack-" + strings.TrimSpace(out.String()) + ".pack"
		if err := object.SyncDir(d.objects.PackDir()); err != nil {
			return err
		}
	}
	crash.At("checkpoint.joined")
	for _, x := range packs {
		if filepath.Base(x.File) != made {
			if err := removePack(x.File); err != nil {
				return err
			}
			crash.At("checkpoint.unpacked")
		}
	}
	return d.objects.Reload()
}

// removePack removes the index first: a pack without one is not looked at.
func removePack(pack string) error {
	base := strings.TrimSuffix(pack, ".pack")
	err := os.Remove(base + ".idx")
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	for _, end := range []string{".rev", ".pack"} {
		if e := os.Remove(base + end); e != nil && !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// GC drops the checkpoints that keep says no to, and frees what no checkpoint
// refers to. A nil keep keeps all. It gives the number of bytes freed.
func (p *Place) GC(ctx context.Context, keep func(Checkpoint) bool) (int64, error) {
	release, err := p.begin(ctx)
	if err != nil {
		return 0, failed(err, "the checkpoints could not be collected")
	}
	defer release()
	p.repository.freeLocks()
	before := p.repository.objects.Size()
	if keep != nil {
		err = p.repository.drop(ctx, keep)
	}
	if err == nil {
		err = p.collect(ctx)
	}
	return before - p.repository.objects.Size(), failed(err, "the checkpoints could not be collected")
}

// drop removes references. Their objects go with the next collection.
func (d *repository) drop(ctx context.Context, keep func(Checkpoint) bool) error {
	var kept []Checkpoint
	var orders bytes.Buffer
	for _, c := range d.list {
		if keep(d.dated(c)) {
			kept = append(kept, c)
			continue
		}
		fmt.Fprintf(&orders, "delete %s%s/%s\n", refRoot, c.Session, c.ID)
	}
	if orders.Len() == 0 {
		return nil
	}
	if err := object.Git(ctx, d.repo(), &orders, nil, "update-ref", "--stdin"); err != nil {
		return err
	}
	d.list = kept
	used := map[string]time.Time{}
	for _, c := range kept {
		if at, ok := d.used[c.Hash]; ok {
			used[c.Hash] = at
		}
	}
	d.used = used
	return os.WriteFile(d.path("garbage"), nil, 0o600)
}

// loose reports whether a collection may free something.
func (d *repository) loose() bool {
	_, err := os.Stat(d.path("garbage"))
	return err == nil
}

// collect frees what nothing refers to. What the index speaks of is referred to
// first; all other processes then know that theirs is out of date.
func (p *Place) collect(ctx context.Context) error {
	d := p.repository
	defer d.store.usage.forget()
	if err := p.anchor(ctx); err != nil {
		return err
	}
	d.gen = rand.Text()
	if err := d.setState(true); err != nil {
		return err
	}
	crash.At("checkpoint.generation")
	alive, err := d.alive(ctx)
	if err != nil {
		return err
	}
	if err := d.purge(ctx, alive); err != nil {
		return err
	}
	if err := object.Git(ctx, d.repo(), nil, nil, "pack-refs", "--all", "--prune"); err != nil {
		return err
	}
	if d.tree != nil {
		if err := d.writeIndex(); err != nil {
			return err
		}
	}
	d.dropNotes()
	err = os.Remove(d.path("garbage"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// dropNotes removes the notes of sessions that have no checkpoints any more.
func (d *repository) dropNotes() {
	names, _ := filepath.Glob(d.path(noteOf("*"))) // the pattern is a valid one
	for _, name := range names {
		if _, some := d.last(strings.TrimPrefix(filepath.Base(name), noteOf(""))); !some {
			_ = os.Remove(name)
		}
	}
}

// anchor refers to the last state that is known. If the index is not in memory
// it is given up: the next save reads the files again.
func (p *Place) anchor(ctx context.Context) error {
	d := p.repository
	if d.tree == nil {
		d.tree = d.readIndex()
	}
	var top []byte // an empty tree
	if d.tree != nil {
		top = tree.TopTree(d.tree.Trees)
	}
	shot := &snapshot{repository: d, pack: object.NewPacker(d.objects, -1)}
	z := object.NewDeflater()
	tree, err := shot.pack.Put(object.Tree, top, z)
	if err != nil {
		return err
	}
	data, err := encodeCommit(tree, record{Message: "what the index knows", At: d.tick()})
	if err != nil {
		return err
	}
	h, err := shot.pack.Put(object.Commit, data, z)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return shot.publish(&namedCheckpoint{keepRef, h})
}

// alive lists every object that a reference leads to.
func (d *repository) alive(ctx context.Context) (map[object.ID]bool, error) {
	var out bytes.Buffer
	if err := object.Git(ctx, d.repo(), nil, &out, "rev-list", "--objects", "--no-object-names", "--all"); err != nil {
		return nil, err
	}
	alive := map[object.ID]bool{}
	for line := range strings.Lines(out.String()) {
		h, err := object.ParseID(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		alive[h] = true
	}
	return alive, nil
}

// purge removes dead packs and writes those anew that are dead in part. Small
// ones become one on the way.
func (d *repository) purge(ctx context.Context, alive map[object.ID]bool) error {
	var large, small []*object.Pack
	isSmall := map[*object.Pack]bool{}
	for _, x := range d.smallPacks() {
		isSmall[x] = true
	}
	for _, x := range d.objects.Packs {
		dead := 0
		for _, h := range x.IDs() {
			if !alive[h] {
				dead++
			}
		}
		switch {
		case isSmall[x]:
			small = append(small, x)
		case dead > 0:
			large = append(large, x)
		}
	}
	for _, x := range large {
		if err := d.join(ctx, []*object.Pack{x}, alive, false); err != nil {
			return err
		}
	}
	if len(small) == 0 {
		return nil
	}
	return d.join(ctx, small, alive, true)
}
