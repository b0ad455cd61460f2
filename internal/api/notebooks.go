package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

// Notebooks asks the kernels of notebooks: *notebook.Runner.
type Notebooks interface {
	Complete(ctx context.Context, id clew.SessionID, notebook, code string, cursor int) kernel.Completion
	Inspect(ctx context.Context, id clew.SessionID, notebook, code string, cursor, detail int) (text string, found bool)
}

type completeInput struct {
	ID         clew.SessionID `path:"id" doc:"The session"`
	NotebookID string         `path:"notebook_id" doc:"The notebook"`
	Body       struct {
		Code   string `json:"code" maxLength:"65536"`
		Cursor int    `json:"cursor" minimum:"0" doc:"Where the cursor is, in code points"`
	}
}

type completeOutput struct {
	Body struct {
		Matches []string `json:"matches" nullable:"false" doc:"What could stand there, at most 300"`
		Start   int      `json:"start" doc:"From here to end is what a match replaces, in code points"`
		End     int      `json:"end"`
	}
}

type inspectInput struct {
	ID         clew.SessionID `path:"id" doc:"The session"`
	NotebookID string         `path:"notebook_id" doc:"The notebook"`
	Body       struct {
		Code   string `json:"code" maxLength:"65536"`
		Cursor int    `json:"cursor" minimum:"0" doc:"Where the cursor is, in code points"`
		Detail int    `json:"detail,omitempty" minimum:"0" maximum:"1" doc:"1 for more, such as the source"`
	}
}

type inspectOutput struct {
	Body struct {
		Found bool   `json:"found"`
		Text  string `json:"text" doc:"Of at most 64 KiB, with the colours of a terminal"`
	}
}

type kernelCheckpointsInput struct {
	ID         clew.SessionID `path:"id" doc:"The session"`
	NotebookID string         `path:"notebook_id" doc:"The notebook"`
	After      int64          `query:"after" minimum:"0" doc:"Only those that are later, Unix ms"`
}

type kernelCheckpointsOutput struct {
	Body struct {
		Checkpoints []KernelCheckpoint `json:"checkpoints" nullable:"false" doc:"Oldest first, the newest 1000"`
	}
}

// KernelCheckpoint is what a kernel knew after a cell.
type KernelCheckpoint struct {
	CheckpointID string `json:"checkpoint_id"`
	TS           int64  `json:"ts" doc:"Unix ms"`
	CellID       string `json:"cell_id"`
	CellIndex    int    `json:"cell_index" doc:"Where the cell was then, from 0; -1 if it was gone"`
	RunID        string `json:"run_id"`
	StateHash    string `json:"state_hash" doc:"The same for the same variables"`
	Variables    string `json:"variables,omitempty" doc:"Address of the list of variables"`
}

func (a *API) notebookRoutes(h huma.API) {
	huma.Register(h, operation("list-kernel-checkpoints", http.MethodGet, "/sessions/{id}/notebooks/{notebook_id}/checkpoints", http.StatusOK,
		"List what a notebook's kernel knew after each cell."), a.kernelCheckpoints)
	huma.Register(h, operation("complete", http.MethodPost, "/sessions/{id}/notebooks/{notebook_id}/complete", http.StatusOK,
		"Ask a notebook's kernel what could stand at the cursor. Empty without a kernel that runs, while a cell runs, and if the kernel takes longer than 10 seconds."), a.complete)
	huma.Register(h, operation("inspect", http.MethodPost, "/sessions/{id}/notebooks/{notebook_id}/inspect", http.StatusOK,
		"Ask a notebook's kernel what stands at the cursor. Empty without a kernel that runs, while a cell runs, and if the kernel takes longer than 10 seconds."), a.inspect)
}

// mayAsk lets those pass who may run cells: a kernel runs code to answer.
func (a *API) mayAsk(ctx context.Context, id clew.SessionID) error {
	if a.o.Notebooks == nil {
		return clew.Errorf(clew.Unavailable, "this server runs no notebooks")
	}
	ok, err := a.speaks(ctx, id)
	if err == nil && !ok {
		err = clew.Errorf(clew.Forbidden, "only the session's owner may do this")
	}
	return err
}

func (a *API) complete(ctx context.Context, in *completeInput) (*completeOutput, error) {
	if err := a.mayAsk(ctx, in.ID); err != nil {
		return nil, err
	}
	c := a.o.Notebooks.Complete(ctx, in.ID, in.NotebookID, in.Body.Code, in.Body.Cursor)
	out := &completeOutput{}
	out.Body.Matches, out.Body.Start, out.Body.End = c.Matches, c.Start, c.End
	if out.Body.Matches == nil {
		out.Body.Matches = []string{}
	}
	return out, nil
}

func (a *API) inspect(ctx context.Context, in *inspectInput) (*inspectOutput, error) {
	if err := a.mayAsk(ctx, in.ID); err != nil {
		return nil, err
	}
	out := &inspectOutput{}
	out.Body.Text, out.Body.Found = a.o.Notebooks.Inspect(ctx, in.ID, in.NotebookID, in.Body.Code, in.Body.Cursor, in.Body.Detail)
	return out, nil
}

func (a *API) kernelCheckpoints(ctx context.Context, in *kernelCheckpointsInput) (*kernelCheckpointsOutput, error) {
	end, err := a.heavy.begin(ctx, callerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	defer end()
	v, _, err := a.view(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	list, err := v.KernelCheckpoints(ctx, in.NotebookID, in.After)
	if err != nil {
		return nil, err
	}
	out := &kernelCheckpointsOutput{}
	out.Body.Checkpoints = []KernelCheckpoint{}
	for _, d := range list {
		c := KernelCheckpoint{CheckpointID: d.CheckpointID, TS: d.TS, CellID: d.CellID, CellIndex: -1, RunID: d.RunID, StateHash: d.ToHash, Variables: d.Variables}
		if d.CellIndex != nil {
			c.CellIndex = *d.CellIndex
		}
		out.Body.Checkpoints = append(out.Body.Checkpoints, c)
	}
	return out, nil
}
