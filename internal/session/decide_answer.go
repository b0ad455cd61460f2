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
func decideResponse(tx *Tx, s *State, cmd clew.Command) error {
	id, a := answerOf(cmd.Data)
	q := s.openQuestion(id)
	if id == "" {
		if q = s.oldestQuestion(); q == nil {
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
	return resolve(tx, s, cmd, *q, a)
}

// decideWords takes plain words as the answer: a value where one is asked for,
// a yes with advice to a task at rest, and a no with a reason to a request to
// act, because words never approve anything.
func decideWords(tx *Tx, s *State, cmd clew.Command, q clew.Question, d *clew.UserMessageData) error {
	if err := mayAnswer(s, cmd.By, q, tx.Now()); err != nil {
		return err
	}
	a := reply{comment: d.Text, images: d.Images}
	switch wordsMean(q) {
	case clew.WordsChange:
		a.action, a.instruction = clew.ResolvedModify, d.Text
	case clew.WordsAnswer:
		a.action, a.value, a.comment = clew.ResolvedAnswer, d.Text, d.Text
		if err := checkValue(q, a.value); err != nil {
			return err
		}
	case clew.WordsDeny:
		a.action = clew.ResolvedReject
	default:
		a.action = clew.ResolvedApprove
	}
	return resolve(tx, s, cmd, q, a)
}

// wordsEffect says what plain words that name no question do to this one. A
// run's questions about its steps and its limits they do not reach: they are for
// all who work on it.
func (s *State) wordsEffect(q clew.Question) clew.WordsEffect {
	a := subjectOfQuestion(q)
	t := s.Task(a.task)
	if t == nil || s.ofPlan(a) || a.holdsRun() && s.activeRun(t) != nil || a.ask.State() == clew.TaskStateRunning {
		return clew.WordsSteer
	}
	return wordsMean(q)
}

// wordsMean says what words to a question are. They never allow an act, an end
// or more money.
func wordsMean(q clew.Question) clew.WordsEffect {
	switch a := subjectOfQuestion(q); {
	case q.Type == clew.EventHitlPlanReview:
		return clew.WordsChange
	case q.Type != clew.EventHitlApprovalRequest:
		return clew.WordsAnswer
	case a.ask.IsInteractive(), a.ask == clew.AskCompletionResult, a.limit == LimitBudget:
		return clew.WordsDeny
	}
	return clew.WordsContinue
}

// oldestQuestion is the question that an answer without a name goes to.
func (s *State) oldestQuestion() *clew.Question {
	for i := range s.Questions {
		if subjectOfQuestion(s.Questions[i]).task == s.Current {
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
			if wordsMean(q) == clew.WordsContinue {
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
			return a, clew.Errorf(clew.HitlInvalidResponse, "modify has to say what shall change")
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
	return a, checkValue(q, a.value)
}

// resolve settles a question and lets its task go on, or end.
func resolve(tx *Tx, s *State, cmd clew.Command, q clew.Question, a reply) error {
	about := subjectOfQuestion(q)
	if about.holdsRun() && !about.ownLimit && a.action == clew.ResolvedApprove && cmd.By.Role != clew.RoleAdmin && s.rules != nil && s.rules.Budgeted() {
		return clew.Errorf(clew.Forbidden, "the budget is the server's; only an administrator may raise it")
	}
	t := s.Task(about.task)
	if len(a.edits) > 0 {
		if t == nil || s.activeRun(t) == nil {
			return clew.Errorf(clew.SessionInvalidState, "there is no run")
		}
		var err error
		if a.edited, a.changes, err = s.editPlan(s.activeRun(t).Todos, a.edits); err != nil {
			return err
		}
	}
	if t != nil && t.Turn == nil && a.action == clew.ResolvedApprove {
		if s.AtWork() {
			return clew.Errorf(clew.SessionInvalidState, "another task is under way")
		}
		if a.comment == "" {
			a.comment = "Go on with the task." // a turn begins with words
		}
	}
	changes, err := rememberRule(s, cmd.By, q, a)
	if err != nil {
		return err
	}
	var spoke clew.MessageID
	_, words := cmd.Data.(*clew.UserMessageData)
	if a.comment != "" || len(a.images) > 0 || words {
		m := userMessageEvent(cmd, Input{Text: a.comment, Images: a.images}, about.task)
		m.RequestID = q.RequestID()
		spoke = tx.Say(m)
	}
	tx.Add(&clew.HitlResolvedData{
		RequestID: q.RequestID(), Action: a.action, ResolvedBy: cmd.By.User, Value: a.value, Comment: a.comment,
		Instruction: a.instruction, ClientMessageID: cmd.ClientMessageID, TaskID: about.task,
		Remember: a.remember, Scope: q.Asking().Scope,
	})
	if len(changes) > 0 {
		if err := decideSettings(tx, s, cmd.By.User, changes); err != nil {
			return err
		}
	}
	answered(tx, s, about.message)
	if t == nil {
		return nil
	}
	tx.Add(&clew.TaskAskRespondedData{TaskRef: t.TaskRef, RequestID: q.RequestID()})
	c := answerEffect{s: s, t: t, q: q, a: a, by: cmd.By.User, client: cmd.ClientMessageID, withWords: spoke}
	n := tx.Len()
	over := c.follow(tx)
	if words && !slices.ContainsFunc(tx.Since(n), isAccepted) {
		tx.Add(&clew.MessageAcceptedData{
			ClientMessageID: cmd.ClientMessageID, MessageID: spoke, AgentID: t.AgentID, MonitorID: clew.MainMonitor, Delivery: clew.DeliveryAnswer,
		})
	}
	if over {
		startNext(tx, s, endedRun(s, t))
	}
	return nil
}

func isAccepted(e clew.Event) bool { return e.Type == clew.EventMessageAccepted }

// answerEffect is what an answer means to its task.
type answerEffect struct {
	s         *State
	t         *Task
	q         clew.Question
	a         reply
	withWords clew.MessageID // the person's words, "" if there are none

	client  clew.ClientMessageID
	by      clew.UserID
	timeout *timeoutCommand // nobody answered in time; nil if somebody did
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
	about := subjectOfQuestion(c.q)
	if call := c.t.Call(about.call); call != nil && call.Status == CallAsked {
		switch {
		case c.isDenial():
			c.denied(tx, call)
		case c.q.Type != clew.EventHitlApprovalRequest:
			result(tx, c.t, call, c.answerText(), "", c.a.images)
		default: // a yes with advice: the model hears both
			c.addWords(tx)
		}
		stateAfter(tx, c.s, c.t, c.q.RequestID())
		return false
	}
	if about.call != "" { // a running tool asked; it hears the answer itself
		stateAfter(tx, c.s, c.t, c.q.RequestID())
		return false
	}
	if about.ask == clew.AskResumeTask || about.ask == clew.AskResumeCompletedTask {
		return c.resumed(tx)
	}
	if c.isDenial() {
		c.gaveUpEvents(tx, about.ask)
		c.stop(tx, false)
		return true
	}
	c.addWords(tx)
	stateAfter(tx, c.s, c.t, c.q.RequestID())
	return false
}

// stop ends the turn. calls says that those under way have their results.
func (c answerEffect) stop(tx *Tx, calls bool) {
	how := turnEnd{reason: "stopped by a person", code: clew.EndNotContinued, by: c.by, except: c.q.RequestID(), calls: calls}
	var streamed streams
	if c.timeout != nil {
		how.reason, how.code, how.truncate, streamed = "ended because nobody answered in time", clew.EndTimedOut, c.timeout.cut, c.timeout.streamed
	}
	endTurn(tx, c.s, c.t, streamed, how)
}

// denied is the result of a call that may not run.
func (c answerEffect) denied(tx *Tx, call *Call) {
	if c.timeout != nil {
		ended(tx, c.t, call, "Nobody decided about this call in time. It was not run.", turnEnd{reason: "not decided in time", code: clew.EndTimedOut})
		return
	}
	ended(tx, c.t, call, denialText(c.a.comment), turnEnd{reason: "denied by a person", code: clew.EndDenied, by: c.by}).Images = c.a.images
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
		if call := &c.t.Calls[i]; call.Status == CallRunning {
			ended(tx, c.t, call, inDoubt, turnEnd{reason: "in doubt", code: clew.EndInDoubt}).InDoubt = true
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
		taskStateEvent(tx, c.t.TaskRef, clew.TaskStateIdle, "")
		return false
	}
	startTurn(tx, c.s, Input{MessageID: c.withWords, Text: c.a.comment, Images: c.a.images, TaskID: c.t.TaskID}, c.client)
	return false
}

// cancelOrphanedQuestions settles what tools asked that ran when the server stopped: nobody is
// left who waits for the answer.
func (c answerEffect) cancelOrphanedQuestions(tx *Tx) (settled []clew.RequestID) {
	for _, q := range c.s.Questions {
		a := subjectOfQuestion(q)
		if a.task != c.t.TaskID || q.RequestID() == c.q.RequestID() {
			continue
		}
		if call := c.t.Call(a.call); call != nil && call.Status == CallRunning {
			settled = append(settled, q.RequestID())
			tx.Add(&clew.HitlResolvedData{
				RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "in doubt", WhyCode: clew.EndInDoubt, TaskID: c.t.TaskID,
			})
		}
	}
	return settled
}

const inDoubt = "The server stopped while this call was running. Nobody knows whether it took effect. It was not run again. Check before you repeat it."

func denialText(comment string) string {
	if comment == "" {
		return "The user denied this call. It was not run."
	}
	return "The user denied this call. It was not run. The user said: " + comment
}

// result ends a call without running it. failed is "" if it is no failure. What it
// gives can be completed until the batch is done.
func result(tx *Tx, t *Task, c *Call, text, failed string, images []string) *clew.ToolProgressData {
	d := &clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolComplete, AgentID: t.AgentID, TaskID: t.TaskID,
		MonitorID: clew.MainMonitor, MessageID: c.MessageID, Output: text, Images: images,
	}
	if failed != "" {
		d.Status, d.Error = clew.ToolError, failed
	}
	tx.Add(d)
	return d
}

// ended is result for a call that did not end well, if how says why.
func ended(tx *Tx, t *Task, c *Call, text string, how turnEnd) *clew.ToolProgressData {
	d := result(tx, t, c, text, how.reason, nil)
	if d.WhyCode, d.StoppedBy = how.code, how.by; how.code.Stops() {
		d.Status = clew.ToolStopped
	}
	return d
}

// stateAfter announces what the task is doing once a question is settled.
func stateAfter(tx *Tx, s *State, t *Task, settled ...clew.RequestID) {
	rest := State{Tasks: s.Tasks, Questions: slices.DeleteFunc(slices.Clone(s.Questions), func(q clew.Question) bool { return slices.Contains(settled, q.RequestID()) })}
	was, _ := s.taskState(t.TaskID)
	if is, q := rest.taskState(t.TaskID); was != is {
		taskStateEvent(tx, t.TaskRef, is, q)
	}
}
