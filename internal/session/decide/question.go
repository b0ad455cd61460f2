package decide

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// prepareAsking fills in what all questions about a task have in common. The message that
// shows the question is the next record of the batch; its time is when the
// clock of a question with a time-out starts.
func prepareAsking(s *core.State, a *clew.Asking, t *core.Task, tx *Tx) {
	a.RequestID = clew.RequestID(core.DeriveID("req_", s.ID, tx.seq+uint64(tx.Len())))
	a.MessageID, a.TaskID, a.AgentID, a.MonitorID = tx.NextID(), t.TaskID, t.AgentID, t.MonitorID
	a.DeadlineMS = 0
	if a.TimeoutSec > 0 {
		a.DeadlineMS = tx.NextTS() + int64(a.TimeoutSec)*1000
	}
}

// late reports whether a question's time is over.
func late(a *clew.Asking, now int64) bool { return a.DeadlineMS > 0 && now >= a.DeadlineMS }

// TimeoutCommand is the command that settles what is due; it has no name on the wire.
// It does one thing at a time, each on the state after the one before, and is
// given again until there is nothing left.
type TimeoutCommand struct {
	Streamed map[clew.MessageID]clew.OpenMessage // as in interruption
	Cut      bool                                // as in closing
}

// decideExpire settles the question whose deadline passed first; if there is
// none, it reminds of one, or lets a monitor continue.
func decideExpire(tx *Tx, s *core.State, d *TimeoutCommand) {
	if s.PendingRewind != nil {
		return
	}
	var due *clew.Question
	for i := range s.Questions {
		a := s.Questions[i].Asking()
		if a != nil && late(a, tx.Now()) && (due == nil || a.DeadlineMS < due.Asking().DeadlineMS) {
			due = &s.Questions[i]
		}
	}
	if due != nil {
		timeOut(tx, s, d, *due)
		return
	}
	if expireAppRequest(tx, s) {
		return
	}
	sec := s.ReminderSec()
	for _, q := range s.Questions {
		a := q.Asking()
		if a == nil {
			continue
		}
		if at := s.ReminderTime(a, sec); at > 0 && at <= tx.Now() {
			tx.Add(&clew.HitlReminderData{
				RequestID: a.RequestID, DeadlineMS: a.DeadlineMS, RemainingSec: int((a.DeadlineMS - tx.Now() + 999) / 1000),
				TaskID: a.TaskID, Scope: a.Scope,
			})
			return
		}
	}
	for _, m := range s.AllMonitors() {
		if m.HeldUntilMS > 0 && m.HeldUntilMS <= tx.Now() {
			tx.Add(&clew.MonitorHeldData{MonitorID: m.ID})
			return
		}
	}
}

// timeoutAnswer is what it means that nobody answered. It never approves anything.
func timeoutAnswer(q clew.Question) reply {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		if slices.Contains(d.Options, clew.ChoiceSkip) {
			return reply{action: clew.ResolvedSkip}
		}
		return reply{action: clew.ResolvedReject}
	case *clew.HitlInputRequestData:
		if d.DefaultValue != nil || !d.Required {
			return reply{action: clew.ResolvedAnswer, value: d.DefaultValue}
		}
	}
	return reply{action: clew.ResolvedCancelled}
}

// timeOut settles a question that nobody answered.
func timeOut(tx *Tx, s *core.State, d *TimeoutCommand, q clew.Question) {
	asking, a := q.Asking(), timeoutAnswer(q)
	tx.Add(&clew.HitlResolvedData{
		RequestID: asking.RequestID, Action: a.action, ByTimeout: true, Value: a.value, TaskID: asking.TaskID, Scope: asking.Scope,
	})
	answered(tx, s, asking.MessageID)
	tx.Add(clew.NewErrorData(
		clew.Errorf(clew.HitlTimeout, "nobody answered the question in time"),
		clew.ErrorContext{RequestID: asking.RequestID, TaskID: asking.TaskID, TodoID: asking.TodoID},
	))
	t := s.Task(asking.TaskID)
	if t == nil {
		return
	}
	if over := effectOfTimeout(tx, answerEffect{s: s, t: t, q: q, a: a, timeout: d}); over {
		goOn(tx, s, t, endedRun(s, t))
	}
}

// gaveUpEvents is what a no to another model call leaves on record: the turn did not
// end well, and why.
func (c answerEffect) gaveUpEvents(tx *Tx, ask clew.Ask) {
	q, ok := c.q.Data.(*clew.HitlApprovalRequestData)
	if !ok || ask != clew.AskAPIReqFailed {
		return
	}
	why := strings.TrimSpace(strings.TrimSuffix(q.Reason, core.TryAgainSuffix))
	tx.Add(clew.NewErrorData(clew.Errorf(clew.ProviderError, "%s", why), clew.ErrorContext{
		RequestID: q.RequestID, TaskID: c.t.TaskID, TodoID: c.t.TodoID, AgentID: c.t.AgentID,
	}))
}

// OfferRetry asks about a model call that failed, and why is what is said of it.
func OfferRetry(why string) clew.HitlApprovalRequestData {
	return clew.HitlApprovalRequestData{
		Ask: clew.AskAPIReqFailed, Reason: why + " " + core.TryAgainSuffix, Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject},
	}
}

// answered marks the message that shows a question as settled.
func answered(tx *Tx, s *core.State, id clew.MessageID) {
	m := s.Message(id)
	if m == nil || m.IsAnswered {
		return
	}
	done := core.WithoutOutcome(*m)
	done.IsAnswered = true
	tx.Update(done)
}

// effectOfTimeout is what a time-out means to the task. It also reports whether the
// turn is over.
func effectOfTimeout(tx *Tx, c answerEffect) (over bool) {
	if over, ok := runTimedOut(tx, c); ok {
		return over
	}
	if c.a.action != clew.ResolvedCancelled {
		return c.follow(tx)
	}
	c.stop(tx, false)
	return true
}

// mayAnswer says whether a caller's answer to an open question counts. What the
// server itself sends has no user.
func mayAnswer(s *core.State, by clew.Principal, q clew.Question, now int64) error {
	a := q.Asking()
	if by.User != "" {
		role := s.RoleOf(by)
		switch {
		case role != clew.RoleApprover && role != clew.RoleOwner:
			return clew.Errorf(clew.Forbidden, "only the owner and approvers may answer")
		case a.Assignee != "" && by.User != a.Assignee && by.User != s.Owner:
			return clew.Errorf(clew.Forbidden, "the question is for somebody else")
		}
	}
	if late(a, now) {
		return clew.Errorf(clew.HitlRequestExpired, "the time to answer is over")
	}
	return nil
}

// decideAssign says who shall answer a question.
func decideAssign(tx *Tx, s *core.State, cmd clew.Command, d *clew.AssignQuestionData) error {
	if cmd.By.User != "" && s.RoleOf(cmd.By) != clew.RoleOwner {
		return clew.Errorf(clew.Forbidden, "only the owner chooses who answers")
	}
	q := s.OpenQuestion(d.RequestID)
	if q == nil || late(q.Asking(), tx.Now()) {
		return clew.Errorf(clew.HitlRequestExpired, "no such question is open")
	}
	role := s.Access[d.UserID]
	if d.UserID != "" && d.UserID != s.Owner && role != clew.RoleApprover && role != clew.RoleOwner {
		return clew.Errorf(clew.SessionInvalidState, "%s may not answer in this session", d.UserID)
	}
	a := q.Asking()
	if a.Assignee == d.UserID {
		return nil
	}
	tx.Add(&clew.HitlAssignedData{
		RequestID: a.RequestID, Assignee: d.UserID, AssignedBy: cmd.By.User, TaskID: a.TaskID, Scope: a.Scope,
	})
	return nil
}

// ValueMax bounds the JSON of a value that answers a question.
const ValueMax = 64 << 10

// wanted is what a question says of the value it asks for.
type wanted struct {
	typ      clew.InputType
	required bool
	options  []clew.InputOption
	open     bool // the options are suggestions: people may say something else
}

func wantedBy(q clew.Question) (w wanted, ok bool) {
	switch d := q.Data.(type) {
	case *clew.HitlInputRequestData:
		return wanted{d.InputType, d.Required, d.Options, d.Ask == clew.AskFollowup && !d.Strict}, true
	case *clew.HitlClarificationData:
		return wanted{typ: d.InputType, required: d.Required, open: true}, true
	}
	return w, false
}

// CheckValue says whether a value is one that the question can take.
func CheckValue(q clew.Question, v any) error {
	w, ok := wantedBy(q)
	if !ok {
		return nil
	}
	if v == nil || v == "" {
		if w.required {
			return clew.Errorf(clew.HitlInvalidResponse, "a value is required")
		}
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return clew.WrapError(clew.HitlInvalidResponse, err, "the value is not readable")
	}
	if len(text) > ValueMax {
		return clew.Errorf(clew.HitlInvalidResponse, "the value has %d bytes, at most %d are taken", len(text), ValueMax)
	}
	if w.typ == clew.InputChoice && !w.offers(text) && (!w.open || !isText(v)) {
		return clew.Errorf(clew.HitlInvalidResponse, "the value is not one of the options")
	}
	if !isOf(w.typ, v) {
		return clew.Errorf(clew.HitlInvalidResponse, "the value is not a %s", w.typ)
	}
	return nil
}

// offers compares values as they are on the wire: numbers have many types here
// and one there.
func (w wanted) offers(value []byte) bool {
	for _, o := range w.options {
		if option, err := json.Marshal(o.Value); err == nil && string(option) == string(value) {
			return true
		}
	}
	return false
}

func isText(v any) bool { _, ok := v.(string); return ok }

// isOf checks a value's type; that of a choice is checked by its options.
func isOf(typ clew.InputType, v any) bool {
	switch typ {
	case clew.InputNumber:
		switch v.(type) {
		case float64, int, int64, json.Number:
			return true
		}
		return false
	case clew.InputBoolean:
		_, ok := v.(bool)
		return ok
	case clew.InputDate:
		text, _ := v.(string)
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case clew.InputChoice:
		return true
	case clew.InputText:
	}
	return isText(v) // a question without a type asks for text
}
