package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/scan"
	"github.com/clew-run/clew/internal/checkpoint/tree"
	"github.com/clew-run/clew/internal/crash"
)

// A Place is a workspace with its checkpoints, seen with one set of rules. It is
// safe for concurrent use; saves and restores of one workspace come one after
// the other.
type Place struct {
	repository *repository
	rules      *scan.Ruleset
	user       string // whose quota counts if the place is nobody's yet
}

// Root gives the workspace's real path.
func (p *Place) Root() string { return p.repository.root }

// A Ref says what a checkpoint is called. Session and ID are letters, digits,
// _ and -.
type Ref struct {
	Session, ID, Message string
	// AllowEmpty makes a checkpoint also when nothing changed since the last
	// one of the session.
	AllowEmpty bool

	before bool // it is the state before a restore
}

// Saved tells what a save did.
type Saved struct {
	ID   string
	Hash string // of the new checkpoint; without changes, of the last one
	From string // the last checkpoint of the session before, "" if there was none
	// Changed says that a checkpoint was made. Without changes none is, and ID
	// is that of the last one.
	Changed bool
	Files   int
	Bytes   int64
	// Left names what was left alone though no rule says so: special files,
	// files over the limit, what may not be read or lies too deep.
	Left []string
	// Moving names files that changed all the time. They are saved as they
	// were read once.
	Moving   []string
	Duration time.Duration
}

// Save makes a checkpoint of the whole workspace. When it returns, the
// checkpoint is on disk.
func (p *Place) Save(ctx context.Context, ref Ref) (Saved, error) {
	began := time.Now() //nolint:forbidigo // for people to know
	if err := checkRef(ref); err != nil {
		return Saved{}, err
	}
	release, err := p.begin(ctx)
	if err != nil {
		return Saved{}, failed(err, "the checkpoint could not be made")
	}
	defer release()
	s, err := p.save(ctx, ref, nil)
	s.Duration = time.Since(began) //nolint:forbidigo // for people to know
	return s, failed(err, "the checkpoint could not be made")
}

// begin locks the place and settles what a process that died had begun.
func (p *Place) begin(ctx context.Context) (release func(), err error) {
	unlock, err := p.repository.lock(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := p.recoverLocked(ctx); err != nil {
		unlock()
		return nil, failed(err, unsettledBefore)
	}
	if err := p.claim(); err != nil {
		unlock()
		return nil, err
	}
	return func() { p.repository.noteUsage(); unlock() }, nil
}

// save makes a checkpoint. With paths, only these are looked at.
func (p *Place) save(ctx context.Context, ref Ref, paths []string) (Saved, error) {
	s, err := p.trySave(ctx, ref, paths)
	if errors.Is(err, ErrQuota) && p.repository.loose() {
		if err := p.collect(ctx); err != nil {
			return Saved{}, err
		}
		s, err = p.trySave(ctx, ref, paths)
	}
	return s, err
}

func (p *Place) trySave(ctx context.Context, ref Ref, paths []string) (Saved, error) {
	d := p.repository
	if ref.before {
		ref.ID = d.free(ref)
	} else if d.taken(ref) {
		return Saved{}, clew.WrapError(clew.CheckpointFailed, errExists, "there is a checkpoint of this name already")
	}
	shot, err := p.snapshot(ctx, paths)
	if err != nil {
		return Saved{}, err
	}
	sum := d.tree.Trees
	s := Saved{ID: ref.ID, Files: sum.Count, Bytes: sum.Bytes, Left: shot.left, Moving: shot.moving}
	last, _ := d.last(ref.Session)
	s.From = last.Hash
	if same, ok := d.same(ctx, ref, shot.tree); ok {
		s.ID, s.Hash = same.ID, same.Hash
		d.use(same.Hash)
		return s, shot.publish(nil)
	}
	r := record{Session: ref.Session, ID: ref.ID, From: last.Hash, Message: ref.Message, At: d.tick(), Files: sum.Count, Bytes: sum.Bytes}
	for _, p := range paths {
		r.Paths = append(r.Paths, []byte(p))
	}
	c, err := shot.commit(refRoot+ref.Session+"/"+ref.ID, r)
	if err != nil {
		return Saved{}, err
	}
	d.list = append(d.list, c)
	s.Hash, s.Changed = c.Hash, true
	d.tidyLater()
	return s, nil
}

func (d *repository) taken(r Ref) bool {
	return slices.ContainsFunc(d.list, func(c Checkpoint) bool { return c.Session == r.Session && c.ID == r.ID })
}

// free gives the name for the state before a restore. A restore that was cut off
// before it began may have used up the first one.
func (d *repository) free(r Ref) string {
	first := r.ID
	for n := 2; d.taken(r); n++ {
		r.ID = fmt.Sprintf("%s-%d", first, n)
	}
	return r.ID
}

// same finds the checkpoint that makes a new one unnecessary: the last one of
// the session or the one it was taken back to since, and for the state before a
// restore any of them.
func (d *repository) same(ctx context.Context, r Ref, tree object.ID) (Checkpoint, bool) {
	if !r.AllowEmpty && !r.before {
		if c, ok := d.returned(ctx, r.Session); ok && c.tree == tree {
			return c, true
		}
	}
	for _, c := range slices.Backward(d.list) {
		if c.Session != r.Session || r.AllowEmpty {
			continue
		}
		if c.tree == tree && len(c.Paths) == 0 {
			return c, true
		}
		if !r.before {
			break
		}
	}
	return Checkpoint{}, false
}

// returned gives the checkpoint that a session was taken back to, if it has made
// none since.
func (d *repository) returned(ctx context.Context, session string) (Checkpoint, bool) {
	i, err := d.lastNote(session)
	if err != nil || i == nil || len(i.Paths) > 0 {
		return Checkpoint{}, false
	}
	if last, ok := d.last(session); ok && last.Time.UnixNano() > i.At {
		return Checkpoint{}, false
	}
	for _, c := range d.list { // one that was dropped since does not count
		if c.Hash == i.To {
			return c, true
		}
	}
	return Checkpoint{}, false
}

// tick gives the time, later than that of every checkpoint of the place.
func (d *repository) tick() int64 {
	now := d.now()
	if n := len(d.list); n > 0 {
		now = max(now, d.list[n-1].Time.UnixNano()+1)
	}
	return now
}

// A snapshot is the workspace as objects that are not yet published.
type snapshot struct {
	repository *repository
	pack       *object.Packer
	tree       object.ID
	left       []string
	moving     []string
}

// snapshot stores the workspace as it is. Without paths it looks at everything;
// with paths at these alone, and takes the rest as last seen.
func (p *Place) snapshot(ctx context.Context, paths []string) (*snapshot, error) {
	d := p.repository
	shot := &snapshot{repository: d, pack: object.NewPacker(d.objects, p.room())}
	err := p.scan(ctx, shot, paths)
	if err != nil {
		shot.giveUp()
		return nil, err
	}
	crash.At("checkpoint.scanned")
	return shot, nil
}

func (p *Place) scan(ctx context.Context, shot *snapshot, paths []string) error {
	d := p.repository
	root, err := beneath.OpenRoot(d.root)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(root) }()
	if d.tree == nil {
		d.tree = d.readIndex()
	}
	if d.tree == nil {
		d.tree, paths = &tree.Node{}, nil
		d.tree.Dirty.Store(true)
		d.changes = indexEvery
	}
	s := scan.New(ctx, root, p.rules, shot.pack, d.store.maxFile.Load())
	if paths == nil || !s.Paths(d.tree, paths) {
		s.Whole = true
		s.Directory("", d.tree, p.rules, nil, nil)
	}
	if err := s.Run(); err != nil {
		return err
	}
	b := &tree.Builder{Pack: shot.pack, Deflater: object.NewDeflater()}
	shot.tree = b.Top(d.tree)
	if b.Err != nil {
		return b.Err
	}
	slices.Sort(s.Moving)
	shot.moving = s.Moving
	if paths == nil {
		d.tree.LeftBelow("", func(path string, w tree.SkipReason) {
			if w != tree.Excluded && w != tree.Ignored {
				shot.left = append(shot.left, path)
			}
		})
	}
	return nil
}

// giveUp forgets everything since the index was written: it may speak of
// objects that are not stored.
func (s *snapshot) giveUp() {
	s.pack.Abandon()
	s.repository.tree = nil
}

// commit makes the snapshot a checkpoint. The objects and the reference are
// flushed side by side; the reference gets its name last.
func (s *snapshot) commit(ref string, r record) (Checkpoint, error) {
	data, err := encodeCommit(s.tree, r)
	if err != nil {
		s.giveUp()
		return Checkpoint{}, err
	}
	h, err := s.pack.Put(object.Commit, data, object.NewDeflater())
	if err != nil {
		s.giveUp()
		return Checkpoint{}, err
	}
	if err := s.publish(&namedCheckpoint{ref, h}); err != nil {
		return Checkpoint{}, err
	}
	return parseCommit(h, data)
}

// named is a reference that goes with a snapshot.
type namedCheckpoint struct {
	ref string
	oid object.ID
}

func (s *snapshot) publish(n *namedCheckpoint) error {
	if n == nil && s.pack.Unused() && s.repository.changes < indexEvery {
		return nil
	}
	err := s.tryPublish(n)
	if err != nil {
		s.giveUp()
		return err
	}
	return s.repository.saveIndex()
}

func (s *snapshot) tryPublish(n *namedCheckpoint) error {
	d := s.repository
	nameRef := func() error { return nil }
	err := object.InParallel(s.pack.Seal, func() (err error) {
		if n != nil {
			nameRef, err = d.stageRef(n.ref, n.oid)
		}
		return err
	})
	if err != nil {
		return err
	}
	crash.At("checkpoint.sealed")
	if err := s.pack.Publish(); err != nil {
		return err
	}
	crash.At("checkpoint.packed")
	if err := nameRef(); err != nil {
		return err
	}
	crash.At("checkpoint.named")
	flush := []func() error{func() error { return object.SyncDir(d.objects.PackDir()) }}
	if n != nil {
		dir := filepath.Dir(d.refPath(n.ref))
		flush = append(flush, func() error { return object.SyncDir(dir) }, func() error { return object.SyncDir(filepath.Dir(dir)) })
	}
	return object.InParallel(flush...)
}

// indexEvery is the number of changes after which the index is written. What
// was saved since is only looked at again after a crash.
const indexEvery = 256

func (d *repository) saveIndex() error {
	if d.changes++; d.changes < indexEvery {
		return nil
	}
	return d.writeIndex()
}
