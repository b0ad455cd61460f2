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
	within           time.Duration // of its effect
	late, done       string        // what is said if it takes longer, and once it is done
}

var kernelControls = []kernelControl{
	{
		use: "interrupt [FILE | SESSION]", short: "Interrupt the cell that runs",
		long: "Interrupt the cell that runs, and take the cells that wait out of the queue. What the kernel knows stays. A\n" +
			"cell that runs on all the same ends with clew notebook restart.",
		typ: clew.CommandKernelInterrupt, data: func(t clew.KernelTarget) any { return clew.KernelInterruptData{KernelTarget: t} },
		within: 12 * time.Second, late: "the cell runs on; clew notebook restart ends it, and what the kernel knows is gone then", done: "Interrupted.",
	},
	{
		use: "restart [FILE | SESSION]", short: "Restart a notebook's kernel",
		long: "Restart the kernel: what runs is aborted, what waits does not run, and what the kernel knew is gone. A kernel\n" +
			"that does not end by itself within a second is killed.",
		typ: clew.CommandKernelRestart, data: func(t clew.KernelTarget) any { return clew.KernelRestartData{KernelTarget: t} },
		within: 2 * time.Minute, late: "the kernel has not started yet", done: "The kernel was restarted.",
	},
	{
		use: "shutdown [FILE | SESSION]", short: "Shut a notebook's kernel down",
		long: "Shut the kernel down, and give back its memory. The notebook stays open; the next cell that runs starts\n" +
			"another kernel.",
		typ: clew.CommandKernelShutdown, data: func(t clew.KernelTarget) any { return clew.KernelShutdownData{KernelTarget: t} },
		within: time.Minute, late: "the kernel has not ended yet", done: "The kernel was shut down.",
	},
}

func (k kernelControl) command(a *env.App, r *env.Remote) *cobra.Command {
	name, _, _ := strings.Cut(k.use, " ")
	return &cobra.Command{
		Use:   k.use,
		Short: k.short,
		Long: k.long + " The notebook is the one that is open in the sessions of this directory; if there are\n" +
			"several, name its file, its session or its id.",
		Example: "clew notebook " + name + "\nclew notebook " + name + " analysis.ipynb",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := *r
			at.Start = false
			c, err := a.Connect(at)
			if err != nil {
				return err
			}
			n, err := k.choose(cmd.Context(), c, env.Argument(args, 0))
			if err != nil {
				return err
			}
			done := controlledNotebook{SessionID: n.SessionID, NotebookID: n.NotebookID, Path: n.Path}
			if done.Kernel, err = k.carryOut(cmd.Context(), c, n); err != nil {
				return explained(c, err)
			}
			return a.Print(done, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, k.done)
				return err
			})
		},
	}
}

// A controlledNotebook is what such a command prints for programs.
type controlledNotebook struct {
	SessionID  clew.SessionID  `json:"session_id"`
	NotebookID string          `json:"notebook_id"`
	Path       string          `json:"path,omitempty"`
	Kernel     clew.KernelInfo `json:"kernel"`
}

// choose finds the one notebook that is meant: by its file, its session or its id, or the
// one of this directory. Those with a kernel come first, and those that run a cell.
func (k kernelControl) choose(ctx context.Context, c *env.Rest, name string) (listedNotebook, error) {
	list, err := namedNotebooks(ctx, c, name)
	if err != nil {
		return listedNotebook{}, err
	}
	for _, first := range []func(listedNotebook) bool{
		func(n listedNotebook) bool { return n.Kernel.State.Alive() },
		func(n listedNotebook) bool {
			return n.Run != nil || len(n.Queue) > 0 || k.typ != clew.CommandKernelInterrupt
		},
	} {
		if slices.ContainsFunc(list, first) {
			list = slices.DeleteFunc(list, func(n listedNotebook) bool { return !first(n) })
		}
	}
	switch {
	case len(list) == 1:
		return list[0], nil
	case len(list) > 1:
		var names []string
		for _, n := range list {
			names = append(names, fmt.Sprintf("%s (%s)", n.NotebookID, env.Plain(cmp.Or(n.Path, "no file yet"))))
		}
		return listedNotebook{}, env.Usagef("several notebooks are meant, name one by its id: %s", strings.Join(names, ", "))
	case name == "":
		return listedNotebook{}, clew.Errorf(clew.SessionNotFound, "no notebook is open in the sessions of this directory: %s FILE opens one", c.Line("notebook")).Advised()
	case filepath.Ext(name) == notebookSuffix:
		return listedNotebook{}, clew.Errorf(clew.SessionNotFound, "%s is not open in the sessions of this directory: %s opens it", env.Plain(name), c.Line("notebook", name)).Advised()
	case strings.HasPrefix(name, notebookIDPrefix):
		return listedNotebook{}, clew.Errorf(clew.SessionNotFound, "%s is not open in any of the newest sessions: %s lists the kernels that run", name, c.Line("notebook", "kernels")).Advised()
	}
	return listedNotebook{}, clew.Errorf(clew.SessionNotFound, "no notebook is open in %s: %s lists those of this directory", name, c.Line("notebook", "ls")).Advised()
}

// namedNotebooks are the open notebooks that a name may mean.
func namedNotebooks(ctx context.Context, c *env.Rest, name string) ([]listedNotebook, error) {
	switch {
	case strings.HasPrefix(name, notebookIDPrefix):
		list, err := notebooksIn(ctx, c, "") // anywhere
		return slices.DeleteFunc(list, func(n listedNotebook) bool { return n.NotebookID != name }), err
	case filepath.Ext(name) != notebookSuffix:
		if err := env.CheckName(name); err != nil {
			return nil, err
		}
		return openNotebooks(ctx, c, name)
	}
	at, err := notebookPlace(c, name)
	if err != nil {
		return nil, err
	}
	here, err := workingDirectories()
	if err != nil {
		return nil, err
	}
	var list []listedNotebook
	for _, dir := range slices.Compact([]string{at.dir, here[0]}) { // a session of this directory may have files of its folders open
		path, err := filepath.Rel(dir, filepath.Join(at.dir, at.name))
		if err != nil {
			continue
		}
		in, err := notebooksIn(ctx, c, dir)
		if err != nil {
			return nil, err
		}
		for _, n := range in {
			if n.Path == filepath.ToSlash(path) {
				list = append(list, n)
			}
		}
	}
	return list, nil
}

// notebookIDPrefix is how the ids of notebooks begin.
const notebookIDPrefix = "nb_"

// carryOut does it and waits until the kernel has done it. It gives the kernel as it is then.
func (k kernelControl) carryOut(ctx context.Context, c *env.Rest, of listedNotebook) (clew.KernelInfo, error) {
	limited, cancel := context.WithTimeout(ctx, k.within)
	defer cancel()
	w, err := watchNotebook(limited, c, of.SessionID)
	if err != nil {
		return clew.KernelInfo{}, err
	}
	defer w.close()
	w.book = of.NotebookID
	if err := w.do(limited, k.typ, k.data(clew.KernelTarget{NotebookID: of.NotebookID})); err != nil {
		return clew.KernelInfo{}, err
	}
	err = w.until(limited, func() bool {
		n := w.notebook()
		return n == nil || n.Kernel.Wanted == "" && n.Kernel.State != clew.KernelStarting && n.Kernel.State != clew.KernelRestarting
	}, nil)
	n := w.notebook()
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return clew.KernelInfo{}, clew.Errorf(clew.ExecutionFailed, "%s", k.late)
	case err != nil:
		return clew.KernelInfo{}, err
	case n == nil:
		return clew.KernelInfo{}, clew.Errorf(clew.SessionInvalidState, "the notebook was closed meanwhile")
	case k.typ == clew.CommandKernelRestart && !n.Kernel.State.Alive():
		return n.Kernel, clew.Errorf(clew.ExecutionFailed, "%s", cmp.Or(n.Kernel.Reason, "the kernel did not start"))
	case k.typ == clew.CommandKernelShutdown && n.Kernel.State == clew.KernelLost:
		return n.Kernel, clew.Errorf(clew.ExecutionFailed, "%s", cmp.Or(n.Kernel.Reason, "the kernel may not have ended"))
	}
	return n.Kernel, nil
}
