package cli

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

func modelUse(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "use NAME|PROVIDER/MODEL",
		Short: "Choose the model that agents use",
		Long: "Have the server use a model profile by its name, or a provider's model. For the latter\n" +
			"a profile with the name of the provider is made, or changed if it is there. A provider's\n" +
			"name alone takes the model that the catalogue suggests. It holds at once, for all\n" +
			"sessions that name no other.",
		Example: "clew model use anthropic\nclew model use openai/gpt-5.5",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			all, err := models(cmd.Context(), c)
			if err != nil {
				return err
			}
			m, err := chosen(all, args[0])
			if err != nil {
				return err
			}
			if m.Profile == "" && m.Provider != echoModel {
				if err := saveChoice(cmd.Context(), c, all, m); err != nil {
					return err
				}
			}
			m.Profile = env.FirstOf(m.Profile, m.Provider)
			var used usedModel
			if err := c.Call(cmd.Context(), http.MethodPut, "model", map[string]string{"profile": m.Profile}, &used); err != nil {
				return err
			}
			return a.Print(used, func(w io.Writer) error {
				p := &env.Page{W: w}
				p.Line("Using %s, profile %q.", env.Plain(env.FirstOf(used.Name, used.Provider)), used.Profile)
				used.writeMissing(p)
				return p.Err
			})
		},
	}
}

// chosen finds what a word means: a profile, provider/model, a provider, or the model
// of one provider that is ready.
func chosen(all []model, word string) (model, error) {
	var named, ready []model
	var names []string
	for _, m := range all {
		if m.Profile == word {
			return m, nil
		}
		names = append(names, m.choice())
		switch {
		case m.Profile != "":
		case m.choice() == word, m.Default && m.Provider == word:
			named = append(named, m)
		case m.Name == word && m.Usable:
			ready = append(ready, m)
		}
	}
	if len(named) == 0 {
		named = ready
	}
	switch {
	case word == echoModel:
		return model{Provider: echoModel}, nil
	case len(named) == 0:
		return model{}, noModel(all, names, word)
	case len(named) > 1:
		var list []string
		for _, m := range named {
			list = append(list, m.choice())
		}
		return model{}, env.Usagef("%q is the name of several models; choose one of %s", word, strings.Join(list, ", "))
	case named[0].WhyNotCode == modelNoProvider, named[0].WhyNotCode == modelNoAddress:
		return model{}, env.Usagef("%s", named[0].WhyNot)
	}
	return named[0], nil
}

// noModel helps with what was probably meant.
func noModel(all []model, names []string, word string) error {
	providers := providersOf(all)
	for _, p := range providers {
		if !slices.Contains(names, p) { // a profile may have the name of its provider
			names = append(names, p)
		}
	}
	near := env.Meant(term.Suggest(word, names))
	what := env.FirstOf(near, "; clew model ls lists what there is")
	if provider, name, ok := strings.Cut(word, "/"); ok && slices.Contains(providers, provider) {
		// The catalogue may be older than the model.
		return env.Usagef("%s has no model %q that clew knows%s To use it anyway: clew model use %s && clew settings set model %s",
			provider, name, env.FirstOf(near, "."), provider, name)
	}
	return env.Usagef("there is no model or profile %q%s", word, what)
}

// saveChoice makes the profile that is named as the provider, or gives it the model.
func saveChoice(ctx context.Context, c *env.Rest, all []model, m model) error {
	path := "model-profiles/" + m.Provider
	if !hasProfile(all, m.Provider) {
		fields := map[string]any{"provider": m.Provider, "model": m.Name}
		if m.API != "" {
			fields["api"] = m.API
		}
		return c.Call(ctx, http.MethodPut, path, fields, nil)
	}
	var old struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
		BaseURL  string `json:"base_url"`
	}
	if err := c.Call(ctx, http.MethodGet, path, nil, &old); err != nil {
		return err
	}
	switch {
	case old.Provider != m.Provider || old.BaseURL != "":
		return env.Usagef("the profile %q does not belong to %s itself; to use it as it is: %s", m.Provider, m.Provider, c.Line("model", "use", m.Provider))
	case old.Model == m.Name:
		return nil
	}
	// What was said of the model before does not hold for this one.
	return c.Call(ctx, http.MethodPatch, path, map[string]any{
		"model": m.Name, "context_window": nil, "price_in": nil, "price_out": nil, "price_cache_write": nil, "price_cache_read": nil,
	}, nil)
}

// offerModels gives profiles and models for the shell to complete.
func offerModels(ctx context.Context, c *env.Rest, _ []string) ([]string, error) {
	all, err := models(ctx, c)
	var list []string
	for _, m := range all {
		if m.WhyNotCode != modelNoProvider {
			list = append(list, hinted(m.choice(), m.ready()))
		}
	}
	return list, err
}

func offerProviders(ctx context.Context, c *env.Rest, _ []string) ([]string, error) {
	all, err := models(ctx, c)
	return providersOf(all), err
}
