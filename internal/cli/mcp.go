package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// mcpWithin is how long a tool server may take to connect, before a person is told to
// look again later.
const mcpWithin = 20 * time.Second

func mcpCommand(a *env.App) *cobra.Command {
	var r env.Remote
	list := func(cmd *cobra.Command, _ []string) error {
		c, err := a.Connect(r)
		if err != nil {
			return err
		}
		servers, err := toolServers(cmd.Context(), c)
		if err != nil {
			return err
		}
		return a.Print(map[string]any{"mcp_servers": servers}, func(w io.Writer) error { return writeToolServers(w, c, servers) })
	}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Add, list, test and remove tool servers",
		Long: "Tool servers speak the Model Context Protocol and give agents further tools: a program\n" +
			"that clew starts, or an address that it reaches. For administrators of the server.",
		Example: "clew mcp add notes -- /usr/local/bin/notes --file notes.txt\nclew mcp ls",
		Args:    env.Known,
		RunE:    list,
	}
	r.Flags(cmd)
	cmd.AddCommand(&cobra.Command{
		Use: "ls", Short: "List tool servers", Long: "List the tool servers: their state, why one failed, and their tools.",
		Example: "clew mcp ls\nclew mcp ls --json", Args: cobra.NoArgs, RunE: list,
	}, mcpAdd(a, &r), &cobra.Command{
		Use: "test NAME", Short: "Start a tool server again, and list its tools",
		Long:    "Start a tool server again, wait until it is connected, and list its tools. Calls that\nare under way there are cut off.",
		Example: "clew mcp test notes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			if err := c.Call(cmd.Context(), http.MethodPost, mcpPath(args[0])+"/restart", nil, nil); err != nil {
				return noToolServer(c, args[0], err)
			}
			return awaitServer(cmd.Context(), a, c, args[0])
		},
	}, &cobra.Command{
		Use: "rm NAME…", Short: "Remove tool servers", Long: "Remove tool servers. Agents lose their tools at the next step.",
		Example: "clew mcp rm notes", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			for _, name := range names {
				if err := c.Call(cmd.Context(), http.MethodDelete, mcpPath(name), nil, nil); err != nil {
					return noToolServer(c, name, err)
				}
			}
			return a.Print(map[string]any{"removed": names}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "Removed %s.\n", strings.Join(names, ", "))
				return err
			})
		},
	})
	return cmd
}

// mcpFlags are what a person may say of a new tool server.
type mcpFlags struct {
	url, dir     string
	env, headers []string
	timeout      int
}

func mcpAdd(a *env.App, r *env.Remote) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "add NAME [--url URL | -- COMMAND ARGUMENT…]",
		Short: "Add a tool server, or change one",
		Long: "Add a tool server: a program, after --, or an address. A program gets the environment\n" +
			"that --env gives it, and PATH and HOME of this terminal, and nothing else. Secrets are\n" +
			"named, not written: $SECRET:NAME stands for what clew secret set NAME stored. One of\n" +
			"the same name is replaced.",
		Example: "clew mcp add notes -- npx -y @example/notes\n" +
			"clew mcp add db --env 'PASSWORD=$SECRET:db' -- db-tools --read-only\n" +
			"clew mcp add tickets --url https://mcp.example.org/ --header 'K: $SECRET:t'",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := f.server(a, args[1:])
			if err != nil {
				return err
			}
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			if err := c.Call(cmd.Context(), http.MethodPut, mcpPath(args[0]), body, nil); err != nil {
				return err
			}
			err = awaitServer(cmd.Context(), a, c, args[0])
			if err != nil && !a.JSON {
				_, _ = fmt.Fprintf(a.Err, "It is saved. Try again: %s. Remove it: %s\n", c.Line("mcp", "test", args[0]), c.Line("mcp", "rm", args[0]))
			}
			return err
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.url, "url", "", "address of a server that is reached by HTTP")
	fs.StringVar(&f.dir, "dir", "", "directory that the program works in")
	fs.StringArrayVar(&f.env, "env", nil, "NAME=VALUE for the program; may be repeated")
	fs.StringArrayVar(&f.headers, "header", nil, "'Name: value' to send with each request; may be repeated")
	fs.IntVar(&f.timeout, "timeout", 0, "how long a call may take, in seconds (default 60)")
	return cmd
}

// server is what is stored of a tool server.
func (f mcpFlags) server(a *env.App, command []string) (map[string]any, error) {
	body := map[string]any{}
	if f.timeout != 0 {
		body["timeout_sec"] = f.timeout
	}
	switch {
	case f.url != "" && len(command) > 0:
		return nil, env.Usagef("a tool server is a program or an address: --url and a command exclude each other")
	case len(command) == 1 && (strings.HasPrefix(command[0], "http://") || strings.HasPrefix(command[0], "https://")):
		return nil, env.Usagef("%s is an address: give it with --url", env.Plain(command[0]))
	case f.url == "" && len(command) == 0:
		return nil, env.Usagef("name the program after --, or give its address with --url")
	case f.url != "":
		headers, err := pairs(f.headers, ":", "--header", "'Name: value'")
		body["url"], body["headers"] = f.url, headers
		return body, err
	}
	vars, err := pairs(f.env, "=", "--env", "NAME=VALUE")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"PATH", "HOME"} { // most programs look for others, and for a home
		if value := a.Getenv(name); vars[name] == "" && value != "" {
			vars[name] = value
		}
	}
	body["command"], body["args"], body["env"] = command[0], command[1:], vars
	if f.dir != "" {
		body["dir"] = f.dir
	}
	return body, nil
}

// pairs reads names and values with a mark between them.
func pairs(list []string, mark, flag, form string) (map[string]string, error) {
	all := map[string]string{}
	for _, text := range list {
		name, value, ok := strings.Cut(text, mark)
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, env.Usagef("%s takes %s, and %q is not that", flag, form, name)
		}
		all[name] = strings.TrimSpace(value)
	}
	return all, nil
}

// noToolServer says what to do about a name that the server does not know.
func noToolServer(c *env.Rest, name string, err error) error {
	if e := clew.AsError(err); e.Code == clew.SettingsInvalid {
		return clew.Errorf(e.Code, "there is no tool server %q; %s lists them", env.Plain(name), c.Line("mcp", "ls")).Advised()
	}
	return err
}

func mcpPath(name string) string { return "mcp/" + url.PathEscape(name) }

func toolServers(ctx context.Context, c *env.Rest) ([]clew.McpServer, error) {
	var answer struct {
		Servers []clew.McpServer `json:"mcp_servers"`
	}
	err := c.Call(ctx, http.MethodGet, "mcp", nil, &answer)
	return answer.Servers, err
}

// awaitServer waits until a tool server is connected or has failed, and says which.
func awaitServer(ctx context.Context, a *env.App, c *env.Rest, name string) error {
	limit := time.After(mcpWithin)
	for {
		all, err := toolServers(ctx, c)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(s clew.McpServer) bool { return s.Name == name })
		if i >= 0 && all[i].Status != "connecting" {
			return tellServer(a, c, all[i])
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			_, _ = fmt.Fprintf(a.Err, "%s is still connecting. Look again: %s\n", env.Plain(name), c.Line("mcp", "ls"))
			return env.ExitWith(env.ExitFailure)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func tellServer(a *env.App, c *env.Rest, s clew.McpServer) error {
	err := a.Print(s, func(w io.Writer) error { return writeToolServers(w, c, []clew.McpServer{s}) })
	if err == nil && s.Status == "failed" {
		return env.ExitWith(env.ExitFailure)
	}
	return err
}

func writeToolServers(w io.Writer, c *env.Rest, servers []clew.McpServer) error {
	p := &env.Page{W: w}
	if len(servers) == 0 {
		p.Line("There are no tool servers. Add one: %s", c.Line("mcp", "add", "NAME", "--", "COMMAND"))
	}
	for _, s := range servers {
		p.Line("%s  %s", env.Plain(s.Name), s.Status)
		if s.Error != "" {
			p.Line("    %s", env.Plain(s.Error))
		}
		for _, t := range s.Tools {
			p.Line("    %-24s %s", env.Plain(t.Name), env.Cut(env.Plain(term.FirstLine(t.Description)), 60))
		}
	}
	return p.Err
}
