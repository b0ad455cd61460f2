package checkpoint

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/object"
)

// ParcelLimits bound what strangers may bring.
type ParcelLimits struct {
	Objects int   // in the pack; 0 stands for 1,000,000
	Bytes   int64 // of all objects, and of the files of one checkpoint; 0 stands for 8 GiB
	Files   int   // of one checkpoint; 0 stands for 1,000,000
}

func (l ParcelLimits) filled() ParcelLimits {
	if l.Objects <= 0 {
		l.Objects = 1_000_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 8 << 30
	}
	if l.Files <= 0 {
		l.Files = 1_000_000
	}
	return l
}

// A Parcel is a pack of strangers that was looked through. It lies in a
// repository of its own, where nobody looks for checkpoints.
type Parcel struct {
	dir  string
	list []Checkpoint
}

// Receive takes what Pack wrote elsewhere and looks through all of it: every
// object has the hash it is named after, every commit is a checkpoint, and every
// checkpoint can be restored without doing harm. It makes a directory below dir,
// which Close removes.
func (s *Store) Receive(ctx context.Context, dir string, from io.Reader, l ParcelLimits) (*Parcel, error) {
	made, err := os.MkdirTemp(dir, "parcel-*")
	if err != nil {
		return nil, failed(err, "there is no room for the checkpoints")
	}
	p := &Parcel{dir: made}
	if err := p.receive(ctx, s, from, l.filled()); err != nil {
		p.Close()
		if errors.Is(err, errRights) {
			return nil, clew.WrapError(clew.InvalidMessage, err, "the checkpoints have files that would run with another user's rights (set-user-ID, set-group-ID)")
		}
		if errors.Is(err, object.ErrHostile) || errors.Is(err, object.ErrDamaged) {
			return nil, clew.WrapError(clew.InvalidMessage, err, "the checkpoints are damaged or not clew's")
		}
		return nil, failed(err, "the checkpoints could not be read")
	}
	return p, nil
}

// Close removes the parcel.
func (p *Parcel) Close() { _ = os.RemoveAll(p.dir) }

// Len is the number of checkpoints in it.
func (p *Parcel) Len() int { return len(p.list) }

func (p *Parcel) receive(ctx context.Context, s *Store, from io.Reader, l ParcelLimits) error {
	file, err := os.Create(filepath.Join(p.dir, "pack"))
	if err != nil {
		return err
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	if err := object.CheckPack(io.TeeReader(from, file), object.Limits{Objects: l.Objects, Bytes: l.Bytes}); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	d := newRepository(s, "", p.dir)
	if err := d.setUp(ctx); err != nil {
		return err
	}
	if err := object.Git(ctx, d.repo(), file, nil, "index-pack", "--stdin"); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errors.Join(object.ErrHostile, err)
	}
	objects, err := object.Open(d.repo())
	if err != nil {
		return err
	}
	defer objects.Release()
	p.list, err = inspect(ctx, d.repo(), objects, l, s.options.Now())
	return err
}

// Accept makes the checkpoints of a parcel those of a session.
func (p *Place) Accept(ctx context.Context, from *Parcel, session string) error {
	if !validName.MatchString(session) {
		return clew.Errorf(clew.InvalidMessage, "%q cannot name a session", session)
	}
	packs, err := filepath.Glob(filepath.Join(from.dir, "repo", "objects", "pack", "pack-*.pack"))
	if err == nil && len(packs) != 1 {
		err = object.ErrDamaged
	}
	if err != nil {
		return failed(err, "the checkpoints could not be taken over")
	}
	file, err := os.Open(packs[0])
	if err != nil {
		return failed(err, "the checkpoints could not be taken over")
	}
	defer func() { _ = file.Close() }()
	list := slices.Clone(from.list)
	for i := range list {
		list[i].Session = session
	}
	return failed(p.unpack(ctx, list, file), "the checkpoints could not be taken over")
}
