// Package vendor lists the companies and servers that models are had from: how each
// is spoken to, where, and with which key. It knows nothing of single models; package
// catalogue does.
package vendor

import "slices"

// An API is a wire that models are spoken to over.
type API string

// The APIs.
const (
	Messages  API = "messages"  // Anthropic's
	Chat      API = "chat"      // OpenAI's Chat Completions, which most servers offer
	Responses API = "responses" // OpenAI's newer one, which keeps reasoning between calls
	Gemini    API = "gemini"    // Google's own
	Bedrock   API = "bedrock"   // Anthropic's messages by way of Amazon
	Vertex    API = "vertex"    // Anthropic's messages by way of Google Cloud
)

// APIs lists them all.
func APIs() []API { return []API{Messages, Chat, Responses, Gemini, Bedrock, Vertex} }

// A Vendor is somebody who serves models.
type Vendor struct {
	ID        string // the provider of a profile
	Title     string
	API       API      // of a profile that names none
	New       API      // of a profile that is made now
	BaseURL   string   // "" = the one that the API's client knows, or the profile's
	Catalogue string   // its name in the catalogue
	Secret    string   // name of the secret with the key, "" if there is none
	Env       []string // variables that may hold the key, the first that is set counts
	KeyPage   string   // where a person gets a key
}

// all is in the order in which a key in the environment is preferred.
var all = []Vendor{
	{ID: "anthropic", Title: "Anthropic", API: Messages, New: Messages, Catalogue: "anthropic", Secret: "anthropic_api_key", Env: []string{"ANTHROPIC_API_KEY"}, KeyPage: "https://console.anthropic.com/settings/keys"},
	{ID: "openai", Title: "OpenAI", API: Chat, New: Responses, Catalogue: "openai", Secret: "openai_api_key", Env: []string{"OPENAI_API_KEY"}, KeyPage: "https://platform.openai.com/api-keys"},
	{ID: "gemini", Title: "Google Gemini", API: Gemini, New: Gemini, Catalogue: "gemini", Secret: "gemini_api_key", Env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, KeyPage: "https://aistudio.google.com/apikey"},
	{ID: "openrouter", Title: "OpenRouter", API: Chat, New: Chat, BaseURL: "https://openrouter.ai/api/v1", Catalogue: "openrouter", Secret: "openrouter_api_key", Env: []string{"OPENROUTER_API_KEY"}, KeyPage: "https://openrouter.ai/settings/keys"},
	{ID: "azure", Title: "Azure OpenAI", API: Responses, New: Responses, Catalogue: "azure", Secret: "azure_api_key", Env: []string{"AZURE_OPENAI_API_KEY"}, KeyPage: "https://ai.azure.com"},
	{ID: "bedrock", Title: "Amazon Bedrock", API: Bedrock, New: Bedrock, Catalogue: "bedrock"},
	{ID: "vertex", Title: "Google Vertex", API: Vertex, New: Vertex, Catalogue: "vertexai"},
}

// All lists the vendors, in the order in which a key in the environment is preferred.
func All() []Vendor { return slices.Clone(all) }

// Find gives the vendor that a profile's provider names.
func Find(id string) (Vendor, bool) {
	i := slices.IndexFunc(all, func(v Vendor) bool { return v.ID == id })
	if i < 0 {
		return Vendor{}, false
	}
	return all[i], true
}
