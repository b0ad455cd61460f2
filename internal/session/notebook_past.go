package session

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/rewind"
)

// A PastRun is a run of a notebook that the session shows, with what it ran.
type PastRun struct {
	clew.RepeatedRun
	Code      string
	CodeBlob  string // the address of what is too long
	Variables string // the address of what the kernel knew after it, "" if that was not asked
}

// PastRuns gives the runs of the notebook after one record and up to another that the session shows and
// that ended by themselves, in the order in which they began, and the checkpoint of the files
// that the first one found, "" if there is none. Those that repeated another one are
// left out.
func (d *NotebookContext) PastRuns(ctx context.Context, since, to uint64) ([]PastRun, string, error) {
	var hidden []core.Span
	if err := d.read(ctx, func(s *Session, _ *core.Notebook) { hidden = s.state.Removed }); err != nil {
		return nil, "", err
	}
	p := past{notebook: d.id, index: map[string]int{}}
	err := d.s.host.past(d.s.id).Follow(ctx, since, to, func(s *core.State, r clew.Record) error {
		if core.IsHidden(hidden, r.Seq) {
			return nil
		}
		return p.add(s, r)
	})
	if err != nil {
		return nil, "", d.ended(err)
	}
	return p.ended(), p.files, nil
}

// past gathers the runs of a notebook.
type past struct {
	notebook string
	runs     []PastRun
	index    map[string]int // by run
	files    string
}

func (p *past) add(s *core.State, r clew.Record) error {
	switch r.Type {
	case clew.EventCellStarted, clew.EventCellFinished, clew.EventCheckpointSaved:
	default:
		return nil
	}
	e, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return err
	}
	switch d := e.Data.(type) {
	case *clew.CellStartedData:
		if d.NotebookID == p.notebook {
			p.began(s, d)
		}
	case *clew.CellFinishedData:
		if i, ok := p.index[d.RunID]; ok {
			p.runs[i].Status = d.Status
		}
	case *clew.CheckpointSavedData:
		if i, ok := p.index[d.RunID]; ok && d.Kind == clew.CheckpointNotebook {
			p.runs[i].StateHash, p.runs[i].Variables = d.ToHash, d.Variables
		}
	}
	return nil
}

// began takes a run as the state has it right after it began.
func (p *past) began(s *core.State, d *clew.CellStartedData) {
	n := s.AnyNotebook(p.notebook)
	if n == nil || n.Run == nil || n.Run.ID != d.RunID || n.Run.Repeats != "" {
		return
	}
	if len(p.runs) == 0 {
		p.files = s.Checkpoint
	}
	run := PastRun{RepeatedRun: clew.RepeatedRun{CellRun: clew.CellRun{CellID: d.CellID, Repeats: d.RunID}, Silent: n.Run.Silent}, Code: n.Run.Code}
	if c := n.Cell(d.CellID); c != nil {
		run.Code, run.CodeBlob = c.Source, c.SourceBlob
	}
	p.index[d.RunID] = len(p.runs)
	p.runs = append(p.runs, run)
}

// ended are the runs that ended by themselves: nobody knows how far others came.
func (p *past) ended() (list []PastRun) {
	for _, r := range p.runs {
		if r.Status == clew.CellOK || r.Status == clew.CellError {
			list = append(list, r)
		}
	}
	return list
}

// SaveFiles makes a checkpoint of the workspace as it is now. It is not on record yet.
func (d *NotebookContext) SaveFiles(ctx context.Context, reason string) (core.SavedFiles, error) {
	place, err := d.workspace(ctx)
	if err != nil {
		return core.SavedFiles{}, err
	}
	return d.s.host.cfg.Files.Save(ctx, place, reason)
}

// RestoreFiles takes the workspace to a checkpoint. What was done under the same id is not done again.
func (d *NotebookContext) RestoreFiles(ctx context.Context, id, hash string) error {
	place, err := d.workspace(ctx)
	if err != nil {
		return err
	}
	_, err = d.s.restoreWithRetry(ctx, place, id, hash)
	return err
}

func (d *NotebookContext) workspace(ctx context.Context) (rewind.Workspace, error) {
	if d.s.host.cfg.Files == nil {
		return rewind.Workspace{}, rewind.ErrNoCheckpoints()
	}
	var place rewind.Workspace
	elsewhere := false
	err := d.read(ctx, func(s *Session, _ *core.Notebook) {
		place = rewind.WorkspaceOf(s.state)
		elsewhere = s.host.cfg.Peers != nil && s.state.FilesNode != "" && s.state.FilesNode != s.host.cfg.Peers.Self()
	})
	if err == nil && elsewhere {
		err = clew.Errorf(clew.SessionInvalidState, "the session's files are on another node")
	}
	return place, err
}
