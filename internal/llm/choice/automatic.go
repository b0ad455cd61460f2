package choice

import (
	"net/url"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/llm/catalogue"
	"github.com/clew-run/clew/internal/llm/vendor"
	"github.com/clew-run/clew/internal/settings"
)

// azureEndpoint is what Azure's own programs call the customer's address.
const azureEndpoint = "AZURE_OPENAI_ENDPOINT"

// Addresses are the variables that say where a provider or a local model server is.
func Addresses() []string { return []string{azureEndpoint, "OLLAMA_HOST"} }

// Variables finds the variable that has a secret: *settings.Secrets.
type Variables interface {
	Variable(name string) (string, bool)
}

// Automatic gives the profiles that keys in the environment make by themselves, in the
// order in which they are preferred. Each is named as its provider and has the model
// that the catalogue suggests.
func Automatic(keys Variables, environ, providers []string) []settings.AutomaticProfile {
	var list []settings.AutomaticProfile
	for _, v := range vendor.All() {
		if v.Secret == "" || !slices.Contains(providers, v.ID) {
			continue
		}
		p := settings.Profile{Provider: v.ID, Model: defaultModel(v)}
		if v.New != v.API {
			p.API = string(v.New)
		}
		if v.ID == "azure" {
			p.BaseURL = azureAddress(environ)
		}
		variable, found := keys.Variable(v.Secret)
		if !found || p.Model == "" || v.ID == "azure" && p.BaseURL == "" {
			continue
		}
		list = append(list, settings.AutomaticProfile{Name: v.ID, Variable: variable, Profile: p})
	}
	return list
}

func defaultModel(v vendor.Vendor) string {
	for _, m := range catalogue.Models(v.Catalogue) {
		if m.Default {
			return m.Name
		}
	}
	return ""
}

// azureAddress is the API's address at the endpoint that the environment names, "" if
// it names none.
func azureAddress(environ []string) string {
	for _, entry := range environ {
		value, ok := strings.CutPrefix(entry, azureEndpoint+"=")
		u, err := url.Parse(value)
		if ok && err == nil && u.Scheme == "https" && u.Host != "" {
			return "https://" + u.Host + "/openai/v1/"
		}
	}
	return ""
}
