package session

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
)

// decideUserMessage takes a person's words to where they belong: they answer
// the question that is open, start a turn, steer the one under way, or wait.
func decideUserMessage(s *State, cmd clew.Command, d *clew.UserMessageData, now int64) ([]clew.Event, error) {
	if d.RequestID != "" {
		q := s.question(d.RequestID)
		if q == nil {
			return nil, clew.Errorf(clew.HitlRequestExpired, "no such question is open")
		}
		return decideWords(s, cmd, *q, d, now)
	}
	if d.MonitorID != "" && d.MonitorID != clew.MainMonitor {
		return nil, clew.Errorf(clew.AgentLimit, "this server has one monitor, %s", clew.MainMonitor)
	}
	mode, err := modeOf(s, string(d.Mode))
	if err != nil {
		return nil, err
	}
	id := d.TaskID
	if id == "" {
		id = s.Current
	}
	t := s.Task(id)
	if t == nil && d.TaskID != "" {
		return nil, clew.Errorf(clew.TaskNotFound, "no task %s", d.TaskID)
	}
	if mode == string(clew.ModeRun) {
		return decideNewTask(s, cmd, &clew.NewTaskData{Text: d.Text, Images: d.Images, Mode: mode}, d.Budget, now)
	}
	in := Input{Text: d.Text, Images: d.Images, Mode: mode}
	if t != nil {
		heir := s.heir(t)
		for _, x := range []*Task{t, heir} {
			if q := s.asked(x); q != nil && d.Answers(q.RequestID()) && (d.Delivery != clew.ArrivalQueue || !s.AtWork()) {
				return decideWords(s, cmd, *q, d, now)
			}
		}
		if t = heir; d.TaskID != "" {
			in.TaskID = t.TaskID
		}
	}
	in.New = t == nil || t.PutAway && d.TaskID == ""
	working := s.AtWork()
	under := !in.New && t.Turn != nil
	switch {
	case !working && !under:
		return said(s, cmd, in, now, clew.DeliveryDirect)
	case under && len(t.Inbox) < queueMax && (!working || s.steers(d.Delivery)):
		return said(s, cmd, in, now, clew.DeliverySteer)
	case !working: // it waits for its child, which is at rest
		return nil, clew.Errorf(clew.QueueFull, "%d messages are waiting already", len(t.Inbox))
	}
	return queued(s, cmd, in, now)
}

// steers reports whether what is said to an agent at work goes into its turn:
// whoever says it chooses, else the settings do.
func (s *State) steers(choice clew.Arrival) bool {
	if choice != "" {
		return choice == clew.ArrivalSteer
	}
	return s.rules != nil && s.rules.Steers(s.Settings)
}

// decideNewTask starts a task, or lets it wait for the one under way.
func decideNewTask(s *State, cmd clew.Command, d *clew.NewTaskData, budget *clew.Budget, now int64) ([]clew.Event, error) {
	if d.MonitorID != "" && d.MonitorID != clew.MainMonitor {
		return nil, clew.Errorf(clew.AgentLimit, "this server has one monitor, %s", clew.MainMonitor)
	}
	mode, err := modeOf(s, d.Mode)
	if err != nil {
		return nil, err
	}
	in := Input{Text: d.Text, Images: d.Images, Mode: mode, New: true, Budget: budget}
	if s.AtWork() && (mode != string(clew.ModeRun) || s.runAtWork()) {
		return queued(s, cmd, in, now)
	}
	return said(s, cmd, in, now, clew.DeliveryDirect)
}

// runAtWork reports whether a run is under way. Runs wait for one another, but
// not for a conversation: that may be waiting for a person itself, for days.
func (s *State) runAtWork() bool {
	for _, t := range s.Tasks {
		if t.Run != nil && t.TodoID == "" && !t.Run.Phase.Ended() {
			return true
		}
	}
	return false
}

// modeOf checks the name of a mode; chat is whatever mode holds anyway.
func modeOf(s *State, mode string) (string, error) {
	switch mode {
	case "", string(clew.ModeChat):
		return "", nil
	case string(clew.ModeRun):
		return mode, nil
	}
	if s.rules == nil {
		return mode, nil
	}
	return mode, s.rules.CheckMode(s.Settings, mode)
}

// asked is the open question that plain words to a task answer.
func (s *State) asked(t *Task) *clew.Question {
	for i := range s.Questions {
		if a := aboutOf(s.Questions[i]); a.task == t.TaskID && !s.ofPlan(a) && (!a.shared() || s.running(t) == nil) && a.ask.State() != clew.TaskStateRunning {
			return &s.Questions[i]
		}
	}
	return nil
}

// spoken is the message of what a person said.
func spoken(cmd clew.Command, in Input, b Batch, task clew.TaskID) clew.Event {
	return clew.Event{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: clew.Message{
		MessageID: b.ID(0), TS: b.TS(0), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser,
		Text: in.Text, Images: in.Images, MonitorID: clew.MainMonitor, TaskID: task,
		ClientMessageID: cmd.ClientMessageID, UserID: cmd.By.User,
	}}}
}

// said hands words to an agent at once.
func said(s *State, cmd clew.Command, in Input, now int64, how clew.Delivery) ([]clew.Event, error) {
	b := batchAt(s, now)
	in.MessageID = b.ID(0)
	task := in.TaskID
	switch {
	case in.New:
		task = taskAt(s, b, 1)
	case task == "":
		task = s.Current
	}
	events := []clew.Event{spoken(cmd, in, b, task)}
	if how == clew.DeliveryDirect {
		events = append(events, takeUp(s, in, "")...)
		return append(events, begin(s, in, cmd.ClientMessageID, b, len(events))...), nil
	}
	return append(events, steer(s, s.Task(task), b.ID(0), cmd.ClientMessageID)...), nil
}

// steer puts a message into the turn under way.
func steer(s *State, t *Task, id clew.MessageID, client clew.ClientMessageID) []clew.Event {
	var events []clew.Event
	if r := s.running(t); r != nil && t.Run == r { // those at work on its todos hear it as well
		for _, todo := range r.Todos {
			if child := s.Task(todo.TaskID); child != nil && child.Turn != nil && !child.Ended() {
				events = append(events, accept(child, id, "", clew.DeliverySteer))
			}
		}
	}
	return append(events, accept(t, id, client, clew.DeliverySteer),
		clew.Event{Type: clew.EventTaskUserMessage, Data: &clew.TaskUserMessageData{TaskRef: t.TaskRef, MessageID: id}})
}

func queued(s *State, cmd clew.Command, in Input, now int64) ([]clew.Event, error) {
	if len(s.Queue) >= queueMax {
		return nil, clew.Errorf(clew.QueueFull, "%d messages are waiting already", len(s.Queue))
	}
	return []clew.Event{{Type: clew.EventMessageQueued, Data: &clew.MessageQueuedData{
		ClientMessageID: cmd.ClientMessageID, MessageID: batchAt(s, now).ID(0), AgentID: MainAgent, MonitorID: clew.MainMonitor,
		Text: in.Text, Images: in.Images, UserID: cmd.By.User, TaskID: in.TaskID,
		Position: len(s.Queue) + 1, NewTask: in.New, Mode: in.Mode, Budget: in.Budget,
	}}}, nil
}

// heard puts what waited into the transcript, as the i-th event of the batch: its
// place there is where an agent gets it. It is in under its new name from then on.
func heard(s *State, in *Input, task clew.TaskID, b Batch, i int) []clew.Event {
	if !in.Unsaid {
		return nil
	}
	m := s.messageOf(*in)
	m.MessageID, m.TS, m.TaskID, m.QueuedAs = b.ID(i), b.TS(i), task, in.MessageID
	in.MessageID, in.Unsaid = m.MessageID, false
	return []clew.Event{{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: m}}}
}

func taskAt(s *State, b Batch, i int) clew.TaskID {
	return clew.TaskID(nameAt("task_", s.ID, b.seq+uint64(i)))
}

func accept(t *Task, id clew.MessageID, client clew.ClientMessageID, how clew.Delivery) clew.Event {
	return clew.Event{Type: clew.EventMessageAccepted, Data: &clew.MessageAcceptedData{
		ClientMessageID: client, MessageID: id, AgentID: t.AgentID, MonitorID: clew.MainMonitor, Delivery: how, TaskID: t.TaskID,
	}}
}

// begin starts a turn on a message, which is on record or waited in the queue.
// Its first event is the i-th of the batch.
func begin(s *State, in Input, client clew.ClientMessageID, b Batch, i int) []clew.Event {
	id := in.TaskID
	if id == "" {
		id = s.Current
	}
	t := s.Task(id)
	fresh := in.New || t == nil
	switch {
	case fresh && in.Unsaid:
		id = taskAt(s, b, i+1)
	case fresh:
		id = taskAt(s, b, i)
	default:
		id = t.TaskID
	}
	events := heard(s, &in, id, b, i)
	if fresh {
		t = &Task{TaskRef: clew.TaskRef{TaskID: id, MonitorID: clew.MainMonitor}, AgentID: MainAgent}
		t.RootTaskID = t.TaskID
		created := &clew.TaskCreatedData{
			TaskRef: t.TaskRef, Task: clip(in.Text, titleRunes*5), Mode: in.Mode, Workspace: s.Workspace, AgentID: MainAgent,
		}
		if in.Mode == string(clew.ModeRun) {
			created.Mode, created.RunID, created.Budget = "", run.IDOf(t.TaskID), in.Budget
		}
		events = append(events, clew.Event{Type: clew.EventTaskCreated, Data: created})
	} else if in.Mode != "" && in.Mode != t.Mode {
		events = append(events, clew.Event{Type: clew.EventTaskModeSwitched, Data: &clew.TaskModeSwitchedData{TaskRef: t.TaskRef, Mode: in.Mode}})
	}
	events = append(events, accept(t, in.MessageID, client, clew.DeliveryDirect))
	if fresh {
		events = append(events, clew.Event{Type: clew.EventTaskStarted, Data: &clew.TaskStartedData{TaskRef: t.TaskRef}})
	}
	events = append(events, focus(s, t.TaskRef)...)
	events = append(events,
		clew.Event{Type: clew.EventTaskActive, Data: &clew.TaskActiveData{TaskRef: t.TaskRef}},
		clew.Event{Type: clew.EventTaskUserMessage, Data: &clew.TaskUserMessageData{TaskRef: t.TaskRef, MessageID: in.MessageID}})
	if in.Mode == string(clew.ModeRun) {
		events = append(events, clew.Event{Type: clew.EventLayerStart, Data: &clew.LayerStartData{
			Layer: clew.LayerCognitive, Description: layerWords[clew.LayerCognitive],
			Scope: clew.Scope{RunID: run.IDOf(t.TaskID), MonitorID: clew.MainMonitor},
		}})
	}
	return events
}

// focus brings a task to the front.
func focus(s *State, ref clew.TaskRef) []clew.Event {
	if s.Current == ref.TaskID {
		return nil
	}
	var events []clew.Event
	if old := s.Task(s.Current); old != nil {
		events = append(events, clew.Event{Type: clew.EventTaskUnfocused, Data: &clew.TaskUnfocusedData{TaskRef: old.TaskRef}})
	}
	return append(events, clew.Event{Type: clew.EventTaskFocused, Data: &clew.TaskFocusedData{TaskRef: ref}})
}

// startNext hands the oldest waiting message to the agent that became free. Its
// first event is the i-th of the batch. A task that waits for its child hears
// what was said to it when it goes on, unless its tree ends in this batch.
func startNext(s *State, ended clew.TaskID, b Batch, i int) []clew.Event {
	var events []clew.Event
	for _, in := range s.Queue {
		if in.Mode == string(clew.ModeRun) && s.otherRun(ended) {
			continue // one run at a time
		}
		if root := s.steeredRun(in, ended); root != nil {
			events = append(events, hears(s, root, in, b, i+len(events))...)
			continue
		}
		t := s.Task(in.TaskID)
		if t != nil {
			if t = s.heir(t); t.RootTaskID == ended {
				t = s.Task(ended)
			}
			in.TaskID = t.TaskID
		}
		if in.New || t == nil || t.AwaitingChild == "" || t.TaskID == ended {
			events = append(events, takeUp(s, in, ended)...)
			return append(events, begin(s, in, in.Client, b, i+len(events))...)
		}
		events = append(events, hears(s, t, in, b, i+len(events))...)
	}
	return events
}

// hears gives a task at work what waited for it, from the i-th event of the batch
// on.
func hears(s *State, t *Task, in Input, b Batch, i int) []clew.Event {
	events := heard(s, &in, t.TaskID, b, i)
	return append(events, accept(t, in.MessageID, in.Client, clew.DeliverySteer),
		clew.Event{Type: clew.EventTaskUserMessage, Data: &clew.TaskUserMessageData{TaskRef: t.TaskRef, MessageID: in.MessageID}})
}

// takeUp settles the question whether a task at rest shall be taken up again:
// words for it that are no answer do so. They waited while somebody went back in
// time, or are of one who does not know of the question.
func takeUp(s *State, in Input, ended clew.TaskID) []clew.Event {
	id := in.TaskID
	if id == "" {
		id = s.Current
	}
	t := s.Task(id)
	if in.New || t == nil || t.Turn != nil || t.RootTaskID == ended {
		return nil
	}
	q := s.asked(t)
	if q == nil {
		return nil
	}
	return append([]clew.Event{{Type: clew.EventHitlResolved, Data: &clew.HitlResolvedData{
		RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "taken up with a message", TaskID: t.TaskID,
	}}}, answered(s, q.Asking().MessageID)...)
}

// otherRun reports whether a run is under way that does not end in this batch.
func (s *State) otherRun(ended clew.TaskID) bool {
	root := s.theRun()
	return root != nil && root.TaskID != ended && s.running(root) != nil
}

// steeredRun is the root of the run that waiting words are for, nil if they are
// for no run, or for one that ends in this batch.
func (s *State) steeredRun(in Input, ended clew.TaskID) *Task {
	id := in.TaskID
	if id == "" {
		id = s.Current
	}
	t := s.Task(id)
	if in.New || t == nil || s.running(t) == nil || s.root(t).TaskID == ended {
		return nil
	}
	return s.root(t)
}

// focused is the state with another task in focus, for what starts after the
// focus moved in the same batch.
func focused(s *State, id clew.TaskID) *State {
	after := *s
	after.Current = id
	return &after
}

// clip shortens text to a number of characters.
func clip(text string, runes int) string {
	n := 0
	for i := range text {
		if n == runes {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
