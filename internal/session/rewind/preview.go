package rewind

import (
	"context"
	"math"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

const (
	previewRecords = 5000 // records that are looked at for what cannot be undone
	previewSteps   = 100  // and of which so many are named
)

// Preview says what a rewind would change, and changes nothing. look shows the
// session's state as it is.
func (f *Finder) Preview(ctx context.Context, t Target, look func(func(now *core.State)) error) (*clew.RewindPreviewAnswer, error) {
	c, err := f.Plan(ctx, t)
	if err != nil {
		return nil, err
	}
	then, err := core.DecodeState(f.ID, c.TargetState)
	if err != nil {
		return nil, err
	}
	p := &clew.RewindPreviewAnswer{FromMessageID: c.From, KeepTarget: t.Keep, To: clew.MessageIDOf(c.To), CheckpointID: c.Checkpoint}
	p.RemovedMessageIDs, p.Count = core.RemovedSince(then.Branch(), core.TranscriptSide{Tail: f.At.Tail, Total: f.At.Total, Quiet: f.At.Quiet, Spans: f.At.Removed}, then.TranscriptSide())
	if err := look(func(now *core.State) { Compare(p, now, then) }); err != nil {
		return nil, err
	}
	if err := f.irreversible(ctx, p, c.To); err != nil {
		return nil, err
	}
	if c.Checkpoint != "" {
		f.previewFiles(ctx, p, c.Checkpoint)
	}
	return p, nil
}

// Compare notes what of the present state would change.
func Compare(p *clew.RewindPreviewAnswer, now, then *core.State) {
	p.Running = now.Busy()
	if u := UsageDifference(now.Usage, then.Usage); u != (clew.Usage{}) {
		p.Usage = &u
	}
	for _, q := range now.Questions {
		if then.OpenQuestion(q.RequestID()) == nil {
			p.Withdrawn = append(p.Withdrawn, q)
		}
	}
	for _, q := range then.Questions {
		if now.OpenQuestion(q.RequestID()) == nil && !then.AskedByRunningTool(q) {
			p.Reopened = append(p.Reopened, q)
		}
	}
	p.Forgotten = core.RulesForgottenBy(now, then)
	p.Kernels = core.KernelsAfter(now, then)
	will := map[string]clew.Todo{}
	for _, t := range then.FocusedTodos() {
		will[t.ID] = t
	}
	for _, t := range now.FocusedTodos() {
		w, ok := will[t.ID]
		delete(will, t.ID)
		if !ok || w.Status != t.Status {
			p.Todos = append(p.Todos, clew.TodoChange{ID: t.ID, Task: t.Task, From: t.Status, To: w.Status})
		}
	}
	for _, t := range then.FocusedTodos() {
		if _, ok := will[t.ID]; ok {
			p.Todos = append(p.Todos, clew.TodoChange{ID: t.ID, Task: t.Task, To: t.Status})
		}
	}
}

// UsageDifference is what one usage is ahead of another.
func UsageDifference(a, b clew.Usage) clew.Usage {
	return clew.Usage{
		TokensIn: a.TokensIn - b.TokensIn, TokensOut: a.TokensOut - b.TokensOut,
		CacheWrites: a.CacheWrites - b.CacheWrites, CacheReads: a.CacheReads - b.CacheReads,
		CostUSD: math.Round((a.CostUSD-b.CostUSD)*1e9) / 1e9,
	}
}

// irreversible looks in what would be hidden for steps that stay done.
func (f *Finder) irreversible(ctx context.Context, p *clew.RewindPreviewAnswer, to uint64) error {
	var steps []clew.IrreversibleStep
	for r, err := range f.Journal.Read(ctx, f.ID, max(to+1, f.At.Seq-min(f.At.Seq, previewRecords)), f.At.Seq) {
		if err != nil {
			return err
		}
		if r.Type != clew.EventToolProgress || core.IsHidden(f.At.Removed, r.Seq) {
			continue
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return err
		}
		d := ev.Data.(*clew.ToolProgressData)
		if d.Status != clew.ToolRunning || d.Effect == nil || d.Class == clew.ClassReadOnly {
			continue
		}
		if reason, code := irreversibleReason(d.Effect); code != "" {
			steps = append(steps, clew.IrreversibleStep{
				MessageID: r.MessageID(), ToolCallID: d.ToolCallID, Tool: d.Tool, Summary: clew.Clip(d.Effect.Summary, 200), Reason: reason,
				Code: code, Server: d.Effect.Server, URL: d.Effect.URL,
			})
		}
	}
	p.IrreversibleCount = len(steps)
	for i := len(steps) - 1; i >= 0 && len(p.Irreversible) < previewSteps; i-- {
		p.Irreversible = append(p.Irreversible, steps[i])
	}
	return nil
}

// irreversibleReason says why an effect outlives the files' return, "" if it does not.
func irreversibleReason(e *clew.Effect) (reason string, code clew.IrreversibleCode) {
	switch {
	case e.Server != "":
		return "it was done by the tool server " + e.Server, clew.ByToolServer
	case e.URL != "":
		return "it spoke to " + e.URL, clew.ByURL
	case e.Command == "" && len(e.Argv) == 0:
		return "", ""
	case e.Network:
		return "the command could reach the network", clew.ByNetwork
	case e.Sandbox == "" || e.Sandbox == "none":
		return "the command could change things outside the workspace", clew.OutsideWorkspace
	}
	return "", ""
}

// previewFiles says how files would change. What stands in the way is said, and
// is no reason to refuse the preview.
func (f *Finder) previewFiles(ctx context.Context, p *clew.RewindPreviewAnswer, hash string) {
	now, err := f.Files.Save(ctx, f.At.Workspace, "preview of a rewind")
	if err == nil {
		p.Files, p.FilesCount, err = f.Files.Diff(ctx, f.At.Workspace, now.Hash, hash, FilesShown)
	} else { // no new ones are made: it is the way from there to here, seen backwards
		p.Files, p.FilesCount, err = f.Files.Diff(ctx, f.At.Workspace, hash, "", FilesShown)
		reverseDiff(p.Files)
	}
	if err != nil {
		p.FilesProblem = clew.AsError(err).Message
	}
}

// reverseDiff turns a comparison round. Lines that changed are not shown then.
func reverseDiff(files []clew.CheckpointFile) {
	for i := range files {
		f := &files[i]
		f.Content.Before, f.Content.After, f.Unified, f.Mode = f.Content.After, f.Content.Before, "", ""
		switch f.Status {
		case "added":
			f.Status = "deleted"
		case "deleted":
			f.Status = "added"
		case "renamed":
			f.Paths.Relative, f.Paths.Old = f.Paths.Old, f.Paths.Relative
		}
	}
}
