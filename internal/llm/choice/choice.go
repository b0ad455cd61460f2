// Package choice says which model the server uses and why, which ones there are, and
// which of them can be used now.
package choice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/catalogue"
	"github.com/clew-run/clew/internal/llm/vendor"
	"github.com/clew-run/clew/internal/settings"
)

// ErrNoProvider is the cause of an error about a provider that is not known.
var ErrNoProvider = errors.New("choice: no such provider")

// Settings is what is needed of the settings: *settings.Settings.
type Settings interface {
	For(overlay map[string]any) (settings.Values, []settings.Problem)
	Layer(key string) settings.Layer
	Update(ctx context.Context, changes map[string]any) (changed []string, err error)
	NamedProfile(name string) (settings.NamedProfile, error)
	Automatic() (settings.AutomaticProfile, bool)
	DraftProfile(name string, fields map[string]any) (p settings.Profile, key string, err error)
}

// Keys is what is needed of the secrets: *settings.Secrets.
type Keys interface {
	Source(ctx context.Context, name string, vendors bool) (variable string, found bool, err error)
}

// Models is made of the settings and the secrets that it looks at. It is safe for
// concurrent use.
type Models struct {
	Settings  Settings
	Keys      Keys
	Providers []string // that the server has
	// Open makes the provider of a profile. With a key that one counts, and no other.
	Open func(p settings.Profile, key string) (llm.Provider, error)
	// Environ is where local servers say their addresses, and clouds their credentials, as
	// os.Environ gives it.
	Environ []string
}

// A Code says why something is as it is, for programs.
type Code string

// Why a model is used, beside the layers of the settings, and why one cannot be.
const (
	WhyNone      Code = "none"        // no profile is chosen: echo answers
	WhyMissing   Code = "missing"     // a profile is chosen that is not there
	WhyKey       Code = "key"         // nothing is chosen; a provider's key is in the environment
	WhyLocal     Code = "local"       // nothing is chosen; there is one model on this machine
	NoKey        Code = "no_key"      // the provider's key is not there
	NotSupported Code = "no_provider" // the server cannot speak to the provider
	NoAddress    Code = "no_address"  // a profile has to name the customer's own address
	noneSentence      = "no model is set up; programs get the built-in echo, which repeats what it is told"
)

// A Model is a profile's, or one of the catalogue.
type Model struct {
	Profile       string  `json:"profile" doc:"Name of the profile; empty for a model of the catalogue"`
	InUse         bool    `json:"in_use,omitempty" doc:"The profile that the server uses"`
	Provider      string  `json:"provider"`
	Name          string  `json:"model" doc:"As the provider writes it"`
	API           string  `json:"api,omitempty" doc:"The API for a new profile to name, if it is not the provider's usual one"`
	Default       bool    `json:"default,omitempty" doc:"The one to take of this provider if nothing else is known"`
	ContextWindow int     `json:"context_window" doc:"Tokens that fit; 0 = not known"`
	PriceIn       float64 `json:"price_in" doc:"USD per million tokens"`
	PriceOut      float64 `json:"price_out"`
	Priced        bool    `json:"priced" doc:"Whether the prices are known"`
	Local         bool    `json:"local,omitempty" doc:"It runs on the server's machine and costs nothing"`
	Images        bool    `json:"images,omitempty"`
	Thinking      bool    `json:"thinking,omitempty"`
	Usable        bool    `json:"usable" doc:"Whether it can be called now: a key is there"`
	WhyNot        string  `json:"why_not,omitempty" doc:"For people"`
	WhyNotCode    Code    `json:"why_not_code,omitempty" doc:"no_key, no_provider, no_address or missing"`
	KeyVariable   string  `json:"key_variable,omitempty" doc:"The variable of the server's environment that has the key, if it is not stored"`
}

// InUse is the model that the server uses unless a session or a mode says otherwise.
type InUse struct {
	Model
	Fallback []string `json:"fallback" nullable:"false" doc:"Profiles that the profile in use names as its fallback"`
	Why      string   `json:"why" doc:"For people"`
	WhyCode  Code     `json:"why_code" doc:"The layer that chose it (default, file, environment or server); key or local if nobody chose it; none, or missing"`
}

// InUse says what is used, and why.
func (m *Models) InUse(ctx context.Context) (InUse, error) {
	v, _ := m.Settings.For(nil)
	use := InUse{Fallback: []string{}, Why: noneSentence, WhyCode: WhyNone}
	p, there := v.Profiles[v.ModelProfile]
	auto, automatic := m.Settings.Automatic()
	switch {
	case v.ModelProfile == "":
		p = settings.Profile{Provider: settings.Echo}
	case !there:
		use.Profile, use.WhyCode = v.ModelProfile, WhyMissing
		use.Why = fmt.Sprintf("model_profile is %q, and there is no such profile; choose another: clew model use NAME", v.ModelProfile)
		use.WhyNot, use.WhyNotCode = "there is no such profile", WhyMissing
		return use, nil
	case automatic:
		use.Why, use.WhyCode = "it is the one model on this machine, and no other is set up", WhyLocal
		if auto.Variable != "" {
			use.Why, use.WhyCode = auto.Variable+" is set in the server's environment", WhyKey
		}
	default:
		layer := m.Settings.Layer("model_profile")
		use.Why, use.WhyCode = fmt.Sprintf("model_profile is %q (%s)", v.ModelProfile, placeOf(layer)), Code(layer)
	}
	if v.Model != "" {
		p.Model = v.Model
		use.Why += fmt.Sprintf("; the setting model says %q", v.Model)
	}
	var err error
	use.Model, err = m.ofProfile(ctx, v.ModelProfile, p)
	use.InUse = there
	use.Fallback = append(use.Fallback, p.Fallback...)
	return use, err
}

func placeOf(l settings.Layer) string {
	switch l {
	case settings.LayerServer:
		return "set on this server"
	case settings.LayerFile:
		return "from the settings file"
	case settings.LayerEnvironment:
		return "from the variable CLEW_SET_MODEL_PROFILE"
	}
	return string(l)
}

// Use has the server use a profile. The setting model goes back to the layers below:
// it named a model of the profile before.
func (m *Models) Use(ctx context.Context, profile string) (InUse, error) {
	if _, err := m.Settings.NamedProfile(profile); err != nil && profile != settings.Echo {
		return InUse{}, err
	}
	if _, err := m.Settings.Update(ctx, map[string]any{"model_profile": profile, "model": nil}); err != nil {
		return InUse{}, err
	}
	return m.InUse(ctx)
}

// List gives the models of the profiles, by name, and then those of the catalogue, in
// the order of the vendors. With a provider it gives those of this one.
func (m *Models) List(ctx context.Context, provider string) ([]Model, error) {
	v, _ := m.Settings.For(nil)
	list := []Model{}
	for _, name := range sortedNames(v.Profiles) {
		if p := v.Profiles[name]; provider == "" || p.Provider == provider {
			model, err := m.ofProfile(ctx, name, p)
			if err != nil {
				return nil, err
			}
			model.InUse = name == v.ModelProfile
			list = append(list, model)
		}
	}
	vendors := vendor.All()
	if provider != "" {
		vendors = slices.DeleteFunc(vendors, func(v vendor.Vendor) bool { return v.ID != provider })
		if len(vendors) == 0 && len(list) == 0 {
			return nil, errNoProvider(provider)
		}
	}
	for _, from := range vendors {
		models, err := m.ofVendor(ctx, from, list)
		if err != nil {
			return nil, err
		}
		list = append(list, models...)
	}
	return list, nil
}

func sortedNames(profiles map[string]settings.Profile) []string {
	names := make([]string, 0, len(profiles))
	for name := range profiles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func errNoProvider(name string) error {
	var known []string
	for _, v := range vendor.All() {
		known = append(known, v.ID)
	}
	return clew.WrapError(clew.SettingsInvalid, ErrNoProvider, "there is no provider %.64q; there are %s", name, strings.Join(known, ", "))
}

// ofVendor gives the models of a vendor in the catalogue. They are usable with the
// vendor's key, and with one that a profile at the vendor's own address has.
func (m *Models) ofVendor(ctx context.Context, from vendor.Vendor, profiles []Model) ([]Model, error) {
	base := Model{Provider: from.ID}
	if err := m.ready(ctx, &base, settings.Profile{Provider: from.ID}); err != nil {
		return nil, err
	}
	v, _ := m.Settings.For(nil)
	for _, p := range profiles {
		if p.Provider == from.ID && p.Usable && !base.Usable && v.Profiles[p.Profile].BaseURL == "" {
			base.Usable, base.WhyNot, base.WhyNotCode, base.KeyVariable = true, "", "", p.KeyVariable
		}
	}
	var list []Model
	for _, entry := range catalogue.Models(from.Catalogue) {
		model := base
		model.Name, model.Default = entry.Name, entry.Name == defaultModel(from)
		if from.New != from.API {
			model.API = string(from.New)
		}
		model.fill(entry.Info, true)
		list = append(list, model)
	}
	return list, nil
}

func (m *Models) ofProfile(ctx context.Context, name string, p settings.Profile) (Model, error) {
	model := Model{Profile: name, Provider: p.Provider, Name: p.Model}
	if model.Provider == "" {
		model.Provider = "echo"
	}
	model.Local = p.Local()
	model.fill(Info(p))
	err := m.ready(ctx, &model, p)
	if n, missing := m.Settings.NamedProfile(name); missing == nil && n.Hidden {
		model.Name = "" // somebody may have pasted a key there
	}
	return model, err
}

func (m *Model) fill(i catalogue.Info, known bool) {
	m.ContextWindow, m.PriceIn, m.PriceOut = i.ContextWindow, i.PriceIn, i.PriceOut
	m.Priced = m.Provider == "echo" || m.Local || known && (i.PriceIn > 0 || i.PriceOut > 0) // the catalogue has 0 where nobody named a price
	m.Images, m.Thinking = i.Images, i.Thinking
}

func (m *Models) has(provider string) bool { return slices.Contains(m.Providers, provider) }

// ready finds out whether a profile can be used now.
func (m *Models) ready(ctx context.Context, model *Model, p settings.Profile) error {
	if p.Provider == "" || p.Provider == "echo" {
		model.Usable = true
		return nil
	}
	if !m.has(p.Provider) {
		model.WhyNot, model.WhyNotCode = "this server cannot use "+p.Provider, NotSupported
		return nil
	}
	if p.Provider == "azure" && p.BaseURL == "" {
		model.WhyNot, model.WhyNotCode = "azure needs a profile with the address of your resource as base_url", NoAddress
		return nil
	}
	from, known := vendor.Find(p.Provider)
	if !known || from.Secret == "" && p.KeyName == "" { // one of the program's own, or a cloud's
		getenv := getenvOf(m.Environ)
		home := getenv("HOME") // without one there are no files to look for
		if at, ok := from.Chosen(getenv, home); ok {
			model.KeyVariable = at.Variable
		}
		missing := from.Credentials(getenv, home)
		if model.Usable = missing == ""; !model.Usable {
			model.WhyNot, model.WhyNotCode = missing, NoKey
		}
		return nil
	}
	variable, found, err := m.Keys.Source(ctx, p.SecretName(), p.VendorKeyCounts())
	if err != nil {
		return err
	}
	model.KeyVariable = variable
	if model.Usable = found || !p.NeedsKey(); !model.Usable {
		model.WhyNot, model.WhyNotCode = "no key: "+login(model, p), NoKey
	}
	return nil
}

// login says how the key of a profile gets there.
func login(model *Model, p settings.Profile) string {
	switch {
	case p.BaseURL != "" || p.KeyName != "" && !strings.HasPrefix(p.KeyName, "profile."):
		return "clew secret set " + p.SecretName()
	case model.Profile == "" || model.Profile == p.Provider:
		return "clew login " + p.Provider
	}
	return "clew login " + p.Provider + " --name " + model.Profile
}

// Info gives what is known of a profile's model. known says that the prices are.
func Info(p settings.Profile) (info catalogue.Info, known bool) {
	if p.Provider == "echo" || p.Provider == "" {
		return catalogue.Info{}, true
	}
	name := p.Provider
	if from, ok := vendor.Find(p.Provider); ok {
		name = from.Catalogue
	}
	if at, ok := catalogue.ProviderAt(p.BaseURL); ok {
		name = at
	}
	info, known = catalogue.Find(name, p.Model)
	if p.Local() { // whoever made the model, it costs nothing here
		info.PriceIn, info.PriceOut, info.PriceCacheWrite, info.PriceCacheRead, known = 0, 0, 0, 0, true
	}
	known = known || p.PriceIn > 0 || p.PriceOut > 0
	info = info.Override(catalogue.Prices{In: p.PriceIn, Out: p.PriceOut, CacheWrite: p.PriceCacheWrite, CacheRead: p.PriceCacheRead})
	if p.ContextWindow > 0 {
		info.ContextWindow = p.ContextWindow
	}
	return info, known
}
