package retention

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// An Inventory is what is kept of one workspace.
type Inventory struct {
	Workspace   string  `json:"workspace"`
	Bytes       int64   `json:"bytes"` // on disk
	Checkpoints []Entry `json:"checkpoints"`
}

// An Entry is one checkpoint.
type Entry struct {
	SessionID    clew.SessionID `json:"session_id"`
	CheckpointID string         `json:"checkpoint_id"`
	Hash         string         `json:"hash"`
	TS           int64          `json:"ts"`
	Reason       string         `json:"reason,omitempty"`
	Files        int            `json:"files"`
	Bytes        int64          `json:"bytes"` // of the files, not on disk
}

// A Finding is something that is wrong with what is kept.
type Finding struct {
	Workspace string `json:"workspace"`
	Hash      string `json:"hash,omitempty"` // of the checkpoint, "" if more is concerned
	Problem   string `json:"problem"`
}

// Inventory lists what is kept, oldest first: of a session, of a workspace if
// what is its absolute path, of all with "".
func (k *Keeper) Inventory(ctx context.Context, what string) ([]Inventory, error) {
	list := []Inventory{}
	err := k.each(ctx, what, func(p *checkpoint.Place, of []checkpoint.Checkpoint) error {
		u, err := p.Usage(ctx)
		if err != nil {
			return err
		}
		v := Inventory{Workspace: shown(p.Root()), Bytes: u.Bytes, Checkpoints: []Entry{}}
		for _, c := range of {
			id, _ := sessionOf(c.Session)
			v.Checkpoints = append(v.Checkpoints, Entry{
				SessionID: id, CheckpointID: c.ID, Hash: c.Hash, TS: c.Time.UnixMilli(), Reason: c.Message, Files: c.Files, Bytes: c.Bytes,
			})
		}
		list = append(list, v)
		return nil
	})
	return list, err
}

// each calls fn for the workspaces that what stands for, with the checkpoints.
func (k *Keeper) each(ctx context.Context, what string, fn func(*checkpoint.Place, []checkpoint.Checkpoint) error) error {
	places, err := k.places(what)
	if err != nil {
		return err
	}
	for _, p := range places {
		list, err := p.List(ctx, "")
		if err != nil {
			return explain(err)
		}
		if what != "" && !filepath.IsAbs(what) {
			list = slices.DeleteFunc(list, func(c checkpoint.Checkpoint) bool { return c.Session != nameOf(clew.SessionID(what)) })
			if len(list) == 0 {
				continue
			}
		}
		if err := fn(p, list); err != nil {
			return explain(err)
		}
	}
	return nil
}

// places gives all workspaces, or the one that what is the path of.
func (k *Keeper) places(what string) ([]*checkpoint.Place, error) {
	places, err := k.store.Places()
	if err != nil || !filepath.IsAbs(what) {
		return places, err
	}
	real, err := filepath.EvalSymlinks(what)
	if err != nil { // one that is gone is known by its name still
		real = filepath.Clean(what)
	}
	return slices.DeleteFunc(places, func(p *checkpoint.Place) bool { return p.Root() != real }), nil
}

// Check reads everything that is kept and says what is damaged. It gives the
// number of workspaces that it went through, too.
func (k *Keeper) Check(ctx context.Context, what string) (workspaces int, found []Finding, err error) {
	places, err := k.places(what)
	if err != nil {
		return 0, nil, err
	}
	found = []Finding{}
	for _, p := range places {
		if ctx.Err() != nil {
			return workspaces, found, ctx.Err()
		}
		if what != "" && !filepath.IsAbs(what) {
			if list, err := p.List(ctx, nameOf(clew.SessionID(what))); err == nil && len(list) == 0 {
				continue
			}
		}
		workspaces++
		problems, err := p.Fsck(ctx)
		if err != nil { // so damaged that it cannot even be opened
			found = append(found, Finding{Workspace: shown(p.Root()), Problem: errText(err)})
		}
		for _, x := range problems {
			found = append(found, Finding{shown(p.Root()), x.Checkpoint, x.Text})
		}
	}
	return workspaces, found, nil
}

func errText(err error) string {
	e := clew.AsError(err)
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}
