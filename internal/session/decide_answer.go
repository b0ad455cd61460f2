package session

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
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
func decideResponse(s *State, cmd clew.Command, now int64) ([]clew.Event, error) {
	id, a := answerOf(cmd.Data)
	q := s.question(id)
	if id == "" {
		if q = s.oldest(); q == nil {
			return nil, clew.Errorf(clew.HitlRequestExpired, "no question is open")
		}
	}
	if q == nil {
		return nil, clew.Errorf(clew.HitlRequestExpired, "no such question is open")
	}
	if err := mayAnswer(s, cmd.By, *q, now); err != nil {
		return nil, err
	}
	a, err := fit(*q, cmd.Data, a)
	if err != nil {
		return nil, err
	}
	return resolve(s, cmd, *q, a, now)
}

// decideWords takes plain words as the answer: a value where one is asked for,
// a yes with advice to a task at rest, and a no with a reason to a request to
// act, because words never approve anything.
func decideWords(s *State, cmd clew.Command, q clew.Question, d *clew.UserMessageData, now int64) ([]clew.Event, error) {
	if err := mayAnswer(s, cmd.By, q, now); err != nil {
		return nil, err
	}
	a := reply{comment: d.Text, images: d.Images}
	switch about := aboutOf(q); {
	case q.Type == clew.EventHitlPlanReview: // words about a plan are what shall change
		a.action, a.instruction = clew.ResolvedModify, d.Text
	case q.Type != clew.EventHitlApprovalRequest:
		a.action, a.value, a.comment = clew.ResolvedAnswer, d.Text, d.Text
		if err := checkValue(q, a.value); err != nil {
			return nil, err
		}
	case !wordsAgree(about.ask, about.limit):
		a.action = clew.ResolvedReject
	default:
		a.action = clew.ResolvedApprove
	}
	return resolve(s, cmd, q, a, now)
}

// wordsAgree reports whether words to a question are a yes with advice. They
// never allow an act, an end or more money.
func wordsAgree(ask clew.Ask, limit string) bool {
	return !ask.IsInteractive() && ask != clew.AskCompletionResult && limit != LimitBudget
}

// oldest is the question that an answer without a name goes to.
func (s *State) oldest() *clew.Question {
	for i := range s.Questions {
		if aboutOf(s.Questions[i]).task == s.Current {
			return &s.Questions[i]
		}
	}
	if len(s.Questions) > 0 {
		return &s.Questions[0]
	}
	return nil
}

func answerOf(data any) (clew.RequestID, reply) {
	switch d := data.(type) {
	case *clew.HitlPlanResponseData:
		return d.RequestID, reply{action: clew.Resolution(d.Action), instruction: d.Instruction, comment: d.Comment, edits: d.Modifications}
	case *clew.HitlApprovalResponseData:
		return d.RequestID, reply{action: clew.Resolution(d.Action), comment: d.Comment, remember: d.Remember}
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

// fit checks that an answer is one to this question, and reads the general
// ask_response as what the question asks for.
func fit(q clew.Question, data any, a reply) (reply, error) {
	wrong := clew.Errorf(clew.HitlInvalidResponse, "the answer does not fit the question, a %s", q.Type)
	_, general := data.(*clew.AskResponseData)
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		if _, ok := data.(*clew.HitlApprovalResponseData); !ok && !general {
			return a, wrong
		}
		if a.action == clew.ResolvedAnswer { // words
			a.action = clew.ResolvedReject
			if wordsAgree(d.Ask, d.Limit) {
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
		return value(q, a)
	case *clew.HitlClarificationData:
		if _, ok := data.(*clew.HitlClarificationResponseData); !ok && !general {
			return a, wrong
		}
		return value(q, a)
	case *clew.HitlPlanReviewData:
		if _, ok := data.(*clew.HitlPlanResponseData); !ok && !general {
			return a, wrong
		}
		if a.action == clew.ResolvedAnswer {
			a.action, a.instruction = clew.ResolvedModify, a.comment
		}
		if a.action == clew.ResolvedModify && a.instruction == "" && len(a.edits) == 0 {
			return a, clew.Errorf(clew.HitlInvalidResponse, "modify has to say what shall change")
		}
	}
	return a, nil
}

// value is fit for questions that ask for one. A plain no declines.
func value(q clew.Question, a reply) (reply, error) {
	if a.action == clew.ResolvedReject {
		return a, nil
	}
	if a.action == clew.ResolvedApprove {
		a.value = a.comment
	}
	a.action = clew.ResolvedAnswer
	return a, checkValue(q, a.value)
}

// resolve settles a question and lets its task go on, or end.
func resolve(s *State, cmd clew.Command, q clew.Question, a reply, now int64) ([]clew.Event, error) {
	about := aboutOf(q)
	if about.shared() && !about.own && a.action == clew.ResolvedApprove && cmd.By.Role != clew.RoleAdmin && s.rules != nil && s.rules.Budgeted() {
		return nil, clew.Errorf(clew.Forbidden, "the budget is the server's; only an administrator may raise it")
	}
	t := s.Task(about.task)
	if len(a.edits) > 0 {
		if t == nil || s.running(t) == nil {
			return nil, clew.Errorf(clew.SessionInvalidState, "there is no run")
		}
		var err error
		if a.edited, a.changes, err = s.editPlan(s.running(t).Todos, a.edits); err != nil {
			return nil, err
		}
	}
	if t != nil && t.Turn == nil && a.action == clew.ResolvedApprove {
		if s.AtWork() {
			return nil, clew.Errorf(clew.SessionInvalidState, "another task is under way")
		}
		if a.comment == "" {
			a.comment = "Go on with the task." // a turn begins with words
		}
	}
	changes, err := remembering(s, cmd.By, q, a)
	if err != nil {
		return nil, err
	}
	b := batchAt(s, now)
	var events []clew.Event
	_, words := cmd.Data.(*clew.UserMessageData)
	if a.comment != "" || len(a.images) > 0 || words {
		in := Input{MessageID: b.ID(0), Text: a.comment, Images: a.images}
		m := spoken(cmd, in, b, about.task)
		m.Data.(*clew.MessageCreatedData).Message.RequestID = q.RequestID()
		events = append(events, m)
	}
	events = append(events, clew.Event{Type: clew.EventHitlResolved, Data: &clew.HitlResolvedData{
		RequestID: q.RequestID(), Action: a.action, ResolvedBy: cmd.By.User, Value: a.value, Comment: a.comment,
		Instruction: a.instruction, ClientMessageID: cmd.ClientMessageID, TaskID: about.task,
		Remember: a.remember, Scope: q.Asking().Scope,
	}})
	events = append(events, changes...)
	events = append(events, answered(s, about.message)...)
	if t == nil {
		return events, nil
	}
	events = append(events, clew.Event{Type: clew.EventTaskAskResponded, Data: &clew.TaskAskRespondedData{TaskRef: t.TaskRef, RequestID: q.RequestID()}})
	c := consequence{s: s, t: t, q: q, a: a, by: cmd.By.User, client: cmd.ClientMessageID, spoke: events[0].Type == clew.EventMessageCreated, b: b, at: len(events)}
	next, over := c.events()
	events = append(events, next...)
	if words && !slices.ContainsFunc(next, isAccepted) {
		events = append(events, clew.Event{Type: clew.EventMessageAccepted, Data: &clew.MessageAcceptedData{
			ClientMessageID: cmd.ClientMessageID, MessageID: b.ID(0), AgentID: t.AgentID, MonitorID: clew.MainMonitor, Delivery: clew.DeliveryAnswer,
		}})
	}
	if over {
		return append(events, startNext(s, endedRun(s, t), b, len(events))...), nil
	}
	return events, nil
}

func isAccepted(e clew.Event) bool { return e.Type == clew.EventMessageAccepted }

// consequence is what an answer means to its task.
type consequence struct {
	s     *State
	t     *Task
	q     clew.Question
	a     reply
	spoke bool // the batch begins with the person's words
	b     Batch
	at    int // events of the batch before these

	client clew.ClientMessageID
	by     clew.UserID
	late   *expire // nobody answered in time; nil if somebody did
}

func (c consequence) no() bool {
	return c.a.action == clew.ResolvedReject || c.a.action == clew.ResolvedSkip
}

// hear gives the person's words to the model.
func (c consequence) hear(events []clew.Event) []clew.Event {
	if !c.spoke {
		return events
	}
	return append(events, accept(c.t, c.b.ID(0), c.client, clew.DeliveryAnswer))
}

// events also reports whether the turn is over.
func (c consequence) events() (events []clew.Event, over bool) {
	if events, over, ok := ofRun(c); ok {
		return events, over
	}
	about := aboutOf(c.q)
	if call := c.t.Call(about.call); call != nil && call.Status == CallAsked {
		switch {
		case c.no():
			events = append(events, c.denied(call))
		case c.q.Type != clew.EventHitlApprovalRequest:
			events = append(events, result(c.t, call, c.given(), "", c.a.images))
		default: // a yes with advice: the model hears both
			events = c.hear(events)
		}
		return append(events, after(c.s, c.t, c.q.RequestID())...), false
	}
	if about.call != "" { // a running tool asked; it hears the answer itself
		return after(c.s, c.t, c.q.RequestID()), false
	}
	if about.ask == clew.AskResumeTask || about.ask == clew.AskResumeCompletedTask {
		return c.resumed()
	}
	if c.no() {
		events = c.gaveUp(about.ask)
		c.at += len(events)
		return append(events, c.stop(nil)...), true
	}
	return append(c.hear(nil), after(c.s, c.t, c.q.RequestID())...), false
}

func (c consequence) stop(events []clew.Event) []clew.Event {
	how := closing{reason: "stopped by a person", except: c.q.RequestID(), at: c.at + len(events), calls: len(events) > 0}
	var streamed map[clew.MessageID]clew.OpenMessage
	if c.late != nil {
		how.reason, how.cut, streamed = "ended because nobody answered in time", c.late.cut, c.late.streamed
	}
	return append(events, closeTurn(c.s, c.t, streamed, c.b, how)...)
}

// denied is the result of a call that may not run.
func (c consequence) denied(call *Call) clew.Event {
	if c.late != nil {
		return result(c.t, call, "Nobody decided about this call in time. It was not run.", "not decided in time", nil)
	}
	return result(c.t, call, denial(c.a.comment), "denied by a person", c.a.images)
}

// given is the answer as the model hears it.
func (c consequence) given() string {
	if c.late != nil && c.a.value == nil {
		return "Nobody answered in time. There is no value."
	}
	return fmt.Sprint(c.a.value)
}

// resumed takes a task up again. Steps in doubt are not run again: the model is
// told that their outcome is not known.
func (c consequence) resumed() (events []clew.Event, over bool) {
	for i := range c.t.Calls {
		if call := &c.t.Calls[i]; call.Status == CallRunning {
			e := result(c.t, call, inDoubt, "in doubt", nil)
			e.Data.(*clew.ToolProgressData).InDoubt = true
			events = append(events, e)
		}
	}
	switch {
	case c.t.Turn != nil && c.no():
		return c.stop(events), true
	case c.t.Turn != nil:
		gone, settled := c.orphans()
		return append(c.hear(append(events, gone...)), after(c.s, c.t, append(settled, c.q.RequestID())...)...), false
	case c.no():
		return append(events, stateEvent(c.t.TaskRef, clew.TaskStateIdle, "")), false
	}
	in := Input{MessageID: c.b.ID(0), Text: c.a.comment, Images: c.a.images, TaskID: c.t.TaskID}
	return append(events, begin(c.s, in, c.client, c.b, c.at+len(events))...), false
}

// orphans settles what tools asked that ran when the server stopped: nobody is
// left who waits for the answer.
func (c consequence) orphans() (events []clew.Event, settled []clew.RequestID) {
	for _, q := range c.s.Questions {
		a := aboutOf(q)
		if a.task != c.t.TaskID || q.RequestID() == c.q.RequestID() {
			continue
		}
		if call := c.t.Call(a.call); call != nil && call.Status == CallRunning {
			settled = append(settled, q.RequestID())
			events = append(events, clew.Event{Type: clew.EventHitlResolved, Data: &clew.HitlResolvedData{
				RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "in doubt", TaskID: c.t.TaskID,
			}})
		}
	}
	return events, settled
}

const inDoubt = "The server stopped while this call was running. Nobody knows whether it took effect. It was not run again. Check before you repeat it."

func denial(comment string) string {
	if comment == "" {
		return "The user denied this call. It was not run."
	}
	return "The user denied this call. It was not run. The user said: " + comment
}

// result ends a call without running it. failed is "" if it is no failure.
func result(t *Task, c *Call, text, failed string, images []string) clew.Event {
	d := &clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolComplete, AgentID: t.AgentID, TaskID: t.TaskID,
		MonitorID: clew.MainMonitor, MessageID: c.MessageID, Output: text, Images: images,
	}
	if failed != "" {
		d.Status, d.Error = clew.ToolError, failed
	}
	return clew.Event{Type: clew.EventToolProgress, Data: d}
}

// after announces what the task is doing once a question is settled.
func after(s *State, t *Task, settled ...clew.RequestID) []clew.Event {
	rest := State{Tasks: s.Tasks, Questions: slices.DeleteFunc(slices.Clone(s.Questions), func(q clew.Question) bool { return slices.Contains(settled, q.RequestID()) })}
	was, _ := s.stateOf(t.TaskID)
	is, q := rest.stateOf(t.TaskID)
	if was == is {
		return nil
	}
	return []clew.Event{stateEvent(t.TaskRef, is, q)}
}
