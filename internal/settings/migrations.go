package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// versionKey holds the number of the last migration that a layer went through.
// It is bookkeeping and no setting.
const versionKey = "settings_version"

// A migration brings a layer from the version before to its own. It sees a copy
// and may change it; it has to bear anything it finds there.
type migration struct {
	name string
	run  func(m *migrating)
}

// migrations run in this order; the version of a layer counts them. Never
// change or reorder one that was released: add another.
var migrations = []migration{
	{"image generation settings", migrateImageGeneration},
	{"unknown provider", migrateUnknownProvider},
	{"camelCase names", migrateNames},
	{"model for small jobs", migrateModelSmall},
}

// migrating is a layer on its way to the present version.
type migrating struct {
	values    raw
	providers []string
	secrets   map[string]string // to be moved to the secret store
	found     []string          // every secret that was come across
	notes     []Problem         // without a layer yet
}

func (m *migrating) note(key, message string) {
	m.notes = append(m.notes, Problem{Key: key, Message: message})
}

// text takes a text out of the layer, "" if there is none.
func (m *migrating) text(key string) string {
	var s string
	if json.Unmarshal(m.values[key], &s) != nil {
		return ""
	}
	return s
}

func (m *migrating) moveSecret(from, name, value string) {
	if value == "" {
		return
	}
	m.secrets[name] = value
	m.found = append(m.found, value)
	m.note(from, "is a secret: it was moved to the secret store as "+name+"; take it out where it still stands")
}

// migrate gives the layer as the present version would have it. The layer
// itself stays as it is.
func migrate(values raw, providers []string) *migrating {
	m := &migrating{values: maps.Clone(values), providers: providers, secrets: map[string]string{}}
	if m.values == nil {
		m.values = raw{}
	}
	version := layerVersion(values)
	if len(m.values) == 0 || version >= len(migrations) {
		return m
	}
	for _, step := range migrations[version:] {
		step.run(m)
	}
	m.values[versionKey] = presentVersion()
	return m
}

func presentVersion() json.RawMessage {
	b, err := json.Marshal(len(migrations))
	if err != nil {
		panic(err) // a number
	}
	return b
}

func layerVersion(values raw) int {
	var version int
	if json.Unmarshal(values[versionKey], &version) != nil || version < 0 {
		return 0
	}
	return version
}

// changesTo lists what has to be saved to get from one state of a layer to
// another.
func changesTo(from, to raw) raw {
	changes := raw{}
	for k, v := range to {
		if string(from[k]) != string(v) {
			changes[k] = v
		}
	}
	for k := range from {
		if _, still := to[k]; !still {
			changes[k] = nil
		}
	}
	return changes
}

// migrateImageGeneration takes apart the old object for image generation: its
// key becomes a secret, its model a key of its own.
func migrateImageGeneration(m *migrating) {
	for _, key := range []string{"openRouterImageGenerationSettings", "image_generation_settings"} {
		var old struct {
			Key       string `json:"openRouterApiKey"`
			KeySnake  string `json:"openrouter_api_key"`
			Model     string `json:"selectedModel"`
			Selection string `json:"selected_model"`
		}
		value, there := m.values[key]
		if !there {
			continue
		}
		delete(m.values, key)
		if json.Unmarshal(value, &old) != nil {
			m.note(key, "could not be understood and was left out")
			continue
		}
		m.moveSecret(key, "openrouter_api_key", old.Key+old.KeySnake)
		if model := old.Model + old.Selection; model != "" && m.values["image_generation_model"] == nil {
			m.values["image_generation_model"] = quote(model)
		}
	}
}

// migrateUnknownProvider removes a provider that clew does not have from the
// old single configuration, so that the rest of it can be used.
func migrateUnknownProvider(m *migrating) {
	provider := m.text("apiProvider")
	if m.values["apiProvider"] == nil {
		return
	}
	if provider == "" || m.providers != nil && !slices.Contains(m.providers, provider) {
		delete(m.values, "apiProvider")
		m.note("apiProvider", "is not the name of a provider; it was removed")
	}
}

// renamed lists old names whose new name is not just the same in snake_case.
var renamed = map[string]string{
	"allowedMaxRequests":      "auto_approval_max_requests",
	"currentApiConfigName":    "model_profile",
	"consecutiveMistakeLimit": "mistake_limit",
}

// dropped lists old keys that are no settings here: history is a view over the
// journals.
var dropped = []string{"taskHistory", "task_history"}

// migrateNames reads the camelCase names of older programs. A key that has its
// new name already keeps that value.
func migrateNames(m *migrating) {
	for _, key := range dropped {
		delete(m.values, key)
	}
	migrateProfile(m)
	migrateModes(m)
	for _, key := range slices.Sorted(maps.Keys(m.values)) {
		name, ok := renamed[key]
		if !ok {
			name = snake(key)
		}
		if name == key || key == versionKey {
			continue
		}
		if k := keyIndex[name]; k != nil || looksSecret(name) {
			m.rename(key, name, k)
		}
	}
}

// migrateModelSmall keeps the profile that wrote summaries when that was all a model
// for small jobs did.
func migrateModelSmall(m *migrating) {
	if m.values["condense_profile"] != nil {
		m.rename("condense_profile", "model_small", keyIndex["model_small"])
	}
}

func (m *migrating) rename(key, name string, k *Key) {
	value := m.values[key]
	if k == nil || k.Home == HomeSecret {
		m.moveSecret(key, oldSecretName(name), m.text(key))
		delete(m.values, key)
		return
	}
	delete(m.values, key)
	if m.values[name] == nil {
		m.values[name] = value
	}
}

// oldSecretName maps what snake makes of openRouterApiKey and openAiApiKey.
func oldSecretName(name string) string {
	return strings.NewReplacer("open_router", "openrouter", "open_ai", "openai").Replace(name)
}

// migrateProfile makes a profile of the old single configuration.
func migrateProfile(m *migrating) {
	provider, model := m.text("apiProvider"), m.text("apiModelId")
	delete(m.values, "apiProvider")
	delete(m.values, "apiModelId")
	if provider == "" && model == "" || m.values["model_profiles"] != nil {
		return
	}
	name := m.text("currentApiConfigName")
	if profileName(name) != nil {
		name = "default"
	}
	delete(m.values, "currentApiConfigName")
	profile := Profile{Provider: provider, Model: model}
	if m.text("apiKey") != "" {
		profile.KeyName = "api_key" // where the key itself is moved to
	}
	b, err := json.Marshal(map[string]Profile{name: profile})
	if err != nil {
		return
	}
	m.values["model_profiles"] = b
	if m.values["model_profile"] == nil {
		m.values["model_profile"] = quote(name)
	}
}

// migrateModes reads modes with a role definition and with groups that may be
// pairs of a name and a file pattern.
func migrateModes(m *migrating) {
	value, there := m.values["customModes"]
	if !there {
		return
	}
	delete(m.values, "customModes")
	var old []struct {
		Slug, Name, RoleDefinition, CustomInstructions, WhenToUse, Source string
		Groups                                                            []json.RawMessage
	}
	if json.Unmarshal(value, &old) != nil {
		m.note("customModes", "could not be understood and was left out")
		return
	}
	modes := []Mode{}
	for _, o := range old {
		mode := Mode{Slug: o.Slug, Name: o.Name, WhenToUse: o.WhenToUse, Source: oldSource(o.Source)}
		mode.Prompt = strings.TrimSpace(o.RoleDefinition + "\n\n" + o.CustomInstructions)
		for _, g := range o.Groups {
			migrateGroup(&mode, g)
		}
		modes = append(modes, mode)
	}
	if b, err := json.Marshal(modes); err == nil && m.values["custom_modes"] == nil {
		m.values["custom_modes"] = b
	}
}

func oldSource(s string) string {
	if s == "project" {
		return SourceWorkspace
	}
	return SourceGlobal
}

// migrateGroup adds one group. Editing that was narrowed to files by a regular
// expression is taken over only where it can be said as a pattern: a mode must
// not be able to do more than before.
func migrateGroup(mode *Mode, group json.RawMessage) {
	var name string
	if json.Unmarshal(group, &name) == nil {
		if name == "browser" {
			name = "fetch"
		}
		if slices.Contains(ToolGroups, name) && !slices.Contains(mode.Groups, name) {
			mode.Groups = append(mode.Groups, name)
		}
		return
	}
	var pair []json.RawMessage
	var options struct{ FileRegex string }
	if json.Unmarshal(group, &pair) != nil || len(pair) != 2 || json.Unmarshal(pair[1], &options) != nil {
		return
	}
	ext, ok := strings.CutPrefix(options.FileRegex, `\.`)
	ext, end := strings.CutSuffix(ext, "$")
	if ok && end && isWord(ext) {
		mode.EditPattern = "**/*." + ext
		migrateGroup(mode, pair[0])
	}
}

func isWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
