package core

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
)

// applyTask folds records about tasks, their model history and their tools.
func applyTask(s *State, r clew.Record, data any) {
	switch d := data.(type) {
	case *clew.TaskCreatedData:
		applyTaskCreated(s, r, d)
	case *clew.TaskFocusedData:
		s.focus(d.MonitorID, d.TaskID)
	case *clew.TaskUnfocusedData:
		applyUnfocused(s, d)
	case *clew.TaskModeSwitchedData:
		if t := s.Task(d.TaskID); t != nil {
			t.Mode = d.Mode
		}
	case *clew.TaskSpawnedData:
		applySpawned(s, d)
	case *clew.TaskIdleData:
		if t := s.Task(d.TaskID); t != nil && d.RequestID == "" {
			applyOutcome(s, d.TaskID, d.Outcome, false)
			finishTurn(s, t, "")
			t.Condense = false
			t.retire(r.TS)
		}
	case *clew.CondenseRequestedData:
		applyCondenseRequested(s, r, d)
	case *clew.TaskCompletedData:
		applyOutcome(s, d.TaskID, &clew.Outcome{Status: clew.OutcomeDone}, false)
		applyEnded(s, d.TaskID, clew.TaskStatusCompleted, d.ResultSummary, r.TS)
	case *clew.TaskAbortedData:
		applyOutcome(s, d.TaskID, d.Outcome, true)
		applyEnded(s, d.TaskID, clew.TaskStatusAborted, "", r.TS)
	case *clew.TaskTokenUsageUpdatedData:
		applyUsage(s, d)
	case *clew.ModelMessageData:
		applyModelMessage(s, d)
	case *clew.ToolProgressData:
		applyToolProgress(s, d)
	case *clew.PlanGeneratedData:
		if t := s.Task(d.TaskID); t != nil && d.RunID == "" {
			t.PlanID, t.PlanVersion, t.Todos = d.PlanID, d.Version, d.Todos
		}
	case *clew.PlanModifiedData:
		if t := s.Task(d.TaskID); t != nil && d.RunID == "" {
			t.PlanVersion, t.Todos = d.NewVersion, d.UpdatedTodos
		}
	}
}

func applyTaskCreated(s *State, r clew.Record, d *clew.TaskCreatedData) {
	if s.Tasks == nil {
		s.Tasks = map[clew.TaskID]*Task{}
	}
	s.Started++
	t := &Task{
		TaskRef: d.TaskRef, Number: s.Started, Text: d.Task, Mode: d.Mode, Status: clew.TaskStatusActive,
		AgentID: d.AgentID, CreatedMS: r.TS, ToolCallID: d.ToolCallID, RunID: d.RunID, TodoID: d.TodoID, Profile: d.Profile,
	}
	t.MonitorID = s.Monitor(d.MonitorID).ID // one that there is
	if (d.AgentKind == clew.AgentEphemeral || d.AgentKind == clew.AgentWindow) && d.ParentTaskID == "" {
		t.AgentKind, t.Key, t.WindowID, t.ActionID = d.AgentKind, d.AgentKey, d.WindowID, d.ActionID
	}
	if d.RunID != "" && d.TodoID == "" {
		t.Run = &run.Run{ID: d.RunID, TaskID: d.TaskID, MonitorID: t.MonitorID, Request: d.Task, Phase: run.Understanding, StartedMS: r.TS, Budget: d.Budget}
	}
	t.Wake = d.Wake && d.ParentTaskID != ""
	s.forkHistory(t, d.ForkOf)
	if parent := s.Task(d.ParentTaskID); parent != nil && d.TodoID == "" { // a run's todos name their tasks
		t.Depth = parent.Depth + 1
		parent.Children = append(slices.Clip(parent.Children), t.TaskID)
	}
	if root := s.Task(d.RootTaskID); root != nil && root.TaskID != d.ParentTaskID && root.Run == nil {
		root.Children = append(slices.Clip(root.Children), t.TaskID)
	}
	s.Tasks[t.TaskID] = t
	if t.TaskID == t.RootTaskID {
		s.forgetHistories()
	}
	if len(s.Tasks) > TasksKept || t.TodoID != "" && len(s.Tasks) > todosKept {
		s.forgetTasks()
	}
}

// forgetHistories keeps the model history and the run of a few ended roots.
func (s *State) forgetHistories() {
	kept := 0
	for _, t := range slices.Backward(s.SortedTasks()) {
		if t.TaskID != t.RootTaskID || !s.atRest(t) || t.Kind() == clew.AgentEphemeral {
			continue
		}
		if kept++; kept > HistoriesKept {
			t.History, t.Calls, t.Inbox = nil, nil, nil
			if t.Run != nil {
				t.Run = &run.Run{ID: t.Run.ID, TaskID: t.TaskID, MonitorID: t.MonitorID, Phase: t.Run.Phase, PlanID: t.Run.PlanID, Reports: t.Run.Reports, Ended: t.Run.Ended}
			}
		}
	}
}

// forgetTasks keeps the state bounded: tasks of a run that ended leave it, and
// old trees that ended. If that is not enough, one conversation has delegated very
// often: of its tasks those leave that ended first.
func (s *State) forgetTasks() {
	tasks := s.SortedTasks()
	gone := map[clew.TaskID]bool{}
	for _, t := range tasks { // a todo's task goes with all below it, which are younger
		if gone[t.ParentTaskID] || t.TodoID != "" && t.Ended() && len(s.Tasks) > todosKept/2 {
			gone[t.TaskID] = true
			delete(s.Tasks, t.TaskID)
		}
	}
	for _, t := range tasks {
		if len(s.Tasks) <= TasksKept {
			return
		}
		if t.TaskID != t.RootTaskID || !s.atRest(t) {
			continue
		}
		for _, x := range s.TasksOfTree(t.TaskID) { // a tree goes as a whole
			delete(s.Tasks, x.TaskID)
		}
	}
	s.forgetChildren(tasks)
}

// forgetChildren has tasks leave their tree that ended and have nothing below them, the
// oldest first, until there is room.
func (s *State) forgetChildren(tasks []*Task) {
	parents := map[clew.TaskID]bool{}
	for _, t := range s.Tasks {
		parents[t.ParentTaskID] = true
	}
	for _, t := range tasks {
		if len(s.Tasks) <= TasksKept {
			return
		}
		if s.Task(t.TaskID) == nil || t.ParentTaskID == "" || !t.Ended() || parents[t.TaskID] || s.isFocused(t) || s.BlockingQuestion(t.TaskID) != nil {
			continue
		}
		delete(s.Tasks, t.TaskID)
		for _, of := range []clew.TaskID{t.ParentTaskID, t.RootTaskID} {
			if x := s.Task(of); x != nil {
				x.Children = slices.DeleteFunc(slices.Clone(x.Children), func(id clew.TaskID) bool { return id == t.TaskID })
			}
		}
	}
}

// atRest reports whether nobody works in a root's tree, waits for an answer in
// it or has it in focus.
func (s *State) atRest(root *Task) bool {
	for _, t := range s.TasksOfTree(root.TaskID) {
		if t.Turn != nil || t.ofWindow() || s.isFocused(t) || s.BlockingQuestion(t.TaskID) != nil {
			return false
		}
	}
	return true
}

func applyUnfocused(s *State, d *clew.TaskUnfocusedData) {
	if s.Monitor(d.MonitorID).Current == d.TaskID {
		s.focus(d.MonitorID, "")
	}
	if t := s.Task(d.TaskID); t != nil && d.PutAway {
		t.Dismissed = true
	}
}

// applySpawned hands a parent's call to its child, whose turn begins with it.
func applySpawned(s *State, d *clew.TaskSpawnedData) {
	parent, child := s.Task(d.TaskID), s.Task(d.ChildTaskID)
	if parent == nil || child == nil {
		return
	}
	if !child.Wake {
		parent.Status = clew.TaskStatusDelegated
		if child.TodoID == "" { // a run waits for none of its todos in particular
			parent.AwaitingChild = child.TaskID
		}
		if c := parent.Call(child.ToolCallID); c != nil {
			c.Status = CallChild
		}
	}
	in := inputOf(s, d.MessageID)
	child.Turn = &Turn{ID: d.MessageID, AgentID: child.AgentID, TaskID: child.TaskID, SinceMS: s.TS, Prompt: &in}
}

// finishTurn ends a task's turn. Calls that its agent left as they were have a result
// from now on: a model history without one is of no use. result is what the turn came
// to, "" if its last words say so.
func finishTurn(s *State, t *Task, result string) {
	s.noteTurnEnd(t, result)
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Status != CallDone {
			s.settleAppRequest(t.TaskID, c)
			s.settleAppCall(t, "", "It ended before it had a result.")
			c.Status = CallDone
			c.Result = &clew.Part{
				Type: clew.PartToolResult, ToolCallID: c.ID, Tool: c.Tool, Text: "This call was not run: the turn was over.", IsError: true,
			}
		}
	}
	if len(t.Calls) > 0 {
		closeCalls(t, clew.MessageIDOf(s.Seq), s.TS)
	}
	t.endModelCall()
	t.Turn, t.Steps = nil, 0
}

// applyEnded ends a task and, in the same record, its parent's waiting.
func applyEnded(s *State, id clew.TaskID, status clew.TaskStatus, result string, now int64) {
	t := s.Task(id)
	if t == nil {
		return
	}
	finishTurn(s, t, result)
	t.Status, t.Result, t.EndedMS, t.Allowed = status, result, now, nil
	if parent := s.Task(t.ParentTaskID); parent != nil {
		t.History, t.Inbox = nil, nil // a child's words live on in its result
		if parent.AwaitingChild == id {
			parent.AwaitingChild, parent.CompletedBy = "", id
			if !parent.Ended() {
				parent.Status = clew.TaskStatusActive
			}
		}
	}
	if status == clew.TaskStatusAborted {
		t.Calls = nil
	}
	t.retire(now)
}

func applyUsage(s *State, d *clew.TaskTokenUsageUpdatedData) {
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	add := d.TokenUsage
	more := clew.Usage{
		TokensIn: add.TokensIn - t.Usage.TokensIn, TokensOut: add.TokensOut - t.Usage.TokensOut,
		CacheWrites: add.CacheWrites - t.Usage.CacheWrites, CacheReads: add.CacheReads - t.Usage.CacheReads,
		CostUSD: add.CostUSD - t.Usage.CostUSD,
	}
	sums := []*clew.Usage{&s.Usage}
	if root := s.Task(t.RootTaskID); root != nil {
		sums = append(sums, &root.Tree)
	}
	for _, sum := range sums {
		*sum = sum.Add(more)
		sum.CostUSD = math.Round(sum.CostUSD*1e9) / 1e9 // sums of floats drift
	}
	t.Usage = add
	s.spend(t.Model, more)
}

// applyModelMessage lengthens the model history. What the model now hears was
// waiting until now; what it now answers ends its call.
func applyModelMessage(s *State, d *clew.ModelMessageData) {
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	s.noteHeard(t, d)
	if d.Message.IsSummary || d.Message.IsTruncationMarker {
		applyCover(s, t, d)
		return
	}
	if d.Message.Hidden() && !s.keepHidden {
		return
	}
	t.History = append(t.History, d.Message)
	if d.Message.Role == clew.SpeakerUser {
		if t.Turn != nil {
			t.Turn.Condense = false
		}
		id := d.Message.MessageID
		if t.Turn != nil && t.Turn.Prompt != nil && t.Turn.Prompt.MessageID == id {
			t.Turn.Prompt = nil
		}
		t.Inbox = slices.DeleteFunc(slices.Clone(t.Inbox), func(in Input) bool { return in.MessageID == id })
		s.noteWindowsTold(id)
		return
	}
	s.use(t, 0, OutputSize(d.Message.Content))
	t.Guessed, t.Counted = t.Reserved.TokensIn, 0
	t.endModelCall()
	t.Calls = nil
	for _, p := range d.Message.ToolCalls() {
		t.Calls = append(t.Calls, Call{ID: p.ToolCallID, Tool: p.Tool, Input: p.Input, Status: CallProposed})
	}
}

func applyToolProgress(s *State, d *clew.ToolProgressData) {
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	c := t.Call(d.ToolCallID)
	if c == nil || c.Status == CallDone {
		return
	}
	if d.Status == clew.ToolRunning {
		if c.Status != CallRunning && d.RequestID == "" && d.Effect != nil {
			t.AutoApproved++
		}
		c.Status, c.Class = CallRunning, d.Class
		if d.Node != "" {
			s.FilesNode, s.FilesWait = d.Node, nil
		}
		if d.Effect != nil && d.Class != clew.ClassReadOnly {
			for x := t; x != nil; x = s.Task(x.ParentTaskID) {
				x.Acted = true
			}
		}
		if d.MessageID != "" {
			c.MessageID = d.MessageID
		}
		if d.Effect != nil {
			c.Digest = d.Effect.Digest
		}
		return
	}
	text, _ := d.Output.(string)
	if text == "" {
		text = d.Error
	}
	s.settleAppRequest(t.TaskID, c)
	s.settleAppCall(t, d.ResultBlob, cmp.Or(d.Error, "Its answer could not be stored."))
	c.Status = CallDone
	c.Result = &clew.Part{
		Type: clew.PartToolResult, ToolCallID: d.ToolCallID, Tool: d.Tool, Text: text, Images: d.Images,
		IsError: d.Status == clew.ToolError || d.Status == clew.ToolStopped,
	}
	countTool(t, d)
	closeCalls(t, clew.MessageIDOf(s.Seq), s.TS)
}

func countTool(t *Task, d *clew.ToolProgressData) {
	u := t.ToolUsage[d.Tool]
	u.Attempts++
	switch {
	case d.Mistake:
		u.Failures++
		t.Mistakes++
	case d.Status == clew.ToolError, d.Status == clew.ToolStopped:
		u.Failures++
	default:
		t.Mistakes = 0
	}
	next := maps.Clone(t.ToolUsage)
	if next == nil {
		next = map[string]clew.ToolUsage{}
	}
	next[d.Tool] = u
	t.ToolUsage = next
}

// closeCalls gives the model all results of an answer's calls in one message,
// in the order of the calls, once the last one has come.
func closeCalls(t *Task, id clew.MessageID, now int64) {
	var parts clew.List[clew.Part]
	for _, c := range t.Calls {
		if c.Status != CallDone {
			return
		}
		parts = append(parts, *c.Result)
	}
	t.History = append(t.History, clew.ModelMessage{Role: clew.SpeakerUser, Content: parts, TS: now, MessageID: id})
	t.Calls = nil
}
