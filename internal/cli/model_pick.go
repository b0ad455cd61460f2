package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// noModelText is what a person reads before any model is set up.
const noModelText = `No model is set up. Choose one of:
  clew login                        paste an API key
  export ANTHROPIC_API_KEY=…        or another provider's key
  ollama pull qwen3:8b              a model on this machine
If a server runs already, it takes a new key after: clew serve restart
To see clew without a model: clew demo`

// echoModel is the name of the model that repeats what it is told.
const echoModel = "echo"

// modelFor says which settings a session needs for the model that was asked for. If
// none was, it makes sure that the server has one: nothing is started for the echo to
// answer, unless somebody names it.
func modelFor(ctx context.Context, a *env.App, r env.Remote, c *env.Rest, word string) (map[string]any, error) {
	if word == "" {
		return nil, checkModel(ctx, a, r, c)
	}
	if word == echoModel {
		return map[string]any{"model_profile": echoModel, "model": nil}, nil
	}
	all, err := models(ctx, c)
	if err != nil {
		return nil, err
	}
	profile, name, err := pick(all, word)
	if err != nil {
		return nil, err
	}
	set := map[string]any{"model_profile": profile, "model": nil}
	if name != "" {
		set["model"] = name
	}
	return set, nil
}

// pick finds what --model means: a profile; a provider's or a profile's model, with a
// slash between them; or the name of a model that one of the profiles can use. name is
// "" for the profile's own model.
func pick(all []model, word string) (profile, name string, err error) {
	if i := slices.IndexFunc(all, func(m model) bool { return m.Profile == word }); i >= 0 {
		return word, "", all[i].usable()
	}
	before, name, slash := strings.Cut(word, "/")
	if i := slices.IndexFunc(all, func(m model) bool { return m.Profile == before }); slash && i >= 0 && hasModel(all, all[i], name) {
		return before, name, all[i].usable()
	}
	var ready []string // profiles that could use it
	for _, m := range all {
		switch carrier := m.Profile; {
		case m.Name != word && m.choice() != word:
		case carrier != "" && m.Usable:
			return carrier, "", nil
		case m.choice() == word && !hasProfile(all, m.Provider):
			return "", "", notReady("%s cannot be used yet: %s", word, env.FirstOf(m.WhyNot, "it has no profile: clew model use "+word))
		case m.Usable && hasProfile(all, m.Provider) && !slices.Contains(ready, m.Provider):
			ready = append(ready, m.Provider)
		}
	}
	switch len(ready) {
	case 0:
		return "", "", noModel(all, choicesOf(all), word)
	case 1:
		return ready[0], word, nil
	}
	return "", "", env.Usagef("%q is the name of several models; choose one of %s", word, strings.Join(ready, "/"+word+", ")+"/"+word)
}

// hasModel reports whether a profile could use a model. What a server of one's own has
// only that server knows.
func hasModel(all []model, profile model, name string) bool {
	known := false
	for _, m := range all {
		if m.Profile == "" && m.Provider == profile.Provider {
			if known = true; m.Name == name {
				return true
			}
		}
	}
	return !known || profile.Local
}

func choicesOf(all []model) (names []string) {
	for _, m := range all {
		names = append(names, m.choice())
	}
	return names
}

// notReady is an error of the configuration: the command line is fine.
func notReady(format string, args ...any) error {
	return env.ExitAs(env.ExitUsage, clew.Errorf(clew.SettingsInvalid, format, args...).Advised())
}

// usable is nil if the model can be called now.
func (m model) usable() error {
	if m.Usable {
		return nil
	}
	return notReady("the model profile %q cannot be used yet: %s", m.choice(), m.WhyNot)
}

// checkModel makes sure that the server has a model. If it has none and exactly one
// model server is found on this machine, that one is used. Who may not see the server's
// models goes on: the server decides.
func checkModel(ctx context.Context, a *env.App, r env.Remote, c *env.Rest) error {
	used, err := readyModel(ctx, a, c)
	if err == nil && used.WhyCode == modelByKey {
		tellOnce(a, r, fmt.Sprintf("Using %s from %s: %s is set in your environment. Another model: clew model ls", used.Name, used.Provider, used.KeyVariable))
	}
	return err
}

// readyModel is the model that the server uses, and an error if that cannot be called.
// It is nameless if the caller may not see it.
func readyModel(ctx context.Context, a *env.App, c *env.Rest) (used usedModel, err error) {
	if err := c.Call(ctx, http.MethodGet, "model", nil, &used); err != nil {
		return used, nil //nolint:nilerr // what is wrong will show when the session is made
	}
	switch used.WhyCode {
	case modelNone:
		return used, useFound(ctx, a, c)
	case modelMissing:
		return used, notReady("No model can be used: %s", used.Why)
	}
	return used, used.usable()
}

// useFound takes the one model server that is found on this machine. Several, or none,
// are for a person to choose.
func useFound(ctx context.Context, a *env.App, c *env.Rest) error {
	none := notReady("%s%s", noModelText, ownKey(ctx, a, c))
	found, err := discover(ctx, c)
	if err != nil {
		return none
	}
	found = slices.DeleteFunc(found, func(s localServer) bool { return len(s.Models) == 0 || s.Models[0].WhyNot != "" })
	if len(found) != 1 {
		return none
	}
	s := found[0]
	if err := c.Call(ctx, http.MethodPut, "model-profiles/"+s.Name, s.profile(s.Models[0]), nil); err != nil {
		return errors.Join(none, err)
	}
	_, _ = fmt.Fprintf(a.Err, "Using %s from %s at %s, the one model found on this machine. Another model: clew model ls\n",
		env.Plain(s.Models[0].Name), s.Title, s.Address)
	return nil
}

// ownKey says that there is a key in the environment of this command, which the server
// does not see.
func ownKey(ctx context.Context, a *env.App, c *env.Rest) string {
	all, err := modelProviders(ctx, c)
	if err != nil {
		return ""
	}
	for _, p := range all {
		if name := p.variable(a); name != "" {
			return fmt.Sprintf("\n%s is set in your environment, and the server does not see it. Store it:\n  %s", name, c.Line("login", p.ID))
		}
	}
	return ""
}

// tellOnce says something on standard error, once for each data directory.
func tellOnce(a *env.App, r env.Remote, text string) {
	if a.JSON {
		return
	}
	token, err := a.TokenFile(r)
	if err != nil {
		return
	}
	name := filepath.Join(filepath.Dir(token), "model-told")
	if told, err := os.ReadFile(name); err == nil && string(told) == text {
		return
	}
	if os.WriteFile(name, []byte(text), 0o600) == nil { // where nothing can be kept it would be said each time
		_, _ = fmt.Fprintln(a.Err, env.Plain(text))
	}
}

// A localServer is one that the server found on its machine.
type localServer struct {
	Name    string       `json:"name"`
	Title   string       `json:"title"`
	Address string       `json:"address"`
	BaseURL string       `json:"base_url"`
	Loading bool         `json:"loading,omitempty"`
	Models  []localModel `json:"models"`
}

type localModel struct {
	Name          string `json:"name"`
	ContextWindow int    `json:"context_window"`
	WhyNot        string `json:"why_not,omitempty"`
}

func discover(ctx context.Context, c *env.Rest) ([]localServer, error) {
	var answer struct {
		Servers []localServer `json:"servers"`
	}
	err := c.Call(ctx, http.MethodPost, "models/discover", nil, &answer)
	return answer.Servers, err
}

// profile is what a model profile says for a model of this server.
func (s localServer) profile(m localModel) map[string]any {
	fields := map[string]any{"provider": "openai", "api": "chat", "base_url": s.BaseURL, "model": m.Name}
	if m.ContextWindow > 0 {
		fields["context_window"] = m.ContextWindow
	}
	return fields
}

// offered says in a few words what a server has.
func (s localServer) offered() string {
	switch {
	case s.Loading:
		return "it is still loading its model"
	case len(s.Models) == 0:
		return "it has no model yet"
	}
	return term.Count(len(s.Models), "model")
}
