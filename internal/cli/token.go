package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// A key is an API key as the server lists it. The token is there only in the
// answer that makes it.
type key struct {
	ID        string      `json:"id"`
	Name      string      `json:"name,omitempty"`
	User      clew.UserID `json:"user"`
	Role      clew.Role   `json:"role"`
	CreatedMS int64       `json:"created_ms,omitempty"`
	ExpiresMS int64       `json:"expires_ms,omitempty"`
	RevokedMS int64       `json:"revoked_ms,omitempty"`
	LastFour  string      `json:"last_four,omitempty"`
	Token     string      `json:"token,omitempty"`
}

var keyRoles = []clew.Role{clew.RoleOwner, clew.RoleApprover, clew.RoleViewer, clew.RoleAdmin}

func tokenCommand(a *env.App) *cobra.Command {
	var r env.Remote
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Manage API keys",
		Long: "Make, list and revoke the API keys of a running server. The owner token in the\n" +
			"data directory, or CLEW_TOKEN, gives the right to do so.",
		Example: "clew token create --user ada --role viewer\nclew token list\nclew token revoke KEY_ID",
		Args:    env.Known,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	r.Flags(cmd)
	cmd.AddCommand(tokenShow(a, &r), tokenCreate(a, &r), tokenList(a, &r), tokenRevoke(a, &r))
	return cmd
}

// tokenShow says where the owner token lies. It does not print the token: that
// would leave it in terminals and their logs.
func tokenShow(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Say where the owner token is kept",
		Long: "Say where the owner token is kept. The token itself is not printed: it opens\n" +
			"everything, and terminals are logged and shared.",
		Example: "clew token show\nexport CLEW_TOKEN=$(cat \"$(clew token show)\")",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			name, err := a.TokenFile(*r)
			if err != nil {
				return err
			}
			return a.Print(map[string]string{"path": name}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, name)
				return err
			})
		},
	}
}

func tokenCreate(a *env.App, r *env.Remote) *cobra.Command {
	var user, role, name string
	var expires time.Duration
	cmd := &cobra.Command{
		Use:   "create --user USER",
		Short: "Make an API key and print it, this once",
		Long: "Make an API key for a user and print it. The server keeps only a hash of it, so this is\n" +
			"the one time that it can be seen. The user sends it as CLEW_TOKEN, or signs in to the\n" +
			"web UI with it.",
		Example: "clew token create --user ada --role viewer --expires 720h",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case user == "":
				return env.Usagef("--user is missing")
			case !clew.ValidID(user):
				return env.Usagef("--user must be 1 to 128 letters, digits, _ or -")
			case !slices.Contains(keyRoles, clew.Role(role)):
				return env.Usagef("--role %q is not owner, approver, viewer or admin", role)
			case expires < 0:
				return env.Usagef("--expires lies in the past")
			}
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			ask := key{User: clew.UserID(user), Role: clew.Role(role), Name: name}
			if expires > 0 {
				ask.ExpiresMS = time.Now().Add(expires).UnixMilli()
			}
			body := map[string]any{"user": ask.User, "role": ask.Role, "name": ask.Name, "expires_ms": ask.ExpiresMS}
			var made key
			if err := c.Call(cmd.Context(), http.MethodPost, "keys", body, &made); err != nil {
				return err
			}
			return a.Print(made, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, made.Token)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "whose key it is")
	cmd.Flags().StringVar(&role, "role", string(clew.RoleOwner), "the most it may do: owner, approver, viewer or admin")
	cmd.Flags().StringVar(&name, "name", "", "a note to recognise it by")
	cmd.Flags().DurationVar(&expires, "expires", 0, "how long it is valid, such as 720h; for ever if omitted")
	return cmd
}

func tokenList(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the API keys",
		Long: "List the API keys with their ids, whose they are, what they allow, and whether they are\n" +
			"still valid. Keys of browsers that signed in are among them.",
		Example: "clew token list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			var answer struct {
				Keys []key `json:"keys"`
			}
			if err := c.Call(cmd.Context(), http.MethodGet, "keys", nil, &answer); err != nil {
				return err
			}
			return a.Print(answer, func(w io.Writer) error { return keyTable(w, answer.Keys) })
		},
	}
}

func keyTable(w io.Writer, keys []key) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "ID\tUSER\tROLE\tENDS WITH\tSTATE\tNAME")
	for _, k := range keys {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.User, k.Role, k.LastFour, keyState(k, time.Now()), env.Plain(k.Name))
	}
	return t.Flush()
}

func keyState(k key, now time.Time) string {
	switch {
	case k.RevokedMS != 0:
		return "revoked"
	case k.ExpiresMS != 0 && k.ExpiresMS <= now.UnixMilli():
		return "expired"
	case k.ExpiresMS != 0:
		return "until " + time.UnixMilli(k.ExpiresMS).Format(time.DateTime)
	}
	return "valid"
}

func tokenRevoke(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke an API key and close its connections",
		Long: "Revoke an API key, for good. Connections that were made with it are closed, and\n" +
			"browsers that signed in with it are signed out.",
		Example: "clew token list                 # shows the ids\nclew token revoke KEY_ID",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			if err := c.Call(cmd.Context(), http.MethodDelete, "keys/"+url.PathEscape(args[0]), nil, nil); err != nil {
				return err
			}
			return a.Print(map[string]string{"revoked": args[0]}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, "revoked", args[0])
				return err
			})
		},
	}
}
