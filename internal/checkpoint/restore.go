package checkpoint

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/apply"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/scan"
	"github.com/clew-run/clew/internal/checkpoint/tree"
	"github.com/clew-run/clew/internal/crash"
)

// RestoreOptions say what is taken back, and how the state before is called.
type RestoreOptions struct {
	// Session and ID name the checkpoint that is made of the present state,
	// and the restore itself in what Recover tells.
	Session, ID string
	// Message of that checkpoint. "" stands for "before restore".
	Message string
	// Paths restores these alone, each with all that lies below it. Nil: the
	// whole workspace. The state before is then saved for these alone, too: to
	// undo, restore it with the same paths.
	Paths []string
}

// Restored tells what a restore did.
type Restored struct {
	Hash string
	// Before is the state before; restore its Hash to undo. If the session has
	// a checkpoint of it already, this is the one, and Changed is false.
	Before  Saved
	Changed int // files, links and directories that were made or written
	Removed int
	// Left names what could not be brought to the state of the checkpoint,
	// because it is left alone now or something in it is.
	Left     []string
	Duration time.Duration
}

// Restore takes the workspace, or some paths of it, back to a checkpoint. What
// is there now is saved first. If the process dies on the way, the next user of
// the place finishes it. If it fails on the way, it is taken back; the error is
// ErrUnsettled if that fails, too.
func (p *Place) Restore(ctx context.Context, hash string, o RestoreOptions) (Restored, error) {
	began := time.Now() //nolint:forbidigo // for people to know
	ref := Ref{Session: o.Session, ID: o.ID, Message: o.Message, before: true}
	if ref.Message == "" {
		ref.Message = "before restore"
	}
	if err := checkRef(ref); err != nil {
		return Restored{}, err
	}
	paths, ok := scan.CleanPaths(o.Paths)
	if !ok || o.Paths != nil && len(paths) == 0 {
		return Restored{}, clew.Errorf(clew.InvalidMessage, "a path to restore is relative to the workspace, stays in it and out of .git")
	}
	release, err := p.begin(ctx)
	if err != nil {
		return Restored{}, failed(err, "the files could not be restored")
	}
	defer release()
	r, err := p.restore(ctx, hash, ref, paths)
	r.Duration = time.Since(began) //nolint:forbidigo // for people to know
	return r, failed(err, "the files could not be restored")
}

func (p *Place) restore(ctx context.Context, hash string, ref Ref, paths []string) (Restored, error) {
	d := p.repository
	before, i, plan, err := p.intend(ctx, hash, ref, paths)
	if err != nil {
		return Restored{}, err
	}
	ctx = context.WithoutCancel(ctx) // what was begun ends
	done, err := d.carryOut(ctx, i, plan, false)
	if err != nil {
		reason, err := d.retreat(ctx, i, err)
		if err != nil {
			return Restored{}, errors.Join(err, ErrUnsettled)
		}
		return Restored{}, reason
	}
	return Restored{Hash: hash, Before: before, Changed: done.Files, Removed: done.Gone, Left: done.Left}, nil
}

// intend saves the present state and writes down what is to be done.
func (p *Place) intend(ctx context.Context, hash string, ref Ref, paths []string) (Saved, *intent, *tree.Comparison, error) {
	d := p.repository
	target, err := d.checkpoint(ctx, hash)
	if err != nil {
		return Saved{}, nil, nil, err
	}
	if len(paths) == 0 {
		paths = target.Paths
	}
	before, err := p.save(ctx, ref, paths)
	if err != nil {
		return Saved{}, nil, nil, err
	}
	crash.At("checkpoint.before")
	i := &intent{Session: ref.Session, ID: ref.ID, From: before.Hash, To: hash, Nonce: nonce(), At: d.tick()}
	for _, q := range paths {
		i.Paths = append(i.Paths, []byte(q))
	}
	plan, err := d.planned(ctx, i, d.tree)
	if err != nil {
		return Saved{}, nil, nil, err
	}
	p.obey(i, plan)
	if err = d.complete(plan); err == nil {
		err = d.writeNote(i, apply.Small(plan.Changes))
	}
	crash.At("checkpoint.intended")
	return before, i, plan, err
}

// complete makes sure that nothing is missing before the first file is changed.
func (d *repository) complete(plan *tree.Comparison) error {
	for _, c := range plan.Changes {
		if (c.To.Kind == tree.File || c.To.Kind == tree.Link) && !d.objects.Has(c.To.Oid) {
			return fmt.Errorf("%w: %s is missing", object.ErrDamaged, c.To.Oid)
		}
	}
	return nil
}

func nonce() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// obey takes out of a plan what the rules of today keep from being made.
func (p *Place) obey(i *intent, plan *tree.Comparison) {
	kept := plan.Changes[:0]
	for _, c := range plan.Changes {
		if c.From.Kind == tree.Absent && p.leftNow(c.Path, c.To.Kind == tree.Directory) {
			i.Skip = append(i.Skip, []byte(c.Path))
			plan.Blocked = append(plan.Blocked, c.Path)
			continue
		}
		kept = append(kept, c)
	}
	plan.Changes = kept
}

// leftNow reports whether a path that is not there would be left alone, or a
// directory on the way to it.
func (p *Place) leftNow(full string, dir bool) bool {
	n, rules := p.repository.tree, tree.Excluder(p.rules)
	for at := 0; ; {
		if n != nil && n.Rules != nil {
			rules = n.Rules
		}
		end := strings.IndexByte(full[at:], '/')
		if end < 0 {
			return rules.Left(full, dir) != tree.Kept
		}
		if rules.Left(full[:at+end], true) != tree.Kept {
			return true
		}
		n = n.Below(full[at : at+end])
		at += end + 1
	}
}
