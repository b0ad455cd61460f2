package session

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

var update = flag.Bool("update", false, "write testdata anew")

// asked builds a turn whose first call waits for a person.
func (b *bench) asked(calls int) {
	b.atWork()
	must(b.answer(calls))
	b.approval(clew.AskCommand, b.pick(0).ID, "")
}

// atWork builds a turn with a model call under way.
func (b *bench) atWork() {
	b.create()
	must(b.say("m1"))
	b.think()
}

// running builds a turn whose only call runs.
func (b *bench) running() {
	b.atWork()
	must(b.answer(1))
	b.start(b.pick(0), clew.ClassOnce)
}

// child builds a task that waits for its child.
func (b *bench) child() {
	b.atWork()
	must(b.answer(1))
	b.spawn(b.pick(0))
}

// The moments at which a command may come, in the order of the table.
var moments = []struct {
	name string
	to   func(b *bench)
}{
	{"nothing said", (*bench).create},
	{"turn begun", func(b *bench) { b.create(); must(b.say("m1")) }},
	{"model call", (*bench).atWork},
	{"text grows", func(b *bench) { b.atWork(); must(b.begin()); must(b.update("so far", true)) }},
	{"call proposed", func(b *bench) { b.atWork(); must(b.answer(1)) }},
	{"call asked", func(b *bench) { b.asked(1) }},
	{"call approved", func(b *bench) {
		b.asked(1)
		must(b.ann(&clew.HitlApprovalResponseData{Action: clew.ChoiceApprove}))
	}},
	{"call running", (*bench).running},
	{"asked and running", func(b *bench) { b.asked(2); b.start(b.pick(1), clew.ClassReadOnly) }},
	{"running tool asks", func(b *bench) {
		b.running()
		b.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: b.pick(0).ID}, InputType: clew.InputText})
	}},
	{"followup", func(b *bench) {
		b.atWork()
		must(b.answer(1))
		b.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: b.pick(0).ID}, InputType: clew.InputText, Required: true})
	}},
	{"completion asked", func(b *bench) {
		b.atWork()
		must(b.answer(1))
		b.approval(clew.AskCompletionResult, b.pick(0).ID, "")
	}},
	{"model call failed", func(b *bench) { b.atWork(); b.approval(clew.AskAPIReqFailed, "", "") }},
	{"limit reached", func(b *bench) {
		b.create()
		must(b.say("m1"))
		b.approval(clew.AskMistakeLimitReached, "", core.LimitMistakes)
	}},
	{"call in doubt", func(b *bench) { b.running(); b.approval(clew.AskResumeTask, "", "") }},
	{"child at work", (*bench).child},
	{"child at rest", func(b *bench) { b.child(); must(b.ann(&clew.InterruptData{})) }},
	{"at rest", func(b *bench) { b.atWork(); must(b.answer(0)) }},
	{"completed", func(b *bench) { b.atWork(); must(b.answer(1)); must(b.complete(b.pick(0))) }},
	{"aborted", func(b *bench) { b.atWork(); must(b.ann(&clew.ControlCancelData{})) }},
	{"put away", func(b *bench) { b.atWork(); must(b.ann(&clew.ClearTaskData{})) }},
	{"resume asked", func(b *bench) {
		b.atWork()
		must(b.answer(0))
		must(b.ann(&clew.ResumeTaskData{TaskID: b.task().TaskID}))
	}},
	{"one waits", func(b *bench) { b.atWork(); must(b.say("m2")) }},
	{"two wait", func(b *bench) { b.atWork(); must(b.say("m2")); must(b.say("m3")) }},
	{"a task waits", func(b *bench) { b.atWork(); must(b.ann(&clew.NewTaskData{Text: "other"})) }},
	{"notebook opening", func(b *bench) { b.create(); must(b.ann(&clew.NotebookOpenData{Path: "x.ipynb"})) }},
	{"notebook ready", func(b *bench) { b.opened("1", "2") }},
	{"cells wait", func(b *bench) { b.opened("1", "2"); b.runs("a", "b") }},
	{"cell runs", (*bench).cellRuns},
	{"cell asks", func(b *bench) {
		b.cellRuns()
		b.reported(b.nb().ID, decide.AskCellInput{RunID: b.nb().Run.ID, Prompt: "name?"})
	}},
	{"call waits for cells", func(b *bench) {
		b.awaits(decide.QueueCells{Cells: []string{"a", "b"}})
		b.idle("k1")
		b.starts()
	}},
	{"kernel ahead", func(b *bench) {
		b.opened("1", "2")
		b.idle("k1")
		b.takenBack(b.ranOnce("a"))
	}},
}

// cellRuns builds a notebook with a cell that runs and one that waits.
func (b *bench) cellRuns() {
	b.opened("1", "2")
	b.runs("a", "b")
	b.idle("k1")
	b.starts()
}

// rootTask and youngest name tasks of the moment.
func (b *bench) rootTask() clew.TaskID {
	if list := b.s.state.SortedTasks(); len(list) > 0 {
		return list[0].TaskID
	}
	return "task_none"
}

func (b *bench) youngest() clew.TaskID {
	if list := b.s.state.SortedTasks(); len(list) > 0 {
		return list[len(list)-1].TaskID
	}
	return "task_none"
}

// oldestQuestion names the question of the moment.
func (b *bench) oldestQuestion() clew.RequestID {
	if len(b.s.state.Questions) > 0 {
		return b.s.state.Questions[0].RequestID()
	}
	return "req_none"
}

// firstWaiting and lastWaiting name what waits.
func (b *bench) firstWaiting() clew.MessageID {
	if q := b.s.state.Main().Queue; len(q) > 0 {
		return q[0].MessageID
	}
	return clew.MessageIDOf(b.s.state.Seq)
}

func (b *bench) lastWaiting() clew.MessageID {
	if q := b.s.state.Main().Queue; len(q) > 0 {
		return q[len(q)-1].MessageID
	}
	return clew.MessageIDOf(b.s.state.Seq)
}

// The commands of the table.
var commands = []struct {
	name string
	data func(b *bench) any
}{
	{"user_message", func(*bench) any { return &clew.UserMessageData{Text: "hi"} }},
	{"user_message to the root", func(b *bench) any { return &clew.UserMessageData{Text: "hi", TaskID: b.rootTask()} }},
	{"user_message to a stranger", func(*bench) any { return &clew.UserMessageData{Text: "hi", TaskID: "task_x"} }},
	{"user_message to steer", func(*bench) any { return &clew.UserMessageData{Text: "hi", Delivery: clew.ArrivalSteer} }},
	{"user_message to queue", func(*bench) any { return &clew.UserMessageData{Text: "hi", Delivery: clew.ArrivalQueue} }},
	{"user_message that answers nothing", func(*bench) any {
		return &clew.UserMessageData{Text: "hi", Delivery: clew.ArrivalSteer, MayAnswer: []clew.RequestID{}}
	}},
	{"edit_queued", func(b *bench) any { return &clew.EditQueuedData{MessageID: b.lastWaiting(), Text: "better"} }},
	{"remove_queued", func(b *bench) any { return &clew.RemoveQueuedData{MessageID: b.lastWaiting()} }},
	{"move_queued to the end", func(b *bench) any { return &clew.MoveQueuedData{MessageID: b.firstWaiting()} }},
	{"move_queued to the front", func(b *bench) any {
		return &clew.MoveQueuedData{MessageID: b.lastWaiting(), Before: b.firstWaiting()}
	}},
	{"send_queued", func(b *bench) any { return &clew.SendQueuedData{MessageID: b.lastWaiting()} }},
	{"new_task", func(*bench) any { return &clew.NewTaskData{Text: "other"} }},
	{"approve", func(*bench) any { return &clew.HitlApprovalResponseData{Action: clew.ChoiceApprove} }},
	{"approve with advice", func(*bench) any {
		return &clew.HitlApprovalResponseData{Action: clew.ChoiceApprove, Comment: "carefully"}
	}},
	{"reject", func(*bench) any { return &clew.HitlApprovalResponseData{Action: clew.ChoiceReject} }},
	{"skip", func(*bench) any { return &clew.HitlApprovalResponseData{Action: clew.ChoiceSkip} }},
	{"value", func(*bench) any { return &clew.HitlInputResponseData{Value: "blue"} }},
	{"clarification", func(*bench) any { return &clew.HitlClarificationResponseData{Value: "x"} }},
	{"plan response", func(*bench) any { return &clew.HitlPlanResponseData{Action: clew.ChoiceApprove} }},
	{"yes button", func(*bench) any { return &clew.AskResponseData{AskResponse: clew.YesButtonClicked} }},
	{"no button", func(*bench) any { return &clew.AskResponseData{AskResponse: clew.NoButtonClicked} }},
	{"message response", func(*bench) any { return &clew.AskResponseData{AskResponse: clew.MessageResponse, Text: "rather so"} }},
	{"assign_question", func(b *bench) any { return &clew.AssignQuestionData{RequestID: b.oldestQuestion(), UserID: "ann"} }},
	{"assign_question to a stranger", func(b *bench) any { return &clew.AssignQuestionData{RequestID: b.oldestQuestion(), UserID: "zoe"} }},
	{"assign_question to nobody", func(b *bench) any { return &clew.AssignQuestionData{RequestID: b.oldestQuestion()} }},
	{"interrupt", func(*bench) any { return &clew.InterruptData{} }},
	{"interrupt_agent main", func(*bench) any { return &clew.InterruptAgentData{Agent: string(core.MainAgent)} }},
	{"interrupt_agent stranger", func(*bench) any { return &clew.InterruptAgentData{Agent: "nobody"} }},
	{"control_cancel", func(*bench) any { return &clew.ControlCancelData{} }},
	{"control_cancel youngest", func(b *bench) any { return &clew.ControlCancelData{TaskID: b.youngest()} }},
	{"clear_task", func(*bench) any { return &clew.ClearTaskData{} }},
	{"reset", func(*bench) any { return &clew.ResetData{} }},
	{"resume_task root", func(b *bench) any { return &clew.ResumeTaskData{TaskID: b.rootTask()} }},
	{"resume_task youngest", func(b *bench) any { return &clew.ResumeTaskData{TaskID: b.youngest()} }},
	{"notebook_open", func(*bench) any { return &clew.NotebookOpenData{} }},
	{"notebook_edit", func(b *bench) any {
		return &clew.NotebookEditData{NotebookID: b.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: "b", Source: source("3")}}}
	}},
	{"notebook_run", func(b *bench) any { return &clew.NotebookRunData{NotebookID: b.nb().ID, All: true} }},
	{"notebook_save", func(b *bench) any { return &clew.NotebookSaveData{NotebookID: b.nb().ID} }},
	{"notebook_close", func(b *bench) any { return &clew.NotebookCloseData{NotebookID: b.nb().ID} }},
	{"kernel_execute", func(*bench) any { return &clew.KernelExecuteData{Code: "1"} }},
	{"kernel_interrupt", func(*bench) any { return &clew.KernelInterruptData{} }},
	{"kernel_restart", func(*bench) any { return &clew.KernelRestartData{} }},
	{"kernel_shutdown", func(*bench) any { return &clew.KernelShutdownData{} }},
}

// Every command at every moment: which records it makes, or why it is refused.
// Each moment is headed by what clients are shown of it.
// The table stands in testdata/decisions.txt; -update writes it anew, to be
// read before it is kept.
//
// Covers: UIC-35, UIC-36, UIC-37, UIC-38, C-71, MSG-24, MSG-28, MSG-29, MSG-30, MSG-31, EVT-01, EVT-03, EVT-04, EVT-05, EVT-06, EVT-08, EVT-10, EVT-11, EVT-14, EVT-15, TSK-08, TSK-10, C-18, C-19, C-20, C-22, C-23, POL-02, POL-05, WS-075, WS-076, AGT-30
func TestEveryCommandAtEveryMoment(t *testing.T) {
	alone(t)
	var table strings.Builder
	for _, m := range moments {
		at := newBench()
		m.to(at)
		at.check(t)
		fmt.Fprintf(&table, "-- %s: session %s%s --\n", m.name, at.s.state.Status(), at.states())
		for _, c := range commands {
			b := newMoment(m.to)
			b.verify(t)
			_, types, err := b.ann(c.data(b))
			b.verify(t)
			b.check(t)
			fmt.Fprintf(&table, "%s: %s\n", c.name, outcomeOf(types, err))
		}
	}
	const path = "testdata/decisions.txt"
	if *update {
		if err := os.WriteFile(path, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	moment := ""
	got := strings.Split(table.String(), "\n")
	lines := strings.Split(string(want), "\n")
	if len(got) != len(lines) {
		t.Errorf("%d lines, the table has %d", len(got), len(lines))
	}
	for i, line := range got {
		if strings.HasPrefix(line, "--") {
			moment = line
		}
		if i < len(lines) && lines[i] != line {
			t.Errorf("%s\n got %s\nwant %s", moment, line, lines[i])
		}
	}
}

// states lists what the tasks are doing and how far they have come.
func (b *bench) states() string {
	text := ""
	for _, t := range b.s.state.SortedTasks() {
		st, _ := b.s.state.TaskState(t.TaskID)
		text += fmt.Sprintf(", task %d %s", t.Number, t.Status)
		if t.Turn != nil || st != clew.TaskStateRunning {
			text += " " + string(st)
		}
	}
	return text
}

func outcomeOf(types []clew.EventType, err error) string {
	switch {
	case err != nil:
		return string(clew.CodeOf(err))
	case len(types) == 0:
		return "nothing"
	}
	var names []string
	for _, typ := range types {
		names = append(names, string(typ))
	}
	return strings.Join(names, " ")
}

// Commands that this server does not know yet are refused, not ignored.
func TestUnknownCommands(t *testing.T) {
	b := newBench()
	b.asked(1)
	for _, data := range []any{&clew.ControlPauseData{}, &clew.ControlRetryData{}, &clew.SetProviderData{}, &clew.UpdateSettingsData{}} {
		if _, types, err := b.ann(data); clew.CodeOf(err) != clew.SessionInvalidState || len(types) != 0 {
			t.Errorf("%T gives %v, %v", data, types, err)
		}
	}
}
