package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
)

// maxSecret bounds what is read from standard input.
const maxSecret = 64 << 10

func secretCommand(a *env.App) *cobra.Command {
	var r env.Remote
	cmd := &cobra.Command{
		Use:   "secret",
		Short: "Store, list and delete secrets",
		Long: "Store, list and delete the secrets of a running server: keys of model providers\n" +
			"and whatever settings refer to as $SECRET:NAME. A stored value cannot be read again.",
		Example: "clew secret set anthropic_api_key          # asks for it, without showing it\nclew secret set openai_api_key < key.txt",
		Args:    env.Known,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	r.Flags(cmd)
	cmd.AddCommand(secretSet(a, &r), secretList(a, &r), secretRemove(a, &r))
	return cmd
}

// secretSet takes the value from standard input alone: an argument would stand
// in the process list and in the shell's history.
func secretSet(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY",
		Short: "Store a secret; the value is read from standard input",
		Long: "Store a secret on the server, in the system's keyring or encrypted on disk. The value is\n" +
			"read from standard input; on a terminal it is asked for and not shown. It replaces one\n" +
			"that is there.",
		Example: "clew secret set anthropic_api_key\nclew secret set openai_api_key < key.txt",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("the secret's name is missing, such as anthropic_api_key")
			case len(args) > 1:
				return errors.New("give only the name: the value is read from standard input, where no one else sees it")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			value, err := readSecret(a, args[0])
			if err != nil {
				return err
			}
			if err := c.Call(cmd.Context(), http.MethodPut, secretPath(args[0]), map[string]string{"value": value}, nil); err != nil {
				return err
			}
			return a.Print(map[string]string{"stored": args[0]}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, "stored", env.Plain(args[0]))
				return err
			})
		},
	}
}

// readSecret reads one line without showing it from a terminal, and everything
// from a file or a pipe. The line break at the end is not part of the value.
func readSecret(a *env.App, name string) (string, error) {
	var b []byte
	var err error
	if f, ok := a.In.(*os.File); ok && term.IsTerminal(f.Fd()) {
		_, _ = fmt.Fprintf(a.Err, "Value of %s (not shown): ", env.Plain(name))
		b, err = term.ReadPassword(f.Fd())
		_, _ = fmt.Fprintln(a.Err)
	} else {
		b, err = io.ReadAll(io.LimitReader(a.In, maxSecret+1))
	}
	if err != nil {
		return "", fmt.Errorf("the value cannot be read: %w", err)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	switch {
	case len(b) > maxSecret:
		return "", env.Usagef("the value is longer than %d bytes", maxSecret)
	case strings.TrimSpace(value) == "":
		return "", env.Usagef("the value is empty")
	}
	return value, nil
}

func secretPath(name string) string { return "secrets/" + url.PathEscape(name) }

func secretList(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List the names of secrets",
		Long:    "List the names of the secrets that the server keeps. Their values are never shown.",
		Example: "clew secret ls",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			var answer struct {
				Names []string `json:"names"`
			}
			if err := c.Call(cmd.Context(), http.MethodGet, "secrets", nil, &answer); err != nil {
				return err
			}
			return a.Print(answer, func(w io.Writer) error {
				for _, name := range answer.Names {
					if _, err := fmt.Fprintln(w, env.Plain(name)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func secretRemove(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "rm KEY",
		Short: "Delete a stored secret",
		Long: "Delete a secret that the server keeps. One that stands in the server's environment is\n" +
			"not touched.",
		Example: "clew secret rm anthropic_api_key",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			if err := c.Call(cmd.Context(), http.MethodDelete, secretPath(args[0]), nil, nil); err != nil {
				return err
			}
			return a.Print(map[string]string{"removed": args[0]}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, "removed", env.Plain(args[0]))
				return err
			})
		},
	}
}
