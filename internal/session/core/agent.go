package core

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/clew-run/clew"
)

// AgentRules is what the settings say about agents beside each other.
type AgentRules struct {
	Monitors int // monitors that a session may have, with the main one
	// Ephemeral says that what an agent at work would not hear soon is answered by one
	// of its own.
	Ephemeral bool
	Budget    MonitorBudget
	Wakes     int // results in a row that wake an agent without a person
	// KernelAfterRewind says what becomes of kernels that are ahead of their notebooks.
	KernelAfterRewind clew.KernelPolicy
}

// DefaultAgentRules hold where there are no settings.
var DefaultAgentRules = AgentRules{Monitors: 4, Wakes: 10, KernelAfterRewind: clew.KernelAsk, Budget: MonitorBudget{Turns: 2, Actions: 30, Bytes: 50_000}}

// AgentRules is what the settings say about agents, in this session.
func (s *State) AgentRules() AgentRules {
	if s.Rules == nil {
		return DefaultAgentRules
	}
	return s.Rules.Agents(s.Settings)
}

// Kind says what the task's agent is there for.
func (t *Task) Kind() clew.AgentKind { return cmp.Or(t.AgentKind, kindOf(t.TaskRef, t.TodoID)) }

// Beside reports whether a task's agent works beside the main one of its monitor, which
// is free all the same.
func (s *State) Beside(t *Task) bool {
	for x := t; x != nil; x = s.Task(x.ParentTaskID) {
		if kind := x.Kind(); x.Wake || kind == clew.AgentEphemeral || kind == clew.AgentWindow {
			return true
		}
	}
	return false
}

// retire puts an agent away that was there for one turn: nobody talks to it again.
func (t *Task) retire(now int64) {
	if t.Kind() != clew.AgentEphemeral && !t.Wake && t.ActionID == "" {
		return
	}
	t.Dismissed, t.EndedMS, t.History, t.Inbox = true, now, nil, nil
	if !t.Ended() {
		t.Status = clew.TaskStatusCompleted
		if t.Outcome != nil && t.Outcome.Status != clew.OutcomeDone {
			t.Status = clew.TaskStatusAborted
		}
	}
}

// Role is the name of the task's agent for the turn that it has, "" if it has none. It
// follows from the turn and is never stored.
func (t *Task) Role() string {
	if t.Turn == nil {
		return ""
	}
	return t.RoleFor(t.Turn.ID)
}

// RoleFor is the name that the task's agent has for a turn on a message.
func (t *Task) RoleFor(message clew.MessageID) string {
	switch t.Kind() {
	case clew.AgentTask, clew.AgentStep:
		return "task-" + string(message) + "-" + strconv.FormatInt(t.CreatedMS, 10)
	case clew.AgentEphemeral:
		return string(t.AgentID)
	case clew.AgentWindow:
		return t.roleInWindow()
	case clew.AgentMain:
	}
	return string(t.AgentID) + "-" + string(message)
}

// title says in short what the task is about.
func (t *Task) title() string { return PlainLine(t.Text, TitleRunes-1) }

// agentStates lists the agents that have a turn, the oldest turn first.
func (s *State) agentStates() clew.List[clew.AgentState] {
	list := clew.List[clew.AgentState]{}
	for _, t := range s.SortedTasks() {
		if t.Turn == nil {
			continue
		}
		list = append(list, clew.AgentState{
			AgentID: t.AgentID, Kind: t.Kind(), Role: t.Role(), MonitorID: t.MonitorID, TaskID: t.TaskID, WindowID: cmp.Or(t.Turn.WindowID, t.WindowID),
			Title: t.title(), Waiting: s.awaitsPerson(t), SinceMS: t.Turn.SinceMS,
		})
	}
	slices.SortStableFunc(list, func(a, b clew.AgentState) int { return cmp.Compare(a.SinceMS, b.SinceMS) })
	return list
}

// HearsSoon reports whether a turn under way gets what is said now with its next step:
// it waits for nobody.
func (s *State) HearsSoon(t *Task) bool {
	for t.AwaitingChild != "" { // the one at work on its behalf may be the one that waits
		child := s.Task(t.AwaitingChild)
		if child == nil {
			break
		}
		t = child
	}
	return !s.awaitsPerson(t) && !s.RunPaused(t)
}

// awaitsPerson reports whether a turn stands still until a person answers.
func (s *State) awaitsPerson(t *Task) bool {
	return !s.HasWork(t) && slices.ContainsFunc(s.Questions, func(q clew.Question) bool {
		about := SubjectOfQuestion(q)
		return about.Task == t.TaskID || about.HoldsRun() && s.sameRun(t.TaskID, about.Task)
	})
}
