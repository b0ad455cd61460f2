package session

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// midway is a plan in execution with a todo of each status: done is completed,
// bad failed for good, busy in progress, left skipped, late pending.
func (b *bench) midway() {
	b.executing("done", "bad", "busy", "left", "late<bad,busy")
	b.finishTodo("done")
	must(b.ann(&clew.ControlSkipData{TodoID: "left"}))
	b.failTodo("bad", false)
}

// Where a run can stand, in the order of the table.
var runMoments = []struct {
	name  string
	phase run.Phase
	to    func(b *bench)
}{
	{"understanding", run.Understanding, (*bench).startRun},
	{"planning", run.Planning, func(b *bench) { b.startRun(); b.understand() }},
	{"review", run.Review, func(b *bench) { b.reviewing("done", "bad", "busy", "left", "late<bad,busy") }},
	{"review of a change", run.Review, func(b *bench) { b.midway(); must(b.ann(addTodo("more"))) }},
	{"planning anew", run.Planning, func(b *bench) {
		b.midway()
		must(b.ann(addTodo("more")))
		if _, err := b.review(clew.ChoiceModify, "less of it"); err != nil {
			panic(err)
		}
	}},
	{"executing", run.Executing, (*bench).midway},
	{"responding", run.Responding, func(b *bench) { b.executing("done"); b.finishTodo("done") }},
	{"completed", run.Completed, func(b *bench) { b.executing("done"); b.finishTodo("done"); b.respondRun() }},
	{"failed", run.Failed, (*bench).midway},
	{"cancelled", run.Cancelled, func(b *bench) { b.midway(); must(b.ann(&clew.ControlCancelData{Reason: "enough"})) }},
}

func addTodo(id string) *clew.EditPlanData {
	return &clew.EditPlanData{Modifications: clew.List[clew.PlanEdit]{addEdit(id)}}
}

func addEdit(id string) clew.PlanEdit {
	return clew.PlanEdit{Action: clew.PlanAdd, TodoID: id, Task: "do " + id}
}

// A runCommand is a row of the table. Its ops are those that all have to fit for
// it to be taken; with a todo they have to fit that one.
type runCommand struct {
	name string
	data func(b *bench) any
	ops  []run.Op
	todo string
}

// reviewID names the review of the moment, or one that is not open.
func (b *bench) reviewID() clew.RequestID {
	if id := b.run().Review; id != "" {
		return id
	}
	return "req_none"
}

func runCommands() []runCommand {
	plan := func(action clew.Choice, instruction string, edits ...clew.PlanEdit) func(*bench) any {
		return func(b *bench) any {
			return &clew.HitlPlanResponseData{RequestID: b.reviewID(), Action: action, Instruction: instruction, Modifications: edits}
		}
	}
	list := []runCommand{
		{"control_pause", func(*bench) any { return &clew.ControlPauseData{Reason: "lunch"} }, []run.Op{run.Pause}, ""},
		{"control_resume", func(*bench) any { return &clew.ControlResumeData{} }, []run.Op{run.Resume}, ""},
		{"control_resume with a change", func(*bench) any {
			return &clew.ControlResumeData{Modifications: []clew.PlanEdit{addEdit("new")}}
		}, []run.Op{run.Resume, run.Edit}, ""},
		{"control_cancel", func(*bench) any { return &clew.ControlCancelData{Reason: "enough"} }, []run.Op{run.Cancel}, ""},
		{"edit_plan", func(*bench) any { return addTodo("new") }, []run.Op{run.Edit}, ""},
		{"edit_plan of another version", func(*bench) any { d := addTodo("new"); d.Version = 9; return d }, nil, ""},
		{"approve", plan(clew.ChoiceApprove, ""), []run.Op{run.Approve}, ""},
		{"modify by words", plan(clew.ChoiceModify, "shorter"), []run.Op{run.Modify}, ""},
		{"modify by edits", plan(clew.ChoiceModify, "", addEdit("new")), []run.Op{run.Modify}, ""},
		{"modify by both", plan(clew.ChoiceModify, "shorter", addEdit("new")), []run.Op{run.Modify}, ""},
		{"reject", plan(clew.ChoiceReject, ""), []run.Op{run.Reject}, ""},
		{"user_message", func(*bench) any { return &clew.UserMessageData{Text: "and mind the cost"} }, nil, ""},
		{"user_message that answers nothing", func(*bench) any {
			return &clew.UserMessageData{Text: "and mind the cost", Delivery: clew.ArrivalSteer, MayAnswer: []clew.RequestID{}}
		}, nil, ""},
		{"user_message run", func(*bench) any { return &clew.UserMessageData{Text: "another", Mode: clew.ModeRun} }, nil, ""},
		{"interrupt", func(*bench) any { return &clew.InterruptData{} }, nil, ""},
		{"interrupt_agent main", func(*bench) any { return &clew.InterruptAgentData{Agent: string(core.MainAgent)} }, nil, ""},
		{"clear_task", func(*bench) any { return &clew.ClearTaskData{} }, nil, ""},
		{"reset", func(*bench) any { return &clew.ResetData{} }, nil, ""},
		{"resume_task", func(b *bench) any { return &clew.ResumeTaskData{TaskID: b.root().TaskID} }, nil, ""},
		{"assign_question", func(b *bench) any { return &clew.AssignQuestionData{RequestID: b.oldestQuestion(), UserID: "ann"} }, nil, ""},
	}
	for _, id := range []string{"done", "bad", "busy", "left", "late", "nobody"} {
		list = append(list,
			runCommand{"control_retry " + id, func(*bench) any { return &clew.ControlRetryData{TodoID: id} }, []run.Op{run.Retry}, id},
			runCommand{"control_skip " + id, func(*bench) any { return &clew.ControlSkipData{TodoID: id} }, []run.Op{run.Skip}, id})
	}
	return list
}

// Every command that steers a run, wherever the run stands: which records it
// makes, or why it is refused, and that this is what the table of states says.
// It stands in testdata/run_decisions.txt; -update writes it anew, to be read
// before it is kept.
//
// Covers: RUN-22, RUN-25, RUN-26, RUN-27, RUN-28, WS-062, WS-066, WS-067, WS-068, WS-069, WS-070
func TestEveryCommandToEveryRun(t *testing.T) {
	alone(t)
	var table strings.Builder
	for _, m := range runMoments {
		for _, paused := range []bool{false, true} {
			if paused && m.phase.Ended() {
				continue
			}
			name := m.name
			if paused {
				name += ", paused"
			}
			at := newRunMoment(t, m.to, m.phase, paused)
			at.way = 0
			at.check(t)
			fmt.Fprintf(&table, "-- %s: session %s, %s --\n", name, at.s.state.Status(), at.statuses())
			for _, c := range runCommands() {
				b := newRunMoment(t, m.to, m.phase, paused)
				if r := b.run(); r.Phase != m.phase || r.Paused != paused {
					t.Fatalf("%s: the run is %s, paused %v", name, r.Phase, r.Paused)
				}
				want := b.refusal(c)
				_, types, err := b.ann(c.data(b))
				b.verify(t)
				b.verifyRun(t)
				b.check(t)
				if len(c.ops) > 0 && !allowed(want, err) {
					t.Errorf("%s, %s: %v, the table of states says %v", name, c.name, err, want)
				}
				fmt.Fprintf(&table, "%s: %s\n", c.name, outcomeOf(types, err))
			}
		}
	}
	compareGolden(t, "testdata/run_decisions.txt", table.String())
}

// newRunMoment brings a new run to where it shall stand.
func newRunMoment(t *testing.T, to func(*bench), phase run.Phase, paused bool) *bench {
	t.Helper()
	b := newMoment(to)
	if phase == run.Failed { // nobody says what to do about the failed todo
		b.verify(t)
		b.now += 700_000
		b.settleAll()
	}
	if paused {
		must(b.ann(&clew.ControlPauseData{Reason: "lunch"}))
	}
	b.verify(t)
	b.verifyRun(t)
	return b
}

// refusal is what the table of states says about a command, "" for a yes.
func (b *bench) refusal(c runCommand) clew.Code {
	for _, op := range c.ops {
		err := b.run().Check(op)
		if c.todo != "" {
			_, err = b.run().CheckTodo(op, c.todo)
		}
		if err == nil {
			continue
		}
		switch op {
		case run.Approve, run.Modify, run.Reject: // the question is not open
			return clew.HitlRequestExpired
		}
		return clew.CodeOf(err)
	}
	return ""
}

func allowed(want clew.Code, err error) bool {
	if err == nil {
		return want == ""
	}
	return want == clew.CodeOf(err)
}

// compareGolden holds a table against the file that keeps it.
func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path) //nolint:gosec // a name from this file
	if err != nil {
		t.Fatal(err)
	}
	head := ""
	lines, kept := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	if len(lines) != len(kept) {
		t.Errorf("%d lines, the table has %d", len(lines), len(kept))
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "--") {
			head = line
		}
		if i < len(kept) && kept[i] != line {
			t.Errorf("%s\n got %s\nwant %s", head, line, kept[i])
		}
	}
}
