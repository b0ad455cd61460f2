package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	plainterm "github.com/clew-run/clew/internal/term"
)

// loginFlags are what a person may say about a login.
type loginFlags struct {
	keyStdin, noTest     bool
	address, name, model string
}

// A modelProvider is a vendor that the server can use.
type modelProvider struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	KeyPage      string   `json:"key_page"`
	Variables    []string `json:"key_variables"`
	NeedsKey     bool     `json:"needs_key"`
	NeedsAddress bool     `json:"needs_address"`
	Model        string   `json:"model"`
	API          string   `json:"api"`
}

// compatible is the choice of a server that speaks OpenAI's API.
const compatible = "another OpenAI-compatible server"

func loginCommand(a *env.App) *cobra.Command {
	r := env.Remote{Start: true}
	var f loginFlags
	cmd := &cobra.Command{
		Use:   "login [PROVIDER]",
		Short: "Connect a model: paste an API key, or use a model on this machine",
		Long: "Connect a model provider, and use it from now on. The key is asked for and not shown,\n" +
			"tried with one short call, and stored as a secret of the server; a key that is refused\n" +
			"is not stored. PROVIDER is one that clew model ls lists, or a model server on this\n" +
			"machine: ollama, lmstudio, llamacpp or vllm. Without it you choose from a list.",
		Example: "clew login\nclew login anthropic\nclew login openai --key-stdin < key.txt\nclew login ollama\n" +
			"clew login openai --base-url http://127.0.0.1:9000/v1 --name mine --model m",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			return login(cmd.Context(), a, c, f, env.Argument(args, 0))
		},
	}
	r.Flags(cmd)
	fs := cmd.Flags()
	fs.BoolVar(&f.keyStdin, "key-stdin", false, "read the key from standard input")
	fs.BoolVar(&f.noTest, "no-test", false, "store it without a test call")
	fs.StringVar(&f.address, "base-url", "", "address of the API, if it is not the provider's own")
	fs.StringVar(&f.name, "name", "", "name of the profile (default the provider's)")
	fs.StringVar(&f.model, "model", "", "model to use (default the one that the catalogue suggests)")
	return cmd
}

func login(ctx context.Context, a *env.App, c *env.Rest, f loginFlags, who string) error {
	if err := apiAddress(f.address); err != nil {
		return err
	}
	all, err := modelProviders(ctx, c)
	if err != nil {
		return err
	}
	found, err := discover(ctx, c)
	if err != nil {
		return err
	}
	if who == "" {
		if !person(a) {
			return env.Usagef("name the provider, such as clew login anthropic")
		}
		if who, err = chooseProvider(a.In, a.Err, all, found); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(found, func(s localServer) bool { return s.Name == who }); i >= 0 {
		return loginLocal(ctx, a, c, f, found[i])
	}
	if who == compatible {
		who = "openai"
		if f, err = askCompatible(a, f); err != nil {
			return err
		}
	}
	i := slices.IndexFunc(all, func(p modelProvider) bool { return p.ID == who })
	if i < 0 {
		return noProvider(all, found, who)
	}
	return loginProvider(ctx, a, c, f, all[i])
}

func modelProviders(ctx context.Context, c *env.Rest) ([]modelProvider, error) {
	var answer struct {
		Providers []modelProvider `json:"providers"`
	}
	err := c.Call(ctx, http.MethodGet, "models", nil, &answer)
	return answer.Providers, err
}

// variable names the variable with the provider's key in the environment of this
// command, which may not be the server's; "" if there is none.
func (p modelProvider) variable(a *env.App) string {
	for _, name := range p.Variables {
		if a.Getenv(name) != "" {
			return name
		}
	}
	return ""
}

// person reports whether somebody at a terminal can be asked.
func person(a *env.App) bool {
	f, ok := a.In.(*os.File)
	return ok && env.IsTerminal(f) && !a.JSON
}

func noProvider(all []modelProvider, found []localServer, who string) error {
	if slices.Contains([]string{"ollama", "lmstudio", "llamacpp", "vllm"}, who) {
		return notReady("%s was not found on the server's machine; start it, and try again", who)
	}
	var names []string
	for _, p := range all {
		names = append(names, p.ID)
	}
	for _, s := range found {
		names = append(names, s.Name)
	}
	return env.Usagef("there is no provider %q%s", who, env.FirstOf(env.Meant(plainterm.Suggest(who, names)), "; there are "+strings.Join(names, ", ")))
}

// chooseProvider lists what there is and reads a number or a name.
func chooseProvider(in io.Reader, out io.Writer, all []modelProvider, found []localServer) (string, error) {
	p := &env.Page{W: out}
	var ids []string
	p.Line("Which provider?")
	offer := func(id, title string) {
		ids = append(ids, id)
		p.Line("  %d %s", len(ids), title)
	}
	for _, v := range all {
		offer(v.ID, v.Title)
	}
	offer(compatible, compatible)
	if len(found) > 0 {
		p.Line("Found on this machine:")
	}
	for _, s := range found {
		offer(s.Name, fmt.Sprintf("%s  %s  (%s)", s.Title, s.Address, s.offered()))
	}
	for {
		text, err := askLine(in, out, "> ")
		if err := errors.Join(p.Err, err); err != nil {
			return "", err
		}
		if text == "" {
			return "", env.Usagef("nothing was chosen, and nothing was saved")
		}
		if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= len(ids) {
			return ids[n-1], nil
		}
		if slices.Contains(ids, text) {
			return text, nil
		}
		// To end here would leave a pasted key to the shell, and its history.
		p.Line("Type a number from 1 to %d.", len(ids))
	}
}

// askLine asks for a line. The end of the input is the end of the line, too.
func askLine(in io.Reader, out io.Writer, prompt string) (string, error) {
	if _, err := io.WriteString(out, prompt); err != nil {
		return "", err
	}
	line, err := typedLine(in)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("the answer cannot be read: %w", err)
	}
	return line, nil
}

// askCompatible asks what is not known of a server that speaks OpenAI's API.
func askCompatible(a *env.App, f loginFlags) (_ loginFlags, err error) {
	for _, q := range []struct {
		prompt string
		into   *string
	}{
		{"Address of its API (such as http://127.0.0.1:9000/v1): ", &f.address},
		{"Name of the model, as the server writes it: ", &f.model},
		{"Name for the profile (such as mine): ", &f.name},
	} {
		for *q.into == "" {
			if *q.into, err = askLine(a.In, a.Err, q.prompt); err != nil {
				return f, err
			}
			if *q.into == "" {
				return f, env.Usagef("nothing was entered, and nothing was saved")
			}
			if err := apiAddress(f.address); err != nil {
				_, _ = fmt.Fprintf(a.Err, "It begins with http:// or https://.\n")
				f.address = ""
			}
		}
	}
	return f, nil
}

// apiAddress refuses what is no address before anybody is asked for a key.
func apiAddress(address string) error {
	if u, err := url.Parse(address); address == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	return env.Usagef("--base-url is an address that begins with http:// or https://, not %q", env.Plain(address))
}

// loginLocal uses a server on this machine, which needs no key.
func loginLocal(ctx context.Context, a *env.App, c *env.Rest, f loginFlags, s localServer) error {
	switch {
	case s.Loading:
		return notReady("%s at %s is still loading its model; try again in a moment", s.Title, s.Address)
	case len(s.Models) == 0 && s.Name == "ollama":
		return notReady("Ollama at %s has no model yet: ollama pull qwen3:8b", s.Address)
	case len(s.Models) == 0:
		return notReady("%s at %s has no model yet", s.Title, s.Address)
	}
	m := s.Models[0]
	if f.model != "" {
		i := slices.IndexFunc(s.Models, func(m localModel) bool { return m.Name == f.model })
		if i < 0 {
			return notReady("%s at %s has no model %s", s.Title, s.Address, f.model)
		}
		m = s.Models[i]
	}
	if m.WhyNot != "" && !a.JSON {
		_, _ = fmt.Fprintf(a.Err, "! %s: %s.\n", env.Plain(m.Name), env.Plain(m.WhyNot))
	}
	return finishLogin(ctx, a, c, f, env.FirstOf(f.name, s.Name), s.profile(m))
}

func loginProvider(ctx context.Context, a *env.App, c *env.Rest, f loginFlags, p modelProvider) error {
	name := env.FirstOf(f.name, p.ID)
	fields, err := profileFields(ctx, c, name, p, f)
	if err != nil {
		return err
	}
	if p.NeedsAddress && fields["base_url"] == nil {
		return env.Usagef("%s needs the address of your resource: --base-url https://NAME.openai.azure.com/openai/v1/", p.Title)
	}
	if p.NeedsKey {
		key, err := readKey(a, p, f)
		if err != nil {
			return err
		}
		if key != "" {
			fields["api_key"] = key
		}
	}
	return finishLogin(ctx, a, c, f, name, fields)
}

// profileFields are those of the profile as it is, with what the login changes.
func profileFields(ctx context.Context, c *env.Rest, name string, p modelProvider, f loginFlags) (map[string]any, error) {
	var old struct {
		Profiles []map[string]any `json:"profiles"`
	}
	if err := c.Call(ctx, http.MethodGet, "model-profiles", nil, &old); err != nil {
		return nil, err
	}
	fields := map[string]any{"provider": p.ID, "model": p.Model}
	if p.API != "" && f.address == "" { // other servers offer the usual API
		fields["api"] = p.API
	}
	if i := slices.IndexFunc(old.Profiles, func(o map[string]any) bool { return o["name"] == name }); i >= 0 {
		if fields = old.Profiles[i]; fields["provider"] != p.ID {
			return nil, env.Usagef("the profile %q is of another provider; give this one another name: --name NAME", name)
		}
	}
	if f.address != "" {
		fields["base_url"] = f.address
	}
	if f.model != "" {
		fields["model"] = f.model
	}
	return fields, nil
}

// readKey reads the key, from a terminal without showing it.
func readKey(a *env.App, p modelProvider, f loginFlags) (string, error) {
	var b []byte
	var err error
	file, _ := a.In.(*os.File)
	switch {
	case f.keyStdin:
		b, err = io.ReadAll(io.LimitReader(a.In, maxSecret+1))
	case !person(a):
		return "", env.Usagef("there is no terminal to paste a key at: give it on standard input, with --key-stdin")
	case p.variable(a) != "" && f.address == "" && agreed(a, fmt.Sprintf("%s is set in your environment. Use that key? [Y/n] ", p.variable(a))):
		b = []byte(a.Getenv(p.variable(a)))
	default:
		_, _ = fmt.Fprint(a.Err, keyPrompt(p, f.address))
		b, err = term.ReadPassword(file.Fd())
		_, _ = fmt.Fprintln(a.Err)
	}
	key := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		return "", fmt.Errorf("the key cannot be read: %w", err)
	case len(b) > maxSecret:
		return "", env.Usagef("the key is longer than %d bytes", maxSecret)
	case key == "" && f.address == "": // a server of one's own may need none
		return "", env.Usagef("the key is empty, and nothing was saved")
	}
	return key, nil
}

// keyPrompt says whose key is wanted: a server of one's own has its own, or none.
func keyPrompt(p modelProvider, address string) string {
	if u, err := url.Parse(address); err == nil && address != "" {
		return fmt.Sprintf("Paste the API key for %s, or press Enter if it needs none; it is not shown: ", env.Plain(u.Host))
	}
	where := ""
	if p.KeyPage != "" {
		where = " (" + p.KeyPage + ")"
	}
	return fmt.Sprintf("Paste your %s API key%s; it is not shown: ", p.Title, where)
}

// agreed asks a person. Enter alone is a yes.
func agreed(a *env.App, prompt string) bool {
	text, err := askLine(a.In, a.Err, prompt)
	return err == nil && (text == "" || strings.EqualFold(text[:1], "y"))
}

// finishLogin tests the profile, stores it and uses it. What fails is not stored.
func finishLogin(ctx context.Context, a *env.App, c *env.Rest, f loginFlags, name string, fields map[string]any) error {
	if !f.noTest {
		if err := tryLogin(ctx, a, c, name, fields); err != nil {
			return err
		}
	}
	if err := c.Call(ctx, http.MethodPut, profilePath(name), fields, nil); err != nil {
		return err
	}
	var used usedModel
	if err := c.Call(ctx, http.MethodPut, "model", map[string]string{"profile": name}, &used); err != nil {
		return err
	}
	return a.Print(used, func(w io.Writer) error {
		p := &env.Page{W: w}
		p.Line("Saved as profile %q and used from now on: %s.", name, env.Plain(used.Name))
		if fields["api_key"] != nil {
			p.Line("The key is kept as a secret of the server.")
		}
		p.Line("Other models: %s", c.Line("model", "ls", used.Provider))
		return p.Err
	})
}

func tryLogin(ctx context.Context, a *env.App, c *env.Rest, name string, fields map[string]any) error {
	if !a.JSON {
		_, _ = fmt.Fprintf(a.Err, "Testing %s … ", env.Plain(fmt.Sprint(fields["model"])))
	}
	t, err := testProfile(ctx, c, name, fields)
	if !a.JSON {
		if err == nil && t.OK {
			_, _ = fmt.Fprintln(a.Err, t.took()+".")
		} else {
			_, _ = fmt.Fprintln(a.Err, "failed.")
		}
	}
	switch {
	case err != nil:
		return err
	case t.OK:
		return nil
	case t.Error.Kind == refusedKey:
		return fmt.Errorf("%s. Nothing was saved", env.Plain(t.Error.Message))
	}
	return fmt.Errorf("%s. Nothing was saved. %s To save it untested: --no-test", env.Plain(t.Error.Message), env.Plain(t.Error.Next))
}
