package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
)

// tested is what one call of a model came to.
type tested struct {
	OK        bool   `json:"ok"`
	LatencyMS int64  `json:"latency_ms"`
	Model     string `json:"model"`
	Error     *struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
		Next    string `json:"next"`
	} `json:"error,omitempty"`
}

// refusedKey is the kind of failure that the key is to blame for.
const refusedKey = "auth"

func profilePath(name string) string { return "model-profiles/" + url.PathEscape(name) }

// testProfile has the server make one call. fields are those of a profile that is not
// stored yet; nil is the one that is.
func testProfile(ctx context.Context, c *env.Rest, name string, fields map[string]any) (t tested, err error) {
	var body any
	if fields != nil {
		body = fields
	}
	err = c.Call(ctx, http.MethodPost, profilePath(name)+"/test", body, &t)
	return t, err
}

// took says how long the answer took.
func (t tested) took() string {
	return fmt.Sprintf("answered in %.1f s", (time.Duration(t.LatencyMS) * time.Millisecond).Seconds())
}

func modelTest(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "test [NAME]",
		Short: "Call a model once, to see whether it answers",
		Long: "Have the server make one short call with a model profile, the one in use if none is\n" +
			"named. It costs a fraction of a cent. For the owner of the server.",
		Example: "clew model test\nclew model test openai",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			name := env.Argument(args, 0)
			if name == "" {
				var used usedModel
				if err := c.Call(cmd.Context(), http.MethodGet, "model", nil, &used); err != nil {
					return err
				}
				if name = used.Profile; name == "" {
					return notReady("%s", noModelText)
				}
			}
			t, err := testProfile(cmd.Context(), c, name, nil)
			if err != nil {
				return err
			}
			err = a.Print(t, func(w io.Writer) error {
				p := &env.Page{W: w}
				if t.OK {
					p.Line("%s %s.", env.Plain(env.FirstOf(t.Model, name)), t.took())
				} else {
					p.Line("%s failed: %s", env.Plain(name), env.Plain(t.Error.Message))
					p.Line("%s", env.Plain(t.Error.Next))
				}
				return p.Err
			})
			if err == nil && !t.OK {
				err = env.ExitWith(env.ExitFailure)
			}
			return err
		},
	}
}

func modelAdd(a *env.App, r *env.Remote) *cobra.Command {
	var window int
	cmd := &cobra.Command{
		Use:   "add NAME --provider PROVIDER --model MODEL",
		Short: "Add a model profile, or change one",
		Long: "Add a model profile of any name: for a second model of a provider, or for a server of\n" +
			"your own. A profile that is there keeps what you do not name, its key among it. It is\n" +
			"not used until you say so: clew model use NAME. For a key, clew login is simpler.",
		Example: "clew model add opus --provider anthropic --model claude-opus-4-6\n" +
			"clew model add mine --provider openai --base-url http://10.0.0.7/v1 --model m",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			fields := map[string]any{}
			for flag, field := range map[string]string{"provider": "provider", "model": "model", "base-url": "base_url", "api": "api", "key-name": "key_name"} {
				if f := cmd.Flags().Lookup(flag); f.Changed {
					fields[field] = f.Value.String()
				}
			}
			if cmd.Flags().Lookup("context-window").Changed {
				fields["context_window"] = window
			}
			all, err := models(cmd.Context(), c)
			if err != nil {
				return err
			}
			method := http.MethodPut
			if hasProfile(all, args[0]) {
				method = http.MethodPatch
			}
			if err := c.Call(cmd.Context(), method, profilePath(args[0]), fields, nil); err != nil {
				return err
			}
			return a.Print(map[string]string{"saved": args[0]}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "Saved the profile %q. Use it: %s\n", env.Plain(args[0]), c.Line("model", "use", args[0]))
				return err
			})
		},
	}
	fs := cmd.Flags()
	fs.String("provider", "", "who serves the model: anthropic, openai, …; openai also for servers that speak its API")
	fs.String("model", "", "the model's name, as the provider writes it")
	fs.String("base-url", "", "address of the API (default the provider's own)")
	fs.String("api", "", "API to use: messages, chat, responses, … (default the provider's usual one)")
	fs.String("key-name", "", "name of the secret with the key (default the provider's)")
	fs.IntVar(&window, "context-window", 0, "tokens that fit, if the catalogue does not know the model")
	return cmd
}

func modelRemove(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:     "rm NAME",
		Short:   "Delete a model profile and its key",
		Long:    "Delete a model profile and the key that was stored with it. One that is in use is not\ndeleted; choose another first.",
		Example: "clew model rm opus",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			if err := c.Call(cmd.Context(), http.MethodDelete, profilePath(args[0]), nil, nil); err != nil {
				return err
			}
			return a.Print(map[string]string{"deleted": args[0]}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "Deleted the profile %q.\n", env.Plain(args[0]))
				return err
			})
		},
	}
}

// offerProfiles gives the names of profiles for the shell to complete.
func offerProfiles(ctx context.Context, c *env.Rest, _ []string) ([]string, error) {
	all, err := models(ctx, c)
	var list []string
	for _, m := range all {
		if m.Profile != "" {
			list = append(list, hinted(m.Profile, m.Name))
		}
	}
	return list, err
}
