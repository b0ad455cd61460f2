package runs

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// A run from an unclear request to its reports: it asks what is meant, plans,
// has the plan changed by words and approved, works with progress, fails once
// and tries again, is refused money, is paused, goes on with one more step that
// is approved anew, asks for a value, and answers. What is on record, what
// people read and what the model hears are the same over all wires.
//
// Covers: WS-020, WS-022, WS-023, WS-024, WS-025, WS-026, WS-027, WS-028, WS-029, WS-030, WS-031, WS-032, WS-033, WS-034, WS-035, WS-036, WS-037, WS-062, WS-063, WS-064, WS-065, WS-066, WS-067, RUN-01, RUN-02, RUN-03, RUN-04, RUN-05, RUN-06, RUN-07, RUN-09, RUN-10, RUN-11, RUN-12, RUN-13, RUN-14, RUN-15, RUN-16, RUN-18, RUN-19, RUN-20, RUN-25, RUN-26, RUN-29, RUN-30, RUN-33
func TestStory(t *testing.T) {
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) { tellStory(t, vendor, nil) })
	}
}

// The same story, with a server that is killed at every question and in the
// pause. Each time the session is afterwards what it was before, and in the end
// nothing on record differs.
//
// Covers: RUN-24, C-20
func TestStoryOverRestarts(t *testing.T) {
	tellStory(t, llmtest.OpenAI, func(s *stage) {
		_, before := s.replayed()
		s.Srv.Kill()
		if err := s.Srv.Start(); err != nil {
			t.Fatal(err)
		}
		if _, after := s.replayed(); string(after) != string(before) {
			t.Errorf("after the crash the session is another one:\n%s\n%s", before, after)
		}
	})
}

// files are those of the workspace.
var files = map[string]string{"sales/q1.csv": "bread,60\nmilk,40\n", "sales/q2.csv": "bread,70\nmilk,50\n", "notes.txt": "100, then 120.\n"}

// tellStory plays it. While nothing moves, rest is done.
func tellStory(t *testing.T, vendor llmtest.Vendor, rest func(*stage)) {
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	calm := rest == nil
	if calm {
		rest = func(*stage) {}
	}
	var s *stage
	var fault atomic.Pointer[error]
	s = newStage(t, plot{
		vendor: vendor, script: "story.yaml", files: files,
		model: llmtest.Options{Sleep: func(context.Context, time.Duration) error { // the model pauses, and so do the people
			if err := s.Command(ctx, "pause", clew.CommandControlPause, clew.ControlPauseData{Reason: "A moment, please."}); err != nil {
				fault.Store(&err)
			}
			return nil
		}},
	})
	s.begin()
	e := s.listen(ctx, s.Bearer)
	s.do(ctx, "begin", clew.CommandUserMessage, clew.UserMessageData{Text: "Say how the shop did.", Mode: clew.ModeRun})
	s.clarifyAndPlan(ctx, e, rest)
	s.executeAndPause(ctx, e, rest)
	s.resumeAndEnd(ctx, e, rest)
	if err := fault.Load(); err != nil {
		t.Error(*err)
	}
	s.told(t, calm && vendor == llmtest.Anthropic)
	s.examine()
}

// clarifyAndPlan answers what was meant, and has the plan changed once.
func (s *stage) clarifyAndPlan(ctx context.Context, e *ear, rest func(*stage)) {
	id, _ := e.question(clew.EventHitlClarification)
	rest(s)
	s.do(ctx, "clarify", clew.CommandHitlClarificationResponse, clew.HitlClarificationResponseData{RequestID: id, Value: "2025, both quarters"})
	id, _ = e.question(clew.EventHitlPlanReview)
	rest(s)
	s.pending(clew.EventHitlPlanReview)
	s.do(ctx, "modify", clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{
		RequestID: id, Action: clew.ChoiceModify, Instruction: "No poster, a short summary in a file.",
	})
	id, _ = e.question(clew.EventHitlPlanReview)
	rest(s)
	s.do(ctx, "approve", clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: id, Action: clew.ChoiceApprove, Comment: "Good."})
}

// pending checks that somebody who comes now finds the question, with all that
// is needed to answer it.
func (s *stage) pending(typ clew.EventType) {
	s.T.Helper()
	_, state := s.replayed()
	typed(s.T, string(clew.EventSessionState), state)
	var st struct {
		Status  clew.SessionStatus `json:"status"`
		Pending json.RawMessage    `json:"hitl_pending"`
	}
	decode(s.T, state, &st)
	typed(s.T, string(typ), st.Pending)
	if st.Status != clew.StatusAwaitingInput || !has("type", string(typ))(st.Pending) {
		s.T.Errorf("the state is %s", state)
	}
}

// executeAndPause spends no money, and waits until the pause is complete.
func (s *stage) executeAndPause(ctx context.Context, e *ear, rest func(*stage)) {
	id, env := e.question(clew.EventHitlApprovalRequest)
	rest(s)
	var d clew.HitlApprovalRequestData
	decode(s.T, env.Data, &d)
	s.do(ctx, "skip", clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{
		RequestID: id, TodoID: d.TodoID, Action: clew.ChoiceSkip, Comment: "Too dear.",
	})
	e.await(clew.EventHitlPaused, has("reason", "A moment, please."))
	e.await(clew.EventTaskTokenUsageUpdated, nil) // what was begun has ended
	rest(s)
	_, state := s.replayed()
	typed(s.T, string(clew.EventSessionState), state)
	var st clew.SessionState
	decode(s.T, state, &st)
	if st.Status != clew.StatusPaused || st.CurrentLayer != clew.LayerExecution || st.Plan == nil || st.Plan.Status != clew.PlanApproved ||
		st.Plan.TotalTodos != 5 || len(st.Todos) != 5 || st.HitlPending != nil {
		s.T.Errorf("in the pause the state is %s", state)
	}
}

// resumeAndEnd goes on with one more step. It answers only when all that is
// asked is asked, so that there is one order of records.
func (s *stage) resumeAndEnd(ctx context.Context, e *ear, rest func(*stage)) {
	after := []string{"write"}
	s.do(ctx, "resume", clew.CommandControlResume, clew.ControlResumeData{Modifications: []clew.PlanEdit{
		{Action: clew.PlanAdd, TodoID: "proof", Task: "Read the summary for mistakes.", Tool: "read_file", DependsOn: &after},
	}})
	review, _ := e.question(clew.EventHitlPlanReview)
	input, _ := e.question(clew.EventHitlInputRequest)
	rest(s)
	s.do(ctx, "approve again", clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: review, Action: clew.ChoiceApprove})
	s.do(ctx, "value", clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: input, Field: "answer", Value: "by sum"})
	e.await(clew.EventComplete, nil)
	e.await(clew.EventTaskCompleted, nil)
}

// told compares what is left of the story with the golden files.
func (s *stage) told(t *testing.T, write bool) {
	t.Helper()
	s.Answered()
	list, state := s.replayed()
	p := newPlain(s)
	golden(t, write, "story.records.txt", p.journal(list))
	page, err := s.API().Messages(t.Context(), sessionID, client.PageOf{Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, write, "story.transcript.txt", p.transcript(page.Messages))
	golden(t, write, "story.requests.txt", p.requests(s.Model.Requests()))
	var st map[string]any
	decode(t, state, &st)
	delete(st, "messages")
	golden(t, write, "story.state.txt", p.line(st)+"\n")
	if got := s.File("summary.md"); got != "# 2025\n\n120 after 100.\n" {
		t.Errorf("the summary is %q", got)
	}
	allTyped(t, list, storyTypes)
	soundRun(t, list)
	s.reports(t, list)
	if again, _ := s.replayed(); proc.Frames(again) != proc.Frames(list) {
		t.Error("a second replay differs")
	}
}

// mediaTypes are what a browser shows by itself.
var mediaTypes = map[string]string{
	".md": "text/markdown", ".html": "text/html", ".json": "application/json", ".pdf": "application/pdf", ".svg": "image/svg+xml",
}

// reports opens what the run left, under the urls that it gave.
func (s *stage) reports(t *testing.T, list []record) {
	t.Helper()
	var d *clew.CompleteData
	for _, r := range list {
		if c, ok := r.Event.Data.(*clew.CompleteData); ok {
			d = c
		}
	}
	if d == nil || len(d.ReportPaths) < 4 || len(d.Response.Attachments) < 4 {
		t.Fatalf("the end is %+v", d)
	}
	for _, path := range d.ReportPaths {
		body, kind, err := s.open(t.Context(), path, s.Bearer)
		if err != nil || len(body) == 0 || !strings.HasPrefix(kind, mediaTypes[filepath.Ext(path)]) {
			t.Errorf("%s: %v, %d bytes of %s", path, err, len(body), kind)
		}
		if strings.HasSuffix(path, ".md") && !strings.Contains(body, "120") {
			t.Errorf("%s says nothing: %s", path, body)
		}
		if strings.HasSuffix(path, ".json") && !json.Valid([]byte(body)) {
			t.Errorf("%s is not JSON", path)
		}
		if _, err := s.get(t.Context(), path, ""); err == nil {
			t.Errorf("%s opens for everybody", path)
		}
	}
	for _, a := range d.Response.Attachments {
		if _, err := s.get(t.Context(), a.URL, s.Bearer); err != nil {
			t.Errorf("attachment %s: %v", a.Title, err)
		}
	}
	if d.Statistics.TotalTodos != 6 || d.Statistics.Completed != 5 || d.Statistics.Skipped != 1 || d.Statistics.TokensUsed == 0 || d.Statistics.CostUSD == 0 {
		t.Errorf("the statistics are %+v", d.Statistics)
	}
}
