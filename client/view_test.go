package client_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// event makes an envelope; seq 0 is for what is no record.
func event(t *testing.T, seq uint64, data any) wire.Envelope {
	t.Helper()
	ev := clew.NewEvent(data)
	b, err := json.Marshal(ev.Data)
	if err != nil {
		t.Fatal(err)
	}
	env := wire.Envelope{Type: string(ev.Type), Data: b}
	if seq > 0 {
		env.MessageID = string(clew.MessageIDOf(seq))
	}
	return env
}

func snapshot(last uint64, todos ...clew.Todo) *clew.SessionState {
	return &clew.SessionState{Status: clew.StatusExecuting, LastMessageID: clew.MessageIDOf(last), Todos: todos}
}

// Covers: WS-136
func TestViewFollowsARun(t *testing.T) {
	var v client.View
	v.Apply(event(t, 0, snapshot(1)))
	for i, data := range []any{
		&clew.LayerStartData{Layer: clew.LayerExecution},
		&clew.PlanGeneratedData{PlanID: "p1", Version: 1, Plan: clew.Plan{Todos: clew.List[clew.Todo]{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}}},
		&clew.TodoStartedData{TodoID: "a"},
		&clew.TodoStartedData{TodoID: "b"},
		&clew.TodoProgressData{TodoID: "a", ProgressPercentage: 40},
		&clew.TodoCompletedData{TodoID: "b", ResultSummary: "done"},
		&clew.TodoFailedData{TodoID: "c", RetryCount: 2},
		&clew.TodoSkippedData{TodoID: "d"},
	} {
		if !v.Apply(event(t, uint64(i+2), data)) {
			t.Errorf("%T is not handled", data)
		}
	}
	want := "[a in_progress 40 <nil> 0][b completed 100 done 0][c failed 0 <nil> 2][d skipped 0 <nil> 0]"
	got := ""
	for _, d := range v.State.Todos {
		got += fmt.Sprintf("[%s %s %d %v %d]", d.ID, d.Status, d.ProgressPercentage, d.ResultSummary, d.RetryCount)
	}
	if got != want || v.State.CurrentLayer != clew.LayerExecution || v.State.Plan.TotalTodos != 4 {
		t.Fatalf("todos %s in layer %s of plan %+v", got, v.State.CurrentLayer, v.State.Plan)
	}
	v.Apply(event(t, 20, &clew.CompleteData{}))
	if v.State.Status != clew.StatusCompleted || v.State.LastMessageID != clew.MessageIDOf(20) {
		t.Fatalf("status %s at %s", v.State.Status, v.State.LastMessageID)
	}
}

func TestViewOfAnArchivedSession(t *testing.T) {
	var v client.View
	for seq, away := range []bool{true, false, true} {
		if v.Apply(event(t, uint64(seq+1), &clew.SessionArchivedData{Archived: away})); v.State.Archived != away {
			t.Errorf("archived is %v, want %v", v.State.Archived, away)
		}
	}
}

// What is replayed after the snapshot that holds it does not set it back.
//
// Covers: C-81
func TestViewIgnoresWhatItHolds(t *testing.T) {
	var v client.View
	v.Apply(event(t, 0, snapshot(9, clew.Todo{ID: "a", Status: clew.TodoCompleted})))
	v.Apply(event(t, 8, &clew.TodoStartedData{TodoID: "a"}))
	if s := v.State.Todos[0].Status; s != clew.TodoCompleted {
		t.Fatalf("a replayed record made it %s", s)
	}
	v.Apply(event(t, 10, &clew.TodoStartedData{TodoID: "a"}))
	if s := v.State.Todos[0].Status; s != clew.TodoInProgress {
		t.Fatalf("a new record left it %s", s)
	}
}

// Covers: WS-136
func TestViewKeepsQuestionsInOrder(t *testing.T) {
	var v client.View
	v.Apply(event(t, 0, snapshot(1)))
	v.Apply(event(t, 2, &clew.HitlPlanReviewData{Asking: clew.Asking{RequestID: "q1"}}))
	v.Apply(event(t, 3, &clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "q2"}}))
	v.Apply(event(t, 4, &clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "q3"}}))
	if id := v.State.HitlPending.RequestID(); id != "q1" || len(v.State.HitlQueue) != 2 {
		t.Fatalf("pending %s, %d behind", id, len(v.State.HitlQueue))
	}
	v.Apply(event(t, 5, &clew.HitlResolvedData{RequestID: "q2"}))
	v.Apply(event(t, 6, &clew.HitlResolvedData{RequestID: "q1"}))
	if id := v.State.HitlPending.RequestID(); id != "q3" || len(v.State.HitlQueue) != 0 {
		t.Fatalf("pending %s, %d behind", id, len(v.State.HitlQueue))
	}
	v.Apply(event(t, 7, &clew.HitlResolvedData{RequestID: "q3"}))
	if v.State.HitlPending != nil {
		t.Fatal("a question is left")
	}
}

// The view of a live session equals a snapshot taken afterwards.
//
// Covers: WS-136, C-57
func TestViewOfALiveSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		var v client.View
		update := func(stop clew.EventType) {
			take(t, c, func(env wire.Envelope) bool { v.Apply(env); return isType(stop)(env) })
		}
		update(clew.EventSyncComplete)
		if _, err := c.Send(t.Context(), clew.CommandUserMessage, hello()); err != nil {
			t.Fatal(err)
		}
		update(clew.EventAgentResponse)
		if m := v.State.OpenMessages; len(m) != 1 || m[0].Text != "hello" {
			t.Fatalf("open messages %+v", m)
		}
		update(clew.EventMessageUpdated)
		if m := v.State.Messages; len(m) != 2 || m[1].Text != "hello" || len(v.State.OpenMessages) != 0 {
			t.Fatalf("messages %+v", m)
		}
	})
}

// Covers: WS-137
func TestViewLeavesUnknownTypes(t *testing.T) {
	var v client.View
	if v.Apply(wire.Envelope{Type: "from_the_future"}) {
		t.Error("an unknown type was handled")
	}
}

// Covers: WS-134, WS-135, C-30
func TestAnswerPauseResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		_, err1 := c.Answer(t.Context(), clew.HitlPlanResponseData{RequestID: "q1", Action: "approve"})
		_, err2 := c.Answer(t.Context(), &clew.HitlInputResponseData{RequestID: "q2", Value: 1})
		_, err3 := c.Pause(t.Context())
		_, err4 := c.Resume(t.Context())
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			t.Fatal(err1, err2, err3, err4)
		}
		if _, err := c.Answer(t.Context(), hello()); clew.CodeOf(err) != clew.InvalidMessage {
			t.Fatalf("a message as an answer: %v", err)
		}
		synctest.Wait()
		for _, typ := range []clew.CommandType{
			clew.CommandHitlPlanResponse, clew.CommandHitlInputResponse, clew.CommandControlPause, clew.CommandControlResume,
		} {
			if b.Heard(typ) != 1 {
				t.Errorf("%s was heard %d times", typ, b.Heard(typ))
			}
		}
		if c.State() != client.Active {
			t.Errorf("pausing left the connection %s", c.State())
		}
	})
}

// A view follows a run: versions, approval, retries, pauses.
//
// Covers: RUN-09, WS-026
func TestViewOfARun(t *testing.T) {
	var v client.View
	scope := clew.Scope{RunID: "run_1"}
	todos := clew.List[clew.Todo]{{ID: "a", Status: clew.TodoPending}, {ID: "b", Status: clew.TodoPending}}
	v.Apply(event(t, 1, &clew.PlanGeneratedData{PlanID: "p", Version: 1, Status: clew.PlanPendingApproval, Plan: clew.Plan{Todos: todos}, Scope: scope}))
	v.Apply(event(t, 2, &clew.PlanApprovedData{PlanID: "p", Scope: scope}))
	v.Apply(event(t, 3, &clew.TodoStartedData{TodoID: "a", TaskID: "task_2"}))
	v.Apply(event(t, 4, &clew.TodoCompletedData{TodoID: "a", ResultSummary: "done"}))
	v.Apply(event(t, 5, &clew.TodoFailedData{TodoID: "b", RetryCount: 0, Error: clew.Failure{Message: "no"}}))
	if b := v.State.Todos[1]; v.State.Plan.Status != clew.PlanApproved || v.State.Status != clew.StatusExecuting || b.Error == nil || v.State.Todos[0].TaskID != "task_2" {
		t.Errorf("approved: %+v, %+v", v.State.Plan, v.State.Todos)
	}
	v.Apply(event(t, 6, &clew.TodoRetriedData{TodoID: "b", RetryCount: 1}))
	v.Apply(event(t, 7, &clew.HitlPausedData{PausedBy: "ann", Scope: scope}))
	if b := v.State.Todos[1]; b.Status != clew.TodoPending || b.RetryCount != 1 || v.State.Status != clew.StatusPaused {
		t.Errorf("retried and paused: %+v, %s", b, v.State.Status)
	}
	next := clew.List[clew.Todo]{{ID: "a", Status: clew.TodoCompleted}, {ID: "b"}, {ID: "c"}}
	v.Apply(event(t, 8, &clew.PlanModifiedData{PlanID: "p", OldVersion: 1, NewVersion: 2, UpdatedTodos: next, Scope: scope}))
	if p := v.State.Plan; p.Version != 2 || p.TotalTodos != 3 || p.Status != clew.PlanPendingApproval || v.State.Todos[0].ResultSummary != "done" {
		t.Errorf("modified: %+v, %+v", p, v.State.Todos)
	}
	v.Apply(event(t, 9, &clew.HitlResumedData{ResumedBy: "ann", Scope: scope}))
	v.Apply(event(t, 10, &clew.PlanRejectedData{PlanID: "p", Scope: scope}))
	if v.State.Status != clew.StatusExecuting || v.State.Plan.Status != clew.PlanRejected {
		t.Errorf("rejected: %s, %+v", v.State.Status, v.State.Plan)
	}
}

// What waits is kept as it is said, changed, moved, taken back and heard. It is in
// the transcript once it is heard.
func TestViewKeepsTheQueue(t *testing.T) {
	var v client.View
	v.Apply(event(t, 0, snapshot(1)))
	id := clew.MessageIDOf
	for i, text := range []string{"a", "b", "c"} {
		env := event(t, uint64(2+i), &clew.MessageQueuedData{MessageID: id(uint64(2 + i)), Text: text, UserID: "ann"})
		env.Timestamp = clew.Timestamp(7)
		v.Apply(env)
	}
	v.Apply(event(t, 5, &clew.QueueChangedData{Queue: clew.List[clew.MessageID]{id(4), id(2), id(3)}}))
	v.Apply(event(t, 6, &clew.QueueChangedData{Queue: clew.List[clew.MessageID]{id(4), id(2), id(3)}, Edited: &clew.QueuedWords{MessageID: id(2), Text: "A"}}))
	v.Apply(event(t, 7, &clew.QueueChangedData{Queue: clew.List[clew.MessageID]{id(4), id(2)}, Removed: id(3)}))
	if m := v.State.Messages; len(m) != 0 {
		t.Errorf("what waits is in the transcript: %+v", m)
	}
	v.Apply(event(t, 8, &clew.MessageCreatedData{Message: clew.Message{MessageID: id(8), QueuedAs: id(4), Text: "c"}}))
	if q := v.State.Queue; len(q) != 1 || q[0].MessageID != id(2) || q[0].Text != "A" || q[0].UserID != "ann" || q[0].TS != 7 {
		t.Errorf("%+v waits", q)
	}
	if m := v.State.Messages; len(m) != 1 || m[0].MessageID != id(8) {
		t.Errorf("the transcript is %+v", m)
	}
}

// In journals from before, what waits stands in the transcript already.
func TestViewKeepsAnOldQueue(t *testing.T) {
	var v client.View
	v.Apply(event(t, 0, snapshot(1)))
	id := clew.MessageIDOf
	for i, text := range []string{"a", "b", "c"} {
		seq := uint64(2 + 2*i)
		v.Apply(event(t, seq, &clew.MessageCreatedData{Message: clew.Message{MessageID: id(seq), Text: text, UserID: "ann", TS: 7}}))
		v.Apply(event(t, seq+1, &clew.MessageQueuedData{MessageID: id(seq)}))
	}
	v.Apply(event(t, 8, &clew.QueueChangedData{Queue: clew.List[clew.MessageID]{id(6), id(2), id(4)}}))
	v.Apply(event(t, 9, &clew.MessageUpdatedData{Message: clew.Message{MessageID: id(2), Text: "A"}}))
	v.Apply(event(t, 10, &clew.MessageAcceptedData{MessageID: id(6)}))
	v.Apply(event(t, 11, &clew.QueueChangedData{Queue: clew.List[clew.MessageID]{id(2)}, Removed: id(4)}))
	if q := v.State.Queue; len(q) != 1 || q[0].MessageID != id(2) || q[0].Text != "A" || q[0].UserID != "ann" || q[0].TS != 7 {
		t.Errorf("%+v waits", q)
	}
	if m := v.State.Messages; len(m) != 2 || m[0].MessageID != id(2) || m[1].MessageID != id(6) {
		t.Errorf("the transcript is %+v", m)
	}
}
