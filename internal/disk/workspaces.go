package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/clew-run/clew"
)

// Workspaces knows what the workspaces that the server makes take on disk, and holds
// each user to a quota. All of them lie in one directory, each under the name of its
// session. Safe for concurrent use.
type Workspaces struct {
	dir   string
	marks string       // says whose they are: a directory for each user, with the names in it
	quota func() int64 // of a user, in bytes; 0 is none
	pace  time.Duration

	looks  sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	users map[clew.UserID]*user
}

// A user's workspaces. The lock of Workspaces guards all fields.
type user struct {
	id      clew.UserID
	known   bool // all were looked at once
	places  map[string]*place
	looked  time.Time     // when the last look ended
	took    time.Duration // the last look
	free    uint64        // on the disk, at its end
	looking chan struct{} // closed when the look under way ends; nil if there is none
}

// A place is one workspace.
type place struct {
	size  int64
	used  int  // by so many commands right now
	stale bool // it was used since the last look
	looks int  // that it has seen
}

const (
	// lookPace is how often the workspace of a running command is looked at, and
	// soonest how often at most, if the disk fills up meanwhile or a command ended.
	lookPace = 10 * time.Second
	soonest  = 10 // of the pace, so many times as often
	// rest is how many times as long as it took nobody looks again: walking through
	// large workspaces is not to keep the disk busy.
	rest = 20
	// longest bounds one look. What it has seen by then counts.
	longest = 30 * time.Second
	// patience is how long somebody who wants to write waits for a look.
	patience = 2 * time.Second
)

// NewWorkspaces watches the workspaces in a directory. What it has to remember it
// keeps in the directory marks.
func NewWorkspaces(dir, marks string, quota func() int64) *Workspaces {
	w := &Workspaces{dir: dir, marks: marks, quota: quota, pace: lookPace, users: map[clew.UserID]*user{}}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// Close ends what is under way.
func (w *Workspaces) Close() {
	w.cancel()
	w.looks.Wait()
}

// Share gives the workspace of a session as a part of what its user has. It is
// remembered whose it is.
func (w *Workspaces) Share(id clew.UserID, session clew.SessionID) (*Share, error) {
	dir := w.markDir(id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, string(session)), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	u := w.users[id]
	if u == nil {
		u = &user{id: id, places: map[string]*place{}}
		w.users[id] = u
	}
	if u.places[string(session)] == nil {
		u.places[string(session)] = &place{stale: true}
	}
	return &Share{w: w, user: u, place: u.places[string(session)]}, nil
}

func (w *Workspaces) markDir(id clew.UserID) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(w.marks, hex.EncodeToString(sum[:16]))
}

// Used gives what a user's workspaces take after a look at all of them.
func (w *Workspaces) Used(id clew.UserID) int64 {
	w.mu.Lock()
	u := w.users[id]
	if u == nil {
		u = &user{id: id, places: map[string]*place{}}
		w.users[id] = u
	}
	if u.due(w.pace, w.dir, w.quota()) || !u.known {
		w.look(u, true)
	}
	w.await(u)
	defer w.mu.Unlock()
	return u.sum()
}

func (u *user) sum() (sum int64) {
	for _, p := range u.places {
		sum += p.size
	}
	return sum
}

// due says whether it is time for another look.
func (u *user) due(pace time.Duration, dir string, quota int64) bool {
	age := time.Since(u.looked)
	switch {
	case u.looking != nil:
		return false
	case !u.known:
		return true
	case age < rest*u.took:
		return false
	case age >= pace:
		return true
	case age < pace/soonest:
		return false
	}
	for _, p := range u.places {
		if p.stale && p.used == 0 {
			return true
		}
	}
	free, _, err := Free(dir)
	return err == nil && free < u.free && int64(u.free-free) >= max(quota-u.sum(), 1)
}

// look begins a look at what is used, has been used or is new; at all if the user
// seems to have too much, as something may have been deleted elsewhere.
func (w *Workspaces) look(u *user, all bool) {
	if u.looking != nil || w.ctx.Err() != nil {
		return
	}
	all = all || !u.known || u.sum() > w.quota()
	u.looking = make(chan struct{})
	began := time.Now()
	names := map[string]bool{}
	for name, p := range u.places {
		if all || p.used > 0 || p.stale {
			names[name] = true
			p.stale = false
		}
	}
	w.looks.Go(func() {
		ctx, cancel := context.WithTimeout(w.ctx, longest)
		defer cancel()
		if all {
			for _, name := range w.marked(u.id) {
				names[name] = true
			}
		}
		sizes := map[string]int64{}
		for name := range names {
			sizes[name] = sizeOf(ctx, filepath.Join(w.dir, name))
		}
		free, _, _ := Free(w.dir)
		w.mu.Lock()
		defer w.mu.Unlock()
		for name, size := range sizes {
			w.note(u, name, size)
		}
		u.free, u.looked, u.took, u.known = free, time.Now(), time.Since(began), u.known || all
		close(u.looking)
		u.looking = nil
	})
}

// note takes over a size; a negative one is that of a workspace that is gone.
func (w *Workspaces) note(u *user, name string, size int64) {
	p := u.places[name]
	if p == nil {
		p = &place{}
		u.places[name] = p
	}
	p.looks++
	if p.size = max(size, 0); size < 0 && p.used == 0 {
		delete(u.places, name)
		_ = os.Remove(filepath.Join(w.markDir(u.id), name)) // it is made again with the workspace
	}
}

// await waits for a look that is under way, but not for long. The caller has the
// lock, and has it again.
func (w *Workspaces) await(u *user) {
	looking := u.looking
	if looking == nil {
		return
	}
	w.mu.Unlock()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-looking:
	case <-t.C:
	}
	w.mu.Lock()
}

// marked lists the workspaces that a user has been given.
func (w *Workspaces) marked(id clew.UserID) []string {
	entries, _ := os.ReadDir(w.markDir(id)) // none: nobody has been given any
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// sizeOf sums what is below a directory, as it lies on disk; -1 if it is not there.
// No link leads out of it.
func sizeOf(ctx context.Context, dir string) int64 {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return -1
	}
	if err != nil {
		return 0
	}
	defer func() { _ = root.Close() }()
	c := counter{linked: map[inode]bool{}}
	for open := []string{"."}; len(open) > 0 && ctx.Err() == nil; {
		name := open[len(open)-1]
		open = append(open[:len(open)-1], c.count(ctx, root, name)...)
	}
	return c.sum
}

// A counter counts a file with several names once.
type counter struct {
	sum    int64
	linked map[inode]bool
}

type inode struct{ device, number uint64 }

// count adds the files of one directory and gives the directories in it.
func (c *counter) count(ctx context.Context, root *os.Root, name string) (below []string) {
	f, err := root.Open(name)
	if err != nil {
		return nil // gone, or nobody may read it
	}
	defer func() { _ = f.Close() }()
	for ctx.Err() == nil {
		entries, err := f.ReadDir(1024)
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				c.add(info)
			}
			if e.IsDir() {
				below = append(below, filepath.Join(name, e.Name()))
			}
		}
		if err != nil {
			break
		}
	}
	return below
}
