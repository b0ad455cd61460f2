package session

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// verify checks, after a step, all that must hold at any moment. It looks at
// the records since the last time.
func (b *bench) verify(t tester) {
	t.Helper()
	b.listen(t)
	live, _ := b.s.state.Encode()
	folded, _ := b.folded.Encode()
	if string(live) != string(folded) {
		t.Fatalf("folded\n%s\nlive\n%s", folded, live)
	}
	s := b.s.state
	trees, talks := map[clew.MonitorID]map[clew.TaskID]bool{}, map[clew.MonitorID]map[clew.TaskID]bool{} // a run may be under way beside a conversation
	for _, m := range s.AllMonitors() {
		trees[m.ID], talks[m.ID] = map[clew.TaskID]bool{}, map[clew.TaskID]bool{}
	}
	for id, task := range s.Tasks {
		if !s.HasMonitor(task.MonitorID) || task.Run != nil && task.Run.Scope().MonitorID != task.MonitorID {
			t.Fatalf("task %s is on %q", id, task.MonitorID)
		}
		if task.TaskID != id || s.Task(task.RootTaskID) == nil || (task.ParentTaskID == "") != (task.RootTaskID == id) {
			t.Fatalf("task %s has the place %+v", id, task.TaskRef)
		}
		if task.Turn != nil && task.AwaitingChild == "" && !s.Beside(task) {
			trees[task.MonitorID][task.RootTaskID] = true
			if s.ActiveRun(task) == nil {
				talks[task.MonitorID][task.RootTaskID] = true
			}
		}
		checkTask(t, s, task)
		if is, told := stateName(s, task), b.told[id]; is != told && (is != "ended" || told != "idle") {
			t.Fatalf("task %s is %s, and clients were told %s", id, is, told)
		}
	}
	if s.Archived && (s.Busy() || len(s.Questions) > 0) {
		t.Fatalf("put away, and %d questions are open, busy %v", len(s.Questions), s.Busy())
	}
	for _, m := range s.AllMonitors() {
		if len(talks[m.ID]) > 1 {
			t.Fatalf("the one agent of %s works on %d tasks", m.ID, len(talks[m.ID]))
		}
		// After a return nobody begins by themselves: what waited waits until somebody
		// says something.
		if waiting := len(m.ForAgent()); waiting > core.QueueMax || waiting > 0 && len(trees[m.ID]) == 0 && s.LastRewindSeq == 0 {
			t.Fatalf("%d messages wait on %s, and %d tasks are under way", waiting, m.ID, len(trees[m.ID]))
		}
		if task := s.Task(m.Current); m.Current != "" && (task == nil || task.MonitorID != m.ID || s.ActiveAncestor(task) != task) {
			t.Fatalf("task %s is in focus on %s: %+v", m.Current, m.ID, task)
		}
	}
	for id := range s.Reminded {
		if s.OpenQuestion(id) == nil {
			t.Fatalf("question %s is settled, and its reminder is kept", id)
		}
	}
}

// listen folds the records since the last time, as a client hears them.
func (b *bench) listen(t tester) {
	t.Helper()
	for _, r := range b.records[b.seen:] {
		f := core.Folder{State: b.folded, Past: b.fresh}
		if err := f.Add(r); err != nil {
			t.Fatalf("fold: %v", err)
		}
		b.hears(t, r, b.decoded(r))
		checkComplete(t, r, b.decoded(r))
	}
	b.seen = len(b.records)
}

// checkComplete checks that a record of today has all that is added to old ones:
// who reads records hears it too.
func checkComplete(t tester, r clew.Record, data any) {
	t.Helper()
	switch r.Type {
	case clew.EventMessageCreated, clew.EventMessageUpdated, clew.EventToolProgress,
		clew.EventHitlApprovalRequest, clew.EventHitlResolved, clew.EventTaskAborted:
	default:
		return
	}
	old := decoded(r)
	if core.Translate(old); !reflect.DeepEqual(old, data) {
		t.Fatalf("record %d (%s) is read as one of an older program: %+v became %+v", r.Seq, r.Type, data, old)
	}
}

// checkTask checks one task.
func checkTask(t tester, s *core.State, task *core.Task) {
	t.Helper()
	open := 0
	for _, c := range task.Calls {
		if c.Status == core.CallCell {
			open += s.CallRuns(task.TaskID, c.ID)
		}
	}
	for _, q := range s.Questions {
		a := core.SubjectOfQuestion(q)
		if a.Task != task.TaskID {
			continue
		}
		open++
		if task.Turn == nil && a.Ask != clew.AskResumeTask && a.Ask != clew.AskResumeCompletedTask {
			t.Fatalf("question %s (%s) is open after its turn", q.RequestID(), a.Ask)
		}
	}
	if task.Turn != nil && s.ActiveRun(task) == nil && !s.Runnable(task) && open == 0 && (task.AwaitingChild == "" || s.Task(task.AwaitingChild).Ended()) {
		t.Fatalf("task %s waits for nobody: %+v", task.TaskID, task.Calls)
	}
	for _, m := range s.Messages.Tail() {
		if m.Partial && m.TaskID == task.TaskID && task.Turn == nil {
			t.Fatalf("message %s grows after its turn", m.MessageID)
		}
	}
	if task.Turn == nil {
		if len(task.Inbox) > 0 || task.Request != "" || len(task.Calls) > 0 {
			t.Fatalf("left behind at rest: %d unheard, request %q, calls %+v", len(task.Inbox), task.Request, task.Calls)
		}
		checkHistory(t, task.History)
	}
}

// checkHistory holds a model history against what providers demand: each call
// has one result, in the next message, and there is no result without a call.
func checkHistory(t tester, history []clew.ModelMessage) {
	t.Helper()
	open := map[string]bool{}
	for i, m := range history {
		results := map[string]bool{}
		for _, p := range m.Content {
			if p.Type != clew.PartToolResult {
				continue
			}
			if !open[p.ToolCallID] || results[p.ToolCallID] || m.Role != clew.SpeakerUser {
				t.Fatalf("entry %d has a result of %s, open are %v", i, p.ToolCallID, open)
			}
			results[p.ToolCallID] = true
		}
		if len(results) != len(open) {
			t.Fatalf("entry %d (%s) has %d results of %d calls", i, m.Role, len(results), len(open))
		}
		open = map[string]bool{}
		for _, c := range m.ToolCalls() {
			open[c.ToolCallID] = true
		}
	}
	if len(open) > 0 {
		t.Fatalf("calls %v have no result", open)
	}
}

// stateName is what a task is doing, as clients should have been told.
func stateName(s *core.State, t *core.Task) string {
	st, q := s.TaskState(t.TaskID)
	switch {
	case q != "":
		return string(st) + "?"
	case t.Ended():
		return "ended"
	case t.AwaitingChild != "":
		return "paused"
	case t.Turn == nil:
		return "idle"
	}
	return "running"
}

// hears follows what clients are told of tasks and questions: a state only when
// it changes, and an answer only once.
func (b *bench) hears(t tester, r clew.Record, data any) {
	t.Helper()
	tell := func(ref clew.TaskRef, state string, q clew.RequestID) {
		if q != "" {
			state += "?"
		}
		if b.told[ref.TaskID] == state {
			t.Fatalf("%s at %d tells nothing new: %s", r.Type, r.Seq, r.Data())
		}
		b.told[ref.TaskID] = state
	}
	if strings.HasPrefix(string(r.Type), "task_") {
		var ref clew.TaskRef
		if err := json.Unmarshal(r.Data(), &ref); err != nil || b.folded.Task(ref.TaskID) == nil || b.folded.Task(ref.TaskID).TaskRef != ref {
			t.Fatalf("%s has the place %+v, %v", r.Type, ref, err)
		}
	}
	if a := (clew.Question{Data: data}).Asking(); a != nil {
		b.questions[a.RequestID] = *a
	}
	switch d := data.(type) {
	case *clew.HistoryRewoundData, *clew.RewindUndoneData:
		b.hearsReturn()
	case *clew.TaskActiveData:
		tell(d.TaskRef, "running", "")
	case *clew.TaskInteractiveData:
		tell(d.TaskRef, "interactive", d.RequestID)
	case *clew.TaskResumableData:
		tell(d.TaskRef, "resumable", d.RequestID)
	case *clew.TaskIdleData:
		tell(d.TaskRef, "idle", d.RequestID)
	case *clew.TaskPausedData:
		tell(d.TaskRef, "paused", "")
	case *clew.TaskCompletedData:
		tell(d.TaskRef, "ended", "")
	case *clew.TaskAbortedData:
		tell(d.TaskRef, "ended", "")
	case *clew.HitlResolvedData:
		b.hearsAnswer(t, r, d)
	case *clew.HitlReminderData:
		if a := b.questions[d.RequestID]; b.reminded[d.RequestID] || b.settled[d.RequestID] || a.DeadlineMS == 0 || d.DeadlineMS != a.DeadlineMS || d.RemainingSec <= 0 {
			t.Fatalf("reminder %+v of %+v", d, a)
		}
		b.reminded[d.RequestID] = true
	case *clew.HitlAssignedData:
		a, ok := b.questions[d.RequestID]
		if !ok || b.settled[d.RequestID] {
			t.Fatalf("question %s is assigned, and is not open", d.RequestID)
		}
		a.Assignee = d.Assignee
		b.questions[d.RequestID] = a
	case *clew.MessageAcceptedData:
		if key := string(d.MessageID) + " by " + string(d.TaskID); d.Delivery != clew.DeliveryAnswer {
			if b.accepted[key] {
				t.Fatalf("message %s is accepted twice", key)
			}
			b.accepted[key] = true
		}
	}
}

// hearsReturn has clients forget what they knew: from now on they go by what the
// session is there.
func (b *bench) hearsReturn() {
	clear(b.told)
	for id, t := range b.folded.Tasks {
		b.told[id] = stateName(b.folded, t)
	}
	for id := range b.questions {
		b.settled[id] = true
	}
	clear(b.reminded)
	for _, q := range b.folded.Questions {
		b.questions[q.RequestID()] = *q.Asking()
		delete(b.settled, q.RequestID())
		_, b.reminded[q.RequestID()] = b.folded.Reminded[q.RequestID()]
	}
	for _, r := range b.records {
		if r.Type != clew.EventMessageAccepted || !b.folded.Hidden(r.Seq) {
			continue
		}
		if d, ok := b.decoded(r).(*clew.MessageAcceptedData); ok {
			delete(b.accepted, string(d.MessageID)+" by "+string(d.TaskID))
		}
	}
}

// hearsAnswer checks that a question is settled once, by somebody who may, and
// by itself at its deadline and not before.
func (b *bench) hearsAnswer(t tester, r clew.Record, d *clew.HitlResolvedData) {
	t.Helper()
	a, ok := b.questions[d.RequestID]
	switch {
	case !ok || b.settled[d.RequestID]:
		t.Fatalf("question %s is settled twice", d.RequestID)
	case d.ByTimeout && (a.DeadlineMS == 0 || r.TS < a.DeadlineMS || d.ResolvedBy != ""):
		t.Fatalf("question %+v times out at %d: %+v", a, r.TS, d)
	case d.ResolvedBy != "" && a.DeadlineMS > 0 && b.now >= a.DeadlineMS:
		t.Fatalf("question %+v is answered at %d: %+v", a, b.now, d)
	case d.ResolvedBy != "" && a.Assignee != "" && d.ResolvedBy != a.Assignee && d.ResolvedBy != b.folded.Owner:
		t.Fatalf("question %+v is answered by %s", a, d.ResolvedBy)
	}
	b.settled[d.RequestID] = true
}
