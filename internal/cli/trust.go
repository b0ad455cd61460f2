package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// settingsTrust gives trust to a workspace on this machine. It reads the folder
// itself, so that what is trusted is what the person has before them.
func (a *app) settingsTrust(r *remote) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "trust DIR",
		Short: "Trust a workspace's .clew folder as it is now",
		Long: "Trust a workspace's .clew folder as it is now: its modes count from then on, and\n" +
			"approvals that you switched on hold in it. When the folder changes, the trust ends.\n" +
			"Read the folder first. The workspace must be on the machine of the server.",
		Example: "clew settings trust ~/project\nclew settings trust ~/project --remove",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := a.lookedAt(args[0], remove)
			if err != nil {
				return err
			}
			c, err := a.connect(*r)
			if err != nil {
				return err
			}
			list, err := c.settings(cmd.Context())
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
			if err := c.call(cmd.Context(), http.MethodPatch, "settings", change, nil); err != nil {
				return err
			}
			return a.print(map[string]any{"dir": folder.Dir, "hash": folder.Hash, "modes": folder.Modes}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, trustLine(folder, remove))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take the trust back")
	return cmd
}

// lookedAt reads the folder. To take trust back, it need not be there any more.
func (a *app) lookedAt(dir string, remove bool) (trustedFolder, error) {
	folder, err := lookAt(dir)
	if err == nil {
		return folder, nil
	}
	if !remove {
		return folder, usagef("%s cannot be trusted: %w", dir, err)
	}
	abs, err := filepath.Abs(dir)
	return trustedFolder{Dir: abs}, err
}

func trustLine(f trustedFolder, remove bool) string {
	switch {
	case remove:
		return plain(f.Dir) + " is not trusted any more"
	case len(f.Modes) > 0:
		return fmt.Sprintf("%s is trusted as it is now; it brings the modes %s", plain(f.Dir), plain(strings.Join(f.Modes, ", ")))
	}
	return plain(f.Dir) + " is trusted as it is now"
}
