package server

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/anthropic"
	"github.com/clew-run/clew/internal/llm/call"
	"github.com/clew-run/clew/internal/llm/catalogue"
	"github.com/clew-run/clew/internal/llm/choice"
	"github.com/clew-run/clew/internal/llm/echo"
	"github.com/clew-run/clew/internal/llm/gemini"
	"github.com/clew-run/clew/internal/llm/openai"
	"github.com/clew-run/clew/internal/llm/vendor"
	"github.com/clew-run/clew/internal/settings"
)

// wires make providers, by the API that they speak. At home is the vendor that a
// wire calls if it is given no address.
var wires = map[vendor.API]struct {
	home string
	open func(call.Options) llm.Provider
}{
	vendor.Messages:  {"anthropic", func(o call.Options) llm.Provider { return anthropic.New(o) }},
	vendor.Chat:      {"openai", func(o call.Options) llm.Provider { return openai.New(o) }},
	vendor.Responses: {"openai", func(o call.Options) llm.Provider { return openai.NewResponses(o) }},
	vendor.Gemini:    {"gemini", func(o call.Options) llm.Provider { return gemini.New(o) }},
	vendor.Bedrock:   {"bedrock", func(o call.Options) llm.Provider { return anthropic.NewBedrock(o) }},
	vendor.Vertex:    {"vertex", func(o call.Options) llm.Provider { return anthropic.NewVertex(o) }},
}

// providers lists the providers that a profile can name.
func (c Config) providers() []string {
	names := []string{"echo"}
	for _, v := range vendor.All() {
		names = append(names, v.ID)
	}
	return slices.AppendSeq(names, maps.Keys(c.Providers))
}

// provider makes the provider of a profile. The key is read for each call, so
// that a new one holds at once.
func (w *agentDeps) provider(p settings.Profile) (llm.Provider, error) {
	return w.providerWith(p, w.modelKey(p))
}

// tryProvider makes the provider of a profile that need not be stored, with a key that
// is not stored either; "" is the one that the profile has.
func (w *agentDeps) tryProvider(p settings.Profile, key string) (llm.Provider, error) {
	if key == "" {
		return w.provider(p)
	}
	return w.providerWith(p, func(context.Context) (string, error) { return key, nil })
}

func (w *agentDeps) providerWith(p settings.Profile, key func(context.Context) (string, error)) (llm.Provider, error) {
	if p.Provider == "echo" || p.Provider == "" {
		return echo.Provider{}, nil
	}
	v, ok := vendor.Find(p.Provider)
	if !ok {
		if further, ok := w.cfg.Providers[p.Provider]; ok {
			return further, nil
		}
		return nil, clew.Errorf(clew.SettingsInvalid, "there is no provider %q", p.Provider)
	}
	api := v.API
	if p.API != "" {
		api = vendor.API(p.API)
	}
	wire := wires[api] // TestWires has them all; the settings let in no other
	base := p.BaseURL
	if base == "" {
		base = v.BaseURL
	}
	if base == "" && wire.home != v.ID { // the key would go to another vendor
		return nil, clew.Errorf(clew.SettingsInvalid, "the provider %s needs a base_url in its profile for the API %s", v.ID, api)
	}
	now, _ := w.settings.For(nil)
	o := call.Options{
		BaseURL: base, Region: p.Region, Project: p.Project, Key: key, Headers: p.Headers,
		Stall: time.Duration(now.StallSec) * time.Second,
	}
	if v.ID == "azure" {
		o.KeyHeader = "Api-Key"
	}
	return wire.open(o), nil
}

// modelKey reads the key of a profile. A server of one's own gets what was set for
// it, not the vendor's key of the environment.
func (w *agentDeps) modelKey(p settings.Profile) func(context.Context) (string, error) {
	name := p.SecretName()
	if v, ok := vendor.Find(p.Provider); ok && v.Secret == "" && p.KeyName == "" {
		return nil // a cloud's credentials are found by its own wire
	}
	if p.VendorKeyCounts() {
		return func(ctx context.Context) (string, error) { return w.secret(ctx, name) }
	}
	return func(ctx context.Context) (string, error) {
		value, _, err := w.secrets.Own(ctx, name)
		if err == nil && value == "" && p.NeedsKey() {
			err = noSecret(name)
		}
		return value, err
	}
}

// model gives what is known of a profile's model.
func (w *agentDeps) model(p settings.Profile) agent.Model {
	if p.Provider == "echo" || p.Provider == "" {
		return agent.Model{Free: true}
	}
	info, known := choice.Info(p)
	return agent.Model{
		ContextWindow: info.ContextWindow, MaxOutput: info.MaxOutput, Unpriced: !known, NoImages: info.MaxOutput > 0 && !info.Images,
		Cost: func(u clew.Usage) float64 { return catalogue.Cost(info, u) },
	}
}

// ModelVariables are the variables of the environment that make a model usable by
// themselves: keys of providers, and where those are reached.
func ModelVariables() []string {
	names := choice.Addresses()
	for _, v := range vendor.All() {
		names = append(names, v.Env...)
	}
	return names
}

// CloudVariables are those by which the credentials of a cloud are found, if they are
// complete.
func CloudVariables(environ []string) []string { return choice.CloudVariables(environ) }

// CloudModels reports whether credentials of a cloud in the environment make a model
// usable by themselves.
func CloudModels(environ []string) bool { return choice.Clouds(environ) }
