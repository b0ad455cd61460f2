package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// openedNotebook is what clew notebook did.
type openedNotebook struct {
	opened
	SessionID  clew.SessionID `json:"session_id"`
	NotebookID string         `json:"notebook_id"`
	Path       string         `json:"path,omitempty"`
}

func notebookCommand(a *env.App) *cobra.Command {
	r := env.Remote{Start: true}
	var closed bool
	var kernel string
	cmd := &cobra.Command{
		Use:   "notebook [FILE]",
		Short: "Work in a Jupyter notebook, together with an agent",
		Long: "Open a notebook in the browser. Its folder is the workspace of a session: people and agents edit and run\n" +
			"its cells there, and all of it is on record. A file that is not there is made when it is saved; without\n" +
			"FILE the notebook has no file yet. Where the notebook is open already, that session is shown.\n\n" +
			"Cells run in a kernel, for which clew needs Linux: clew notebook kernels says which there are, and what is\n" +
			"missing.",
		Example: "clew notebook analysis.ipynb\nclew notebook\nclew notebook run analysis.ipynb --save    # without a browser",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if first := env.Argument(args, 0); first != "" && filepath.Ext(first) != notebookSuffix {
				return env.Usagef("%s is no notebook: a file's name ends in %s, and clew notebook --help lists the commands", first, notebookSuffix)
			}
			return openNotebook(cmd.Context(), a, r, env.Argument(args, 0), kernel, closed)
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVar(&closed, "no-open", false, "print the address and open nothing")
	cmd.Flags().StringVar(&kernel, "kernel", "", "kernel to run cells with (default the one that the file names, or python3)")
	cmd.AddCommand(notebookRunCommand(a, &r), notebookListCommand(a, &r), notebookKernelsCommand(a, &r))
	for _, k := range kernelControls {
		cmd.AddCommand(k.command(a, &r))
	}
	return cmd
}

const notebookSuffix = ".ipynb"

// openNotebook shows a notebook in the browser.
func openNotebook(ctx context.Context, a *env.App, r env.Remote, file, kernel string, closed bool) error {
	c, err := a.Connect(r)
	if err != nil {
		return err
	}
	at, err := notebookPlace(c, file)
	if err != nil {
		return err
	}
	if err := askFirst(ctx, a, c, at.dir); err != nil {
		return err
	}
	id, book, err := at.find(ctx, c)
	if err == nil && book == "" {
		id, book, err = at.begin(ctx, a, c, kernel)
	}
	if err != nil {
		return explained(c, err)
	}
	p, err := page(ctx, c, string(id), "notebook", book)
	if err != nil {
		return err
	}
	if !closed {
		p = show(a, p)
	}
	got := openedNotebook{opened: p, SessionID: id, NotebookID: book, Path: at.name}
	return a.Print(got, func(w io.Writer) error {
		if at.missing && file != "" {
			_, _ = fmt.Fprintf(a.Err, "%s is new: it is written when the notebook is saved.\n", env.Plain(file))
		}
		return p.say(w)
	})
}

// A notebookFile is where a notebook is: a file in a folder, which is the workspace.
type notebookFile struct {
	dir, name string // name is "" for none
	missing   bool   // there is no such file yet
}

// notebookPlace finds the folder of a file.
func notebookPlace(c *env.Rest, file string) (notebookFile, error) {
	if !c.SeesFiles() {
		return notebookFile{}, env.Usagef("%s does not see the files of this machine: open the notebook in its web UI", c.Base.Host)
	}
	full, err := filepath.Abs(cmp.Or(file, "x"))
	if err != nil {
		return notebookFile{}, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return notebookFile{}, env.Usagef("there is no folder %s", filepath.Dir(full))
	}
	at := notebookFile{dir: dir, name: filepath.Base(full)}
	switch info, err := os.Stat(full); {
	case file == "":
		at.name, at.missing = "", true
	case errors.Is(err, fs.ErrNotExist):
		at.missing = true
	case err != nil:
		return at, env.Usagef("%s cannot be read", file)
	case !info.Mode().IsRegular():
		return at, env.Usagef("%s is no file", file)
	}
	return at, nil
}

// find looks for a session that has the file open.
func (f notebookFile) find(ctx context.Context, c *env.Rest) (clew.SessionID, string, error) {
	if f.name == "" {
		return "", "", nil
	}
	list, err := notebooksIn(ctx, c, f.dir)
	for _, n := range list {
		if n.Path == f.name && n.Status != clew.NotebookFailed {
			return n.SessionID, n.NotebookID, nil
		}
	}
	return "", "", err
}

// begin makes a session in the folder and opens the notebook in it.
func (f notebookFile) begin(ctx context.Context, a *env.App, c *env.Rest, kernel string) (clew.SessionID, string, error) {
	id, err := c.API().CreateSession(ctx, client.NewSession{
		Title: cmp.Or(f.name, "Notebook"), Workspace: f.dir, Environment: c.Terminal(a.Environ),
	})
	if err != nil {
		return "", "", err
	}
	w, err := watchNotebook(ctx, c, id)
	if err != nil {
		return id, "", err
	}
	defer w.close()
	if err := w.open(ctx, clew.NotebookOpenData{Path: f.name, KernelName: kernel, New: f.missing}); err != nil {
		discard(context.WithoutCancel(ctx), c, id)
		return id, "", err
	}
	return id, w.book, nil
}
