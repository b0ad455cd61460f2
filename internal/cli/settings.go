package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// A setting is one as the server lists it.
type setting struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Layer   string          `json:"layer"`
	Hidden  bool            `json:"hidden,omitempty"`
	Unknown bool            `json:"unknown,omitempty"`
	Group   string          `json:"group,omitempty"`
	Doc     string          `json:"doc,omitempty"`
	Allowed string          `json:"allowed,omitempty"`
	Default json.RawMessage `json:"default,omitempty"`
}

func settingsCommand(a *env.App) *cobra.Command {
	var r env.Remote
	list := settingsList(a, &r)
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "Show and change settings",
		Long: "Show and change the settings of a running server, or of one session. Without a\n" +
			"subcommand they are listed, each with the layer that its value is from: default,\n" +
			"file, environment or server. Secrets are not settings; see clew secret.",
		Example: "clew settings\nclew settings set mode ask --session SESSION\nclew settings set allowed_commands '[\"go test *\"]'",
		Args:    env.Known,
		RunE:    list.RunE,
	}
	r.Flags(cmd)
	cmd.AddCommand(list, settingsGet(a, &r), settingsSet(a, &r), settingsReset(a, &r), settingsExport(a, &r), settingsImport(a, &r), settingsTrust(a, &r))
	return cmd
}

func settings(ctx context.Context, c *env.Rest) ([]setting, error) {
	var answer struct {
		Settings []setting `json:"settings"`
	}
	err := c.Call(ctx, http.MethodGet, "settings", nil, &answer)
	return answer.Settings, err
}

func settingsList(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List all settings and where each is from",
		Long: "List all settings with their values and the layer that each is from: default, file,\n" +
			"environment or server. docs/settings.md says what each does.",
		Example: "clew settings list\nclew settings list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			list, err := settings(cmd.Context(), c)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"settings": list}, func(w io.Writer) error { return settingsTable(w, list) })
		},
	}
}

// settingsTable groups the settings as the reference page does.
func settingsTable(w io.Writer, list []setting) error {
	var b strings.Builder
	wide := len("KEY")
	for _, s := range list {
		wide = max(wide, len(env.Plain(s.Key)))
	}
	room := 60
	if width, person := env.Columns(w); person {
		room = max(20, width-wide-17)
	}
	row := func(key, from, value string) { _, _ = fmt.Fprintf(&b, "  %-*s  %-11s  %s\n", wide, key, from, value) }
	row("KEY", "FROM", "VALUE")
	group := ""
	for _, s := range list {
		if g := cmp.Or(s.Group, "Not known to clew"); g != group {
			group = g
			_, _ = fmt.Fprintf(&b, "\n%s\n", g)
		}
		row(env.Plain(s.Key), s.Layer, env.Cut(s.text(), room))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text is a value as people read it: text without quotes, all else as JSON.
func (s setting) text() string {
	var text string
	switch {
	case s.Hidden:
		return "(contains a secret)"
	case json.Unmarshal(s.Value, &text) == nil && text != "":
		return env.Plain(text)
	}
	return env.Plain(string(s.Value))
}

func settingsGet(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "get KEY",
		Short: "Print one setting",
		Long: "Print the value of one setting: text without quotes, everything else as JSON. --json\n" +
			"says more about it.",
		Example: "clew settings get mode\nclew settings get allowed_commands --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			list, err := settings(cmd.Context(), c)
			if err != nil {
				return err
			}
			s, ok := find(list, args[0])
			if !ok {
				return noSetting(list, args[0])
			}
			return a.Print(s, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, s.text())
				return err
			})
		},
	}
}

func find(list []setting, key string) (setting, bool) {
	for _, s := range list {
		if s.Key == key {
			return s, true
		}
	}
	return setting{}, false
}

// secretEnds are how names of secrets end, as people choose them.
var secretEnds = []string{"_key", "_token", "_secret", "_password"}

// noSetting helps with what was probably meant.
func noSetting(list []setting, key string) error {
	if slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(key, end) }) {
		return env.Usagef("%s is no setting; for a secret: clew secret set %s", key, key)
	}
	var keys, within []string
	for _, s := range list {
		if s.Unknown {
			continue
		}
		if keys = append(keys, s.Key); len(key) > 2 && strings.Contains(s.Key, key) {
			within = append(within, s.Key)
		}
	}
	what := env.FirstOf(env.Meant(term.Suggest(key, keys)), env.Meant(within), "; clew settings lists them all")
	return env.Usagef("there is no setting %q%s", key, what)
}

func settingsSet(a *env.App, r *env.Remote) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Change a setting of the server, or of one session",
		Long: "Change a setting. VALUE is plain text where the setting is a text, and JSON\n" +
			"everywhere else: true, 5, '[\"go test *\"]'. It holds at once.",
		Example: "clew settings set always_allow_read_only true\nclew settings set mode architect --session SESSION",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "model_profiles" {
				return env.Usagef("model profiles are edited one by one: use clew model add, clew model rm or clew login")
			}
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			value, err := valueOf(cmd.Context(), c, args[0], args[1], session != "")
			if err != nil {
				return err
			}
			return change(cmd.Context(), a, c, session, args[0], value, "set")
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "only for this session; - is the newest")
	return cmd
}

// valueOf reads VALUE as the setting wants it. Who sees only a session may not
// list the server's settings; then the value decides what it is.
func valueOf(ctx context.Context, c *env.Rest, key, value string, forSession bool) (any, error) {
	list, err := settings(ctx, c)
	if err != nil && (!forSession || clew.CodeOf(err) != clew.Forbidden) {
		return nil, err
	}
	s, known := find(list, key)
	if err == nil && (!known || s.Unknown) {
		return nil, noSetting(list, key)
	}
	var decoded any
	fits := json.Unmarshal([]byte(value), &decoded) == nil
	switch {
	case known && bytes.HasPrefix(s.Default, []byte(`"`)), !fits && !known:
		return value, nil
	case !fits:
		return nil, env.Usagef("%s does not take %q: it takes %s, written as JSON", key, value, cmp.Or(strings.ReplaceAll(s.Allowed, "`", ""), "any value"))
	}
	return decoded, nil
}

func settingsReset(a *env.App, r *env.Remote) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "reset KEY",
		Short: "Give a setting back to the layers below",
		Long: "Take back what was set on the server, or for one session: the environment, the file or\n" +
			"the default counts again. It holds at once.",
		Example: "clew settings reset mode\nclew settings reset mode --session SESSION",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			if session == "" {
				list, err := settings(cmd.Context(), c)
				if err != nil {
					return err
				}
				if _, ok := find(list, args[0]); !ok {
					return noSetting(list, args[0])
				}
			}
			return change(cmd.Context(), a, c, session, args[0], nil, "reset")
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "only for this session; - is the newest")
	return cmd
}

// change carries a change out and says what holds now.
func change(ctx context.Context, a *env.App, c *env.Rest, session, key string, value any, verb string) error {
	changes := map[string]any{key: value}
	if session != "" {
		s, err := c.Session(ctx, session)
		if err != nil {
			return err
		}
		id := s.ID
		_, err = c.API().Command(ctx, id, "", clew.CommandUpdateSettings, clew.UpdateSettingsData{Settings: changes})
		if err != nil {
			return err
		}
		return a.Print(map[string]any{"changed": []string{key}, "session_id": id}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s %s for session %s\n", verb, env.Plain(key), id)
			return err
		})
	}
	var answer struct {
		Changed []string `json:"changed"`
	}
	if err := c.Call(ctx, http.MethodPatch, "settings", map[string]any{"settings": changes}, &answer); err != nil {
		return err
	}
	return a.Print(answer, func(w io.Writer) error {
		list, err := settings(ctx, c)
		if err != nil {
			return err
		}
		s, ok := find(list, key)
		line := fmt.Sprintf("%s is not set any more", env.Plain(key))
		if ok {
			line = fmt.Sprintf("%s is %s (%s)", env.Plain(key), env.Cut(s.text(), 100), s.Layer)
		}
		_, err = fmt.Fprintln(w, line)
		return err
	})
}

func settingsExport(a *env.App, r *env.Remote) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print what is set, without secrets, for another server",
		Long: "Print what is set on the server as JSON, without secrets and without defaults, for\n" +
			"another server or for safe keeping. clew settings import reads it.",
		Example: "clew settings export -o settings.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			var exported map[string]any
			if err := c.Call(cmd.Context(), http.MethodGet, "settings/export", nil, &exported); err != nil {
				return err
			}
			b, err := json.MarshalIndent(exported, "", "  ")
			if err != nil {
				return err
			}
			b = append(b, '\n')
			if file == "" {
				_, err = a.Out.Write(b)
				return err
			}
			if err := os.WriteFile(file, b, 0o600); err != nil {
				return err
			}
			return a.Print(map[string]any{"file": file, "bytes": len(b)}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s: %d bytes\n", file, len(b))
				return err
			})
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write to (default standard output)")
	return cmd
}

func settingsImport(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Take settings over from an export; - reads standard input",
		Long: "Take over the settings of a file that clew settings export wrote, and say what changed.\n" +
			"What the file does not name stays as it is.",
		Example: "clew settings import settings.json\nssh other clew settings export | clew settings import -",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			imported, err := readExport(a, args[0])
			if err != nil {
				return err
			}
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			var answer struct {
				Changed []string `json:"changed"`
			}
			if err := c.Call(cmd.Context(), http.MethodPost, "settings/import", imported, &answer); err != nil {
				return err
			}
			return a.Print(answer, func(w io.Writer) error {
				if len(answer.Changed) == 0 {
					_, err := fmt.Fprintln(w, "nothing changed")
					return err
				}
				_, err := fmt.Fprintln(w, "changed", strings.Join(answer.Changed, ", "))
				return err
			})
		},
	}
}

func readExport(a *env.App, name string) (imported map[string]any, err error) {
	var b []byte
	if name == "-" {
		b, err = io.ReadAll(io.LimitReader(a.In, env.MaxAnswer))
	} else {
		b, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, env.Usagef("cannot read the export: %w", err)
	}
	if err := json.Unmarshal(b, &imported); err != nil {
		return nil, env.Usagef("%s is not an export of settings, which is a JSON object", name)
	}
	return imported, nil
}
