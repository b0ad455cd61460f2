package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(a *env.App) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script with which the shell completes commands",
		Long: "Print a script with which the shell completes commands, flags, and what the server\n" +
			"has: sessions, messages, open questions, settings. Without a server these are left\n" +
			"out. In bash it needs the package bash-completion, version 2, and in zsh compinit.",
		Example: "source <(clew completion bash)                                   # this shell\n" +
			"clew completion bash > ~/.local/share/bash-completion/completions/clew\n" +
			"clew completion zsh > \"${fpath[1]}/_clew\"\n" +
			"clew completion fish > ~/.config/fish/completions/clew.fish\n" +
			"clew completion powershell | Out-String | Invoke-Expression",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			script, err := completionScript(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			return a.Print(map[string]string{"shell": args[0], "script": script}, func(w io.Writer) error {
				_, err := io.WriteString(w, script)
				return err
			})
		},
	}
}

func completionScript(root *cobra.Command, shell string) (string, error) {
	var b bytes.Buffer
	var err error
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(&b, true)
	case "zsh":
		err = root.GenZshCompletion(&b)
	case "fish":
		err = root.GenFishCompletion(&b, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&b)
	default:
		err = env.Usagef("%q is not one of %s", shell, strings.Join(shells, ", "))
	}
	return b.String(), err
}

// completeWithin is how long somebody who pressed Tab may have to wait.
const completeWithin = 1500 * time.Millisecond

// offered is how many sessions, messages and questions are offered.
const offered = 50

// A source gives what could stand in a place of the command line, each with a
// word about it behind a tab. args are what stands before.
type source func(ctx context.Context, c *env.Rest, args []string) ([]string, error)

// sources are the places by their names in a command's Use, where need be with the
// command above it. nil are files.
var sources = map[string]source{
	"SESSION": offerSessions, "MESSAGE": offerMessages, "REQUEST": offerRequests, "KEY": offerSettings,
	"SESSION|DIR": offerSessions, "HASH": offerCheckpoints, "FROM": offerCheckpoints, "TO": offerCheckpoints,
	"PROVIDER": offerProviders, "NAME|PROVIDER/MODEL": offerModels, "model NAME": offerProfiles, "token ID": offerKeys, "secret KEY": offerSecrets,
	"FILE": nil, "DIR": nil, "FILE|DIR|-": nil,
}

// sourceOf finds what could stand in a place, first by the command above it too.
func sourceOf(cmd *cobra.Command, place string) (get source, known bool) {
	place = strings.Trim(place, "[].…")
	if get, known = sources[cmd.Parent().Name()+" "+place]; !known {
		get, known = sources[place]
	}
	return get, known
}

// offer lets the shell complete arguments and flags of a command and of all below
// it.
func offer(a *env.App, cmd *cobra.Command) {
	if places := strings.Fields(cmd.Use)[1:]; len(places) > 0 && cmd.ValidArgs == nil && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= len(places) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			get, known := sourceOf(cmd, places[len(args)])
			if known && get == nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return offerOf(a, cmd, get, args), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		}
	}
	if cmd.Flags().Lookup("session") != nil {
		_ = cmd.RegisterFlagCompletionFunc("session", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return offerOf(a, cmd, offerSessions, nil), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		})
	}
	for name, get := range map[string]source{"model": offerModels, "provider": offerProviders} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
				return offerOf(a, cmd, get, nil), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
			})
		}
	}
	for _, dir := range []string{"data", "workspace"} {
		if cmd.Flags().Lookup(dir) != nil {
			_ = cmd.MarkFlagDirname(dir)
		}
		if cmd.PersistentFlags().Lookup(dir) != nil {
			_ = cmd.MarkPersistentFlagDirname(dir)
		}
	}
	for _, sub := range cmd.Commands() {
		offer(a, sub)
	}
}

// offerOf asks the server. Whatever fails, the shell has nothing to offer and
// nobody is bothered.
func offerOf(a *env.App, cmd *cobra.Command, get source, args []string) []string {
	if get == nil {
		return nil
	}
	r := env.Remote{Quiet: true, Running: true}
	for name, value := range map[string]*string{"server": &r.Server, "data": &r.Data} {
		if f := cmd.Flags().Lookup(name); f != nil {
			*value = f.Value.String()
		}
	}
	c, err := a.Connect(r)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
	defer cancel()
	list, err := get(ctx, c, args)
	if err != nil {
		return nil
	}
	return list
}

// offerMentions completes @path in a message: files here. It asks no server, as there may
// be no session yet.
func offerMentions(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	typed, ok := strings.CutPrefix(word, "@")
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	dir, begin := path.Split(typed)
	entries, _ := os.ReadDir(filepath.FromSlash(cmp.Or(dir, ".")))
	var list []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, begin) || name[0] == '.' && begin == "" || strings.ContainsAny(name, " \t\n") {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		list = append(list, "@"+dir+name)
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// hinted is a word with what is said about it. Titles are strangers' words.
func hinted(word, about string) string {
	if about = strings.TrimSpace(env.Plain(about)); about == "" {
		return word
	}
	return word + "\t" + env.Cut(about, 60)
}

func offerSessions(ctx context.Context, c *env.Rest, _ []string) ([]string, error) {
	page, err := c.API().ListSessions(ctx, "", "", offered)
	var list []string
	for _, s := range page.Sessions {
		list = append(list, hinted(string(s.ID), s.Title))
	}
	return list, err
}

// offerMessages gives the places to go back to, newest first.
func offerMessages(ctx context.Context, c *env.Rest, args []string) ([]string, error) {
	s, err := c.Session(ctx, env.Argument(args, 0))
	if err != nil {
		return nil, err
	}
	places, err := c.API().Places(ctx, s.ID)
	var list []string
	for _, p := range slices.Backward(places) {
		list = append(list, hinted(string(p.MessageID), p.Text))
	}
	return list[:min(len(list), offered)], err
}

func offerRequests(ctx context.Context, c *env.Rest, _ []string) ([]string, error) {
	page, err := c.API().Inbox(ctx, "", offered)
	var list []string
	for _, it := range page.Items {
		list = append(list, hinted(string(it.Question.RequestID()), plainKind(it.Question)+": "+ask.Line(it.Question)))
	}
	return list, err
}

// plainKind is the kind of a question in a word for people.
func plainKind(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		if d.Effect != nil && d.Effect.Command != "" {
			return "command"
		}
		return "approval"
	case *clew.HitlPlanReviewData:
		return "plan"
	}
	return "question"
}

func offerSettings(ctx context.Context, c *env.Rest, _ []string) ([]string, error) {
	all, err := settings(ctx, c)
	var list []string
	for _, s := range all {
		list = append(list, hinted(s.Key, s.Doc))
	}
	return list, err
}

func offerKeys(ctx context.Context, c *env.Rest, _ []string) ([]string, error) {
	var answer struct {
		Keys []key `json:"keys"`
	}
	err := c.CallWithin(ctx, completeWithin, "GET", "keys", nil, &answer)
	var list []string
	for _, k := range answer.Keys {
		if k.RevokedMS == 0 {
			list = append(list, hinted(k.ID, fmt.Sprintf("%s %s", k.User, k.Name)))
		}
	}
	return list, err
}

func offerSecrets(ctx context.Context, c *env.Rest, _ []string) ([]string, error) {
	var answer struct {
		Names []string `json:"names"`
	}
	err := c.CallWithin(ctx, completeWithin, "GET", "secrets", nil, &answer)
	return answer.Names, err
}

// offerCheckpoints gives those of the session that stands first, newest first.
func offerCheckpoints(ctx context.Context, c *env.Rest, args []string) ([]string, error) {
	s, err := c.Session(ctx, env.Argument(args, 0))
	if err != nil {
		return nil, err
	}
	saved, err := history.Checkpoints(ctx, c, s.ID)
	var list []string
	for _, s := range slices.Backward(saved) {
		list = append(list, hinted(history.Short(s.ToHash), time.UnixMilli(s.TS).Format(time.DateTime)+" "+s.Reason))
	}
	return list[:min(len(list), offered)], err
}
