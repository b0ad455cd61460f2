package decide

import (
	"errors"
	"maps"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// recorder puts together what an intent records about its task.
type recorder struct {
	tx    *Tx
	s     *core.State
	t     *core.Task
	asked bool
	total *clew.Usage // the task's usage, if this batch changes it
	res   Result
}

// consent is the choice that most questions offer.
func consent() clew.List[clew.Choice] {
	return clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}
}

// say puts a message of the task's agent into the transcript.
func (r *recorder) say(m clew.Message) clew.MessageID {
	if m.Type == "" {
		m.Type = clew.TypeSay
	}
	if m.Role == "" {
		m.Role = clew.SpeakerAssistant
	}
	m.AgentID, m.MonitorID = r.t.AgentID, r.t.MonitorID
	if m.TaskID == "" {
		m.TaskID = r.t.TaskID
	}
	return r.tx.Say(m)
}

// update puts messages of the transcript on record as they are now.
func (r *recorder) update(list []clew.Message) {
	for _, m := range list {
		r.tx.Update(m)
	}
}

// ask puts a question to people. A task changes its state once for a batch.
func (r *recorder) ask(q clew.HitlApprovalRequestData) {
	ScopeToRun(r.s, r.t, &q.Asking, r.s.RunRules().ApprovalSec)
	if r.asked {
		newApproval(r.tx, r.s, r.t, q)
		return
	}
	r.asked = true
	AskApproval(r.tx, r.s, r.t, q)
}

// toModel adds a message to what the task's model hears.
func (r *recorder) toModel(m clew.ModelMessage, hides int) *clew.ModelMessageData {
	d := &clew.ModelMessageData{TaskID: r.t.TaskID, AgentID: r.t.AgentID, MonitorID: r.t.MonitorID, Message: m, Hides: hides}
	r.tx.Add(d)
	return d
}

// begin records that a call is about to run, with the approval it uses up or the
// rule that stands for one.
func (r *recorder) begin(p CallPlan, by clew.AllowedBy) clew.MessageID {
	id := p.Call.MessageID
	if id == "" && p.Effect != nil {
		id = r.say(clew.Message{
			Type: clew.TypeAsk, Ask: p.ShowAs, Text: p.Shown, Summary: p.Summary, ToolCallID: p.Call.ID, IsAnswered: true,
			Tool: clew.NewMessageTool(p.Call.Tool, p.Call.Input, p.Effect),
		})
	}
	d := &clew.ToolProgressData{
		ToolCallID: p.Call.ID, Tool: p.Call.Tool, Status: clew.ToolRunning, AgentID: r.t.AgentID, TaskID: r.t.TaskID,
		MonitorID: r.t.MonitorID, MessageID: id, Summary: p.Summary, Class: p.Class, Effect: p.Effect,
		Title: p.Title, RequestID: p.Call.RequestID, Node: p.Node,
	}
	if by != (clew.AllowedBy{}) {
		d.AllowedBy = &by
	}
	r.tx.Add(d)
	return id
}

// result ends a call of the agent's own.
func (r *recorder) result(c core.Call, text string) {
	r.tx.Add(&clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolComplete, AgentID: r.t.AgentID, TaskID: r.t.TaskID,
		MonitorID: r.t.MonitorID, MessageID: c.MessageID, Output: text, Summary: text,
	})
}

// A Refusal says why a call may not run: to the model, and to people.
type Refusal struct {
	Why     string
	Summary string // of it
	Shown   string
	Say     clew.Say
	// NoMistake says that the model could not know.
	NoMistake bool
}

// refuseFor ends a call with an error in words for the model. A budget that is used up
// is no mistake of the model's, nor is what others did meanwhile.
func (r *recorder) refuseFor(c core.Call, err error) {
	why := clew.AsError(err).Message
	r.refuse(c, Refusal{
		Why: why, Summary: why, Shown: c.Tool + " was refused: " + why, Say: clew.SayError,
		NoMistake: clew.CodeOf(err) == clew.BudgetExceeded || errors.Is(err, errMeanwhile),
	})
}

// refuse ends a call that may not run. The person sees it as the model does.
func (r *recorder) refuse(c core.Call, why Refusal) {
	r.say(clew.Message{Say: why.Say, Role: clew.SpeakerSystem, Text: why.Shown, ToolCallID: c.ID})
	r.tx.Add(&clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolError, Error: why.Why, AgentID: r.t.AgentID, TaskID: r.t.TaskID,
		MonitorID: r.t.MonitorID, MessageID: c.MessageID, Output: why.Why, Summary: why.Summary, Mistake: !why.NoMistake,
	})
	r.tx.Add(&clew.TaskToolFailedData{TaskRef: r.t.TaskRef, Tool: c.Tool, Error: why.Why, ToolCallID: c.ID})
}

// end ends the task with its answer. A parent that waits gets it.
func (r *recorder) end(text string, data map[string]any, usage map[string]clew.ToolUsage) {
	if r.t.ParentTaskID == "" {
		tree := r.s.TreeUsage(r.t.RootTaskID)
		r.tx.Add(&clew.CompleteData{
			Status: clew.ResultSuccess, Response: clew.Response{Text: text, Format: clew.FormatMarkdown},
			Statistics: clew.Statistics{
				TotalTodos: len(r.t.Todos), Completed: countTodos(r.t.Todos, clew.TodoCompleted), Failed: countTodos(r.t.Todos, clew.TodoFailed),
				Skipped: countTodos(r.t.Todos, clew.TodoSkipped), ExecutionTimeMS: r.tx.NextTS() - r.t.CreatedMS,
				TokensUsed: tokens(tree), CostUSD: tree.CostUSD,
			},
			TaskID: r.t.TaskID,
		})
	}
	used := r.t.Usage
	if r.total != nil {
		used = *r.total
	}
	r.tx.Add(&clew.TaskCompletedData{TaskRef: r.t.TaskRef, TokenUsage: used, ToolUsage: usage, ResultSummary: text})
	if r.t.ParentTaskID == "" {
		return
	}
	if r.t.TodoID == "" { // a todo's result is in todo_completed
		r.say(clew.Message{Say: clew.SaySubtaskResult, Text: text, TaskID: r.t.ParentTaskID, ToolCallID: r.t.ToolCallID})
	}
	CompleteChild(r.tx, r.s, r.t, text, data)
}

func countTodos(todos []clew.Todo, status clew.TodoStatus) (n int) {
	for _, t := range todos {
		if t.Status == status {
			n++
		}
	}
	return n
}

// tokens counts all of them, each once.
func tokens(u clew.Usage) int64 { return u.TokensIn + u.TokensOut + u.CacheWrites + u.CacheReads }

// counted is the task's use of tools with one more call that went well.
func counted(t *core.Task, name string) map[string]clew.ToolUsage {
	usage := counts(t.ToolUsage)
	u := usage[name]
	u.Attempts++
	usage[name] = u
	return usage
}

// counts is a copy that events can keep.
func counts(m map[string]clew.ToolUsage) map[string]clew.ToolUsage {
	if m == nil {
		return map[string]clew.ToolUsage{}
	}
	return maps.Clone(m)
}

// SeenFiles is a look at the workspace's files, to go on record.
type SeenFiles struct {
	Saved   core.SavedFiles
	Dir     string
	Reason  string
	Message clew.MessageID // the user message that it stands at
	// Problem says why they could not be saved, "" if they were. Warned is the turn
	// in which people were last told of that.
	Problem string
	Warned  clew.MessageID
}

// files puts a look at the files on record, unless they are what the record says
// already.
func (r *recorder) files(f *SeenFiles) {
	switch {
	case f == nil:
		return
	case f.Problem != "":
		r.filesFailed(f)
		return
	case f.Saved.Hash == r.s.Checkpoint:
		return
	}
	from := r.s.Checkpoint
	if r.s.FirstCheckpoint == "" {
		r.tx.Add(&clew.CheckpointInitializedData{
			TaskID: r.t.TaskID, Kind: clew.CheckpointWorkspace, WorkspaceDir: f.Dir, BaseHash: f.Saved.Hash, DurationMS: f.Saved.DurationMS,
		})
	}
	if from == "" {
		from = f.Saved.Hash
	}
	d := core.CheckpointSaved(f.Saved, f.Reason)
	d.TS, d.MessageID, d.TaskID, d.FromHash, d.SuppressMessage = r.tx.NextTS(), f.Message, r.t.TaskID, from, true
	r.tx.Add(d)
}

// filesFailed tells people that their files are not being saved, once in a turn.
func (r *recorder) filesFailed(f *SeenFiles) {
	turn := r.t.Turn
	if root := r.s.Task(r.t.RootTaskID); root != nil && root.Turn != nil {
		turn = root.Turn // its subtasks and todos are parts of it
	}
	if turn == nil || f.Warned == turn.ID {
		return
	}
	r.res.Warned = turn.ID
	m := clew.Message{
		Say: clew.SayError, Role: clew.SpeakerSystem,
		Text: "No checkpoint could be made, so the files cannot be taken back to this point: " + f.Problem + ".",
	}
	if f.Message != "" {
		m.Checkpoint = map[string]any{"missing_for": string(f.Message)}
	}
	r.say(m)
}
