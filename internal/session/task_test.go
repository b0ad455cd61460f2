package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// Covers: TSK-01, TSK-02, TSK-03, TSK-04, TSK-05, TSK-06, TSK-07, EVT-02, EVT-06, EVT-07, C-43
func TestChildTask(t *testing.T) {
	b := newBench()
	b.child()
	s := b.s.state
	child := b.task()
	root := s.Task(child.RootTaskID)
	if child.ParentTaskID != root.TaskID || child.Depth != 1 || child.Turn == nil || child.AgentID == root.AgentID {
		t.Errorf("child %+v", child)
	}
	it := root.HistoryItem("/w")
	if it.Status != clew.TaskStatusDelegated || it.AwaitingChildID != child.TaskID || it.DelegatedToID != child.TaskID ||
		!slices.Equal(it.ChildIDs, []clew.TaskID{child.TaskID}) || it.RootTaskID != root.TaskID || it.ID != root.TaskID ||
		it.Number != 1 || it.TS == 0 || it.Task != "hello" || it.TokensIn != 5 || it.TokensOut != 7 || it.TotalCost != 0.001 || it.Workspace != "/w" {
		t.Errorf("the waiting root is %+v", it)
	}
	if s.Runnable(root) || !s.Runnable(child) || !s.AtWork() {
		t.Error("the root goes on while its child works")
	}
	b.verify(t)

	b.think()
	must(b.answer(1))
	b.spawn(b.pick(0)) // a grandchild
	if !slices.Equal(root.Children, []clew.TaskID{child.TaskID, b.task().TaskID}) || b.task().Depth != 2 {
		t.Errorf("the root lists %v", root.Children)
	}
	b.think()
	must(b.answer(1))
	_, types, err := b.complete(b.pick(0))
	if err != nil || b.task() != child || child.CompletedBy == "" || child.AwaitingChild != "" {
		t.Errorf("%v: in focus is %+v", err, b.task())
	}
	want := []clew.EventType{
		clew.EventToolProgress, clew.EventTaskCompleted, clew.EventMessageCreated, clew.EventToolProgress, clew.EventTaskUnpaused,
		clew.EventTaskUnfocused, clew.EventTaskFocused, clew.EventTaskActive,
	}
	if !slices.Equal(types, want) {
		t.Errorf("records %v", types)
	}
	up := last[clew.TaskUnpausedData](b, 1)[0]
	if up.TaskID != child.TaskID || up.CompletionResultSummary != "all done" || up.CompletedByChildID != child.CompletedBy {
		t.Errorf("unpaused %+v", up)
	}
	h := child.History
	if r := h[len(h)-1].Content[0]; r.Type != clew.PartToolResult || r.Text != "all done" || r.IsError {
		t.Errorf("the parent's model gets %+v", r)
	}
	end := s.Task(child.CompletedBy)
	if end.Status != clew.TaskStatusCompleted || end.Result != "all done" || end.EndedMS == 0 || len(end.History) != 0 {
		t.Errorf("the grandchild is %+v", end)
	}
	b.verify(t)

	// Cancelling the child lets the root go on.
	must(b.ann(&clew.ControlCancelData{TaskID: child.TaskID, Reason: "no use"}))
	if child.Status != clew.TaskStatusAborted || root.Status != clew.TaskStatusActive || root.AwaitingChild != "" || !s.Runnable(root) || b.task() != root {
		t.Errorf("root %+v", root)
	}
	if r := root.History[len(root.History)-1].Content[0]; !r.IsError || !strings.Contains(r.Text, "cancelled") {
		t.Errorf("the root's model gets %+v", r)
	}
	b.verify(t)
}

// A child that was interrupted is taken up by a message, whatever waits above.
//
// Covers: C-22
func TestInterruptedChild(t *testing.T) {
	b := newBench()
	b.child()
	child := b.task()
	must(b.ann(&clew.UserMessageData{Text: "for the root", TaskID: child.RootTaskID}))
	must(b.say("m2"))
	must(b.ann(&clew.InterruptData{}))
	if b.task() != child || child.Turn == nil || len(b.s.state.Main().Queue) != 0 || b.s.state.Message(child.Turn.ID).ClientMessageID != "m2" {
		t.Fatalf("in focus is %+v, %d wait", b.task(), len(b.s.state.Main().Queue))
	}
	if root := b.s.state.Task(child.RootTaskID); len(root.Inbox) != 1 || root.Inbox[0].Text != "for the root" {
		t.Errorf("the root will hear %+v", root.Inbox)
	}
	b.verify(t)
	b.think()
	must(b.answer(1))
	must(b.complete(b.pick(0)))
	if b.task().ParentTaskID != "" || !b.s.state.Runnable(b.task()) {
		t.Errorf("the root does not go on: %+v", b.task())
	}
	b.verify(t)
}

// Covers: POL-03, C-23
func TestSteer(t *testing.T) {
	b := newBench()
	b.s.state.Rules = steering{}
	b.atWork()
	for i := range core.QueueMax {
		must(b.say(fmt.Sprint("s", i)))
		if a := last[clew.MessageAcceptedData](b, 1)[0]; a.Delivery != clew.DeliverySteer || a.TaskID != b.task().TaskID || string(a.ClientMessageID) != fmt.Sprint("s", i) {
			t.Fatalf("accepted %+v", a)
		}
	}
	if _, types, err := b.say("s10"); err != nil || types[0] != clew.EventMessageQueued {
		t.Errorf("one too many gives %v, %v", types, err)
	}
	// The turn would end now; somebody spoke, so it goes on.
	_, types, err := b.answer(0)
	if err != nil || slices.Contains(types, clew.EventTaskIdle) || b.task().Turn == nil || !b.s.state.Runnable(b.task()) {
		t.Fatalf("the turn ended with %v, %v", types, err)
	}
	b.verify(t)
	b.think()
	if len(b.task().Inbox) != 0 || len(b.task().History) != 2+core.QueueMax {
		t.Errorf("%d unheard, %d in the history", len(b.task().Inbox), len(b.task().History))
	}
	_, types, err = b.answer(0)
	if err != nil || !slices.Contains(types, clew.EventTaskIdle) || b.s.state.Message(b.turn().ID).ClientMessageID != "s10" {
		t.Errorf("the next message was not taken up: %v, %v", types, err)
	}
	b.verify(t)
}

// Covers: POL-07
func TestQueueOfTasksAndMessages(t *testing.T) {
	b := newBench()
	b.atWork()
	first := b.task().TaskID
	must(b.ann(&clew.NewTaskData{Text: "second", Mode: "code"}))
	must(b.ann(&clew.UserMessageData{Text: "to the first", TaskID: first}))
	must(b.ann(&clew.UserMessageData{Text: "to whichever"}))
	var got []string
	for {
		task := b.task()
		got = append(got, fmt.Sprintf("%d %s %s", task.Number, b.s.state.Message(task.Turn.ID).Text, task.Mode))
		b.verify(t)
		if task.Request == "" {
			b.think()
		}
		must(b.answer(0))
		if !b.s.state.AtWork() {
			break
		}
	}
	want := []string{"1 hello ", "2 second code", "1 to the first ", "1 to whichever "}
	if !slices.Equal(got, want) {
		t.Errorf("worked on %q", got)
	}
	b.check(t)
}

// Interrupted calls have results that say what is known of them, and text stays
// as far as clients have it.
//
// Covers: C-17, C-22, HIS-01, HIS-05
func TestInterruptClosesEverything(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.answer(4))
	b.start(b.pick(0), clew.ClassOnce)
	b.start(b.pick(1), clew.ClassReadOnly)
	b.approval(clew.AskCommand, b.pick(2).ID, "")
	must(b.ann(&clew.InterruptData{}))
	doubts := 0
	for _, d := range last[clew.ToolProgressData](b, 4) {
		if d.Status != clew.ToolStopped || d.WhyCode != clew.EndInterrupted || d.StoppedBy != "ann" || d.Error == "" {
			t.Errorf("call %s ended with %+v", d.ToolCallID, d)
		}
		if d.InDoubt {
			doubts++
		}
	}
	h := b.task().History
	if doubts != 1 || len(h[len(h)-1].Content) != 4 {
		t.Errorf("%d in doubt, results %+v", doubts, h[len(h)-1])
	}
	b.verify(t)

	must(b.say("m2"))
	b.think()
	must(b.begin())
	must(b.update("so far", true))
	reply := b.turn().Reply
	b.s.open = map[clew.MessageID]*clew.OpenMessage{reply: {MessageID: reply, Text: "so far and "}}
	must(b.ann(&clew.InterruptData{}))
	if m := b.s.state.Message(reply); m.Partial || m.Text != "so far and" {
		t.Errorf("the text is %+v", m)
	}
	h = b.task().History
	if m := h[len(h)-1]; m.Role != clew.SpeakerAssistant || m.Content[0].Text != "so far and" {
		t.Errorf("the history ends with %+v", m)
	}
	for _, m := range h { // what only people see is not in it
		for _, p := range m.Content {
			if strings.Contains(p.Text, "model call") {
				t.Errorf("the model sees %q", p.Text)
			}
		}
	}
	b.verify(t)
}

// A tool that gives up before the answer leaves no question behind.
func TestAbandonedQuestion(t *testing.T) {
	b := newBench()
	b.running()
	call := b.pick(0)
	b.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: call.ID}, InputType: clew.InputText})
	if b.task().Calls[0].Status != core.CallRunning || !b.s.state.Runnable(b.task()) {
		t.Error("a tool that asks does not run")
	}
	b.done(call, "no answer in time")
	if len(b.s.state.Questions) != 0 || last[clew.HitlResolvedData](b, 1)[0].Action != clew.ResolvedCancelled {
		t.Errorf("open: %+v", b.s.state.Questions)
	}
	b.verify(t)
}

// Covers: EVT-13, TSK-11, G-12
func TestUsage(t *testing.T) {
	b := newBench()
	b.child()
	b.think()
	s := b.s.state
	if got, want := s.TreeUsage(b.task().RootTaskID), (clew.Usage{TokensIn: 15, TokensOut: 107, CostUSD: 0.001}); got != want {
		t.Errorf("the tree uses %+v with the call under way, want %+v", got, want)
	}
	must(b.answer(1))
	must(b.complete(b.pick(0)))
	if s.Usage != (clew.Usage{TokensIn: 10, TokensOut: 14, CostUSD: 0.002}) || s.TreeUsage(b.task().RootTaskID) != s.Usage {
		t.Errorf("the session used %+v", s.Usage)
	}
	if u := b.task().ToolUsage["run"]; u.Attempts != 1 || u.Failures != 0 {
		t.Errorf("tools %+v", u)
	}
	b.verify(t)
}

// A snapshot holds all: questions, calls, histories, what waits.
func TestSnapshotRoundTrip(t *testing.T) {
	for _, m := range moments {
		t.Run(m.name, func(t *testing.T) {
			b := newBench()
			m.to(b)
			snapshot, err := b.s.state.Encode()
			if err != nil {
				t.Fatal(err)
			}
			restored, err := core.Restore("s", core.Loaded{State: snapshot, StateSeq: b.s.state.Seq}, nil)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := restored.Encode()
			if string(again) != string(snapshot) {
				t.Fatalf("written\n%s\nand again\n%s", snapshot, again)
			}
			twice, err := core.Restore("s", core.Loaded{State: again, StateSeq: restored.Seq}, nil)
			if err != nil || !reflect.DeepEqual(restored, twice) {
				t.Errorf("%v: restored\n%+v\nand again\n%+v", err, restored, twice)
			}
			if !reflect.DeepEqual(restored.Questions, b.s.state.Questions) && len(restored.Questions)+len(b.s.state.Questions) > 0 {
				t.Errorf("questions %+v, live %+v", restored.Questions, b.s.state.Questions)
			}
			// What comes after is decided alike.
			for _, c := range commands {
				cmd := clew.Command{By: by("ann"), Data: c.data(b)}
				live, err1 := decide.Decide(b.s.state, cmd, b.now)
				then, err2 := decide.Decide(restored, cmd, b.now)
				if clew.CodeOf(err1) != clew.CodeOf(err2) || err1 == nil && live.Len() != then.Len() {
					t.Errorf("%s: %v, %v and after the restart %v, %v", c.name, live, err1, then, err2)
				}
			}
		})
	}
}

// Covers: EVT-09
func TestMessageInAnotherMode(t *testing.T) {
	b := newBench()
	b.create()
	must(b.ann(&clew.UserMessageData{Text: "plan it", Mode: "architect"}))
	b.think()
	must(b.answer(0))
	for i, mode := range []clew.MessageMode{"code", "code", clew.ModeChat, ""} {
		_, types, err := b.ann(&clew.UserMessageData{Text: "go", Mode: mode})
		if err != nil || slices.Contains(types, clew.EventTaskModeSwitched) != (i == 0) || b.task().Mode != "code" {
			t.Errorf("%q: %v, %v, in mode %s", mode, types, err, b.task().Mode)
		}
		b.think()
		must(b.answer(0))
		b.verify(t)
	}
	old := b.task().TaskID
	if _, types, err := b.ann(&clew.UserMessageData{Text: "go", Mode: clew.ModeRun}); err != nil || !slices.Contains(types, clew.EventLayerStart) || b.task().TaskID == old || b.task().Run == nil {
		t.Errorf("a run: %v, %v", types, err)
	}
}

// Old tasks leave the state, and most histories before them.
func TestTasksAreForgotten(t *testing.T) {
	alone(t)
	b := newBench()
	b.create()
	for i := range core.TasksKept + 20 {
		must(b.ann(&clew.NewTaskData{Text: fmt.Sprint("task ", i)}))
		b.think()
		must(b.answer(1))
		must(b.complete(b.pick(0)))
	}
	s := b.s.state
	histories := 0
	for _, task := range s.Tasks {
		if len(task.History) > 0 {
			histories++
		}
	}
	if len(s.Tasks) > core.TasksKept || histories > core.HistoriesKept+1 || s.Started != core.TasksKept+20 {
		t.Errorf("%d of %d tasks, %d histories", len(s.Tasks), s.Started, histories)
	}
	if _, _, err := b.ann(&clew.ResumeTaskData{TaskID: s.SortedTasks()[0].TaskID}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("a task without a history: %v", err)
	}
	for range core.HistoriesKept + 1 {
		must(b.ann(&clew.NewTaskData{Text: "put away"}))
		must(b.ann(&clew.ClearTaskData{}))
	}
	must(b.ann(&clew.NewTaskData{Text: "last"}))
	must(b.ann(&clew.InterruptData{}))
	list := s.SortedTasks()
	for i, code := range map[int]clew.Code{core.HistoriesKept + 2: clew.SessionInvalidState, 2: ""} { // from the end
		if _, _, err := b.ann(&clew.ResumeTaskData{TaskID: list[len(list)-i].TaskID}); clew.CodeOf(err) != code {
			t.Errorf("the task %d before the last: %v", i-1, err)
		}
	}
	b.check(t)
	if s.Title = ""; s.DisplayTitle() == "" {
		t.Error("no title")
	}
}
