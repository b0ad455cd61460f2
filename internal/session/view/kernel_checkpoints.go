package view

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// kernelCheckpointsMax bounds the checkpoints of an answer: the newest ones.
const kernelCheckpointsMax = 1000

// KernelCheckpoints gives what a notebook's kernel knew after each cell that ended later
// than a time (Unix ms), in the order in which they ended.
func (t *Pager) KernelCheckpoints(ctx context.Context, notebook string, after int64) ([]clew.CheckpointSavedData, error) {
	from, err := t.firstSince(ctx, after+1)
	if err != nil {
		return nil, err
	}
	if t.Last >= marksReach {
		from = max(from, t.Last-marksReach+1)
	}
	var list []clew.CheckpointSavedData
	for r, err := range t.Journal.Read(ctx, t.ID, from, t.Last) {
		if err != nil {
			return nil, err
		}
		if r.Type != clew.EventCheckpointSaved || core.IsHidden(t.Removed, r.Seq) {
			continue
		}
		e, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return nil, err
		}
		if d, ok := e.Data.(*clew.CheckpointSavedData); ok && d.Kind == clew.CheckpointNotebook && d.NotebookID == notebook && d.TS > after {
			list = append(list, *d)
		}
	}
	return list[max(0, len(list)-kernelCheckpointsMax):], nil
}
