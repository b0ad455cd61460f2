package history

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// CheckpointCommand is clew checkpoint.
func CheckpointCommand(a *env.App) *cobra.Command {
	var r env.Remote
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Save, compare and restore the files of a session's workspace",
		Long: "Save, compare and restore the files of a session's workspace, and look after what\n" +
			"is kept of them. Agents save by themselves before and after they change files.",
		Example: "clew checkpoint ls\nclew checkpoint diff\nclew checkpoint restore sess_1 9cade7bb1cd2",
		Args:    env.Known,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	r.Flags(cmd)
	cmd.AddCommand(checkpointList(a, &r), checkpointDiff(a, &r), checkpointSave(a, &r), checkpointRestore(a, &r), checkpointFsck(a, &r), checkpointGC(a, &r))
	return cmd
}

func checkpointList(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:     "ls [SESSION|DIR]",
		Aliases: []string{"list"},
		Short:   "List the checkpoints of a session, or of a local workspace",
		Long: "List the checkpoints of a session as its records have them, oldest first. For the\n" +
			"path of a workspace, list what the data directory on this machine keeps of it, of\n" +
			"all sessions, and how much room that takes.\n\n" + env.HowSession,
		Example: "clew checkpoint ls\nclew checkpoint ls ~/project",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir, ok := directory(env.Argument(args, 0)); ok {
				return listKept(cmd.Context(), a, *r, dir)
			}
			s, c, err := a.SessionNamed(cmd.Context(), env.Argument(args, 0), *r)
			if err != nil {
				return err
			}
			id := s.ID
			list, err := Checkpoints(cmd.Context(), c, id)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"session_id": id, "checkpoints": list}, func(w io.Writer) error { return savedTable(w, list, c.Line("checkpoint", "save", string(id))) })
		},
	}
}

// directory reports whether an argument is a path and not a session, and makes
// it an absolute one.
func directory(arg string) (string, bool) {
	if arg != "." && arg != ".." && !strings.ContainsRune(arg, filepath.Separator) {
		return "", false
	}
	abs, err := filepath.Abs(arg)
	return abs, err == nil
}

func savedTable(w io.Writer, list []Saved, saves string) error {
	if len(list) == 0 {
		_, err := fmt.Fprintf(w, "There is no checkpoint yet: %s makes one.\n", saves)
		return err
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "HASH\tTIME\tFILES\tMESSAGE\tREASON")
	for _, s := range list {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", Short(s.ToHash), time.UnixMilli(s.TS).Format(time.DateTime), s.fileCount(), s.MessageID, env.Plain(s.Reason))
	}
	return t.Flush()
}

func listKept(ctx context.Context, a *env.App, r env.Remote, dir string) error {
	cfg, err := stored(a, r)
	if err != nil {
		return err
	}
	list, err := a.Server.Checkpoints(ctx, cfg, dir)
	if err != nil {
		return err
	}
	return a.Print(map[string]any{"workspaces": list}, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		_, _ = fmt.Fprintln(t, "HASH\tTIME\tFILES\tSESSION\tREASON")
		room := int64(0)
		for _, v := range list {
			room += v.Bytes
			for _, c := range v.Checkpoints {
				_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", Short(c.Hash), time.UnixMilli(c.TS).Format(time.DateTime), c.Files, c.SessionID, env.Plain(c.Reason))
			}
		}
		_, _ = fmt.Fprintf(t, "%s on disk\n", term.Size(room))
		return t.Flush()
	})
}

// stored is the configuration of the data directory on this machine.
func stored(a *env.App, r env.Remote) (env.Config, error) {
	given := map[string]any{}
	if r.Data != "" {
		given["data"] = r.Data
	}
	return a.LoadConfig("", given)
}

func checkpointDiff(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "diff [SESSION] [FROM] [TO]",
		Short: "Show how files differ between two checkpoints",
		Long: "Show how files differ between two checkpoints, named by their hashes or how\n" +
			"these begin. Without TO it compares with the files as they are, without FROM with\n" +
			"the first checkpoint.\n\n" + env.HowSession,
		Example: "clew checkpoint diff\nclew checkpoint diff - 9cade7bb1cd2 41f0c7d2aa90",
		Args:    cobra.MaximumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, c, err := a.SessionNamed(cmd.Context(), env.Argument(args, 0), *r)
			if err != nil {
				return err
			}
			id := s.ID
			var d clew.CheckpointDiffData
			for i, hash := range []*string{&d.From, &d.To} {
				if len(args) > 1+i {
					if *hash, err = checkpointHash(cmd.Context(), c, id, args[1+i]); err != nil {
						return err
					}
				}
			}
			var answer clew.CheckpointDiffAnswer
			if _, err := command(cmd.Context(), c, id, clew.CommandCheckpointDiff, d, &answer); err != nil {
				return err
			}
			return a.Print(answer, func(w io.Writer) error { return printDiff(w, answer.Files, answer.FilesCount) })
		},
	}
}

// printDiff writes the files one after the other. Of a text it writes the
// changed lines. There may be more than the answer has.
func printDiff(w io.Writer, files []clew.CheckpointFile, count int) error {
	if len(files) == 0 {
		_, err := fmt.Fprintln(w, "no difference")
		return err
	}
	for _, f := range files {
		if _, err := fmt.Fprintln(w, diffLine(f)); err != nil {
			return err
		}
		for line := range strings.Lines(f.Unified) {
			if _, err := fmt.Fprintln(w, "    "+strings.TrimRight(env.Plain(strings.TrimRight(line, "\n")), " ")); err != nil {
				return err
			}
		}
	}
	if more := count - len(files); more > 0 {
		_, err := fmt.Fprintf(w, "… and %d more\n", more)
		return err
	}
	return nil
}

func diffLine(f clew.CheckpointFile) string {
	name := env.FirstOf(env.Plain(f.Paths.Relative), "the workspace itself")
	if f.Paths.Old != "" {
		name = env.Plain(f.Paths.Old) + " → " + name
	}
	notes := []string{}
	if f.Kind != "" && f.Kind != "file" {
		notes = append(notes, f.Kind)
	}
	if f.Binary {
		notes = append(notes, "binary")
	}
	if f.Truncated {
		notes = append(notes, "too large to show")
	}
	if f.Status == "mode" || f.Status == "added" && f.Mode != "" && f.Mode != "0644" {
		notes = append(notes, "mode "+f.Mode)
	}
	line := fmt.Sprintf("%-8s  %s", f.Status, name)
	if len(notes) > 0 {
		line += " (" + strings.Join(notes, ", ") + ")"
	}
	return line
}
