package checkpoint

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/scan"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// A repository is what the store has of one workspace: a bare repository, the index
// of files, the notes of a restore under way. Whoever holds the lock owns all
// fields but store, root, dir and sets.
type repository struct {
	store *Store
	root  string // the workspace
	dir   string

	turn chan struct{} // one user in this process; flock keeps out the others

	setsMu sync.Mutex
	sets   []set

	me      string // written into the state file by whoever used the repository last
	gen     string // changes when objects were dropped
	objects *object.Store
	tree    *tree.Node // what the workspace was like when last looked at; nil: unknown
	changes int        // scans since the index was written
	list    []Checkpoint
	used    map[string]time.Time // when, by hash; see Checkpoint.Used
	noted   string               // the session whose restore the note speaks of; "": not known
}

type set struct {
	rules scan.Rules
	own   string
	set   *scan.Ruleset
}

func newRepository(s *Store, root, dir string) *repository {
	return &repository{store: s, root: root, dir: dir, turn: make(chan struct{}, 1), me: rand.Text(), used: map[string]time.Time{}}
}

// ruleset gives the same pointer for the same rules, so that what is remembered
// of them stays good.
func (d *repository) ruleset(r scan.Rules, own string) *scan.Ruleset {
	d.setsMu.Lock()
	defer d.setsMu.Unlock()
	for _, s := range d.sets {
		if r.Ignore == nil && s.rules.Ignore == nil && s.own == own &&
			reflect.DeepEqual(s.rules.Names, r.Names) && reflect.DeepEqual(s.rules.Exclude, r.Exclude) {
			return s.set
		}
	}
	n := scan.NewRuleset(r, own)
	if r.Ignore == nil && len(d.sets) < 16 {
		d.sets = append(d.sets, set{r, own, n})
	}
	return n
}

func (d *repository) repo() string { return filepath.Join(d.dir, "repo") }

func (d *repository) path(name string) string { return filepath.Join(d.dir, name) }

func (d *repository) refPath(r string) string { return filepath.Join(d.repo(), filepath.FromSlash(r)) }

func (d *repository) now() int64 { return d.store.options.Now().UnixNano() }

func (d *repository) stateFile() string { return d.path("state") }

func (d *repository) indexFile() string { return d.path("index") }

func (d *repository) readIndex() *tree.Node { return tree.ReadIndex(d.indexFile(), d.gen) }

func (d *repository) writeIndex() error {
	d.changes = 0
	return tree.WriteIndex(d.indexFile(), d.gen, d.tree)
}

// lock makes the caller the only user of the repository, in all processes, and
// brings up to date what others may have changed.
func (d *repository) lock(ctx context.Context) (release func(), err error) {
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f, err := d.flock(ctx)
	if err != nil {
		<-d.turn
		return nil, err
	}
	release = func() {
		if d.objects != nil {
			d.objects.Rest()
		}
		_ = f.Close() // and with it the lock
		<-d.turn
	}
	if err := d.refresh(ctx); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

func (d *repository) flock(ctx context.Context) (*os.File, error) {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(d.path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
}

// refresh reads again what another process may have changed.
func (d *repository) refresh(ctx context.Context) error {
	_, who := d.state()
	if who == d.me && d.objects != nil {
		return nil
	}
	if err := d.setUp(ctx); err != nil {
		return err
	}
	gen, _ := d.state()
	d.sweep()
	d.noted = ""
	if d.objects == nil {
		o, err := object.Open(d.repo())
		if err != nil {
			return err
		}
		d.objects = o
	} else if err := d.objects.Reload(); err != nil {
		return err
	}
	if gen != d.gen || gen == "" {
		d.tree = nil
	}
	if d.gen = gen; gen == "" {
		d.gen = rand.Text()
	}
	list, err := d.readList(ctx)
	if err != nil {
		return err
	}
	d.list = list
	return d.setState(false)
}

func (d *repository) state() (gen, who string) {
	b, err := os.ReadFile(d.stateFile())
	if err != nil {
		return "", ""
	}
	gen, who, _ = strings.Cut(strings.TrimSpace(string(b)), " ")
	return gen, who
}

func (d *repository) setState(sync bool) error {
	return object.Replace(d.stateFile(), sync, []byte(d.gen+" "+d.me+"\n"))
}

// setUp makes the bare repository, whole or not at all, also if the power fails.
func (d *repository) setUp(ctx context.Context) error {
	_, err := os.Stat(d.repo())
	if err == nil && !d.hollow() || err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // one that cannot be looked at just now may be whole
	}
	// What is remembered beside it speaks of objects that are not there.
	for _, name := range []string{d.stateFile(), d.indexFile(), d.repo()} {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	tmp := d.path("repo.new")
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	if err := object.Git(ctx, tmp, nil, nil, "init", "--bare", "--quiet", "--object-format=sha256", "--template="); err != nil {
		return fmt.Errorf("the repository for checkpoints: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(tmp, "objects", "pack"), 0o700); err != nil {
		return err
	}
	if err := object.Replace(d.path("workspace"), false, []byte(d.root+"\n")); err != nil {
		return err
	}
	if err := object.SyncTree(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, d.repo()); err != nil {
		return err
	}
	return errors.Join(object.SyncDir(d.dir), object.SyncDir(filepath.Dir(d.dir)))
}

// hollow reports whether the repository has the name of one and nothing in it, as a
// power cut leaves one that was never flushed. Git takes it for none.
func (d *repository) hollow() bool {
	head, err := os.Stat(filepath.Join(d.repo(), "HEAD"))
	if err == nil && head.Size() > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return false
	}
	packs, err := os.ReadDir(filepath.Join(d.repo(), "objects", "pack"))
	return len(packs) == 0 && (err == nil || errors.Is(err, os.ErrNotExist))
}

// sweep removes what a process that died left behind. The lock is held, so
// nobody is at work.
func (d *repository) sweep() {
	left, _ := filepath.Glob(filepath.Join(d.repo(), "objects", "pack", "tmp_*")) // the pattern is a valid one
	for _, name := range left {
		_ = os.Remove(name)
	}
}

func (d *repository) close() error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	if d.objects != nil {
		d.objects.Release()
	}
	if d.changes == 0 || d.tree == nil {
		return nil
	}
	// Another process may have dropped objects since: then what is known here is
	// of no use, and the generation in the file says so.
	return d.writeIndex()
}
