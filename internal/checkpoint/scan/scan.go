// Package scan brings what is known of a workspace up to date and stores what is
// new in it.
package scan

import (
	"context"
	"errors"
	"path"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// A Scan brings what is known of a workspace up to date and stores what is new.
// Directories and batches of files are tasks that a few workers share.
type Scan struct {
	ctx   context.Context
	root  int // descriptor of the workspace
	rules *Ruleset
	pack  *object.Packer
	max   int64 // largest file, 0: any

	mu     sync.Mutex
	more   *sync.Cond
	tasks  []func(*worker)
	open   int // tasks queued or under way
	err    error
	Moving []string // files that never held still
	Whole  bool     // not only some paths
}

// A worker has the buffers that a task needs.
type worker struct {
	deflater *object.Deflater
	buf      []byte
	again    []byte // of a file that is read a second time
}

const (
	maxWorkers = 8
	batch      = 32 // changed files that one task reads
)

// New prepares a scan of the workspace that root is open on.
func New(ctx context.Context, root int, rules *Ruleset, pack *object.Packer, maxFile int64) *Scan {
	s := &Scan{ctx: ctx, root: root, rules: rules, pack: pack, max: maxFile}
	s.more = sync.NewCond(&s.mu)
	return s
}

// Run works until no task is left.
func (s *Scan) Run() error {
	var wait sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), maxWorkers)
	if !s.Whole {
		workers = 1
	}
	for range workers - 1 {
		wait.Go(s.work)
	}
	s.work()
	wait.Wait()
	return s.err
}

func (s *Scan) push(task func(*worker)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, task)
	s.open++
	s.more.Signal()
}

func (s *Scan) work() {
	w := &worker{deflater: object.NewDeflater()}
	for {
		task := s.next()
		if task == nil {
			return
		}
		task(w)
		s.mu.Lock()
		s.open--
		if s.open == 0 {
			s.more.Broadcast()
		}
		s.mu.Unlock()
	}
}

func (s *Scan) next() func(*worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.tasks) == 0 && s.open > 0 {
		s.more.Wait()
	}
	if len(s.tasks) == 0 {
		return nil
	}
	last := len(s.tasks) - 1
	task := s.tasks[last]
	s.tasks = s.tasks[:last]
	if s.err != nil || s.ctx.Err() != nil {
		if s.err == nil {
			s.err = s.ctx.Err()
		}
		return func(*worker) {}
	}
	return task
}

func (s *Scan) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// Directory queues a directory. above is the node that has it as an entry, nil for
// the workspace itself.
func (s *Scan) Directory(at string, n *tree.Node, rules *Ruleset, above *tree.Node, k *tree.Entry) {
	s.push(func(w *worker) {
		fd, err := beneath.OpenDir(s.root, at)
		if err == nil {
			err = s.list(w, fd, at, n, rules)
			_ = unix.Close(fd)
		}
		switch {
		case err == nil:
		case above != nil && beneath.Gone(err):
			above.Become(k, tree.Absent, tree.Kept)
		case above != nil && beneath.Refused(err):
			above.Become(k, tree.LeftAlone, tree.Unreadable)
		default:
			s.fail(err)
		}
	})
}

// list goes through one directory.
func (s *Scan) list(w *worker, fd int, at string, n *tree.Node, rules *Ruleset) error {
	now, err := beneath.Fstat(fd)
	if err != nil {
		return err
	}
	if now.Perm() != n.Stamp.Perm() {
		n.Dirty.Store(true)
	}
	// The list of names is good while the directory has not changed.
	if n.Read == 0 || now != n.Stamp || !now.Settled(n.Read) {
		began := time.Now().UnixNano() //nolint:forbidigo // as files have it
		list, err := beneath.Names(fd)
		if err != nil {
			return err
		}
		n.Update(ours(list))
		n.Stamp, n.Read = now, began
	}
	_, has := n.Find(IgnoreFile)
	rules = rules.below(s.root, fd, at, has)
	if n.Rules != rules || rules.ignore != nil {
		for i := range n.Entries {
			n.Entries[i].Ruled = false
		}
		n.Rules = rules
	}
	var changed []*tree.Entry
	for i := range n.Entries {
		if s.look(fd, at, n, &n.Entries[i], rules) {
			changed = append(changed, &n.Entries[i])
		}
	}
	return s.readAll(w, fd, at, n, changed)
}

// ownTemp is how a file is named while a restore writes it.
var ownTemp = regexp.MustCompile(`^\.clew-restore-[0-9a-f]{16}$`)

// ours leaves out what is never looked at.
func ours(list []string) []string {
	kept := list[:0]
	for _, name := range list {
		if tree.IsGit(name) || strings.HasPrefix(name, ".clew-restore-") && ownTemp.MatchString(name) {
			continue
		}
		kept = append(kept, name)
	}
	return kept
}

// look brings one name up to date and reports whether its content has to be
// read.
func (s *Scan) look(fd int, at string, n *tree.Node, k *tree.Entry, rules *Ruleset) bool {
	now, _, err := beneath.Lstat(fd, k.Name)
	if err != nil {
		s.unseen(n, k, err)
		return false
	}
	format := now.Format()
	if !k.Ruled || k.Stamp.Format() != format {
		k.Verdict, k.Ruled = rules.Left(path.Join(at, k.Name), format == unix.S_IFDIR), true
	}
	was := k.Stamp
	switch {
	case k.Verdict != tree.Kept:
		n.Become(k, tree.LeftAlone, k.Verdict)
	case format == unix.S_IFDIR:
		s.lookDir(at, n, k, now, rules)
		return false // the entry may be another worker's by now
	case format == unix.S_IFLNK:
		n.Become(k, tree.Link, tree.Kept)
	case format != unix.S_IFREG:
		n.Become(k, tree.LeftAlone, tree.Special)
	case s.max > 0 && now.Size > s.max:
		n.Become(k, tree.LeftAlone, tree.TooLarge)
	default:
		if n.Become(k, tree.File, tree.Kept); was.Perm() != now.Perm() {
			n.Dirty.Store(true)
		}
	}
	k.Stamp = now
	return (k.Kind == tree.File || k.Kind == tree.Link) && (was != now || !now.Settled(k.Read))
}

// unseen deals with a name that says nothing of itself.
func (s *Scan) unseen(n *tree.Node, k *tree.Entry, err error) {
	switch {
	case beneath.Refused(err): // the directory may be listed, not entered
		n.Become(k, tree.LeftAlone, tree.Unreadable)
	case errors.Is(err, unix.ENOENT):
		n.Become(k, tree.Absent, tree.Kept)
	default:
		s.fail(err)
	}
	n.Read, k.Ruled = 0, false
}

// MaxDepth is how deep directories are looked into. git goes only so deep, and
// whoever nests deeper wants something else than to keep files.
const MaxDepth = 1000

func (s *Scan) lookDir(at string, n *tree.Node, k *tree.Entry, now beneath.Stamp, rules *Ruleset) {
	if strings.Count(at, "/") >= MaxDepth {
		n.Become(k, tree.LeftAlone, tree.TooDeep)
		k.Stamp = now
		return
	}
	n.Become(k, tree.Directory, tree.Kept)
	if k.Dir == nil {
		k.Dir = &tree.Node{}
		k.Dir.Dirty.Store(true)
	}
	k.Stamp = now
	s.Directory(path.Join(at, k.Name), k.Dir, rules, n, k)
}

// readAll reads changed files: the first few here, the others as tasks.
func (s *Scan) readAll(w *worker, fd int, at string, n *tree.Node, changed []*tree.Entry) error {
	for len(changed) > batch {
		part := changed[len(changed)-batch:]
		changed = changed[:len(changed)-batch]
		s.push(func(w *worker) {
			fd, err := beneath.OpenDir(s.root, at)
			if err == nil {
				err = s.readSome(w, fd, at, n, part)
				_ = unix.Close(fd)
			}
			switch {
			case err == nil:
			case beneath.Gone(err):
				for _, k := range part {
					s.lost(n, k)
				}
			default:
				s.fail(err)
			}
		})
	}
	return s.readSome(w, fd, at, n, changed)
}

func (s *Scan) readSome(w *worker, fd int, at string, n *tree.Node, part []*tree.Entry) error {
	for _, k := range part {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		var err error
		if k.Kind == tree.Link {
			err = s.readLink(w, fd, n, k)
		} else {
			err = s.readFile(w, fd, at, n, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
