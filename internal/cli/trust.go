package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
)

// settingsTrust gives trust to a workspace on this machine. It reads the folder
// itself, so that what is trusted is what the person has before them.
func settingsTrust(a *env.App, r *env.Remote) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "trust DIR",
		Short: "Trust a workspace's .clew folder as it is now",
		Long: "Trust a workspace's .clew folder as it is now: its modes, skills and commands count from\n" +
			"then on (also those of .agents/skills, .claude/skills and .claude/commands), and approvals\n" +
			"that you switched on hold in it. When one of the folders changes, the trust ends.\n" +
			"Read the folder first. The workspace must be on the machine of the server.",
		Example: "clew settings trust ~/project\nclew settings trust ~/project --remove",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := lookedAt(a, args[0], remove)
			if err != nil {
				return err
			}
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			list, err := settings(cmd.Context(), c)
			if err != nil {
				return err
			}
			trusted := map[string]string{}
			if s, ok := find(list, "trusted_workspaces"); ok {
				if err := json.Unmarshal(s.Value, &trusted); err != nil {
					return err
				}
			}
			if remove {
				delete(trusted, folder.Dir)
			} else {
				trusted[folder.Dir] = folder.Hash
			}
			change := map[string]any{"settings": map[string]any{"trusted_workspaces": trusted}}
			if err := c.Call(cmd.Context(), http.MethodPatch, "settings", change, nil); err != nil {
				return err
			}
			return a.Print(map[string]any{"dir": folder.Dir, "hash": folder.Hash, "modes": folder.Modes, "skills": folder.Skills, "commands": folder.Commands}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, trustLine(folder, remove))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take the trust back")
	return cmd
}

// lookedAt reads the folder. To take trust back, it need not be there any more.
func lookedAt(a *env.App, dir string, remove bool) (env.TrustedFolder, error) {
	folder, err := env.LookAt(dir)
	if err == nil {
		return folder, nil
	}
	if !remove {
		return folder, env.Usagef("%s cannot be trusted: %w", dir, err)
	}
	abs, err := filepath.Abs(dir)
	return env.TrustedFolder{Dir: abs}, err
}

func trustLine(f env.TrustedFolder, remove bool) string {
	if remove {
		return env.Plain(f.Dir) + " is not trusted any more"
	}
	var brings []string
	for _, x := range []struct {
		what  string
		names []string
	}{{"modes", f.Modes}, {"skills", f.Skills}, {"commands", f.Commands}} {
		if len(x.names) > 0 {
			brings = append(brings, "the "+x.what+" "+env.Plain(strings.Join(x.names, ", ")))
		}
	}
	line := env.Plain(f.Dir) + " is trusted as it is now"
	if len(brings) > 0 {
		line += "; it brings " + strings.Join(brings, " and ")
	}
	for _, fault := range f.Faults {
		line += "\n! left out: " + env.Plain(fault)
	}
	return line
}
