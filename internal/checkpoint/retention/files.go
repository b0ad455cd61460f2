package retention

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/session/core"
)

var _ rewind.Files = (*Keeper)(nil)

// Save implements rewind.Files.
func (k *Keeper) Save(ctx context.Context, w rewind.Workspace, reason string) (core.SavedFiles, error) {
	v := k.o.Settings(w.Settings)
	if !v.Checkpoints {
		return core.SavedFiles{}, clew.Errorf(clew.CheckpointFailed, "checkpoints are switched off by the setting checkpoints_enabled")
	}
	p, err := k.place(ctx, w, v)
	if err != nil {
		return core.SavedFiles{}, err
	}
	s, err := p.Save(ctx, checkpoint.Ref{Session: nameOf(w.Session), ID: newID(), Message: reason})
	if err != nil {
		return core.SavedFiles{}, explain(err)
	}
	return core.SavedFiles{
		ID: s.ID, Hash: s.Hash, From: s.From, Files: s.Files, Bytes: s.Bytes, Left: shortList(s.Left), DurationMS: s.Duration.Milliseconds(),
	}, nil
}

// Restore implements rewind.Files. It works also while no new checkpoints are
// wanted: what was kept can be had back.
func (k *Keeper) Restore(ctx context.Context, w rewind.Workspace, id, hash string) (rewind.RestoredFiles, error) {
	p, err := k.place(ctx, w, k.o.Settings(w.Settings))
	if err != nil {
		return rewind.RestoredFiles{}, err
	}
	last, err := p.Recover(ctx, nameOf(w.Session))
	if err != nil {
		return rewind.RestoredFiles{}, explain(err)
	}
	if last.ID == id && last.Session == nameOf(w.Session) {
		if last.To != hash {
			return rewind.RestoredFiles{}, clew.Errorf(clew.InvalidMessage, "the restore %s was one to another checkpoint", id)
		}
		return rewind.RestoredFiles{Before: last.From, Changed: last.Changed, Removed: last.Removed, Left: shortList(last.Left)}, nil
	}
	if err := k.check(ctx, p, w, hash); err != nil {
		return rewind.RestoredFiles{}, err
	}
	r, err := p.Restore(ctx, hash, checkpoint.RestoreOptions{Session: nameOf(w.Session), ID: id})
	if err != nil {
		return rewind.RestoredFiles{}, explain(err)
	}
	return rewind.RestoredFiles{
		Before: r.Before.Hash, Changed: r.Changed, Removed: r.Removed, Left: shortList(r.Left), DurationMS: r.Duration.Milliseconds(),
	}, nil
}

// Copy implements rewind.Files. The copy is whole or not there. The checkpoints
// that the records of the other session speak of come along, so that it can go
// back to them: it has them from the first.
func (k *Keeper) Copy(ctx context.Context, from rewind.Workspace, hash string, to rewind.Workspace) error {
	p, err := k.place(ctx, from, k.o.Settings(from.Settings))
	if err == nil {
		err = k.check(ctx, p, from, hash)
	}
	if err != nil {
		return err
	}
	dir, err := k.dir(to, false)
	if err == nil {
		err = k.roomFor(ctx, p, hash, to)
	}
	if err != nil {
		return err
	}
	if err := p.Export(ctx, nameOf(to.Session), hash, dir); err != nil {
		return explain(err)
	}
	if err := k.adopt(ctx, p, from, hash, to); err != nil { // the files are there, which is what was asked for
		k.o.Log.Warn("a copy has no checkpoints of the time before it", "session", to.Session, "err", err)
	}
	return nil
}

// roomFor says whether a checkpoint's files may be written into a workspace that the
// server makes.
func (k *Keeper) roomFor(ctx context.Context, p *checkpoint.Place, hash string, to rewind.Workspace) error {
	if k.o.Room == nil || to.Dir != "" {
		return nil
	}
	list, err := p.List(ctx, "")
	if err != nil {
		return explain(err)
	}
	for _, c := range list {
		if c.Hash == hash {
			return k.o.Room(to.Owner, to.Session, c.Bytes)
		}
	}
	return nil // Export says what is wrong
}

func (k *Keeper) adopt(ctx context.Context, p *checkpoint.Place, from rewind.Workspace, hash string, to rewind.Workspace) error {
	there, err := k.place(ctx, to, k.o.Settings(to.Settings))
	if err != nil {
		return err
	}
	hashes, err := k.past(ctx, p, from.Session, to.Session)
	if err != nil {
		return err
	}
	if !slices.Contains(hashes, hash) { // it may be one that was made after what they have in common
		hashes = append(hashes, hash)
	}
	return there.Adopt(ctx, p, nameOf(to.Session), hashes)
}

// maxListed bounds the lists of names that go on record.
const maxListed = 50

// shortList makes a list of names fit to be shown.
func shortList(names []string) []string {
	var list []string
	for i, name := range names {
		if i == maxListed {
			return append(list, fmt.Sprintf("… and %d more", len(names)-i))
		}
		list = append(list, shown(name))
	}
	return list
}

// shown gives a file name as text. Names are bytes; what is no text is escaped,
// and then so is the sign that escapes.
func shown(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(name[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
