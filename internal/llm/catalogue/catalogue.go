// Package catalogue knows models: how much they take, and what they cost. The
// data is that of charm.land/catwalk, which carries it inside; a newer version
// of that module brings newer prices.
package catalogue

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/clew-run/clew"
)

// Info is what is known of a model. Prices are in USD per million tokens; all
// of them 0 means that nobody named a price, or that there is none.
type Info struct {
	ContextWindow   int
	MaxOutput       int
	PriceIn         float64
	PriceOut        float64
	PriceCacheWrite float64
	PriceCacheRead  float64
	Images          bool
	Thinking        bool
}

// Prices are a person's own, in USD per million tokens. 0 leaves the
// catalogue's.
type Prices struct {
	In, Out, CacheWrite, CacheRead float64
}

// entries holds one provider's models by name.
type entries map[string]Info

// load reads the data once, on first use: it takes some milliseconds that a
// server without a provider need not spend.
var load = sync.OnceValue(func() (all struct {
	byProvider map[string]entries
	byHost     map[string]string
	defaults   map[string]string
}) {
	all.byProvider, all.byHost, all.defaults = map[string]entries{}, map[string]string{}, map[string]string{}
	for _, p := range embedded.GetAll() {
		models := entries{}
		for _, m := range p.Models {
			models[m.ID] = info(m)
		}
		all.byProvider[string(p.ID)], all.defaults[string(p.ID)] = models, p.DefaultLargeModelID
		if u, err := url.Parse(p.APIEndpoint); err == nil && u.Host != "" {
			all.byHost[u.Host] = string(p.ID)
		}
	}
	return all
})

// A Model is one of a provider's.
type Model struct {
	Name    string
	Default bool // the one to take if nothing else is known
	Info
}

// Models lists a provider's models by name.
func Models(provider string) []Model {
	models := load().byProvider[provider]
	list := make([]Model, 0, len(models))
	for _, name := range slices.Sorted(maps.Keys(models)) {
		list = append(list, Model{Name: name, Default: name == load().defaults[provider], Info: models[name]})
	}
	return list
}

// Find gives what is known of a provider's model. A provider is named as in the
// catalogue (anthropic, openai, openrouter, …). A name with a date stands for
// the same model as the name without, and the other way round.
func Find(provider, model string) (Info, bool) {
	models := load().byProvider[provider]
	if i, ok := models[model]; ok {
		return i, true
	}
	base := undated(model)
	if i, ok := models[base]; ok {
		return i, true
	}
	var dated []string
	for name := range models {
		if undated(name) == base {
			dated = append(dated, name)
		}
	}
	if len(dated) == 0 {
		return Info{}, false
	}
	return models[slices.Max(dated)], true // the newest
}

// ProviderAt names the catalogue's provider at an address, for profiles of a
// compatible server: those say openai and a base URL.
func ProviderAt(baseURL string) (string, bool) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return "", false
	}
	p, ok := load().byHost[u.Host]
	return p, ok
}

// Override puts a person's own prices in the place of the catalogue's. Who
// names a price for input and none for the cache pays the cache like input.
func (i Info) Override(p Prices) Info {
	if p.In != 0 {
		i.PriceIn, i.PriceCacheWrite, i.PriceCacheRead = p.In, p.In, p.In
	}
	if p.Out != 0 {
		i.PriceOut = p.Out
	}
	if p.CacheWrite != 0 {
		i.PriceCacheWrite = p.CacheWrite
	}
	if p.CacheRead != 0 {
		i.PriceCacheRead = p.CacheRead
	}
	return i
}

// Cost gives the price of a call in USD. It expects usage that counts each
// token once, as llm.Answer has it.
func Cost(i Info, u clew.Usage) float64 {
	return (float64(u.TokensIn)*i.PriceIn + float64(u.TokensOut)*i.PriceOut +
		float64(u.CacheWrites)*i.PriceCacheWrite + float64(u.CacheReads)*i.PriceCacheRead) / 1e6
}

func info(m catwalk.Model) Info {
	write, read := cachePrices(m)
	return Info{
		ContextWindow: int(m.ContextWindow), MaxOutput: int(m.DefaultMaxTokens),
		PriceIn: m.CostPer1MIn, PriceOut: m.CostPer1MOut, PriceCacheWrite: write, PriceCacheRead: read,
		Images: m.SupportsImages, Thinking: m.CanReason,
	}
}

// cachePrices reads the two cache prices of the data. They mean writing and
// reading where a provider has a price for each. Where writing is free of
// charge beyond the input itself, the data puts the price for reading in one
// field or the other, or in both. Writing is never cheaper than sending, which
// tells them apart. A provider that names no price for reading charges input.
func cachePrices(m catwalk.Model) (write, read float64) {
	write, read = m.CostPer1MInCached, m.CostPer1MOutCached
	if write < m.CostPer1MIn {
		if read == 0 {
			read = write
		}
		write = m.CostPer1MIn
	}
	if read == 0 || read > m.CostPer1MIn {
		read = m.CostPer1MIn
	}
	return write, read
}

// undated cuts off a date: -20250929, or -2025-09-29.
func undated(model string) string {
	for _, layout := range []string{"-dddddddd", "-dddd-dd-dd"} {
		if at := len(model) - len(layout); at > 0 && fits(model[at:], layout) {
			return model[:at]
		}
	}
	return strings.TrimSuffix(model, "-latest")
}

func fits(s, layout string) bool {
	for i := range len(layout) {
		if layout[i] == 'd' && (s[i] < '0' || s[i] > '9') || layout[i] == '-' && s[i] != '-' {
			return false
		}
	}
	return true
}
