package settings

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/vendor"
)

// What is wrong with a profile's name, as causes: callers tell them apart with
// errors.Is.
var (
	ErrNoProfile    = errors.New("settings: no such model profile")
	ErrProfileInUse = errors.New("settings: the model profile is in use")
)

// A NamedProfile is a model profile as people see it: its key is no part of it.
type NamedProfile struct {
	Name string `json:"name"`
	// InUse says that the server uses it.
	InUse bool `json:"in_use"`
	// Variable of the server's environment that made it; it is not stored.
	Variable string `json:"variable,omitempty"`
	// Hidden says that it contains a secret and is left out.
	Hidden bool `json:"hidden,omitempty"`
	Profile
}

// readOnly are the fields of NamedProfile that no profile has. They may be in what
// is saved, so that a profile can be read, edited and saved.
var readOnly = []string{"name", "in_use", "variable", "hidden"}

// Profiles lists the model profiles by name.
func (s *Settings) Profiles() []NamedProfile {
	v, _ := s.For(nil)
	list := []NamedProfile{}
	for _, name := range slices.Sorted(maps.Keys(v.Profiles)) {
		list = append(list, s.named(v, name))
	}
	return list
}

// NamedProfile gives one of Profiles.
func (s *Settings) NamedProfile(name string) (NamedProfile, error) {
	v, _ := s.For(nil)
	if _, there := v.Profiles[name]; !there {
		return NamedProfile{}, errNoProfile(name)
	}
	return s.named(v, name), nil
}

func (s *Settings) named(v Values, name string) NamedProfile {
	n := NamedProfile{Name: name, InUse: v.ModelProfile == name, Profile: v.Profiles[name]}
	stored, _ := s.stored(nil)
	if _, there := stored.Profiles[name]; !there {
		for _, a := range s.opts.Automatic {
			if a.Name == name {
				n.Variable = a.Variable
			}
		}
	}
	if s.shown(Entry{Value: n.Profile}).Hidden {
		n.Profile, n.Hidden = Profile{}, true
	}
	return n
}

func errNoProfile(name string) error {
	return clew.WrapError(clew.SettingsInvalid, ErrNoProfile, "there is no model profile %.64q", name)
}

// PutProfile makes a model profile, or puts another in its place. Unlike
// SaveProfile it takes only what can be used as it is. api_key is as there.
func (s *Settings) PutProfile(ctx context.Context, name string, profile map[string]any) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.saveProfile(ctx, name, patched(nil, profile), s.checkWhole)
}

// PatchProfile changes fields of a model profile; nil clears one. api_key is as in
// SaveProfile.
func (s *Settings) PatchProfile(ctx context.Context, name string, changes map[string]any) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	v, _ := s.For(nil)
	old, there := v.Profiles[name]
	if !there {
		return errNoProfile(name)
	}
	encoded, err := json.Marshal(old)
	if err != nil {
		return clew.WrapError(clew.Internal, err, "the profile could not be written")
	}
	var fields map[string]any
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return clew.WrapError(clew.Internal, err, "the profile could not be read back")
	}
	return s.saveProfile(ctx, name, patched(fields, changes), s.checkWhole)
}

// patched gives fields with the changes made. An empty key_name is kept: one that
// is left out stands for the key that the profile has.
func patched(fields, changes map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, fields)
	for name, value := range changes {
		switch {
		case slices.Contains(readOnly, name):
		case name == "key_name" && value == nil:
			out[name] = ""
		case name != "api_key" && value == nil:
			delete(out, name)
		default:
			out[name] = value
		}
	}
	return out
}

// checkWhole refuses a profile that no model can be called with.
func (s *Settings) checkWhole(p Profile) error {
	if p.Provider == "" {
		what := "provider is missing"
		if s.opts.Providers != nil {
			what += "; it is one of " + strings.Join(s.opts.Providers, ", ")
		}
		return clew.Errorf(clew.SettingsInvalid, "%s", what)
	}
	if _, known := vendor.Find(p.Provider); known && p.Model == "" {
		return clew.Errorf(clew.SettingsInvalid, "model is missing: the name of one of the provider's models")
	}
	return nil
}

// DeleteProfile deletes a model profile and its own key. One that the server's
// settings name is not deleted.
func (s *Settings) DeleteProfile(ctx context.Context, name string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	v, _ := s.stored(nil)
	if _, there := v.Profiles[name]; !there {
		for _, a := range s.opts.Automatic {
			if a.Name == name {
				return clew.WrapError(clew.SettingsInvalid, ErrProfileInUse, "The profile %q comes from %s in the server's environment; unset it there", name, a.Variable).Advised()
			}
		}
		return errNoProfile(name)
	}
	if err := inUse(v, name); err != nil {
		return err
	}
	delete(v.Profiles, name)
	encoded, err := json.Marshal(v.Profiles)
	if err != nil {
		return clew.WrapError(clew.Internal, err, "the profiles could not be written")
	}
	// The profile first, for the reason that saveProfile gives.
	if _, err := s.save(ctx, raw{"model_profiles": encoded}); err != nil {
		return err
	}
	for _, p := range v.Profiles {
		if p.KeyName == ownKey(name) {
			return nil
		}
	}
	return s.saveAPIKey(ctx, ownKey(name), "")
}

// ownKey names the secret with the key that came with a profile.
func ownKey(profile string) string { return "profile." + profile }

// inUse says who needs a profile, and what to do about it.
func inUse(v Values, name string) error {
	refuse := func(format string, args ...any) error {
		return clew.WrapError(clew.SettingsInvalid, ErrProfileInUse, format, args...).Advised()
	}
	if v.ModelProfile == name {
		return refuse("The profile %q is in use; choose another first: clew model use NAME", name)
	}
	if v.ModelSmall == name {
		return refuse("The profile %q does small jobs; choose another first: clew settings set model_small NAME", name)
	}
	if v.ModelSubtasks == name {
		return refuse("The profile %q is used by subtasks; choose another first: clew settings set model_subtasks NAME", name)
	}
	for _, m := range v.CustomModes {
		if m.ModelProfile == name {
			return refuse("The mode %q uses the profile %q; choose another in custom_modes first", m.Slug, name)
		}
	}
	for _, other := range slices.Sorted(maps.Keys(v.Profiles)) {
		if other != name && slices.Contains(v.Profiles[other].Fallback, name) {
			return refuse("The profile %q is a fallback of %q; take it out there first", name, other)
		}
	}
	return nil
}

// checkFallbacks checks the fallbacks of all profiles, encoded; nil has none.
func checkFallbacks(encoded json.RawMessage) error {
	var profiles map[string]Profile
	if encoded == nil || json.Unmarshal(encoded, &profiles) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		if err := checkFallback(profiles, name); err != nil {
			return err
		}
	}
	return nil
}

// checkFallback follows the fallbacks of a profile. They must be there and must not
// lead back to it. What is wrong among the others is left to them.
func checkFallback(profiles map[string]Profile, name string) error {
	for _, next := range profiles[name].Fallback {
		if _, there := profiles[next]; !there {
			return clew.Errorf(clew.SettingsInvalid, "fallback of %q names a profile that does not exist", name)
		}
	}
	if way := wayBack(profiles, []string{name}, map[string]bool{}); way != nil {
		return clew.Errorf(clew.SettingsInvalid, "fallback names itself: %s", strings.Join(way, " → "))
	}
	return nil
}

// wayBack finds a way from the end of a path of profiles to its beginning, nil if
// there is none. seen are those that do not lead there.
func wayBack(profiles map[string]Profile, path []string, seen map[string]bool) []string {
	for _, next := range profiles[path[len(path)-1]].Fallback {
		longer := append(slices.Clone(path), next)
		if next == path[0] {
			return longer
		}
		if seen[next] {
			continue
		}
		seen[next] = true
		if way := wayBack(profiles, longer, seen); way != nil {
			return way
		}
	}
	return nil
}
