package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// A model is one as the server lists it: a profile's, or one of the catalogue.
type model struct {
	Profile       string  `json:"profile"`
	InUse         bool    `json:"in_use,omitempty"`
	Provider      string  `json:"provider"`
	API           string  `json:"api,omitempty"` // that a new profile names
	Name          string  `json:"model"`
	Default       bool    `json:"default,omitempty"`
	ContextWindow int     `json:"context_window"`
	PriceIn       float64 `json:"price_in"`
	PriceOut      float64 `json:"price_out"`
	Priced        bool    `json:"priced"`
	Local         bool    `json:"local,omitempty"`
	Images        bool    `json:"images,omitempty"`
	Thinking      bool    `json:"thinking,omitempty"`
	Usable        bool    `json:"usable"`
	WhyNot        string  `json:"why_not,omitempty"`
	WhyNotCode    string  `json:"why_not_code,omitempty"`
	KeyVariable   string  `json:"key_variable,omitempty"`
}

// A usedModel is what the server uses, and why.
type usedModel struct {
	model
	Fallback []string `json:"fallback"`
	Why      string   `json:"why"`
	WhyCode  string   `json:"why_code"`
}

// The codes of the server that are told apart here.
const (
	modelNone       = "none"        // nothing is chosen
	modelByKey      = "key"         // nothing is chosen; a key in the environment decides
	modelMissing    = "missing"     // what is chosen is not there
	modelNoProvider = "no_provider" // the server cannot speak to the provider
	modelNoAddress  = "no_address"  // a profile has to name the customer's own address
)

func modelCommand(a *env.App) *cobra.Command {
	r := env.Remote{Start: true}
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Show and choose the model that agents use",
		Long: "Show which model the server uses, what it costs, and why it is used. A session or a\n" +
			"mode can use another one. docs/connect-a-model.md says more about models and keys.",
		Example: "clew model\nclew model ls\nclew model use anthropic",
		Args:    env.Known,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			var used usedModel
			if err := c.Call(cmd.Context(), http.MethodGet, "model", nil, &used); err != nil {
				return err
			}
			return a.Print(used, func(w io.Writer) error { return used.write(w, c) })
		},
	}
	r.Flags(cmd)
	cmd.AddCommand(modelList(a, &r), modelUse(a, &r), modelTest(a, &r), modelAdd(a, &r), modelRemove(a, &r))
	return cmd
}

// write says what is used and why.
func (m usedModel) write(w io.Writer, c *env.Rest) error {
	p := &env.Page{W: w}
	switch m.WhyCode {
	case modelNone:
		p.Line("No model is set up. Programs get the built-in echo, which repeats what it is told.")
		p.Line("Set one up: %s    See them: %s", c.Line("login"), c.Line("model", "ls"))
		return p.Err
	case modelMissing:
		p.Line("No model can be used: %s", env.Plain(m.Why))
		return p.Err
	}
	p.Line("%s", strings.Join(slices.DeleteFunc([]string{env.Plain(m.Profile), env.Plain(m.Name), m.window(), m.price()}, func(s string) bool { return s == "" }), "   "))
	p.Line("Used because: %s", env.Plain(m.Why))
	if len(m.Fallback) > 0 {
		p.Line("If it is at its limit: %s (fallback)", env.Plain(strings.Join(m.Fallback, ", ")))
	}
	m.writeMissing(p)
	return p.Err
}

// writeMissing says what is missing before it can be used.
func (m model) writeMissing(p *env.Page) {
	if why := env.Plain(m.WhyNot); !m.Usable && why != "" {
		p.Line("%s", strings.ToUpper(why[:1])+why[1:])
	}
}

func (m model) window() string {
	if m.ContextWindow == 0 {
		return ""
	}
	return thousands(m.ContextWindow) + " tokens"
}

func (m model) price() string {
	switch {
	case m.Local && m.PriceIn == 0 && m.PriceOut == 0:
		return "local, free"
	case !m.Priced:
		return "price not known"
	case m.PriceIn == 0 && m.PriceOut == 0:
		return "free"
	}
	return fmt.Sprintf("$%.2f in, $%.2f out per million", m.PriceIn, m.PriceOut)
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func modelList(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "ls [PROVIDER]",
		Short: "List the models that can be chosen, and what each still needs",
		Long: "List your model profiles and the providers that have none yet, with the model that each\n" +
			"would use, its context window, its prices in USD per million tokens, and whether it is\n" +
			"ready. The star marks the one in use. With PROVIDER all models of one provider are listed.",
		Example: "clew model ls\nclew model ls openai",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			all, err := models(cmd.Context(), c)
			if err != nil {
				return err
			}
			provider := env.Argument(args, 0)
			list := choices(all)
			if provider != "" {
				if list, err = ofProvider(all, provider); err != nil {
					return err
				}
			}
			return a.Print(map[string]any{"models": list}, func(w io.Writer) error {
				p := &env.Page{W: w}
				modelTable(p, list)
				if provider == "" {
					offerFound(cmd.Context(), p, c, all)
					p.Line("All models of a provider: %s", c.Line("model", "ls", "openai"))
				} else {
					p.Line("Use one: %s", c.Line("model", "use", list[len(list)-1].choice()))
				}
				return p.Err
			})
		},
	}
}

// offerFound names the model servers on the server's machine that have no profile yet.
// Only the owner hears of them.
func offerFound(ctx context.Context, p *env.Page, c *env.Rest, all []model) {
	found, err := discover(ctx, c)
	if err != nil {
		return
	}
	for _, s := range found {
		if !hasProfile(all, s.Name) {
			p.Line("Found on this machine: %s at %s (%s). Use it: %s", s.Title, s.Address, s.offered(), c.Line("login", s.Name))
		}
	}
}

func models(ctx context.Context, c *env.Rest) ([]model, error) {
	var answer struct {
		Models []model `json:"models"`
	}
	err := c.Call(ctx, http.MethodGet, "models", nil, &answer)
	return answer.Models, err
}

// choices are the profiles, and the default model of each provider that the server
// can use and that has no profile of its name.
func choices(all []model) []model {
	list := []model{}
	for _, m := range all {
		if m.Profile != "" || m.Default && m.WhyNotCode != modelNoProvider && !hasProfile(all, m.Provider) {
			list = append(list, m)
		}
	}
	return list
}

func hasProfile(all []model, name string) bool {
	return slices.ContainsFunc(all, func(m model) bool { return m.Profile == name })
}

// ofProvider are the models of a provider in the catalogue, or else of its profiles.
func ofProvider(all []model, provider string) ([]model, error) {
	var profiles, list []model
	for _, m := range all {
		switch {
		case m.Provider != provider:
		case m.Profile == "":
			list = append(list, m)
		default:
			profiles = append(profiles, m)
		}
	}
	if len(list) == 0 {
		list = profiles
	}
	if len(list) > 0 {
		return list, nil
	}
	known := providersOf(all)
	return nil, env.Usagef("there is no provider %q%s", provider, env.FirstOf(env.Meant(term.Suggest(provider, known)), "; there are "+strings.Join(known, ", ")))
}

func providersOf(all []model) (names []string) {
	for _, m := range all {
		if !slices.Contains(names, m.Provider) {
			names = append(names, m.Provider)
		}
	}
	return names
}

// choice is how clew model use names it.
func (m model) choice() string {
	if m.Profile != "" {
		return m.Profile
	}
	return m.Provider + "/" + m.Name
}

func modelTable(p *env.Page, list []model) {
	rows := [][]string{{"NAME", "MODEL", "CONTEXT", "$ IN", "$ OUT"}}
	for _, m := range list {
		row := []string{cmp.Or(m.Profile, m.Provider), m.Name, "-", "-", "-"}
		if m.ContextWindow > 0 {
			row[2] = thousands(m.ContextWindow)
		}
		switch {
		case m.Local && m.PriceIn == 0 && m.PriceOut == 0:
			row[3], row[4] = "local", "free"
		case m.Priced:
			row[3], row[4] = fmt.Sprintf("%.2f", m.PriceIn), fmt.Sprintf("%.2f", m.PriceOut)
		}
		rows = append(rows, row)
	}
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = env.Plain(row[i])
			wide[i] = max(wide[i], len(row[i]))
		}
	}
	for i, row := range rows {
		mark, ready := " ", "READY"
		if i > 0 {
			ready = list[i-1].ready()
			if list[i-1].InUse {
				mark = "*"
			}
		}
		p.Line("%s %-*s  %-*s  %*s  %*s  %*s  %s", mark, wide[0], row[0], wide[1], row[1], wide[2], row[2], wide[3], row[3], wide[4], row[4], ready)
	}
}

func (m model) ready() string {
	switch {
	case !m.Usable:
		return env.Plain(m.WhyNot)
	case m.KeyVariable != "":
		return "yes, " + env.Plain(m.KeyVariable) + " in the server's environment"
	}
	return "yes"
}
