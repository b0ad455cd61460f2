package checkpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/scan"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// ErrQuota says that a checkpoint would take more room than its user may have.
var ErrQuota = object.ErrQuota

// Options say how checkpoints are kept.
type Options struct {
	// MaxFile is the size from which on a file is left alone. 0: any size.
	MaxFile int64
	// Quota is the number of bytes that the checkpoints of all places of a user may
	// take on disk, and those of a place that is nobody's. A save that would break it first drops what nothing refers
	// to any more; if that is not enough it fails with ErrQuota and leaves
	// nothing behind. 0: no limit.
	Quota int64
	// RepackAfter is the number of checkpoints after which their packs become
	// one. 0 stands for 100.
	RepackAfter int
	// Now tells the time of day. Nil is the machine's.
	Now func() time.Time
}

// A Store holds the checkpoints of all workspaces below one directory. It is
// safe for concurrent use, also by several processes.
type Store struct {
	dir     string
	options Options
	maxFile atomic.Int64 // in place of the options', which are what it begins with
	quota   atomic.Int64
	usage   usage
	elapsed clock.Clock // for how old that is
	ctx     context.Context
	cancel  context.CancelFunc
	tidying sync.WaitGroup

	mu           sync.Mutex
	repositories map[string]*repository
}

// Open opens the store in a directory and makes it if need be.
func Open(dir string, o Options) (*Store, error) {
	if o.RepackAfter <= 0 {
		o.RepackAfter = 100
	}
	if o.Now == nil {
		o.Now = clock.System().Now
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failed(err, "the directory for checkpoints cannot be made")
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, failed(err, "the directory for checkpoints cannot be opened")
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Store{elapsed: clock.System(), dir: dir, options: o, ctx: ctx, cancel: cancel, repositories: map[string]*repository{}}
	s.SetLimits(o.MaxFile, o.Quota)
	s.sweepCopies()
	return s, nil
}

// SetLimits changes MaxFile and Quota of the options from the next save on.
func (s *Store) SetLimits(maxFile, quota int64) {
	s.maxFile.Store(maxFile)
	s.quota.Store(quota)
}

// Close writes down what speeds up the next start, and waits for work in the
// background.
func (s *Store) Close() error {
	s.cancel()
	s.tidying.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, d := range s.repositories {
		errs = append(errs, d.close())
	}
	clear(s.repositories)
	return errors.Join(errs...)
}

// Rules say what of a workspace is left alone, beyond what is never saved.
type Rules = scan.Rules

// Workspace opens the place of a workspace's checkpoints. Folders of the system
// and whole accounts are refused.
func (s *Store) Workspace(ctx context.Context, root string, r Rules) (*Place, error) {
	root, err := s.locate(root)
	if err != nil {
		return nil, err
	}
	own, err := s.ownPath(root)
	if err != nil {
		return nil, err
	}
	d := s.repository(root)
	p := &Place{repository: d, rules: d.ruleset(r, own)}
	release, err := d.lock(ctx)
	if err != nil {
		return nil, failed(errors.Join(err, ErrUnopened), ErrUnopened.Error())
	}
	release()
	return p, nil
}

func (s *Store) locate(root string) (string, error) {
	if !filepath.IsAbs(root) || strings.ContainsRune(root, 0) {
		return "", clew.Errorf(clew.InvalidMessage, "a workspace is an absolute path of a directory")
	}
	named := filepath.Clean(root)
	resolved, err := filepath.EvalSymlinks(named)
	if err != nil {
		return "", clew.WrapError(clew.InvalidMessage, err, "the workspace directory cannot be found")
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return "", clew.Errorf(clew.InvalidMessage, "the workspace is not a directory")
	}
	for _, d := range []string{named, resolved} {
		if workspace.Protected(d) || sharedFolder(d) {
			return "", clew.Errorf(clew.Forbidden, "no checkpoints of %s: it is a folder of the system or of the whole account", d)
		}
	}
	return resolved, nil
}

// sharedFolder reports whether a directory is one of those in which an account
// keeps everything at once.
func sharedFolder(dir string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	names := []string{"Desktop", "Documents", "Downloads"}
	return filepath.Dir(dir) == filepath.Clean(home) && slices.Contains(names, filepath.Base(dir))
}

// ownPath gives the store's path below the workspace, "" if it is elsewhere.
func (s *Store) ownPath(root string) (string, error) {
	if root == s.dir || strings.HasPrefix(root, s.dir+string(filepath.Separator)) {
		return "", clew.Errorf(clew.Forbidden, "no checkpoints of the directory that holds them")
	}
	if own, ok := strings.CutPrefix(s.dir, root+string(filepath.Separator)); ok {
		return own, nil
	}
	return "", nil
}

func (s *Store) repository(root string) *repository {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.repositories[root]
	if d == nil {
		sum := sha256.Sum256([]byte(root))
		d = newRepository(s, root, filepath.Join(s.dir, hex.EncodeToString(sum[:12])))
		s.repositories[root] = d
	}
	return d
}

// failed is what callers of this package see. The cause stays in reach of
// errors.Is.
func failed(err error, message string) error {
	var known *clew.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	switch {
	case errors.Is(err, ErrUnsettled):
		message = ErrUnsettled.Error()
	case errors.Is(err, ErrQuota):
		message = ErrQuota.Error()
	}
	return clew.WrapError(clew.CheckpointFailed, err, "%s", message)
}
