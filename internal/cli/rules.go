package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// A keptRule is what the server keeps for a person.
type keptRule struct {
	ID      clew.RequestID     `json:"id"`
	Scope   clew.RememberScope `json:"scope"`
	Dir     string             `json:"dir,omitempty"`
	Tool    string             `json:"tool"`
	Pattern string             `json:"pattern,omitempty"`
	TS      int64              `json:"ts"`
}

// covers says which calls the rule is about.
func (r keptRule) covers() string {
	switch {
	case r.Tool == "execute_command":
		return "commands like " + r.Pattern
	case r.Pattern != "":
		return r.Tool + " from " + r.Pattern
	}
	return "every call of " + r.Tool + " (not with protected files)"
}

func rulesCommand(a *env.App) *cobra.Command {
	var r env.Remote
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List and take back what you allowed for good",
		Long: "List what you had remembered with an approval for a folder (workspace) or for good\n" +
			"(always), and take it back. What holds for a task or a session is in the session:\n" +
			"the web UI shows it, and so does clew show.",
		Example: "clew rules ls\nclew rules rm req_0123456789abcdef01234567",
		Args:    env.Known,
		RunE:    func(cmd *cobra.Command, _ []string) error { return listRules(cmd, a, r) },
	}
	r.Flags(cmd)
	cmd.AddCommand(&cobra.Command{
		Use: "ls", Short: "List your rules", Long: "List your rules: what each covers, where it counts, and its id.",
		Example: "clew rules ls", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listRules(cmd, a, r) },
	}, &cobra.Command{
		Use: "rm ID...", Short: "Remove rules", Long: "Remove rules. The next call like it needs approval again.",
		Example: "clew rules rm req_0123456789abcdef01234567", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error { return removeRules(cmd, a, r, ids) },
	})
	return cmd
}

func listRules(cmd *cobra.Command, a *env.App, r env.Remote) error {
	c, err := a.Connect(r)
	if err != nil {
		return err
	}
	var out struct {
		Rules []keptRule `json:"rules"`
	}
	if err := c.Call(cmd.Context(), http.MethodGet, "rules", nil, &out); err != nil {
		return err
	}
	return a.Print(out, func(w io.Writer) error {
		if len(out.Rules) == 0 {
			_, err := fmt.Fprintln(w, "You have no rules for a folder or for good.")
			return err
		}
		for _, rule := range out.Rules {
			where := "in every folder"
			if rule.Dir != "" {
				where = "in " + rule.Dir
			}
			if _, err := fmt.Fprintf(w, "%s  %-9s  %s\n    %s\n", env.Plain(string(rule.ID)), rule.Scope, env.Plain(rule.covers()), env.Plain(where)); err != nil {
				return err
			}
		}
		return nil
	})
}

func removeRules(cmd *cobra.Command, a *env.App, r env.Remote, ids []string) error {
	c, err := a.Connect(r)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := c.Call(cmd.Context(), http.MethodDelete, "rules/"+url.PathEscape(id), nil, nil); err != nil {
			return err
		}
	}
	return a.Print(map[string]any{"removed": ids}, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "Removed. Calls like it need approval again.")
		return err
	})
}
