package checkpoint

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

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// A scan brings what is known of a workspace up to date and stores what is new.
// Directories and batches of files are tasks that a few workers share.
type scan struct {
	ctx   context.Context
	root  int // descriptor of the workspace
	rules *ruleset
	pack  *object.Packer
	max   int64 // largest file, 0: any

	mu     sync.Mutex
	more   *sync.Cond
	tasks  []func(*worker)
	open   int // tasks queued or under way
	err    error
	moving []string // files that never held still
	whole  bool     // not only some paths
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

func newScan(ctx context.Context, root int, rules *ruleset, pack *object.Packer, maxFile int64) *scan {
	s := &scan{ctx: ctx, root: root, rules: rules, pack: pack, max: maxFile}
	s.more = sync.NewCond(&s.mu)
	return s
}

// run works until no task is left.
func (s *scan) run() error {
	var wait sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), maxWorkers)
	if !s.whole {
		workers = 1
	}
	for range workers - 1 {
		wait.Go(s.work)
	}
	s.work()
	wait.Wait()
	return s.err
}

func (s *scan) push(task func(*worker)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, task)
	s.open++
	s.more.Signal()
}

func (s *scan) work() {
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

func (s *scan) next() func(*worker) {
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

func (s *scan) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// directory queues a directory. above is the node that has it as a kid, nil for
// the workspace itself.
func (s *scan) directory(at string, n *node, rules *ruleset, above *node, k *kid) {
	s.push(func(w *worker) {
		fd, err := openDir(s.root, at)
		if err == nil {
			err = s.list(w, fd, at, n, rules)
			_ = unix.Close(fd)
		}
		switch {
		case err == nil:
		case above != nil && gone(err):
			above.become(k, absent, kept)
		case above != nil && refused(err):
			above.become(k, leftAlone, unreadable)
		default:
			s.fail(err)
		}
	})
}

// list goes through one directory.
func (s *scan) list(w *worker, fd int, at string, n *node, rules *ruleset) error {
	now, err := fstat(fd)
	if err != nil {
		return err
	}
	if now.perm() != n.stamp.perm() {
		n.dirty.Store(true)
	}
	// The list of names is good while the directory has not changed.
	if n.read == 0 || now != n.stamp || !now.settled(n.read) {
		began := time.Now().UnixNano()
		list, err := names(fd)
		if err != nil {
			return err
		}
		n.take(ours(list))
		n.stamp, n.read = now, began
	}
	_, has := n.find(IgnoreFile)
	rules = rules.below(s.root, fd, at, has)
	if n.rules != rules || rules.ignore != nil {
		for i := range n.kids {
			n.kids[i].ruled = false
		}
		n.rules = rules
	}
	var changed []*kid
	for i := range n.kids {
		if s.look(fd, at, n, &n.kids[i], rules) {
			changed = append(changed, &n.kids[i])
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
		if isGit(name) || strings.HasPrefix(name, ".clew-restore-") && ownTemp.MatchString(name) {
			continue
		}
		kept = append(kept, name)
	}
	return kept
}

// look brings one name up to date and reports whether its content has to be
// read.
func (s *scan) look(fd int, at string, n *node, k *kid, rules *ruleset) bool {
	now, _, err := lstat(fd, k.name)
	if err != nil {
		s.unseen(n, k, err)
		return false
	}
	format := now.format()
	if !k.ruled || k.stamp.format() != format {
		k.verdict, k.ruled = rules.left(path.Join(at, k.name), format == unix.S_IFDIR), true
	}
	was := k.stamp
	switch {
	case k.verdict != kept:
		n.become(k, leftAlone, k.verdict)
	case format == unix.S_IFDIR:
		s.lookDir(at, n, k, now, rules)
		return false // the kid may be another worker's by now
	case format == unix.S_IFLNK:
		n.become(k, link, kept)
	case format != unix.S_IFREG:
		n.become(k, leftAlone, special)
	case s.max > 0 && now.size > s.max:
		n.become(k, leftAlone, tooLarge)
	default:
		if n.become(k, file, kept); was.perm() != now.perm() {
			n.dirty.Store(true)
		}
	}
	k.stamp = now
	return (k.kind == file || k.kind == link) && (was != now || !now.settled(k.read))
}

// unseen deals with a name that says nothing of itself.
func (s *scan) unseen(n *node, k *kid, err error) {
	switch {
	case refused(err): // the directory may be listed, not entered
		n.become(k, leftAlone, unreadable)
	case errors.Is(err, unix.ENOENT):
		n.become(k, absent, kept)
	default:
		s.fail(err)
	}
	n.read, k.ruled = 0, false
}

// maxDepth is how deep directories are looked into. git goes only so deep, and
// whoever nests deeper wants something else than to keep files.
const maxDepth = 1000

func (s *scan) lookDir(at string, n *node, k *kid, now stamp, rules *ruleset) {
	if strings.Count(at, "/") >= maxDepth {
		n.become(k, leftAlone, tooDeep)
		k.stamp = now
		return
	}
	n.become(k, directory, kept)
	if k.dir == nil {
		k.dir = &node{}
		k.dir.dirty.Store(true)
	}
	k.stamp = now
	s.directory(path.Join(at, k.name), k.dir, rules, n, k)
}

// readAll reads changed files: the first few here, the others as tasks.
func (s *scan) readAll(w *worker, fd int, at string, n *node, changed []*kid) error {
	for len(changed) > batch {
		part := changed[len(changed)-batch:]
		changed = changed[:len(changed)-batch]
		s.push(func(w *worker) {
			fd, err := openDir(s.root, at)
			if err == nil {
				err = s.readSome(w, fd, at, n, part)
				_ = unix.Close(fd)
			}
			switch {
			case err == nil:
			case gone(err):
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

func (s *scan) readSome(w *worker, fd int, at string, n *node, part []*kid) error {
	for _, k := range part {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		var err error
		if k.kind == link {
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
