package session

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// awaits has the agent's only call wait for cells of the newest notebook.
func (b *bench) awaits(in decide.QueueCells) {
	b.opened("1", "2", "3")
	must(b.say("m1"))
	b.think()
	must(b.answer(1))
	in.Plan.Call, in.NotebookID = b.pick(0), b.nb().ID
	must(b.intent(b.task(), approved(b.nb(), in)))
}

// approved is bound to what the notebook has, as an agent's call is.
func approved(n *core.Notebook, in decide.QueueCells) decide.QueueCells {
	in.Kernel, in.Sources = decide.KernelInUse(n), nil
	for _, id := range in.Cells {
		hash := ""
		if c := n.Cell(id); c != nil {
			hash = decide.SourceOf(c)
		}
		in.Sources = append(in.Sources, hash)
	}
	return in
}

// What runs is what was approved: a cell that has another source by now, or a kernel that
// is another one, is refused, and what else was changed is not.
func TestCallRunsWhatWasApproved(t *testing.T) {
	replace := func(b *bench, id, text string) {
		must(b.ann(&clew.NotebookEditData{NotebookID: b.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: id, Source: source(text)}}}))
	}
	for name, c := range map[string]struct {
		between func(b *bench)
		refused string
	}{
		"nothing":         {func(*bench) {}, ""},
		"another cell":    {func(b *bench) { replace(b, "c", "import os") }, ""},
		"back again":      {func(b *bench) { replace(b, "a", "import os"); replace(b, "a", "1") }, ""},
		"the cell":        {func(b *bench) { replace(b, "a", "import os") }, "cell a was changed"},
		"the second cell": {func(b *bench) { replace(b, "b", "") }, "cell b was changed"},
		"the cell is gone": {func(b *bench) {
			must(b.ann(&clew.NotebookEditData{NotebookID: b.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditDelete, CellID: "a"}}}))
		}, "there is no cell a"},
		"a kernel":      {func(b *bench) { b.idle("k1") }, "the kernel is another one"},
		"bound to none": {nil, "cell a was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			b.opened("1", "2", "3")
			must(b.say("m1"))
			b.think()
			must(b.answer(1))
			in := approved(b.nb(), decide.QueueCells{Plan: decide.CallPlan{Call: b.pick(0)}, NotebookID: b.nb().ID, Cells: []string{"a", "b"}})
			if c.between == nil {
				in.Sources = nil
			} else {
				c.between(b)
			}
			must(b.intent(b.task(), in))
			if c.refused == "" {
				if n := b.nb(); len(n.Queue) != 2 {
					t.Errorf("refused: %+v", b.result())
				}
				return
			}
			if got := b.result(); !got.IsError || !strings.Contains(got.Text, c.refused) || len(b.nb().Queue) > 0 {
				t.Errorf("the model hears %+v", got)
			}
			if n := b.task().Mistakes; !strings.Contains(c.refused, "there is no") && n > 0 {
				t.Errorf("the model made %d mistakes", n)
			}
			b.check(t)
		})
	}
}

// result is what the model hears last.
func (b *bench) result() clew.Part {
	h := b.task().History
	if len(h) == 0 || len(h[len(h)-1].Content) == 0 {
		return clew.Part{}
	}
	return h[len(h)-1].Content[0]
}

// An agent's call waits for its cells on record, and hears of all of them when the last
// one is over.
func TestCallWaitsForCells(t *testing.T) {
	b := newBench()
	b.awaits(decide.QueueCells{Cells: []string{"a", "b"}})
	if c := b.pick(0); c.Status != core.CallCell || b.s.state.Runnable(b.task()) {
		t.Fatalf("call %+v", c)
	}
	b.idle("k1")
	b.starts()
	n := b.nb()
	b.reported(n.ID, decide.FinishCell{
		CellFinishedData: clew.CellFinishedData{RunID: n.Run.ID, Status: clew.CellOK, ExecutionCount: 1}, Text: "first", Images: []string{"blob:1", "blob:2", "blob:3"},
	})
	if b.s.state.Runnable(b.task()) || b.pick(0).Heard[0].Text != "first" {
		t.Fatalf("after the first cell: %+v", b.pick(0))
	}
	b.starts()
	n = b.nb()
	b.reported(n.ID, decide.FinishCell{
		CellFinishedData: clew.CellFinishedData{RunID: n.Run.ID, Status: clew.CellOK, ExecutionCount: 2},
		Text:             strings.Repeat("x", 50<<10), Images: []string{"blob:4", "blob:5"},
	})
	got := b.result()
	if !b.s.state.Runnable(b.task()) || got.IsError || !strings.HasPrefix(got.Text, "first\nx") || len(got.Text) > 32<<10 || len(got.Images) != 4 {
		t.Errorf("the model hears %d bytes, %v, error %v", len(got.Text), got.Images, got.IsError)
	}
	b.check(t)
}

// A cell that fails ends the call with what it said, and with what did not run.
func TestCallHearsOfFailure(t *testing.T) {
	b := newBench()
	b.awaits(decide.QueueCells{Cells: []string{"a", "b", "c"}})
	b.idle("k1")
	b.starts()
	b.ends(clew.CellError)
	if got := b.result(); !got.IsError || !strings.Contains(got.Text, "out of a") || !strings.Contains(got.Text, "2 cells were not run") {
		t.Errorf("the model hears %+v", got)
	}
	b.check(t)
}

// Whatever ends the waiting of a call, its cells do not run on for nobody, and it is
// never left without a result.
func TestCallIsNotLeftWaiting(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(b *bench)
		hear string
	}{
		"interrupted": {func(b *bench) { must(b.ann(&clew.InterruptData{})) }, "This call was interrupted"},
		"the kernel is interrupted": {func(b *bench) {
			must(b.ann(&clew.KernelInterruptData{}))
			b.ends(clew.CellAborted)
		}, "out of a"},
		"the kernel dies": {func(b *bench) {
			b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelDead, Reason: "It was killed."}})
		}, "It was killed."},
		"the notebook is closed": {func(b *bench) { must(b.ann(&clew.NotebookCloseData{NotebookID: b.nb().ID})) }, "The notebook was closed."},
		"nobody can work":        {func(b *bench) { b.reported(b.nb().ID, decide.FailNotebook{Reason: "no python"}) }, "no python"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			b.awaits(decide.QueueCells{Cells: []string{"a", "b"}})
			b.idle("k1")
			b.starts()
			c.do(b)
			if got := b.result(); !got.IsError || !strings.Contains(got.Text, c.hear) {
				t.Errorf("the model hears %+v", got)
			}
			for _, n := range b.s.state.Notebooks {
				if len(n.Queue) > 0 || n.Run != nil && n.Kernel.Wanted != clew.WishInterrupt {
					t.Errorf("notebook %+v", n)
				}
			}
			b.check(t)
		})
	}
}

// An agent edits and runs in one step, and hears why it cannot.
func TestAgentChangesNotebook(t *testing.T) {
	b := newBench()
	b.awaits(decide.QueueCells{Edits: []clew.CellEdit{{Op: clew.EditInsert, After: "c", Source: source("4")}}})
	n := b.nb()
	if len(n.Cells) != 4 || len(n.Queue) != 1 || n.Queue[0].CellID != n.Cells[3].CellID {
		t.Fatalf("notebook %+v", n)
	}
	b.check(t)
	b = newBench()
	b.awaits(decide.QueueCells{Cells: []string{"z"}})
	if got := b.result(); !got.IsError || got.Text != "there is no cell z" || !b.s.state.Runnable(b.task()) {
		t.Errorf("the model hears %+v", got)
	}
	b.think()
	must(b.answer(1))
	must(b.intent(b.task(), decide.ChangeNotebook{
		Plan: decide.CallPlan{Call: b.pick(0)}, Done: "Done.",
		Command: &clew.NotebookEditData{NotebookID: b.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditDelete, CellID: "a"}}},
	}))
	if got := b.result(); got.IsError || got.Text != "Done. The notebook is at version 2." || len(b.nb().Cells) != 2 {
		t.Errorf("the model hears %+v", got)
	}
	b.check(t)
}

// Code that asks waits for a person; the run's end withdraws the question.
func TestCellAsks(t *testing.T) {
	asks := func(password bool) *bench {
		b := newBench()
		b.opened("input()")
		b.runs("a")
		b.idle("k1")
		run := b.starts()
		b.reported(b.nb().ID, decide.AskCellInput{RunID: run, Prompt: "name?", Password: password})
		return b
	}
	b := asks(false)
	if b.s.state.Status() != clew.StatusAwaitingInput || len(b.s.state.Questions) != 1 {
		t.Fatalf("status %s", b.s.state.Status())
	}
	again := b.reported(b.nb().ID, decide.AskCellInput{RunID: b.nb().Run.ID})
	if again.Question != b.oldestQuestion() || len(b.s.state.Questions) != 1 {
		t.Errorf("asked again: %+v", again)
	}
	seq := b.nb().Seq
	must(b.ann(&clew.HitlInputResponseData{Value: "ann"}))
	if v := b.s.notebookView(b.nb()); v.Answer == nil || v.Answer.Value != "ann" || v.Answer.Lost || v.Seq <= seq {
		t.Errorf("answer %+v", v.Answer)
	}
	b.ends(clew.CellOK)
	b.check(t)

	b = asks(false)
	b.ends(clew.CellAborted)
	if len(b.s.state.Questions) != 0 || !b.s.state.Messages.Tail()[0].IsAnswered {
		t.Errorf("questions %+v", b.s.state.Questions)
	}
	b.check(t)

	b = asks(false)
	must(b.ann(&clew.AskResponseData{AskResponse: clew.NoButtonClicked}))
	if v := b.s.notebookView(b.nb()); v.Answer == nil || !v.Answer.Declined {
		t.Errorf("declined: %+v", v.Answer)
	}
	b.check(t)
}

// A password is in the memory of the session until its run ends, and on no record.
func TestPasswordIsOnNoRecord(t *testing.T) {
	for name, data := range map[string]any{
		"value":   &clew.HitlInputResponseData{Value: "s3cret"},
		"message": &clew.AskResponseData{AskResponse: clew.MessageResponse, Text: "s3cret"},
		"object":  &clew.AskResponseData{AskResponse: clew.ObjectResponse, Value: "s3cret", Text: "s3cret"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			b.opened("getpass()")
			b.runs("a")
			b.idle("k1")
			b.reported(b.nb().ID, decide.AskCellInput{RunID: b.starts(), Password: true})
			_, _, err := b.ann(&clew.UserMessageData{Text: "s3cret", RequestID: b.oldestQuestion()})
			wantError(t, err, clew.HitlInvalidResponse, "hitl_input_response")
			must(b.ann(data))
			if v := b.s.notebookView(b.nb()); v.Answer == nil || v.Answer.Value != "s3cret" {
				t.Fatalf("answer %+v", v.Answer)
			}
			for _, r := range b.records {
				if strings.Contains(string(r.Data()), "s3cret") {
					t.Errorf("on record: %s", r.Data())
				}
			}
			kept := b.s.passwords
			b.s.passwords = nil // the server was restarted
			if v := b.s.notebookView(b.nb()); !v.Answer.Lost || v.Answer.Value != "" {
				t.Errorf("lost: %+v", v.Answer)
			}
			b.s.passwords = kept
			b.ends(clew.CellOK)
			if b.s.dropPasswords(); len(b.s.passwords) != 0 {
				t.Errorf("kept: %v", b.s.passwords)
			}
			b.check(t)
		})
	}
}
