package session

import (
	"context"
	"math"

	"github.com/clew-run/clew"
)

const (
	previewRecords = 5000 // records that are looked at for what cannot be undone
	previewSteps   = 100  // and of which so many are named
)

// preview says what a rewind would change, and changes nothing.
func (s *Session) preview(ctx context.Context, cmd clew.Command, l position, a rewindTarget) (Receipt, error) {
	c, err := s.planRewind(ctx, l, a)
	if err != nil {
		return Receipt{}, err
	}
	then, err := decodeState(s.id, c.targetState)
	if err != nil {
		return Receipt{}, err
	}
	p := &clew.RewindPreviewAnswer{
		FromMessageID: c.from, KeepTarget: a.keep, To: clew.MessageIDOf(c.to), CheckpointID: c.checkpoint, ClientMessageID: cmd.ClientMessageID,
	}
	p.RemovedMessageIDs, p.Count = removedSince(then.branch(), transcriptSide{l.tail, l.total, l.quiet, l.removed}, then.transcriptSide())
	if err := s.read(ctx, func(s *Session) { compare(p, s.state, then) }); err != nil {
		return Receipt{}, err
	}
	if err := s.irreversible(ctx, p, l, c.to); err != nil {
		return Receipt{}, err
	}
	if c.checkpoint != "" {
		s.previewFiles(ctx, p, l, c.checkpoint)
	}
	return replyTo(cmd, clew.EventRewindPreview, p), nil
}

// compare notes what of the present state would change.
func compare(p *clew.RewindPreviewAnswer, now, then *State) {
	p.Running = now.Busy()
	if u := usageDifference(now.Usage, then.Usage); u != (clew.Usage{}) {
		p.Usage = &u
	}
	for _, q := range now.Questions {
		if then.openQuestion(q.RequestID()) == nil {
			p.Withdrawn = append(p.Withdrawn, q)
		}
	}
	for _, q := range then.Questions {
		if now.openQuestion(q.RequestID()) == nil && !then.askedByRunningTool(q) {
			p.Reopened = append(p.Reopened, q)
		}
	}
	p.Forgotten = rulesForgottenBy(now, then)
	will := map[string]clew.Todo{}
	for _, t := range then.focusedTodos() {
		will[t.ID] = t
	}
	for _, t := range now.focusedTodos() {
		w, ok := will[t.ID]
		delete(will, t.ID)
		if !ok || w.Status != t.Status {
			p.Todos = append(p.Todos, clew.TodoChange{ID: t.ID, Task: t.Task, From: t.Status, To: w.Status})
		}
	}
	for _, t := range then.focusedTodos() {
		if _, ok := will[t.ID]; ok {
			p.Todos = append(p.Todos, clew.TodoChange{ID: t.ID, Task: t.Task, To: t.Status})
		}
	}
}

// askedByRunningTool reports whether a tool asked that was running: nobody is left who
// waits for the answer, so the question ends with the return.
func (s *State) askedByRunningTool(q clew.Question) bool {
	a := subjectOfQuestion(q)
	t := s.Task(a.task)
	if t == nil || a.call == "" {
		return false
	}
	c := t.Call(a.call)
	return c != nil && c.Status == CallRunning
}

// focusedTodos are those of the task in focus.
func (s *State) focusedTodos() []clew.Todo {
	t := s.Task(s.Current)
	if t == nil {
		return nil
	}
	if r := s.rootOf(t).Run; r != nil {
		return r.Todos
	}
	return t.Todos
}

func usageDifference(a, b clew.Usage) clew.Usage {
	return clew.Usage{
		TokensIn: a.TokensIn - b.TokensIn, TokensOut: a.TokensOut - b.TokensOut,
		CacheWrites: a.CacheWrites - b.CacheWrites, CacheReads: a.CacheReads - b.CacheReads,
		CostUSD: math.Round((a.CostUSD-b.CostUSD)*1e9) / 1e9,
	}
}

// irreversible looks in what would be hidden for steps that stay done.
func (s *Session) irreversible(ctx context.Context, p *clew.RewindPreviewAnswer, l position, to uint64) error {
	var steps []clew.IrreversibleStep
	for r, err := range s.host.cfg.Journal.Read(ctx, s.id, max(to+1, l.seq-min(l.seq, previewRecords)), l.seq) {
		if err != nil {
			return err
		}
		if r.Type != clew.EventToolProgress || isHidden(l.removed, r.Seq) {
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
				MessageID: r.MessageID(), ToolCallID: d.ToolCallID, Tool: d.Tool, Summary: clip(d.Effect.Summary, 200), Reason: reason,
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
func (s *Session) previewFiles(ctx context.Context, p *clew.RewindPreviewAnswer, l position, hash string) {
	now, err := s.host.cfg.Files.Save(ctx, l.place, "preview of a rewind")
	if err == nil {
		p.Files, p.FilesCount, err = s.host.cfg.Files.Diff(ctx, l.place, now.Hash, hash, diffFiles)
	} else { // no new ones are made: it is the way from there to here, seen backwards
		p.Files, p.FilesCount, err = s.host.cfg.Files.Diff(ctx, l.place, hash, "", diffFiles)
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
