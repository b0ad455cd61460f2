package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/crash"
)

// Adopt takes over checkpoints of another workspace, as far as they are there, and
// makes them those of a session. They keep their hashes, so what refers to them
// holds here, too.
func (p *Place) Adopt(ctx context.Context, from *Place, session string, hashes []string) error {
	if p.repository == from.repository {
		return nil
	}
	if !validName.MatchString(session) {
		return clew.Errorf(clew.InvalidMessage, "%q cannot name a session", session)
	}
	file, err := os.CreateTemp(p.repository.store.dir, "adopted-*")
	if err != nil {
		return failed(err, "the checkpoints could not be taken over")
	}
	_ = os.Remove(file.Name()) // it needs no name, and none is left if the process dies
	list, err := from.packSome(ctx, hashes, file)
	crash.At("checkpoint.adopting")
	for i := range list {
		list[i].Session = session
	}
	if err == nil && len(list) > 0 {
		err = p.unpack(ctx, list, file)
	}
	return failed(errors.Join(err, file.Close()), "the checkpoints could not be taken over")
}

// Pack writes the checkpoints with these hashes, in the form of a pack of git's.
// It gives those that are not there; if that is all of them, nothing is written.
func (p *Place) Pack(ctx context.Context, hashes []string, to io.Writer) (missing []string, err error) {
	list, err := p.packSome(ctx, hashes, to)
	if err != nil {
		return nil, failed(err, "the checkpoints could not be packed")
	}
	there := map[string]bool{}
	for _, c := range list {
		there[c.Hash] = true
	}
	for _, hash := range hashes {
		if !there[hash] {
			missing = append(missing, hash)
		}
	}
	return missing, nil
}

// packSome writes what checkpoints are made of, and says which are there.
func (p *Place) packSome(ctx context.Context, hashes []string, to io.Writer) ([]Checkpoint, error) {
	release, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	var list []Checkpoint
	for _, hash := range hashes {
		if c, err := p.repository.checkpoint(ctx, hash); err == nil {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list, p.repository.pack(ctx, list, to)
}

func (d *repository) pack(ctx context.Context, list []Checkpoint, to io.Writer) error {
	var names bytes.Buffer
	for _, c := range list {
		names.WriteString(c.Hash + "\n")
	}
	return object.Git(ctx, d.repo(), &names, to, "pack-objects", "--revs", "--stdout", "--quiet")
}

// unpack takes over what another place has packed.
func (p *Place) unpack(ctx context.Context, list []Checkpoint, file *os.File) error {
	info, err := file.Stat()
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	release, err := p.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	d := p.repository
	if room := p.room(); room >= 0 && info.Size() > room {
		return ErrQuota
	}
	if err := object.Git(ctx, d.repo(), file, nil, "index-pack", "--stdin"); err != nil {
		return err
	}
	if err := errors.Join(object.SyncDir(d.objects.PackDir()), d.objects.Reload()); err != nil {
		return err
	}
	crash.At("checkpoint.indexed")
	return d.enlist(list)
}

// enlist gives checkpoints their names.
func (d *repository) enlist(list []Checkpoint) error {
	for _, c := range list {
		if d.named(c) {
			continue
		}
		c.ID = d.free(Ref{Session: c.Session, ID: c.ID}) // two sessions may have called theirs the same
		h, err := object.ParseID(c.Hash)
		if err != nil {
			return err
		}
		publish, err := d.stageRef(refRoot+c.Session+"/"+c.ID, h)
		if err == nil {
			crash.At("checkpoint.enlisting")
			err = publish()
		}
		if err != nil {
			return fmt.Errorf("a checkpoint could not be given its name: %w", err)
		}
		d.list = append(d.list, c)
	}
	slices.SortFunc(d.list, func(a, b Checkpoint) int { return a.Time.Compare(b.Time) })
	return nil
}

// named reports whether a session has a checkpoint already.
func (d *repository) named(c Checkpoint) bool {
	return slices.ContainsFunc(d.list, func(x Checkpoint) bool { return x.Session == c.Session && x.Hash == c.Hash })
}
