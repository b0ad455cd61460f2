package cli

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// formats are the kinds of files that a session can be written to.
var formats = []string{"bundle", "task-folder", "session-log", "message-store", "notebook"}

const taskListName = "task_history.json"

// exporting is what the flags of clew export say.
type exporting struct {
	remote env.Remote
	output string
	format string
	agent  string
	// notebook is the id of one of several.
	notebook string
	all      bool
	force    bool
}

// exported is what clew export prints with --json.
type exported struct {
	SessionID clew.SessionID `json:"session_id"`
	Format    string         `json:"format"`
	Path      string         `json:"path"`
	Bytes     int64          `json:"bytes"`
}

func exportCommand(a *env.App) *cobra.Command {
	var e exporting
	cmd := &cobra.Command{
		Use:   "export [SESSION]",
		Short: "Write a session to a file",
		Long: "Write a session to a file. A bundle has all of it and can be imported on another\n" +
			"server; the other forms are for other programs and leave out what was taken back.\n\n" + env.HowSession,
		Example: "clew export sess_1\nclew export sess_1 -o backup.clew\nclew export sess_1 --format task-folder -o ./tasks/\nclew export sess_1 --format notebook -o analysis.ipynb",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := env.Argument(args, 0)
			if err := env.CheckName(name); err != nil {
				return err
			}
			if !slices.Contains(formats, e.format) {
				return env.Usagef("--format is one of %s", strings.Join(formats, ", "))
			}
			if e.agent != "" && e.format != "session-log" {
				return env.Usagef("--agent is for --format session-log: a %s has what all agents said", e.format)
			}
			if e.all && e.format != "message-store" {
				return env.Usagef("--all is for --format message-store: a %s has everything", e.format)
			}
			if e.notebook != "" && e.format != "notebook" {
				return env.Usagef("--notebook is for --format notebook")
			}
			return export(cmd.Context(), a, name, e)
		},
	}
	e.remote.Flags(cmd)
	cmd.Flags().StringVarP(&e.output, "output", "o", "", "file to write, - for standard output, or a directory (with / at its end) to unpack into")
	cmd.Flags().StringVar(&e.format, "format", formats[0], strings.Join(formats, ", "))
	cmd.Flags().StringVar(&e.agent, "agent", "", "with session-log: only what this agent said and heard")
	cmd.Flags().StringVar(&e.notebook, "notebook", "", "with notebook: the id of one of several; the first if omitted")
	cmd.Flags().BoolVar(&e.force, "force", false, "write over a file that is there")
	cmd.Flags().BoolVar(&e.all, "all", false, "with message-store: all messages instead of the newest 200")
	return cmd
}

func export(ctx context.Context, a *env.App, name string, e exporting) error {
	if err := canSave(e.output, e.force); err != nil {
		return err
	}
	s, c, err := a.SessionNamed(ctx, name, e.remote)
	if err != nil {
		return err
	}
	id := s.ID
	query := url.Values{"format": {e.format}}
	if e.agent != "" {
		query.Set("agent_id", e.agent)
	}
	if e.notebook != "" {
		query.Set("notebook_id", e.notebook)
	}
	if e.all {
		query.Set("all", "true")
	}
	if f, ok := a.Out.(*os.File); ok && e.output == "-" && env.IsTerminal(f) {
		return env.Usagef("an export is no text for a terminal: send it to a program, or leave out -o -")
	}
	resp, err := c.Stream(ctx, http.MethodGet, "/sessions/"+string(id)+"/export", query, nil, -1)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	p := a.Progress("exported", resp.Body)
	defer p.End()
	if e.output == "-" {
		_, err := io.Copy(a.Out, p)
		return brokeOff(err)
	}
	file, err := save(p, e.output, fileName(resp, id), e.force)
	p.End()
	if err != nil {
		return brokeOff(err)
	}
	done := exported{id, e.format, file, p.N}
	return a.Print(done, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s, %d bytes\n", file, e.format, p.N)
		return err
	})
}

// brokeOff tells a connection that failed from a disk that did.
func brokeOff(err error) error {
	var p *fs.PathError
	var e *clew.Error
	var usage *env.UsageError
	if err == nil || errors.As(err, &p) || errors.As(err, &e) || errors.As(err, &usage) {
		return err
	}
	return clew.WrapError(clew.ConnectionFailed, err, "the file did not come through")
}

// fileName is what the server calls the file, without any folder.
func fileName(resp *http.Response, id clew.SessionID) string {
	_, params, _ := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
	if name := filepath.Base(params["filename"]); name != "." && name != string(filepath.Separator) && !strings.HasPrefix(name, "..") {
		return name
	}
	return string(id)
}

// canSave finds out before anything is sent that there is no place for the file.
func canSave(output string, force bool) error {
	if output == "-" || strings.HasSuffix(output, "/") {
		return nil
	}
	dir := filepath.Dir(output)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return env.Usagef("there is no directory %s to write to", dir)
	}
	if info, err := os.Stat(output); output == "" || err != nil || info.IsDir() {
		return nil
	}
	return isFree(output, force)
}

// isFree refuses to write over a file that is there.
func isFree(name string, force bool) error {
	if _, err := os.Lstat(name); err != nil || force {
		return nil //nolint:nilerr // it is not there; what else is wrong shows when it is written
	}
	return env.Usagef("%s is there already: --force writes over it, -o FILE names another", name)
}

// save writes the file, whole or not at all. In a directory an archive is
// unpacked.
func save(src io.Reader, output, name string, force bool) (string, error) {
	info, err := os.Stat(output)
	folder := strings.HasSuffix(output, "/") || err == nil && info.IsDir()
	switch {
	case folder && strings.HasSuffix(name, ".tar"):
		return output, unpack(src, output)
	case folder:
		if err := os.MkdirAll(output, 0o755); err != nil {
			return "", err
		}
		output = filepath.Join(output, name)
	case output == "":
		output = name
	}
	if err := isFree(output, force); err != nil {
		return "", err
	}
	return output, saveFile(src, output)
}

// saveFile writes beside the file and puts it in its place once it is on disk.
func saveFile(src io.Reader, name string) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		p.Path = name // a person knows of no other file
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(f, src)
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// unpack writes the files of an archive under a directory and nowhere else. Each
// is whole or as it was before.
func unpack(src io.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	archive := tar.NewReader(src)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) {
			return clew.Errorf(clew.InvalidMessage, "%q in the archive is no file of ours: the rest was not unpacked", h.Name)
		}
		if err := unpackFile(root, archive, h.Name); err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, src io.Reader, name string) error {
	if path.Base(name) == taskListName {
		merged, err := mergeTasks(root, src, name)
		if err != nil {
			return err
		}
		src = bytes.NewReader(merged)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	temporary := name + ".tmp"
	f, err := root.Create(temporary)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, src)
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary)
	}
	return err
}

// mergeTasks adds the tasks of an archive to the list that is there: a task that
// is in it gets the new fields, the others are added.
func mergeTasks(root *os.Root, src io.Reader, name string) ([]byte, error) {
	type item = map[string]any
	var list, add []item
	read := func(r io.Reader, into *[]item) error {
		dec := json.NewDecoder(r)
		dec.UseNumber()
		return dec.Decode(into)
	}
	if err := read(src, &add); err != nil {
		return nil, err
	}
	if f, err := root.Open(name); err == nil {
		err = read(f, &list)
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s is not a list of tasks; it is left as it is: %w", name, err)
		}
	}
	for _, task := range add {
		i := slices.IndexFunc(list, func(have item) bool { return have["id"] == task["id"] })
		if i < 0 {
			list = append(list, task)
			continue
		}
		for key, value := range task {
			list[i][key] = value
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(append([]item{}, list...))
	return b.Bytes(), err
}
