package catalogue

import (
	"math"
	"testing"

	"github.com/clew-run/clew"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		provider, model string
		write, read     float64 // as parts of the price for input
		thinking        bool
	}{
		{"anthropic", "claude-sonnet-4-5-20250929", 1.25, 0.1, true},
		{"anthropic", "claude-sonnet-4-5", 1.25, 0.1, true},
		{"anthropic", "claude-opus-4-8-20260101", 1.25, 0.1, true},
		{"openai", "gpt-5.6-sol", 1.25, 0.1, true},
		{"openai", "gpt-5.5", 1, 0.1, true},          // the data has the price for reading in the field for writing
		{"openai", "gpt-5", 1, 0.1, true},            // in both
		{"openai", "gpt-5-2025-08-07", 1, 0.1, true}, // a name with a date
		{"openai", "gpt-4o", 1, 0.5, false},          // in its own
		{"openai", "gpt-5.4-pro", 1, 1, true},        // nowhere: no discount
		{"openrouter", "anthropic/claude-sonnet-4.5", 1.25, 0.1, true},
	} {
		i, ok := Find(c.provider, c.model)
		if !ok || i.ContextWindow < 100_000 || i.MaxOutput < 8000 || !i.Images || i.Thinking != c.thinking || i.PriceOut <= i.PriceIn {
			t.Errorf("%s %s: %+v %v", c.provider, c.model, i, ok)
		}
		if near(i.PriceCacheWrite, c.write*i.PriceIn) && near(i.PriceCacheRead, c.read*i.PriceIn) {
			continue
		}
		t.Errorf("%s %s: cache prices %v", c.provider, c.model, i)
	}
	for _, c := range [][2]string{{"anthropic", "gpt-5"}, {"nobody", "x"}, {"openai", ""}, {"", ""}, {"openai", "-20250101"}} {
		if i, ok := Find(c[0], c[1]); ok {
			t.Errorf("%v was found: %+v", c, i)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// No price of the data makes a call cheaper by sending more.
func TestPricesMakeSense(t *testing.T) {
	n := 0
	for provider, models := range load().byProvider {
		for name, i := range models {
			n++
			if i.PriceIn < 0 || i.PriceOut < 0 || i.PriceCacheRead < 0 || i.PriceCacheRead > i.PriceIn || i.PriceCacheWrite < i.PriceIn {
				t.Errorf("%s %s: %+v", provider, name, i)
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d models", n)
	}
}

func TestProviderAt(t *testing.T) {
	for base, want := range map[string]string{
		"https://openrouter.ai/api/v1": "openrouter", "https://api.deepseek.com": "deepseek",
		"http://127.0.0.1:11434/v1": "", "": "", "://": "",
	} {
		if got, ok := ProviderAt(base); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v", base, got, ok)
		}
	}
}

func TestCost(t *testing.T) {
	i := Info{PriceIn: 3, PriceOut: 15, PriceCacheWrite: 3.75, PriceCacheRead: 0.3}
	u := clew.Usage{TokensIn: 1_000_000, TokensOut: 100_000, CacheWrites: 200_000, CacheReads: 1_000_000}
	if got := Cost(i, u); !near(got, 3+1.5+0.75+0.3) {
		t.Errorf("cost %v", got)
	}
	if got := Cost(Info{}, u); got != 0 {
		t.Errorf("cost without prices %v", got)
	}
	if got := i.Override(Prices{}); got != i {
		t.Errorf("nothing overridden: %+v", got)
	}
	if got := i.Override(Prices{In: 1, Out: 2}); got.PriceIn != 1 || got.PriceOut != 2 || got.PriceCacheRead != 1 || got.PriceCacheWrite != 1 {
		t.Errorf("in and out overridden: %+v", got)
	}
	if got := i.Override(Prices{CacheRead: 0.1, CacheWrite: 5}); got.PriceIn != 3 || got.PriceCacheRead != 0.1 || got.PriceCacheWrite != 5 {
		t.Errorf("cache overridden: %+v", got)
	}
}

// Every provider that has models has one to begin with.
func TestModels(t *testing.T) {
	for _, provider := range []string{"anthropic", "openai", "gemini", "openrouter"} {
		defaults := 0
		for _, m := range Models(provider) {
			if i, ok := Find(provider, m.Name); !ok || i != m.Info {
				t.Errorf("%s %s: %+v, found %+v", provider, m.Name, m.Info, i)
			}
			if m.Default {
				defaults++
			}
		}
		if defaults != 1 {
			t.Errorf("%s: %d defaults", provider, defaults)
		}
	}
	if list := Models("nobody"); len(list) != 0 {
		t.Error(list)
	}
}
