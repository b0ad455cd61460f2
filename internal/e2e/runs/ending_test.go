package runs

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// short sets a stage for the short script.
func short(t *testing.T, vendor llmtest.Vendor, settings map[string]any, sleep func(context.Context, time.Duration) error) *stage {
	t.Helper()
	s := newStage(t, plot{vendor: vendor, script: "short.yaml", files: map[string]string{"a.txt": "a\n"}, settings: settings, model: llmtest.Options{Sleep: sleep}})
	s.begin()
	return s
}

// reviewed asks for a run and waits for its plan.
func (s *stage) reviewed(ctx context.Context, d clew.UserMessageData) (*ear, clew.RequestID) {
	s.T.Helper()
	d.Mode = clew.ModeRun
	s.do(ctx, "begin", clew.CommandUserMessage, d)
	e := s.listen(ctx, s.Bearer)
	id, _ := e.question(clew.EventHitlPlanReview)
	return e, id
}

func (s *stage) approve(ctx context.Context, id clew.RequestID) {
	s.T.Helper()
	s.do(ctx, "approve", clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: id, Action: clew.ChoiceApprove})
}

// over checks a session whose run has ended: how it is on record, how the
// session stands, and that there is nothing left to do.
func (s *stage) over(t *testing.T, status clew.SessionStatus, want ...clew.EventType) []record {
	t.Helper()
	list, state := s.replayed()
	allTyped(t, list, want)
	soundRun(t, list)
	var st clew.SessionState
	decode(t, state, &st)
	if st.Status != status || st.HitlPending != nil || len(st.OpenMessages) > 0 || len(st.Runs) != 1 || st.Runs[0].Status != status {
		t.Errorf("in the end the session is %s: %s", st.Status, state)
	}
	for _, todo := range st.Todos {
		if todo.Status == clew.TodoInProgress {
			t.Errorf("todo %s is still under way", todo.ID)
		}
	}
	s.Answered()
	s.examine()
	return list
}

// partial checks what a run had when it ended early.
func partial(t *testing.T, p clew.PartialResults, want ...string) {
	t.Helper()
	if !slices.Equal(p.CompletedTodos, want) || len(p.AvailableData) != len(want) {
		t.Errorf("the run had %+v, not %v", p, want)
	}
}

// Covers: RUN-08, RUN-28
func TestReject(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	s := short(t, llmtest.Anthropic, nil, nil)
	e, _ := s.reviewed(ctx, clew.UserMessageData{Text: "Do both things."})
	s.do(ctx, "edit", clew.CommandEditPlan, clew.EditPlanData{Modifications: clew.List[clew.PlanEdit]{{Action: clew.PlanAdd, TodoID: "third", Task: "Do a third thing."}}})
	e.await(clew.EventPlanModified, nil)
	id, _ := e.question(clew.EventHitlPlanReview)
	s.do(ctx, "no", clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: id, Action: clew.ChoiceReject, Comment: "Not today."})
	var rejected clew.PlanRejectedData
	decode(t, e.await(clew.EventPlanRejected, nil).Data, &rejected)
	var d clew.CancelledData
	decode(t, e.await(clew.EventCancelled, nil).Data, &d)
	if rejected.RejectedBy != "alice" || rejected.Reason != "Not today." || d.Reason == "" {
		t.Errorf("%+v, %+v", rejected, d)
	}
	partial(t, d.PartialResults)
	for name, data := range map[clew.CommandType]any{
		clew.CommandControlPause: clew.ControlPauseData{}, clew.CommandControlResume: clew.ControlResumeData{}, clew.CommandControlCancel: clew.ControlCancelData{},
		clew.CommandControlSkip: clew.ControlSkipData{TodoID: "first"}, clew.CommandControlRetry: clew.ControlRetryData{TodoID: "first"},
	} {
		if err := s.Command(ctx, "late "+string(name), name, data); clew.CodeOf(err) != clew.SessionInvalidState {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	s.over(t, clew.StatusCancelled, clew.EventPlanRejected, clew.EventCancelled)
}

// Somebody cancels while a step is under way, in the middle of an answer.
//
// Covers: RUN-27, WS-068
func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	begun, gone := make(chan struct{}, 8), make(chan struct{})
	s := short(t, llmtest.OpenAI, nil, func(ctx context.Context, _ time.Duration) error {
		begun <- struct{}{}
		<-gone
		return ctx.Err()
	})
	e, id := s.reviewed(ctx, clew.UserMessageData{Text: "Do both things, the second takes long."})
	s.approve(ctx, id)
	<-begun
	s.do(ctx, "cancel", clew.CommandControlCancel, clew.ControlCancelData{Reason: "It takes too long."})
	var d clew.CancelledData
	decode(t, e.await(clew.EventCancelled, nil).Data, &d)
	close(gone)
	if d.Reason != "It takes too long." {
		t.Errorf("%+v", d)
	}
	partial(t, d.PartialResults, "first")
	s.over(t, clew.StatusCancelled, clew.EventCancelled)
}

// A step that failed for good asks what to do. Nobody says it in time.
//
// Covers: RUN-21, RUN-32, WS-038
func TestFailedForGood(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	s := short(t, llmtest.Anthropic, map[string]any{"run_approval_timeout_sec": 1}, nil)
	e, id := s.reviewed(ctx, clew.UserMessageData{Text: "Do both things, the second fails for good."})
	s.approve(ctx, id)
	asked, env := e.question(clew.EventHitlApprovalRequest)
	var q clew.HitlApprovalRequestData
	decode(t, env.Data, &q)
	if q.Limit != "retries" || q.TodoID != "second" || q.TimeoutSec != 1 || len(q.Options) != 3 {
		t.Errorf("it asks %s", env.Data)
	}
	var r clew.HitlResolvedData
	decode(t, e.await(clew.EventHitlResolved, has("request_id", string(asked))).Data, &r)
	var d clew.FailedData
	decode(t, e.await(clew.EventFailed, nil).Data, &d)
	if !r.ByTimeout || d.Status != clew.ResultFailed || d.Error.FailedTodo != "second" || d.Error.Message != "The second thing cannot be done" {
		t.Errorf("%+v, %+v", r, d)
	}
	partial(t, d.PartialResults, "first")
	s.over(t, clew.StatusFailed, clew.EventFailed, clew.EventTodoFailed)
}

// The same failure with people who say something: skip, again and no.
//
// Covers: RUN-17, WS-069, WS-070
func TestFailedAndDecided(t *testing.T) {
	for _, c := range []struct {
		name string
		end  clew.EventType
		do   func(context.Context, *stage, *ear, clew.RequestID)
	}{
		{"skip", clew.EventComplete, func(ctx context.Context, s *stage, _ *ear, id clew.RequestID) {
			s.do(ctx, "skip", clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceSkip})
		}},
		{"control_skip", clew.EventComplete, func(ctx context.Context, s *stage, _ *ear, _ clew.RequestID) {
			s.do(ctx, "skip", clew.CommandControlSkip, clew.ControlSkipData{TodoID: "second", Reason: "It is not needed."})
		}},
		{"control_retry", clew.EventCancelled, func(ctx context.Context, s *stage, e *ear, _ clew.RequestID) {
			s.do(ctx, "again", clew.CommandControlRetry, clew.ControlRetryData{TodoID: "second"})
			e.await(clew.EventTodoRetried, has("retried_by", "alice"))
			id, _ := e.question(clew.EventHitlApprovalRequest)
			s.do(ctx, "no", clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceReject})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			s := short(t, llmtest.OpenAI, nil, nil)
			e, id := s.reviewed(ctx, clew.UserMessageData{Text: "Do both things, the second fails for good."})
			s.approve(ctx, id)
			asked, _ := e.question(clew.EventHitlApprovalRequest)
			c.do(ctx, s, e, asked)
			e.await(c.end, nil)
			status := clew.StatusCompleted
			if c.end == clew.EventCancelled {
				status = clew.StatusCancelled
			} else {
				e.await(clew.EventTaskCompleted, nil)
			}
			s.over(t, status, c.end)
		})
	}
}

// A plan is not cancelled while one has lunch: no question of a run has a deadline,
// unless somebody chose one.
func TestQuestionsWait(t *testing.T) {
	for _, c := range []struct {
		name, text string
		asks       clew.EventType
		reviewed   bool // before that
	}{
		{"review", "Do both things.", clew.EventHitlPlanReview, false},
		{"clarification", "Do something unclear.", clew.EventHitlClarification, false},
		{"input", "Do both things, the second asks for a value.", clew.EventHitlInputRequest, true},
		{"cost", "Do both things, one is costly.", clew.EventHitlApprovalRequest, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			s := short(t, llmtest.Anthropic, nil, nil)
			e := s.listen(ctx, s.Bearer)
			s.do(ctx, "begin", clew.CommandUserMessage, clew.UserMessageData{Text: c.text, Mode: clew.ModeRun})
			if c.reviewed {
				id, _ := e.question(clew.EventHitlPlanReview)
				s.approve(ctx, id)
			}
			_, env := e.question(c.asks)
			var a clew.Asking
			decode(t, env.Data, &a)
			if a.TimeoutSec != 0 || a.DeadlineMS != 0 {
				t.Fatalf("it waits for %d s, until %d; want no deadline", a.TimeoutSec, a.DeadlineMS)
			}
		})
	}
}

// Nobody answers in time: what the run cannot go on without ends it, what it can
// do without is left out.
//
// Covers: RUN-18, RUN-20, RUN-21
func TestNobodyAnswers(t *testing.T) {
	for _, c := range []struct {
		name, setting, text string
		budget              *clew.Budget
		asks                clew.EventType
		reviewed            bool // before that
		end                 clew.EventType
	}{
		{"review", "plan_review_timeout_sec", "Do both things.", nil, clew.EventHitlPlanReview, false, clew.EventCancelled},
		{"clarification", "run_clarification_timeout_sec", "Do something unclear.", nil, clew.EventHitlClarification, false, clew.EventCancelled},
		{"input", "run_input_timeout_sec", "Do both things, the second asks for a value.", nil, clew.EventHitlInputRequest, true, clew.EventCancelled},
		{"cost", "run_approval_timeout_sec", "Do both things, one is costly.", nil, clew.EventHitlApprovalRequest, true, clew.EventComplete},
		{"budget", "run_approval_timeout_sec", "Do both dear things.", &clew.Budget{Tokens: 20_000}, clew.EventHitlApprovalRequest, false, clew.EventCancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			s := short(t, llmtest.Anthropic, map[string]any{c.setting: 1, "question_reminder_sec": 1}, nil)
			e := s.listen(ctx, s.Bearer)
			s.do(ctx, "begin", clew.CommandUserMessage, clew.UserMessageData{Text: c.text, Mode: clew.ModeRun, Budget: c.budget})
			if c.reviewed {
				id, _ := e.question(clew.EventHitlPlanReview)
				s.approve(ctx, id)
			}
			id, _ := e.question(c.asks)
			e.await(clew.EventHitlReminder, has("request_id", string(id)))
			e.await(clew.EventHitlResolved, func(data json.RawMessage) bool {
				var d clew.HitlResolvedData
				return json.Unmarshal(data, &d) == nil && d.RequestID == id && d.ByTimeout
			})
			status := clew.StatusCancelled
			e.await(c.end, nil)
			if c.end == clew.EventComplete {
				e.await(clew.EventTaskCompleted, nil)
				status = clew.StatusCompleted
			}
			s.over(t, status, c.end)
		})
	}
}

// A run that reaches its budget asks. A yes goes on, a no ends it.
func TestBudget(t *testing.T) {
	for action, end := range map[clew.Choice]clew.EventType{clew.ChoiceApprove: clew.EventComplete, clew.ChoiceReject: clew.EventCancelled} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			s := short(t, llmtest.OpenAI, nil, nil)
			e := s.listen(ctx, s.Bearer)
			s.do(ctx, "begin", clew.CommandUserMessage, clew.UserMessageData{
				Text: "Do both things, though it is dear.", Mode: clew.ModeRun, Budget: &clew.Budget{Tokens: 20_000},
			})
			id, env := e.question(clew.EventHitlApprovalRequest)
			var q clew.HitlApprovalRequestData
			decode(t, env.Data, &q)
			if q.Limit != "budget" || q.RunID == "" {
				t.Errorf("it asks %s", env.Data)
			}
			s.do(ctx, "answer", clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: id, Action: action})
			status := clew.StatusCancelled
			if action == clew.ChoiceApprove {
				review, _ := e.question(clew.EventHitlPlanReview)
				s.approve(ctx, review)
				status = clew.StatusCompleted
			}
			e.await(end, nil)
			if status == clew.StatusCompleted {
				e.await(clew.EventTaskCompleted, nil)
			}
			for _, r := range s.over(t, status, end) {
				if d, ok := r.Event.Data.(*clew.HitlApprovalRequestData); ok && d.RequestID != id {
					t.Errorf("it asked again: %+v", d)
				}
			}
		})
	}
}
