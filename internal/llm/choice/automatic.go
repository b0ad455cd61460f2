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

// Automatic gives the profiles that keys and credentials of clouds in the environment make
// by themselves, in the order in which they are preferred. Each is named as its provider
// and has the model that the catalogue suggests.
func Automatic(keys Variables, environ, providers []string) []settings.AutomaticProfile {
	var list []settings.AutomaticProfile
	for _, v := range vendor.All() {
		if !slices.Contains(providers, v.ID) {
			continue
		}
		if v.Secret == "" {
			if a, ok := cloud(v, environ); ok {
				list = append(list, a)
			}
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

// Clouds reports whether credentials of a cloud in the environment make a profile.
func Clouds(environ []string) bool {
	return slices.ContainsFunc(vendor.All(), func(v vendor.Vendor) bool { _, ok := cloud(v, environ); return ok })
}

// CloudVariables names the variables of those clouds that could be called with what the
// environment has.
func CloudVariables(environ []string) (names []string) {
	getenv := getenvOf(environ)
	for _, v := range vendor.All() {
		if _, ok := v.Chosen(getenv, getenv("HOME")); ok {
			names = append(names, v.Variables()...)
		}
	}
	return names
}

func cloud(v vendor.Vendor, environ []string) (settings.AutomaticProfile, bool) {
	getenv := getenvOf(environ)
	at, ok := v.Chosen(getenv, getenv("HOME"))
	p := settings.Profile{Provider: v.ID, Model: defaultModel(v), Region: at.Region, Project: at.Project}
	// The catalogue has Amazon's names for its regions in America alone.
	if v.API == vendor.Bedrock && (!strings.HasPrefix(at.Region, "us-") || strings.HasPrefix(at.Region, "us-gov-")) {
		return settings.AutomaticProfile{}, false
	}
	return settings.AutomaticProfile{Name: v.ID, Variable: at.Variable, Profile: p}, ok && p.Model != ""
}

// getenvOf looks variables up in an environment as os.Environ gives it.
func getenvOf(environ []string) func(name string) string {
	return func(name string) string {
		for _, entry := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// defaultModel is the one that the catalogue suggests. At Vertex that is one of Google's,
// which are had from gemini; here it is the newest Sonnet.
func defaultModel(v vendor.Vendor) (name string) {
	for _, m := range catalogue.Models(v.Catalogue) {
		switch {
		case v.API == vendor.Vertex:
			if strings.HasPrefix(m.Name, "claude-sonnet-") {
				name = max(name, m.Name)
			}
		case m.Default:
			return m.Name
		}
	}
	return name
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
