package session

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// A turn says how it ended, on record and in the state, and who ended it.
func TestOutcomeOfATurn(t *testing.T) {
	limit := func(b *bench, limit string, ask clew.Ask) {
		b.atWork()
		must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
			decide.AskApproval(tx, s, t, clew.HitlApprovalRequestData{Ask: ask, Limit: limit, Reason: "go on?", Options: yesNo})
		}))
	}
	no := &clew.AskResponseData{AskResponse: clew.NoButtonClicked}
	for name, c := range map[string]struct {
		do   func(b *bench)
		want string
	}{
		"done": {func(b *bench) {
			b.atWork()
			must(b.report(idle))
		}, `{"status":"done"}`},
		"interrupted": {func(b *bench) { b.atWork(); must(b.ann(&clew.InterruptData{})) },
			`{"status":"stopped","stopped_by":"ann","why_code":"interrupted","message":"interrupted by the user"}`},
		"cancelled": {func(b *bench) { b.atWork(); must(b.ann(&clew.ControlCancelData{})) },
			`{"status":"cancelled","stopped_by":"ann","why_code":"cancelled","message":"cancelled by the user"}`},
		"put away": {func(b *bench) { b.atWork(); must(b.ann(&clew.ClearTaskData{})) },
			`{"status":"stopped","stopped_by":"ann","why_code":"put_away","message":"put away by the user"}`},
		"budget": {func(b *bench) { limit(b, core.LimitBudget, clew.AskAutoApprovalMaxReqReached); must(b.ann(no)) },
			`{"status":"budget","stopped_by":"ann","why_code":"not_continued","message":"the budget is used up"}`},
		"steps": {func(b *bench) { limit(b, core.LimitSteps, clew.AskAutoApprovalMaxReqReached); must(b.ann(no)) },
			`{"status":"stopped","stopped_by":"ann","why_code":"not_continued","message":"it was not continued"}`},
		"not tried again": {func(b *bench) { limit(b, "", clew.AskAPIReqFailed); must(b.ann(no)) },
			`{"status":"failed","stopped_by":"ann","why_code":"not_continued","message":"go on?"}`},
		"not taken up": {func(b *bench) { limit(b, "", clew.AskResumeTask); must(b.ann(no)) },
			`{"status":"denied","stopped_by":"ann","why_code":"not_continued","message":"it was not continued"}`},
		"said anew": {func(b *bench) {
			b.atWork()
			must(b.ann(&clew.InterruptData{}))
			must(b.ann(&clew.UserMessageData{Text: "go on"}))
		}, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			c.do(b)
			task := b.s.state.Focused(clew.MainMonitor)
			for _, x := range b.s.state.Tasks { // a task that ended is not in focus
				task = x
			}
			if got := decide.PlainJSON(task.Outcome); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			line := clew.OutcomeStatus("") // of something under way
			if task.Outcome != nil {
				line = task.Outcome.Status
			}
			if got := b.s.state.Summary().Outcome; got != line {
				t.Errorf("the list says %q, want %q", got, line)
			}
			b.check(t)
		})
	}
}

// What words would do to a question is on record with it.
func TestWordsEffect(t *testing.T) {
	for name, c := range map[string]struct {
		ask   clew.Ask
		limit string
		want  clew.WordsEffect
	}{
		"a command":     {clew.AskCommand, "", clew.WordsDeny},
		"the end":       {clew.AskCompletionResult, "", clew.WordsDeny},
		"more money":    {clew.AskAutoApprovalMaxReqReached, core.LimitBudget, clew.WordsDeny},
		"more steps":    {clew.AskAutoApprovalMaxReqReached, core.LimitSteps, clew.WordsContinue},
		"a failed call": {clew.AskAPIReqFailed, "", clew.WordsContinue},
		"taken up":      {clew.AskResumeTask, "", clew.WordsContinue},
		"output":        {clew.AskCommandOutput, "", clew.WordsSteer},
	} {
		b := newBench()
		b.atWork()
		must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
			decide.AskApproval(tx, s, t, clew.HitlApprovalRequestData{Ask: c.ask, Limit: c.limit, Options: yesNo})
		}))
		a := b.s.state.Questions[0].Asking()
		if a.WordsEffect != c.want || a.AgentKind != clew.AgentMain {
			t.Errorf("%s: words are %q of %q, want %q", name, a.WordsEffect, a.AgentKind, c.want)
		}
	}
}

// Records of servers that wrote sentences alone come to the same.
func TestOldRecordsAreTranslated(t *testing.T) {
	stopped := &clew.ToolProgressData{Status: clew.ToolError, Error: "interrupted by the user"}
	core.Translate(stopped)
	if stopped.Status != clew.ToolStopped || stopped.WhyCode != clew.EndInterrupted {
		t.Errorf("%+v", stopped)
	}
	failed := &clew.ToolProgressData{Status: clew.ToolError, Error: "it broke", Output: "it broke\n\n[ended after 3ms; exit code 4]"}
	core.Translate(failed)
	if failed.Status != clew.ToolError || failed.WhyCode != "" || failed.ExitCode == nil || *failed.ExitCode != 4 || !failed.ErrorInOutput {
		t.Errorf("%+v", failed)
	}
	m := &clew.MessageCreatedData{Message: clew.Message{Say: clew.SayAPIReqDeleted, Text: "The model call was put away by the user.", AgentID: "task-1"}}
	core.Translate(m)
	if m.Message.WhyCode != clew.EndPutAway || m.Message.AgentKind != clew.AgentTask {
		t.Errorf("%+v", m.Message)
	}
	a := &clew.TaskAbortedData{Reason: "cancelled: the plan was rejected"}
	core.Translate(a)
	if a.Outcome.WhyCode != clew.EndPlanRejected || a.Outcome.Message != "the plan was rejected" {
		t.Errorf("%+v", a.Outcome)
	}
}
