package decide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/core"
)

// reply is what somebody said to a question.
type reply struct {
	action      clew.Resolution
	value       any
	comment     string
	instruction string
	images      []string
	remember    *clew.Remember

	// Changes of a plan, and what they make of it.
	edits   []clew.PlanEdit
	edited  []clew.Todo
	changes clew.List[clew.PlanChange]
}

// decideResponse takes an answer to the question it names, or to the oldest one
// of the current task. The first answer wins: after it there is no question.
func decideResponse(tx *Tx, s *core.State, cmd clew.Command) error {
	id, a := answerOf(cmd.Data)
	q := s.OpenQuestion(id)
	if id == "" {
		if q = s.OldestQuestion(); q == nil {
			return clew.Errorf(clew.HitlRequestExpired, "no question is open")
		}
	}
	if q == nil {
		return clew.Errorf(clew.HitlRequestExpired, "no such question is open")
	}
	if err := mayAnswer(s, cmd.By, *q, tx.Now()); err != nil {
		return err
	}
	a, err := checkAnswer(*q, cmd.Data, a)
	if err != nil {
		return err
	}
	if planted.Bug("question ends twice") {
		tx.Add(&clew.HitlResolvedData{RequestID: q.RequestID(), Action: clew.ResolvedSkip})
	}
	return resolve(tx, s, cmd, *q, a)
}

// decideWords takes plain words as the answer: a value where one is asked for,
// a yes with advice to a task at rest, and a no with a reason to a request to
// act, because words never approve anything.
func decideWords(tx *Tx, s *core.State, cmd clew.Command, q clew.Question, d *clew.UserMessageData) error {
	if err := mayAnswer(s, cmd.By, q, tx.Now()); err != nil {
		return err
	}
	a := reply{comment: d.Text, images: d.Images}
	switch core.WordsMean(q) {
	case clew.WordsChange:
		a.action, a.instruction = clew.ResolvedModify, d.Text
	case clew.WordsAnswer:
		a.action, a.value, a.comment = clew.ResolvedAnswer, d.Text, d.Text
		if err := CheckValue(q, a.value); err != nil {
			return err
		}
	case clew.WordsDeny:
		a.action = clew.ResolvedReject
	default:
		a.action = clew.ResolvedApprove
	}
	return resolve(tx, s, cmd, q, a)
}

func answerOf(data any) (clew.RequestID, reply) {
	switch d := data.(type) {
	case *clew.HitlPlanResponseData:
		return d.RequestID, reply{action: clew.Resolution(d.Action), instruction: d.Instruction, comment: d.Comment, edits: d.Modifications}
	case *clew.HitlApprovalResponseData:
		return d.RequestID, reply{action: clew.Resolution(d.Action), comment: sayBoth(d.Comment, d.Reason), remember: d.Remember}
	case *clew.HitlInputResponseData:
		return d.RequestID, reply{action: clew.ResolvedAnswer, value: d.Value}
	case *clew.HitlClarificationResponseData:
		return d.RequestID, reply{action: clew.ResolvedAnswer, value: d.Value}
	case *clew.AskResponseData:
		a := reply{comment: d.Text, images: d.Images}
		switch d.AskResponse {
		case clew.YesButtonClicked:
			a.action = clew.ResolvedApprove
		case clew.NoButtonClicked:
			a.action = clew.ResolvedReject
		case clew.MessageResponse:
			a.action, a.value = clew.ResolvedAnswer, d.Text
		case clew.ObjectResponse:
			a.action, a.value = clew.ResolvedAnswer, d.Value
		}
		return d.RequestID, a
	}
	return "", reply{}
}

// sayBoth joins a comment and a reason: an answer may have either, and both go on
// record.
func sayBoth(comment, reason string) string {
	if comment == "" || reason == "" || comment == reason {
		return cmp.Or(comment, reason)
	}
	return comment + "\n" + reason
}

// checkAnswer checks that an answer is one to this question, and reads the general
// ask_response as what the question asks for.
func checkAnswer(q clew.Question, data any, a reply) (reply, error) {
	wrong := clew.Errorf(clew.HitlInvalidResponse, "the answer does not fit the question, a %s", q.Type)
	_, general := data.(*clew.AskResponseData)
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		if _, ok := data.(*clew.HitlApprovalResponseData); !ok && !general {
			return a, wrong
		}
		if a.action == clew.ResolvedAnswer { // words
			a.action = clew.ResolvedReject
			if core.WordsMean(q) == clew.WordsContinue {
				a.action = clew.ResolvedApprove
			}
		}
		if !slices.Contains(d.Options, clew.Choice(a.action)) {
			return a, clew.Errorf(clew.HitlInvalidResponse, "%q is not one of the choices", a.action)
		}
	case *clew.HitlInputRequestData:
		if _, ok := data.(*clew.HitlInputResponseData); !ok && !general {
			return a, wrong
		}
		return checkValueAnswer(q, a)
	case *clew.HitlClarificationData:
		if _, ok := data.(*clew.HitlClarificationResponseData); !ok && !general {
			return a, wrong
		}
		return checkValueAnswer(q, a)
	case *clew.HitlPlanReviewData:
		if _, ok := data.(*clew.HitlPlanResponseData); !ok && !general {
			return a, wrong
		}
		if a.action == clew.ResolvedAnswer {
			a.action, a.instruction = clew.ResolvedModify, a.comment
		}
		if a.action == clew.ResolvedModify && a.instruction == "" && len(a.edits) == 0 {
			return a, clew.Errorf(clew.HitlInvalidResponse, "modify has to say what should change")
		}
	}
	return a, nil
}

// checkValueAnswer is fit for questions that ask for one. A plain no declines.
func checkValueAnswer(q clew.Question, a reply) (reply, error) {
	if a.action == clew.ResolvedReject {
		return a, nil
	}
	if a.action == clew.ResolvedApprove {
		a.value = a.comment
	}
	a.action = clew.ResolvedAnswer
	return a, CheckValue(q, a.value)
}

// resolve settles a question and lets its task go on, or end.
func resolve(tx *Tx, s *core.State, cmd clew.Command, q clew.Question, a reply) error {
	about := core.SubjectOfQuestion(q)
	if about.HoldsRun() && !about.OwnLimit && a.action == clew.ResolvedApprove && cmd.By.Role != clew.RoleAdmin && s.Rules != nil && s.Rules.Budgeted() {
		return clew.Errorf(clew.Forbidden, "the budget is the server's; only an administrator may raise it")
	}
	t := s.Task(about.Task)
	if len(a.edits) > 0 {
		if t == nil || s.ActiveRun(t) == nil {
			return clew.Errorf(clew.SessionInvalidState, "there is no run")
		}
		var err error
		if a.edited, a.changes, err = editPlan(s, s.ActiveRun(t).Todos, a.edits); err != nil {
			return err
		}
	}
	if t != nil && t.Turn == nil && a.action == clew.ResolvedApprove {
		if s.AtWorkOn(t.MonitorID) {
			return clew.Errorf(clew.SessionInvalidState, "another task is under way")
		}
		if a.comment == "" {
			a.comment = "Continue with the task." // a turn begins with words
		}
	}
	if missing := core.MissingOf(q); missing != nil && a.value == clew.WorkspaceContinue {
		a.comment = withoutFiles
	}
	if err := kernelAnswer(s, q, a); err != nil {
		return err
	}
	changes, err := rememberRule(s, cmd.By, q, a)
	if err != nil {
		return err
	}
	var spoke clew.MessageID
	_, words := cmd.Data.(*clew.UserMessageData)
	if a.comment != "" || len(a.images) > 0 || words {
		m := UserMessageEvent(cmd, monitorAsking(s, q), core.Input{Text: a.comment, Images: a.images}, about.Task)
		m.RequestID = q.RequestID()
		spoke = tx.Say(m)
	}
	tx.Add(&clew.HitlResolvedData{
		RequestID: q.RequestID(), Action: a.action, ResolvedBy: cmd.By.User, Value: a.value, Comment: a.comment,
		Instruction: a.instruction, ClientMessageID: cmd.ClientMessageID, TaskID: about.Task,
		Remember: a.remember, Scope: q.Asking().Scope,
	})
	if len(changes) > 0 {
		if err := decideSettings(tx, s, cmd.By.User, changes); err != nil {
			return err
		}
	}
	answered(tx, s, about.Message)
	if t == nil {
		followKernelAnswer(tx, s, q, a, cmd.By.User)
		return nil
	}
	tx.Add(&clew.TaskAskRespondedData{TaskRef: t.TaskRef, RequestID: q.RequestID()})
	c := answerEffect{s: s, t: t, q: q, a: a, by: cmd.By.User, client: cmd.ClientMessageID, withWords: spoke}
	n := tx.Len()
	over := c.follow(tx)
	if words && !slices.ContainsFunc(tx.Since(n), isAccepted) {
		tx.Add(&clew.MessageAcceptedData{
			ClientMessageID: cmd.ClientMessageID, MessageID: spoke, AgentID: t.AgentID, MonitorID: t.MonitorID, Delivery: clew.DeliveryAnswer,
		})
	}
	if over {
		goOn(tx, s, t, endedRun(s, t))
	}
	return nil
}

// monitorAsking is the monitor that a question is asked on.
func monitorAsking(s *core.State, q clew.Question) clew.MonitorID {
	if t := s.Task(core.SubjectOfQuestion(q).Task); t != nil {
		return t.MonitorID
	}
	return clew.MainMonitor
}

func isAccepted(e clew.Event) bool { return e.Type == clew.EventMessageAccepted }

// answerEffect is what an answer means to its task.
type answerEffect struct {
	s         *core.State
	t         *core.Task
	q         clew.Question
	a         reply
	withWords clew.MessageID // the person's words, "" if there are none

	client  clew.ClientMessageID
	by      clew.UserID
	timeout *TimeoutCommand // nobody answered in time; nil if somebody did
}

func (c answerEffect) isDenial() bool {
	return c.a.action == clew.ResolvedReject || c.a.action == clew.ResolvedSkip
}

// addWords gives the person's words to the model.
func (c answerEffect) addWords(tx *Tx) {
	if c.withWords != "" {
		acceptMessage(tx, c.t, c.withWords, c.client, clew.DeliveryAnswer)
	}
}

// follow makes the events that follow, and reports whether the turn is over.
func (c answerEffect) follow(tx *Tx) (over bool) {
	if over, ok := effectOnRun(tx, c); ok {
		return over
	}
	about := core.SubjectOfQuestion(c.q)
	if call := c.t.Call(about.Call); call != nil && call.Status == core.CallAsked {
		switch {
		case c.isDenial():
			c.denied(tx, call)
		case c.q.Type != clew.EventHitlApprovalRequest:
			EndCall(tx, c.t, call, c.answerText(), "", c.a.images)
		default: // a yes with advice: the model hears both
			c.addWords(tx)
		}
		stateAfter(tx, c.s, c.t, c.q.RequestID())
		return false
	}
	if about.Call != "" { // a running tool asked; it hears the answer itself
		stateAfter(tx, c.s, c.t, c.q.RequestID())
		return false
	}
	if about.Ask == clew.AskResumeTask || about.Ask == clew.AskResumeCompletedTask {
		return c.resumed(tx)
	}
	if c.isDenial() {
		c.gaveUpEvents(tx, about.Ask)
		c.stop(tx, false)
		return true
	}
	if missing := core.MissingOf(c.q); missing != nil && c.a.value == clew.WorkspaceWait {
		noteWaiting(tx, c.t, missing)
	}
	c.addWords(tx)
	stateAfter(tx, c.s, c.t, c.q.RequestID())
	return false
}

// stop ends the turn. calls says that those under way have their results.
func (c answerEffect) stop(tx *Tx, calls bool) {
	how := TurnEnd{Reason: "stopped by a person", Code: clew.EndNotContinued, by: c.by, except: c.q.RequestID(), calls: calls}
	var streamed streams
	if c.timeout != nil {
		how.Reason, how.Code, how.truncate, streamed = "ended because nobody answered in time", clew.EndTimedOut, c.timeout.Cut, c.timeout.Streamed
	}
	CloseTurn(tx, c.s, c.t, streamed, how)
}

// denied is the result of a call that may not run.
func (c answerEffect) denied(tx *Tx, call *core.Call) {
	if c.timeout != nil {
		ended(tx, c.t, call, "Nobody decided about this call in time. It was not run.", TurnEnd{Reason: "not decided in time", Code: clew.EndTimedOut})
		return
	}
	ended(tx, c.t, call, denialText(c.a.comment), TurnEnd{Reason: "denied by a person", Code: clew.EndDenied, by: c.by}).Images = c.a.images
}

// answerText is the answer as the model hears it.
func (c answerEffect) answerText() string {
	if c.timeout != nil && c.a.value == nil {
		return "Nobody answered in time. There is no value."
	}
	return fmt.Sprint(c.a.value)
}

// resumed takes a task up again. Steps in doubt are not run again: the model is
// told that their outcome is not known.
func (c answerEffect) resumed(tx *Tx) (over bool) {
	doubtful := false
	for i := range c.t.Calls {
		if call := &c.t.Calls[i]; call.Status == core.CallRunning {
			if planted.Bug("doubt not shown") {
				continue
			}
			ended(tx, c.t, call, inDoubt, TurnEnd{Reason: "in doubt", Code: clew.EndInDoubt}).InDoubt = true
			doubtful = true
		}
	}
	switch {
	case c.t.Turn != nil && c.isDenial():
		c.stop(tx, doubtful)
		return true
	case c.t.Turn != nil:
		settled := c.cancelOrphanedQuestions(tx)
		c.addWords(tx)
		stateAfter(tx, c.s, c.t, append(settled, c.q.RequestID())...)
		return false
	case c.isDenial():
		TaskStateEvent(tx, c.t.TaskRef, clew.TaskStateIdle, "")
		return false
	}
	startTurn(tx, c.s, c.t.MonitorID, core.Input{MessageID: c.withWords, Text: c.a.comment, Images: c.a.images, TaskID: c.t.TaskID}, c.client)
	return false
}

// cancelOrphanedQuestions settles what tools asked that ran when the server stopped: nobody is
// left who waits for the answer.
func (c answerEffect) cancelOrphanedQuestions(tx *Tx) (settled []clew.RequestID) {
	for _, q := range c.s.Questions {
		a := core.SubjectOfQuestion(q)
		if a.Task != c.t.TaskID || q.RequestID() == c.q.RequestID() {
			continue
		}
		if call := c.t.Call(a.Call); call != nil && call.Status == core.CallRunning {
			settled = append(settled, q.RequestID())
			tx.Add(&clew.HitlResolvedData{
				RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "in doubt", WhyCode: clew.EndInDoubt, TaskID: c.t.TaskID,
			})
		}
	}
	return settled
}

const inDoubt = "The server stopped while this call was running. It may not have completed, and it was not run again. Check before you repeat it."

func denialText(comment string) string {
	if comment == "" {
		return "The user denied this call. It was not run."
	}
	return "The user denied this call. It was not run. The user said: " + comment
}

// EndCall ends a call without running it. failed is "" if it is no failure. What it
// gives can be completed until the batch is done.
func EndCall(tx *Tx, t *core.Task, c *core.Call, text, failed string, images []string) *clew.ToolProgressData {
	d := &clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolComplete, AgentID: t.AgentID, TaskID: t.TaskID,
		MonitorID: t.MonitorID, MessageID: c.MessageID, Output: text, Images: images,
	}
	if failed != "" {
		d.Status, d.Error = clew.ToolError, failed
	}
	tx.Add(d)
	return d
}

// ended is EndCall for a call that did not end well, if how says why.
func ended(tx *Tx, t *core.Task, c *core.Call, text string, how TurnEnd) *clew.ToolProgressData {
	d := EndCall(tx, t, c, text, how.Reason, nil)
	if d.WhyCode, d.StoppedBy = how.Code, how.by; how.Code.Stops() {
		d.Status = clew.ToolStopped
	}
	return d
}

// stateAfter announces what the task is doing once a question is settled.
func stateAfter(tx *Tx, s *core.State, t *core.Task, settled ...clew.RequestID) {
	rest := core.State{Tasks: s.Tasks, Questions: slices.DeleteFunc(slices.Clone(s.Questions), func(q clew.Question) bool { return slices.Contains(settled, q.RequestID()) })}
	was, _ := s.TaskState(t.TaskID)
	if is, q := rest.TaskState(t.TaskID); was != is {
		TaskStateEvent(tx, t.TaskRef, is, q)
	}
}
