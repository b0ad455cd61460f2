package choice

import (
	"context"

	"github.com/clew-run/clew/internal/llm/discover"
	"github.com/clew-run/clew/internal/llm/vendor"
)

// Discover looks for model servers on this machine.
func (m *Models) Discover(ctx context.Context) []discover.LocalServer {
	return discover.Find(ctx, discover.Usual(m.Environ))
}

// A Provider is a vendor of models that this server can use.
type Provider struct {
	ID           string   `json:"id" doc:"For the provider of a profile"`
	Title        string   `json:"title" doc:"For people"`
	KeyPage      string   `json:"key_page,omitempty" doc:"Where a person gets a key"`
	Variables    []string `json:"key_variables" nullable:"false" doc:"Variables of the environment that may hold the key"`
	NeedsKey     bool     `json:"needs_key"`
	NeedsAddress bool     `json:"needs_address,omitempty" doc:"A profile has to name the customer's own address as base_url"`
	Model        string   `json:"model,omitempty" doc:"The one to take if nothing else is known"`
	API          string   `json:"api,omitempty" doc:"The API for a new profile to name, if it is not the provider's usual one"`
}

// Vendors lists the vendors that the server can use.
func (m *Models) Vendors() []Provider {
	list := []Provider{}
	for _, v := range vendor.All() {
		if !m.has(v.ID) {
			continue
		}
		p := Provider{ID: v.ID, Title: v.Title, KeyPage: v.KeyPage, Variables: append([]string{}, v.Env...), NeedsKey: v.Secret != "", NeedsAddress: v.ID == "azure", Model: defaultModel(v)}
		if v.New != v.API {
			p.API = string(v.New)
		}
		list = append(list, p)
	}
	return list
}
