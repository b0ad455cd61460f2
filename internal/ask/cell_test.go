package ask

import (
	"testing"

	"github.com/clew-run/clew"
)

// What a kernel puts out is text at a terminal: without colours, with the addresses of
// pictures, and with the names of forms that cannot be shown.
func TestCellText(t *testing.T) {
	cell := func(kind clew.OutputKind) *clew.MessageCell { return &clew.MessageCell{RunID: "cr_1", Output: kind} }
	for name, c := range map[string]struct {
		m    clew.Message
		want string
	}{
		"stream":       {clew.Message{Text: "one\ntwo\n\n", Cell: cell(clew.OutputStream)}, "one\ntwo"},
		"traceback":    {clew.Message{Text: "\x1b[0;31mZeroDivisionError\x1b[0m: by zero", Cell: cell(clew.OutputError)}, "ZeroDivisionError: by zero"},
		"picture":      {clew.Message{Text: "<Figure>", Images: []string{"blob:ab12"}, Cell: cell(clew.OutputDisplay)}, "<Figure>\n[image blob:ab12]"},
		"inline":       {clew.Message{Images: []string{"data:image/png;base64,AAAA"}, Cell: cell(clew.OutputDisplay)}, "[image]"},
		"other forms":  {clew.Message{Metadata: map[string]any{"data": map[string]any{"text/html": "<b>", "application/json": 1}}, Cell: cell(clew.OutputResult)}, "[application/json, text/html]"},
		"busy":         {clew.Message{Text: "busy", Cell: cell(clew.OutputStatus)}, ""},
		"cleared":      {clew.Message{Text: "old", Cell: &clew.MessageCell{Output: clew.OutputStream, Cleared: true}}, ""},
		"not a cell's": {clew.Message{Text: "hello"}, ""},
	} {
		if got := CellText(&c.m); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// What is asked about cells and kernels is said beside what starts.
func TestKernelParts(t *testing.T) {
	for _, tool := range []string{"run_cell", "kernel"} {
		summary := "Restart the kernel of a.ipynb, in a new kernel"
		d := &clew.HitlApprovalRequestData{Ask: clew.AskCommand, Tool: tool, Reason: summary, Effect: &clew.Effect{Summary: summary, Command: "/usr/bin/python3", Sandbox: "bwrap"}}
		if got := Parts(clew.Question{Data: d}); len(got) < 2 || got[0] != (Part{Summary, "", summary}) || got[1] != (Part{Command, "", "/usr/bin/python3"}) {
			t.Errorf("%s: %+v", tool, got)
		}
	}
}

func TestCellWords(t *testing.T) {
	n := clew.NotebookInfo{Cells: []string{"a", "b"}, Kernel: clew.KernelInfo{State: clew.KernelIdle}}
	if got := CellName(&n, &clew.CellInfo{CellID: "b", ExecutionCount: 7}); got != "cell 2 [7]" {
		t.Error(got)
	}
	if got := CellName(&n, &clew.CellInfo{CellID: "a"}); got != "cell 1" {
		t.Error(got)
	}
	if got := KernelWork([]clew.NotebookInfo{n}); got != "" {
		t.Error(got)
	}
	n.Kernel.State, n.Run = clew.KernelBusy, &clew.CellRun{CellID: "b"}
	if got := KernelWork([]clew.NotebookInfo{{}, n}); got != "kernel runs cell 2 of 2" {
		t.Error(got)
	}
	for _, s := range new(clew.CellStatus).Values() {
		status := clew.CellStatus(s)
		if got := CellStatus(&clew.CellInfo{Status: status}); (got == "") != (status == clew.CellOK) {
			t.Errorf("%s is called %q", s, got)
		}
	}
}

// Whoever cannot see the notebook's page learns how far a rerun is, and how it went.
func TestRerunWords(t *testing.T) {
	differs := clew.List[clew.RunDifference]{{CellID: "b"}, {CellID: "gone"}, {CellID: "a"}, {CellID: "b", State: true}}
	for _, c := range []struct {
		ahead      bool
		rerun      *clew.RerunInfo
		note, work string
	}{
		{false, nil, "", ""},
		{true, nil, "kernel is ahead", ""},
		{true, &clew.RerunInfo{Status: clew.RerunPreparing}, "cells run again", "kernel runs cells again"},
		{false, &clew.RerunInfo{Status: clew.RerunRunning, Done: 2, Total: 5}, "cells run again: 2 of 5", "kernel runs cells again: 2 of 5"},
		{false, &clew.RerunInfo{Status: clew.RerunOK, Done: 5, Total: 5}, "", ""},
		{true, &clew.RerunInfo{Status: clew.RerunOK, Done: 5, Total: 5}, "kernel is ahead", ""},
		{false, &clew.RerunInfo{Status: clew.RerunStopped, Done: 2, Total: 5, Differences: differs}, "2 of 5 cells ran again", ""},
		{false, &clew.RerunInfo{Status: clew.RerunDiffers, Done: 5, Total: 5, Differences: differs}, "different results: cells 1, 2", ""},
		{false, &clew.RerunInfo{Status: clew.RerunDiffers, Done: 5, Total: 5, Differences: differs[:1]}, "different result: cell 2", ""},
		{false, &clew.RerunInfo{Status: clew.RerunDiffers, Done: 5, Total: 5, Differences: differs[1:2]}, "different result: a cell that is gone", ""},
	} {
		n := clew.NotebookInfo{Cells: []string{"a", "b"}, Kernel: clew.KernelInfo{State: clew.KernelIdle, Ahead: c.ahead}, Rerun: c.rerun}
		if note, work := KernelNote(&n), KernelWork([]clew.NotebookInfo{{}, n}); note != c.note || work != c.work {
			t.Errorf("%+v: %q and %q, want %q and %q", c.rerun, note, work, c.note, c.work)
		}
	}
}
