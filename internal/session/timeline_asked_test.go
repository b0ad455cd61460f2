package session_test

import (
	"encoding/json"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
)

// A question's mark says in fields what is asked, and so does its answer's.
func TestQuestionMarks(t *testing.T) {
	approval := func(d clew.HitlApprovalRequestData) any { return &d }
	todo := &clew.ApprovalTodo{ID: "a", Task: "sweep"}
	for _, x := range []struct {
		asks any
		want view.MarkAsked
	}{
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskCommand, Tool: "execute_command", Effect: &clew.Effect{Command: "go\ntest", Argv: []string{"sh"}}}),
			view.MarkAsked{Kind: "command", Subject: "go test", Tool: "execute_command"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskTool, Tool: "stop_command", Input: json.RawMessage(`{"id":"b1"}`), Effect: &clew.Effect{Command: "serve"}}),
			view.MarkAsked{Kind: "tool", Subject: `{"id":"b1"}`, Tool: "stop_command"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskTool, Tool: "edit", Input: json.RawMessage(`{"path":"a.go","old":"x"}`), Effect: &clew.Effect{Diff: "+x"}}),
			view.MarkAsked{Kind: "edit", Subject: "a.go", Tool: "edit"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskTool, Tool: "fetch", Effect: &clew.Effect{URL: "https://example.org/"}}),
			view.MarkAsked{Kind: "fetch", Subject: "https://example.org/", Tool: "fetch"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskUseMcpServer, Tool: "mcp__a__b", Effect: &clew.Effect{Server: "a", Summary: "a: b {}"}}),
			view.MarkAsked{Kind: "server", Subject: "a: b {}", Tool: "mcp__a__b"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskTool, Tool: "switch_mode", Input: json.RawMessage(`{}`)}), view.MarkAsked{Kind: "tool", Tool: "switch_mode"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskTool, Limit: "retries", Todo: todo}), view.MarkAsked{Kind: "retries", Subject: "sweep"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskAutoApprovalMaxReqReached, Limit: "budget", Todo: todo}), view.MarkAsked{Kind: "budget"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskAutoApprovalMaxReqReached}), view.MarkAsked{Kind: "requests"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskMistakeLimitReached}), view.MarkAsked{Kind: "mistakes"}},
		{approval(decide.OfferRetry("It was away.")), view.MarkAsked{Kind: "model", Subject: "It was away."}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskResumeTask, Reason: "Take this task up again?"}), view.MarkAsked{Kind: "resume"}},
		{approval(clew.HitlApprovalRequestData{Ask: clew.AskResumeTask, Reason: view.InDoubtText([]string{"a 1", "b 2"})}), view.MarkAsked{Kind: "doubt", Subject: "a 1; b 2"}},
		{&clew.HitlPlanReviewData{Message: "Please look.", Plan: clew.Plan{Todos: clew.List[clew.Todo]{{Task: "rake"}, {Task: "sweep"}}}}, view.MarkAsked{Kind: "plan", Subject: "1. rake 2. sweep"}},
		{&clew.HitlInputRequestData{Question: "Which one?"}, view.MarkAsked{Kind: "input", Subject: "Which one?"}},
		{&clew.HitlClarificationData{Question: "Which yard?"}, view.MarkAsked{Kind: "clarification", Subject: "Which yard?"}},
	} {
		j := new(journaltest.Memory).Node("a")
		s := newScribe(t, j, "s")
		message := clew.Message{MessageID: clew.MessageIDOf(s.head.Seq + 1), TS: s.head.TS + 1, Type: clew.TypeAsk, Ask: clew.AskTool, Role: clew.SpeakerAssistant, Text: "in words", RequestID: "req_1"}
		s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: message})
		asking := clew.Asking{RequestID: "req_1", MessageID: message.MessageID}
		switch d := x.asks.(type) {
		case *clew.HitlApprovalRequestData:
			d.Asking = asking
			s.write(clew.EventHitlApprovalRequest, d)
		case *clew.HitlPlanReviewData:
			d.Asking = asking
			s.write(clew.EventHitlPlanReview, d)
		case *clew.HitlInputRequestData:
			d.Asking = asking
			s.write(clew.EventHitlInputRequest, d)
		case *clew.HitlClarificationData:
			d.Asking = asking
			s.write(clew.EventHitlClarification, d)
		}
		s.write(clew.EventHitlResolved, &clew.HitlResolvedData{RequestID: "req_1", Action: clew.ResolvedReject})
		w := watch(t, start(t, j, session.Config{}), "s")
		line, err := w.Timeline(t.Context(), view.TimelineQuery{})
		if err != nil || len(line.Marks) != 2 || line.Marks[0].Label != "in words" || line.Marks[0].Asked == nil || line.Marks[1].Asked == nil {
			t.Fatalf("%+v: %+v, %v", x.want, line.Marks, err)
		}
		if q, a := *line.Marks[0].Asked, *line.Marks[1].Asked; q != x.want || a != x.want {
			t.Errorf("got %+v and %+v, want %+v", q, a, x.want)
		}
		// A part that begins after the message still knows what was answered.
		line, err = w.Timeline(t.Context(), view.TimelineQuery{FromTS: message.TS + 1})
		if err != nil || len(line.Marks) != 1 || line.Marks[0].Asked == nil || *line.Marks[0].Asked != x.want || line.Marks[0].Subject != "" {
			t.Errorf("the part after it: %+v, %v", line.Marks, err)
		}
	}
}

// A checkpoint's mark says in fields why the files were saved, and a person's
// words are never taken for the server's.
func TestCheckpointMarks(t *testing.T) {
	for _, x := range []struct {
		reason              string
		by                  clew.UserID // who asked for it
		what, subject, text string
	}{
		{core.CauseMessage.Reason(""), "", "message", "", ""},
		{core.CauseBefore.Reason("write_file"), "", "before", "write_file", ""},
		{core.CauseAfter.Reason("execute_command"), "", "after", "execute_command", ""},
		{core.CauseStopped.Reason("edit"), "", "stopped", "edit", ""},
		{"as it was", "", "", "", "as it was"},
		{"before the storm came", "", "", "", "before the storm came"},
		{"saved by ann", "ann", "person", "ann", ""},
		{"before lunch", "ann", "person", "ann", "before lunch"},
		{"saved by luck", "ann", "person", "ann", "saved by luck"},
	} {
		j := new(journaltest.Memory).Node("a")
		s := newScribe(t, j, "s")
		d := &clew.CheckpointSavedData{ToHash: "h1", Reason: x.reason, SuppressMessage: x.by == ""}
		if x.by != "" {
			d.MessageID = clew.MessageIDOf(s.head.Seq + 1)
			s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: clew.Message{
				MessageID: d.MessageID, TS: s.head.TS + 1, Type: clew.TypeSay, Say: clew.SayCheckpointSaved, Role: clew.SpeakerSystem, Text: x.reason, UserID: x.by,
			}})
		}
		s.write(clew.EventCheckpointSaved, d)
		line, err := watch(t, start(t, j, session.Config{}), "s").Timeline(t.Context(), view.TimelineQuery{})
		if err != nil || len(line.Marks) != 1 {
			t.Fatalf("%s: %+v, %v", x.reason, line.Marks, err)
		}
		if m := line.Marks[0]; m.What != x.what || m.Subject != x.subject || m.Words != x.text || m.Label != x.reason || m.Checkpoint != "h1" {
			t.Errorf("%s: %+v", x.reason, m)
		}
	}
}
