package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

type notebookRunFlags struct {
	from    int
	save    bool
	kernel  string
	timeout time.Duration
}

func notebookRunCommand(a *env.App, r *env.Remote) *cobra.Command {
	var f notebookRunFlags
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a notebook without a browser",
		Long: "Run the cells of a notebook in order, in a session of its own and a fresh kernel. Each cell has a line on\n" +
			"standard error, and what the cells put out goes to standard output as text. A cell that fails ends\n" +
			"it: the exit code is 1. With --save the outputs are written to the file, those before a failure too;\n" +
			"without it the file stays as it is. A cell that asks for input ends the command with exit code 4; it waits for\n" +
			"the answer. Ctrl-C and --timeout interrupt the cell: the exit code is 6. The kernel ends with the command,\n" +
			"unless a cell waits for an answer. Kernels need Linux.",
		Example: "clew notebook run analysis.ipynb\nclew notebook run report.ipynb --save --timeout 10m\nclew notebook run analysis.ipynb --from 3 --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.from < 1 || f.timeout < 0 {
				return env.Usagef("--from counts cells from 1, and --timeout is a time such as 10m")
			}
			own := *r
			own.Own = true // in CI the server ends with the command
			return runNotebook(cmd.Context(), a, own, args[0], f)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&f.from, "from", 1, "the cell to begin with")
	fs.BoolVar(&f.save, "save", false, "write the outputs to the file")
	fs.StringVar(&f.kernel, "kernel", "", "kernel to run it with (default the one that the file names, or python3)")
	fs.DurationVar(&f.timeout, "timeout", 0, "stop it after this time (default never)")
	return cmd
}

// How the run of a notebook ended.
const (
	notebookOK        = "ok"
	notebookFailed    = "failed"
	notebookAsks      = "needs an answer"
	notebookCancelled = "cancelled"
)

// A ranNotebook is what clew notebook run prints for programs.
type ranNotebook struct {
	SessionID  clew.SessionID `json:"session_id"`
	NotebookID string         `json:"notebook_id"`
	Path       string         `json:"path"`
	Status     string         `json:"status"`
	Message    string         `json:"message,omitempty"`
	Saved      bool           `json:"saved"`
	ExitCode   int            `json:"exit_code"`
	Cells      []ranCell      `json:"cells"`
}

// A ranCell is one cell that was to run. Cell counts from 1.
type ranCell struct {
	Cell           int             `json:"cell"`
	CellID         string          `json:"cell_id"`
	Status         clew.CellStatus `json:"status"`
	ExecutionCount int             `json:"execution_count,omitempty"`
	DurationMS     int64           `json:"duration_ms,omitempty"`
	Text           string          `json:"text"`
	Images         []string        `json:"images,omitempty"` // addresses of blobs
	Reason         string          `json:"reason,omitempty"`
}

// runNotebook runs a notebook and says how that ended.
func runNotebook(ctx context.Context, a *env.App, r env.Remote, file string, f notebookRunFlags) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	c, err := a.Connect(r)
	if err != nil {
		return err
	}
	at, err := notebookPlace(c, file)
	if err != nil {
		return err
	}
	if at.missing {
		return env.Usagef("there is no file %s", file)
	}
	x := &notebookRunner{a: a, notebookRunFlags: f, file: at, shown: map[clew.MessageID]int{}}
	if err := x.begin(ctx, c); err != nil {
		return explained(c, err)
	}
	defer x.w.close()
	done, err := x.run(ctx)
	if err != nil {
		return explained(c, err)
	}
	if err := a.Print(done, func(io.Writer) error { return x.say(done) }); err != nil {
		return err
	}
	return env.ExitWith(done.ExitCode)
}

// A notebookRunner runs one notebook. It belongs to one goroutine.
type notebookRunner struct {
	notebookRunFlags
	a     *env.App
	file  notebookFile
	w     *notebookWatch
	queue []string                   // the cells that were to run
	shown map[clew.MessageID]int     // how much of a message was printed
	told  map[string]clew.CellStatus // what was said of a cell
	open  bool                       // what was printed last has no end of line
}

// begin opens the notebook in a session of its own.
func (x *notebookRunner) begin(ctx context.Context, c *env.Rest) error {
	x.told = map[string]clew.CellStatus{}
	id, err := x.session(ctx, c)
	if err != nil {
		return err
	}
	if x.w, err = watchNotebook(ctx, c, id); err != nil {
		return err
	}
	err = x.w.open(ctx, clew.NotebookOpenData{Path: x.file.name, KernelName: x.kernel})
	if err == nil && !x.save {
		err = x.copy(ctx)
	}
	if err == nil && x.from > len(x.w.notebook().Cells) {
		err = env.Usagef("--from %d: %s has %s", x.from, x.file.name, term.Count(len(x.w.notebook().Cells), "cell"))
	}
	if err != nil {
		x.w.close()
		discard(context.WithoutCancel(ctx), c, id)
	}
	return err
}

// copy goes on with a copy that has no file: what runs in a notebook with a file is
// written to it.
func (x *notebookRunner) copy(ctx context.Context) error {
	of := *x.w.notebook()
	var edits clew.List[clew.CellEdit]
	for i, id := range of.Cells {
		c := x.w.cell(id)
		if c == nil || c.SourceBlob != "" {
			return env.Usagef("cell %d is too long to be copied: run the notebook with --save", i+1)
		}
		source := c.Source // the state's own is replaced
		edit := clew.CellEdit{Op: clew.EditInsert, CellID: id, Type: c.Type, Source: &source}
		if i > 0 {
			edit.After = of.Cells[i-1]
		}
		edits = append(edits, edit)
	}
	if err := x.w.do(ctx, clew.CommandNotebookClose, clew.NotebookCloseData{NotebookID: of.NotebookID}); err != nil {
		return err
	}
	if err := x.w.open(ctx, clew.NotebookOpenData{KernelName: env.FirstOf(x.kernel, of.Kernel.Name)}); err != nil || len(edits) == 0 {
		return err
	}
	edits = append(edits, clew.CellEdit{Op: clew.EditDelete, CellID: x.w.notebook().Cells[0]})
	return x.w.do(ctx, clew.CommandNotebookEdit, clew.NotebookEditData{NotebookID: x.w.book, Edits: edits})
}

// run runs the cells and waits for their end.
func (x *notebookRunner) run(ctx context.Context) (ranNotebook, error) {
	done := ranNotebook{SessionID: x.w.id, NotebookID: x.w.book, Path: x.file.name}
	first := x.w.notebook().Cells[x.from-1]
	err := x.w.do(ctx, clew.CommandNotebookRun, clew.NotebookRunData{NotebookID: x.w.book, All: true, From: first})
	if err == nil {
		x.note()
		err = x.w.until(ctx, func() bool { x.note(); return x.over() || len(x.w.state.Questions) > 0 }, x.print)
	}
	cut := ctx.Err() // before the rest, which has its own time
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), env.RequestTimeout)
	defer cancel()
	switch {
	case cut != nil:
		done.Status, done.ExitCode, done.Message = notebookCancelled, env.ExitCancelled, x.why(cut)
		err = x.interrupt(ctx)
	case err != nil:
		return done, err
	case !x.over():
		done.Status, done.ExitCode = notebookAsks, env.ExitQuestion
	default:
		done.Status, done.ExitCode, done.Message = x.outcome()
	}
	if err == nil && x.save && done.Status != notebookAsks {
		done.Saved, err = true, x.write(ctx)
	}
	done.Cells = x.cells()
	if done.Status != notebookAsks { // who answers needs the kernel
		err = errors.Join(err, x.w.do(ctx, clew.CommandNotebookClose, clew.NotebookCloseData{NotebookID: x.w.book}))
	}
	return done, err
}

// why says what stopped it.
func (x *notebookRunner) why(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("it took longer than %s", x.timeout)
	}
	return "it was interrupted"
}

// interrupt stops what runs and what waits.
func (x *notebookRunner) interrupt(ctx context.Context) error {
	target := clew.KernelInterruptData{KernelTarget: clew.KernelTarget{NotebookID: x.w.book}}
	if err := x.w.do(ctx, clew.CommandKernelInterrupt, target); err != nil && clew.CodeOf(err) != clew.SessionInvalidState {
		return err
	}
	return x.w.until(ctx, x.over, x.print)
}

// over reports that nothing runs and nothing waits.
func (x *notebookRunner) over() bool {
	n := x.w.notebook()
	return n == nil || n.Run == nil && len(n.Queue) == 0
}

// outcome says how it went.
func (x *notebookRunner) outcome() (status string, code int, message string) {
	for i, id := range x.queue {
		c := x.w.cell(id)
		if c != nil && c.Status == clew.CellOK {
			continue
		}
		if n := x.w.notebook(); n == nil {
			return notebookFailed, env.ExitFailure, "the notebook was closed"
		} else if n.Kernel.State == clew.KernelDead || n.Kernel.State == clew.KernelLost {
			return notebookFailed, env.ExitFailure, env.FirstOf(n.Kernel.Reason, "the kernel ended")
		}
		message = fmt.Sprintf("cell %d did not run to its end", x.number(id))
		if left := len(x.queue) - i - 1; left > 0 {
			message += fmt.Sprintf("; %s did not run", term.Count(left, "cell"))
		}
		return notebookFailed, env.ExitFailure, message
	}
	return notebookOK, env.ExitOK, ""
}

// number is the place of a cell, counted from 1.
func (x *notebookRunner) number(id string) int {
	if n := x.w.notebook(); n != nil {
		return slices.Index(n.Cells, id) + 1
	}
	return 0
}

// write saves the notebook.
func (x *notebookRunner) write(ctx context.Context) error {
	if err := x.w.do(ctx, clew.CommandNotebookSave, clew.NotebookSaveData{NotebookID: x.w.book}); err != nil {
		return err
	}
	saved := func() bool {
		n := x.w.notebook()
		return n == nil || !n.Unsaved || n.Conflict || n.Problem != ""
	}
	if err := x.w.until(ctx, saved, nil); err != nil {
		return err
	}
	switch n := x.w.notebook(); {
	case n == nil:
		return clew.Errorf(clew.SessionInvalidState, "the notebook was closed before it was saved")
	case n.Conflict:
		return clew.Errorf(clew.ExecutionFailed, "%s was changed by somebody else meanwhile, and is left as it is", x.file.name)
	case n.Problem != "":
		return clew.Errorf(clew.StorageFailed, "%s was not saved: %s", x.file.name, n.Problem)
	}
	return nil
}

// cells are those that were to run, as they stand.
func (x *notebookRunner) cells() []ranCell {
	list := []ranCell{}
	for _, id := range x.queue {
		c := x.w.cell(id)
		if c == nil {
			continue
		}
		ran := ranCell{Cell: x.number(id), CellID: id, Status: c.Status, ExecutionCount: c.ExecutionCount, DurationMS: c.DurationMS, Reason: c.Reason}
		for _, of := range c.Outputs {
			if m := x.w.state.Message(of); m != nil {
				if text := ask.CellText(m); text != "" {
					ran.Text += text + "\n"
				}
				ran.Images = append(ran.Images, m.Images...)
			}
		}
		list = append(list, ran)
	}
	return list
}
