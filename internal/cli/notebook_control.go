package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// A kernelControl is something that people do to a kernel.
type kernelControl struct {
	use, short, long string
	typ              clew.CommandType
	data             func(clew.KernelTarget) any
	done             string // what is said once it is done
}

var kernelControls = []kernelControl{
	{
		use: "interrupt [FILE | SESSION]", short: "Interrupt the cell that runs",
		long: "Interrupt the cell that runs, and take the cells that wait out of the queue. What the kernel knows stays. A\n" +
			"cell that runs on all the same ends with clew notebook restart.",
		typ: clew.CommandKernelInterrupt, data: func(t clew.KernelTarget) any { return clew.KernelInterruptData{KernelTarget: t} },
		done: "Interrupted.",
	},
	{
		use: "restart [FILE | SESSION]", short: "Restart a notebook's kernel",
		long: "Restart the kernel: what runs is aborted, what waits does not run, and what the kernel knew is gone. A kernel\n" +
			"that does not end by itself within a second is killed.",
		typ: clew.CommandKernelRestart, data: func(t clew.KernelTarget) any { return clew.KernelRestartData{KernelTarget: t} },
		done: "The kernel was restarted.",
	},
	{
		use: "shutdown [FILE | SESSION]", short: "Shut a notebook's kernel down",
		long: "Shut the kernel down, and give back its memory. The notebook stays open; the next cell that runs starts\n" +
			"another kernel.",
		typ: clew.CommandKernelShutdown, data: func(t clew.KernelTarget) any { return clew.KernelShutdownData{KernelTarget: t} },
		done: "The kernel was shut down.",
	},
}

// controlWithin is how long a kernel may take to start anew.
const controlWithin = 2 * time.Minute

func (k kernelControl) command(a *env.App, r *env.Remote) *cobra.Command {
	name, _, _ := strings.Cut(k.use, " ")
	return &cobra.Command{
		Use:   k.use,
		Short: k.short,
		Long: k.long + " The notebook is the one that is open in the sessions of this directory; if there are\n" +
			"several, name its file or its session.",
		Example: "clew notebook " + name + "\nclew notebook " + name + " analysis.ipynb",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := *r
			at.Start = false
			c, err := a.Connect(at)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), controlWithin)
			defer cancel()
			n, err := chosenNotebook(ctx, c, env.Argument(args, 0))
			if err != nil {
				return err
			}
			if err := k.carryOut(ctx, c, &n); err != nil {
				return explained(c, err)
			}
			return a.Print(n, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, k.done)
				return err
			})
		},
	}
}

// chosenNotebook is the open notebook of a file, or the one of a session or of this directory.
func chosenNotebook(ctx context.Context, c *env.Rest, name string) (controlledNotebook, error) {
	if filepath.Ext(name) == notebookSuffix {
		at, err := notebookPlace(c, name)
		if err != nil {
			return controlledNotebook{}, err
		}
		id, book, err := at.find(ctx, c)
		if err == nil && book == "" {
			err = clew.Errorf(clew.SessionNotFound, "%s is not open in any session", name)
		}
		return controlledNotebook{SessionID: id, NotebookID: book, Path: at.name}, err
	}
	if err := env.CheckName(name); err != nil {
		return controlledNotebook{}, err
	}
	list, err := openNotebooks(ctx, c, name)
	if err != nil {
		return controlledNotebook{}, err
	}
	if slices.ContainsFunc(list, alive) {
		list = slices.DeleteFunc(list, func(n listedNotebook) bool { return !alive(n) })
	}
	switch len(list) {
	case 0:
		return controlledNotebook{}, clew.Errorf(clew.SessionNotFound, "no notebook is open here")
	case 1:
		return controlledNotebook{SessionID: list[0].SessionID, NotebookID: list[0].NotebookID, Path: list[0].Path}, nil
	}
	var names []string
	for _, n := range list {
		names = append(names, cmp.Or(env.Plain(n.Path), string(n.SessionID)))
	}
	return controlledNotebook{}, env.Usagef("several notebooks are open here, name one: %s", strings.Join(names, ", "))
}

func alive(n listedNotebook) bool { return n.Kernel.State.Alive() }

// A controlledNotebook is what such a command prints for programs.
type controlledNotebook struct {
	SessionID  clew.SessionID  `json:"session_id"`
	NotebookID string          `json:"notebook_id"`
	Path       string          `json:"path,omitempty"`
	Kernel     clew.KernelInfo `json:"kernel"`
}

// carryOut does it and waits until the kernel has done it.
func (k kernelControl) carryOut(ctx context.Context, c *env.Rest, n *controlledNotebook) error {
	w, err := watchNotebook(ctx, c, n.SessionID)
	if err != nil {
		return err
	}
	defer w.close()
	w.book = n.NotebookID
	before := ""
	if b := w.notebook(); b != nil {
		before = b.Kernel.Reason
	}
	if err := w.do(ctx, k.typ, k.data(clew.KernelTarget{NotebookID: n.NotebookID})); err != nil {
		return err
	}
	var problem string
	err = w.until(ctx, func() bool {
		b := w.notebook()
		if b == nil {
			return true
		}
		n.Kernel, problem = b.Kernel, ""
		if b.Kernel.Reason != before {
			problem = b.Kernel.Reason
		}
		settling := b.Kernel.Wanted != "" || b.Kernel.State == clew.KernelStarting || b.Kernel.State == clew.KernelRestarting
		return !settling || problem != ""
	}, nil)
	if err == nil && problem != "" {
		err = clew.Errorf(clew.ExecutionFailed, "%s", problem)
	}
	return err
}
