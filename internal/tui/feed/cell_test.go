package feed

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

// output is what a kernel put out.
func output(n uint64, run string, kind clew.OutputKind, text string) clew.Message {
	say := map[clew.OutputKind]clew.Say{
		clew.OutputStream: clew.SayCommandOutput, clew.OutputResult: clew.SayCellExecuted, clew.OutputError: clew.SayError,
		clew.OutputDisplay: clew.SayText, clew.OutputStatus: clew.SayKernelStatus,
	}
	return clew.Message{
		MessageID: clew.MessageIDOf(n), Type: clew.TypeSay, Say: say[kind], Role: clew.SpeakerSystem, Text: text,
		Cell: &clew.MessageCell{NotebookID: "nb_1", CellID: "a", RunID: run, Output: kind},
	}
}

// Everything that a run put out is one row below the cell's source; a picture is there
// by its address, and whether the kernel is busy is not.
func TestRunOfCellIsOneRow(t *testing.T) {
	s := open(t)
	s.Notebooks = []clew.NotebookInfo{{NotebookID: "nb_1", Cells: clew.List[string]{"z", "a"}}}
	s.Cells = []clew.CellInfo{{NotebookID: "nb_1", CellID: "a", Source: "print('hi')\nplot()", RunID: "cr_1", Status: clew.CellRunning}}
	busy, plot := output(1, "cr_1", clew.OutputStatus, "busy"), output(4, "cr_1", clew.OutputDisplay, "<Figure>")
	busy.Partial, plot.Images = true, []string{"blob:ab12"}
	s.says(busy, output(2, "cr_1", clew.OutputStream, "hi\n"))
	s.sees("◐ ▸ cell 2  print('hi')", "running", "│   hi\n")
	s.says(said(3, "meanwhile"), plot, output(5, "cr_1", clew.OutputResult, "42"))
	s.Cells = []clew.CellInfo{{NotebookID: "nb_1", CellID: "a", Source: "print('hi')", RunID: "cr_1", Status: clew.CellOK, ExecutionCount: 3, DurationMS: 2500}}
	s.says(output(1, "cr_1", clew.OutputStatus, "idle"))
	s.sees("● ▸ cell 2 [3]  print('hi')", "2.5 s", "│   <Figure>\n", "│   [image blob:ab12]\n", "│   42\n")
	if text := shown(s.Feed, 60); strings.Contains(text, "idle") || strings.Contains(text, "busy") || len(s.Rows(nil)) != 2 {
		t.Errorf("%d rows:\n%s", len(s.Rows(nil)), text)
	}
}

// Earlier runs of a cell keep its name, and a run stays as it was while it is repeated:
// what the kernel puts out then is shown nowhere.
func TestEarlierRunsOfCell(t *testing.T) {
	s := open(t)
	s.Notebooks = []clew.NotebookInfo{{NotebookID: "nb_1", Cells: clew.List[string]{"z", "a"}}}
	s.Cells = []clew.CellInfo{{NotebookID: "nb_1", CellID: "a", Source: "f()", RunID: "cr_3", Status: clew.CellOK, ExecutionCount: 3}}
	s.says(output(1, "cr_1", clew.OutputError, "NameError: f"), output(2, "cr_2", clew.OutputStream, "two\n"), output(3, "cr_3", clew.OutputStream, "three\n"))
	s.sees("✕ ▸ cell 2  f()", "failed", "● ▸ cell 2  f()", "● ▸ cell 2 [3]  f()")
	s.Cells = []clew.CellInfo{{NotebookID: "nb_1", CellID: "a", Source: "f()", RunID: "cr_4", Status: clew.CellQueued, ExecutionCount: 3}}
	s.says()
	s.sees("● ▸ cell 2  f()")
	s.Notebooks[0].Run = &clew.CellRun{RunID: "cr_4", CellID: "a", Repeats: "cr_3"}
	s.Cells = []clew.CellInfo{{NotebookID: "nb_1", CellID: "a", Source: "f()", RunID: "cr_3", Status: clew.CellRunning, ExecutionCount: 3}}
	s.says()
	s.sees("● ▸ cell 2 [3]  f()")
	if text := shown(s.Feed, 60); strings.Contains(text, "running") {
		t.Errorf("it shows\n%s", text)
	}
}

// What is said of a kernel is shown whole.
func TestKernelStatus(t *testing.T) {
	s := open(t)
	s.says(clew.Message{
		MessageID: clew.MessageIDOf(1), Type: clew.TypeSay, Say: clew.SayKernelStatus, Role: clew.SpeakerSystem,
		Text: "reports/analysis.ipynb: all 3 cells ran again in a fresh kernel. Cell 2 had a different result.",
	})
	s.sees("┊ reports/analysis.ipynb: all 3 cells", "Cell 2 had a", "different result.")
}

// An error is marked, and the end of a long output is shown until the row is opened.
func TestLongOutputOfCell(t *testing.T) {
	s := open(t)
	s.Cells = []clew.CellInfo{{NotebookID: "nb_1", CellID: "a", Source: "1/0", RunID: "cr_1", Status: clew.CellError, OutputsLost: true}}
	s.says(output(1, "cr_1", clew.OutputStream, strings.Repeat("line\n", 30)), output(2, "cr_1", clew.OutputError, "ZeroDivisionError: division by zero"))
	s.sees("✕ ▸ cell", "failed", "… 20 lines before", "ZeroDivisionError: division by zero", "Output may be missing")
	row := s.Rows(nil)[0]
	if !row.Folds() {
		t.Fatal("the row does not open")
	}
	row.Open = true
	if text := shown(s.Feed, 60); strings.Count(text, "line\n") != 30 {
		t.Errorf("it shows\n%s", text)
	}
}

// What a kernel prints to command a terminal is shown as text.
func TestCellCommandsNoTerminal(t *testing.T) {
	s := open(t)
	s.Cells = []clew.CellInfo{{NotebookID: "nb_1", CellID: "a", Source: kerneltest.Escapes, RunID: "cr_1", Status: clew.CellError, Reason: kerneltest.Escapes}}
	s.says(output(1, "cr_1", clew.OutputStream, kerneltest.Escapes), output(2, "cr_1", clew.OutputDisplay, kerneltest.Escapes), output(3, "cr_1", clew.OutputError, kerneltest.Escapes))
	s.Rows(nil)[0].Open = true
	text := shown(s.Feed, 400)
	if strings.ContainsAny(text, "\x1b\x07\u009b\u009c\u009d\u202e") || strings.Count(text, "␛]52;c;") < 3 {
		t.Errorf("it shows %q", text)
	}
}
