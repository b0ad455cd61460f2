package cli

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
)

// importing is what the flags of clew import say.
type importing struct {
	remote    env.Remote
	format    string
	newID     bool
	workspace string
	title     string
	bare      bool // without checkpoints
}

// imported is what the server says of an import.
type imported struct {
	SessionID clew.SessionID `json:"session_id"`
	Format    string         `json:"format"`
	From      clew.SessionID `json:"from,omitempty"`
	Records   uint64         `json:"records"`
	Renamed   []string       `json:"renamed,omitempty"` // old files that have done their duty
}

func importCommand(a *env.App) *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "import FILE|DIR|-",
		Short: "Import a session from an exported file",
		Long: "Import a session from an exported file, made here or by another program. A\n" +
			"directory may hold tasks/ or session_logs/, or be the folder of one of them. A\n" +
			"Jupyter notebook becomes a session with that notebook; nothing of it is run.",
		Example: "clew import backup.clew\nclew import analysis.ipynb\nclew import backup.clew --new-id --workspace ./copy\nssh other clew export sess_1 -o - | clew import -",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if i.format != "" && !slices.Contains(formats, i.format) {
				return env.Usagef("--format is one of %s", strings.Join(formats, ", "))
			}
			return importFrom(cmd.Context(), a, args[0], i)
		},
	}
	i.remote.Flags(cmd)
	cmd.Flags().StringVar(&i.format, "format", "", strings.Join(formats, ", ")+"; detected if omitted")
	cmd.Flags().BoolVar(&i.newID, "new-id", false, "give the session a new id instead of its own")
	cmd.Flags().StringVar(&i.workspace, "workspace", "", "the folder that its agents work in from now on, made if it is missing")
	cmd.Flags().StringVar(&i.title, "title", "", "a title in place of its own")
	cmd.Flags().BoolVar(&i.bare, "no-checkpoints", false, "leave out the checkpoints of a bundle")
	return cmd
}

func importFrom(ctx context.Context, a *env.App, name string, i importing) error {
	c, err := a.Connect(i.remote)
	if err != nil {
		return err
	}
	source, size, legacy, err := openSource(a, name)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	made := ""
	if i.workspace != "" {
		if i.workspace, made, err = history.WorkspaceArg(c, i.workspace, false); err != nil {
			return err
		}
	}
	query := url.Values{}
	for key, value := range map[string]string{"format": i.format, "workspace": i.workspace, "title": i.title} {
		if value != "" {
			query.Set(key, value)
		}
	}
	if strings.EqualFold(filepath.Ext(name), ".ipynb") {
		query.Set("name", filepath.Base(name))
		if i.format == "" {
			query.Set("format", "notebook")
		}
	}
	if i.newID {
		query.Set("new_id", "true")
	}
	if i.bare {
		query.Set("checkpoints", "false")
	}
	p := a.Progress("imported", source)
	defer p.End()
	resp, err := c.Stream(ctx, http.MethodPost, "/sessions/import", query, p, size)
	p.End()
	if err != nil {
		if made != "" {
			_ = os.Remove(made) // only if it is empty still
		}
		return aboutFile(isThere(err, i), name)
	}
	defer func() { _ = resp.Body.Close() }()
	var got imported
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&got); err != nil {
		return clew.WrapError(clew.ConnectionFailed, err, "the answer broke off")
	}
	if got.Renamed, err = retire(legacy); err != nil {
		return fmt.Errorf("session %s is there, but an old file could not be renamed: %w", got.SessionID, err)
	}
	return a.Print(got, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d records from a %s\n", got.SessionID, got.Records, got.Format)
		return err
	})
}

// isThere says how to have a session twice.
func isThere(err error, i importing) error {
	e := (*clew.Error)(nil)
	if errors.As(err, &e) && e.Code == clew.SessionExists && !i.newID {
		return clew.Errorf(e.Code, "%s: --new-id gives this one another id", e.Message).Advised()
	}
	return err
}

// aboutFile names the file in what the server says is wrong with it.
func aboutFile(err error, name string) error {
	e := (*clew.Error)(nil)
	if name == "-" || !errors.As(err, &e) || e.Code != clew.InvalidMessage {
		return err
	}
	return clew.Errorf(e.Code, "%s: %s", name, e.Message)
}

// source opens what is imported. legacy are files that are renamed once the
// session is safe.
func openSource(a *env.App, name string) (r io.ReadCloser, size int64, legacy []string, err error) {
	if name == "-" {
		return io.NopCloser(a.In), -1, nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.IsDir() {
		return f, info.Size(), nil, nil
	}
	_ = f.Close()
	if err != nil {
		return nil, 0, nil, err
	}
	files, err := filesOf(name)
	if err != nil {
		return nil, 0, nil, err
	}
	return packFiles(files), -1, oldFiles(files), nil
}

// A dirFile is a file of a directory and its name in the archive.
type dirFile struct{ disk, name string }

// wanted are the names that an import reads; nothing else leaves the machine.
var wanted = []string{
	"ui_messages.json", "api_conversation.json", legacyFile, "metadata.json", "session.json", taskListName, "messages.jsonl",
}

const legacyFile = "claude_messages.json"

// filesOf lists what is to be sent. The folder of one task, or of one session
// log, is given its place among others.
func filesOf(dir string) ([]dirFile, error) {
	prefix, err := placeOf(dir)
	if err != nil {
		return nil, err
	}
	var files []dirFile
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "checkpoints") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !slices.Contains(wanted, d.Name()) {
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		files = append(files, dirFile{name, path.Join(prefix, filepath.ToSlash(rel))})
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is no task and no session log in %s", dir)
	}
	return files, err
}

func placeOf(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	base := filepath.Base(full)
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	switch {
	case has("messages.jsonl"):
		return "session_logs/" + base, nil
	case has("ui_messages.json"), has("api_conversation.json"), has(legacyFile):
		return "tasks/" + base, nil
	case base == "tasks", base == "session_logs":
		return base, nil
	}
	return "", nil
}

// oldFiles are those whose messages were read for want of newer ones.
func oldFiles(files []dirFile) []string {
	have := map[string]bool{}
	for _, f := range files {
		have[f.name] = true
	}
	var list []string
	for _, f := range files {
		if path.Base(f.name) == legacyFile && !have[path.Join(path.Dir(f.name), "api_conversation.json")] {
			list = append(list, f.disk)
		}
	}
	return list
}

// retire renames old files, so that they are not imported twice. Nothing is
// deleted.
func retire(files []string) (renamed []string, err error) {
	for _, name := range files {
		if err := os.Rename(name, name+".imported"); err != nil {
			return renamed, err
		}
		renamed = append(renamed, name+".imported")
	}
	return renamed, nil
}

// packed is an archive that is made while it is read.
type packed struct {
	*io.PipeReader
	done sync.WaitGroup
}

// Close ends the packing and waits for it.
func (p *packed) Close() error {
	err := p.PipeReader.Close()
	p.done.Wait()
	return err
}

func packFiles(files []dirFile) io.ReadCloser {
	r, w := io.Pipe()
	p := &packed{PipeReader: r}
	p.done.Go(func() {
		archive := tar.NewWriter(w)
		var err error
		for _, f := range files {
			if err = packFile(archive, f); err != nil {
				break
			}
		}
		if err == nil {
			err = archive.Close()
		}
		_ = w.CloseWithError(err) // it never fails
	})
	return p
}

func packFile(archive *tar.Writer, f dirFile) error {
	src, err := os.Open(f.disk)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: 0o644, Size: info.Size(), ModTime: info.ModTime()}
	if err := archive.WriteHeader(h); err != nil {
		return err
	}
	if _, err := io.CopyN(archive, src, info.Size()); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s changed while it was read", f.disk)
	} else if err != nil {
		return err
	}
	return nil
}
