package settings

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/clew-run/clew"
)

// maxUnknown bounds how many keys are kept that clew does not know.
const maxUnknown = 500

// Get gives one value by its key: from the secret store for secrets, as a
// Secret; from the store for pass-through keys; from memory for all others.
// found is false if there is nothing of that name.
func (s *Settings) Get(ctx context.Context, key string) (value any, found bool, err error) {
	k := s.keys[key]
	switch {
	case k != nil && k.Home == HomeSecret:
		return s.getSecret(ctx, key)
	case k != nil && k.Passthrough:
		stored, err := s.opts.Store.Load(ctx)
		if err != nil {
			return nil, false, clew.WrapError(clew.StorageFailed, err, "the settings could not be read")
		}
		return decodeAny(stored[key])
	case k != nil:
		v, _ := s.stored(nil)
		return k.value(&v), true, nil
	}
	s.mu.Lock()
	unknown := s.base.unknown[key]
	s.mu.Unlock()
	return decodeAny(unknown)
}

func (s *Settings) getSecret(ctx context.Context, key string) (any, bool, error) {
	if s.opts.Secrets == nil {
		return nil, false, nil
	}
	value, found, err := s.opts.Secrets.Get(ctx, key)
	if err != nil || !found {
		return nil, false, err
	}
	return NewSecret(value), true, nil
}

func decodeAny(value json.RawMessage) (any, bool, error) {
	if value == nil {
		return nil, false, nil
	}
	var decoded any
	err := json.Unmarshal(value, &decoded)
	return decoded, err == nil, err
}

// Set changes one value where it belongs: a secret in the secret store, where
// nil deletes it, anything else with Update.
func (s *Settings) Set(ctx context.Context, key string, value any) error {
	if k := s.keys[key]; k == nil || k.Home != HomeSecret {
		_, err := s.Update(ctx, map[string]any{key: value})
		return err
	}
	if s.opts.Secrets == nil {
		return clew.Errorf(clew.SettingsInvalid, "%s cannot be stored: there is no secret store", key)
	}
	switch v := value.(type) {
	case nil:
		return s.opts.Secrets.Delete(ctx, key)
	case string:
		return s.opts.Secrets.Set(ctx, key, v)
	case Secret:
		return s.opts.Secrets.Set(ctx, key, v.Reveal())
	}
	return clew.Errorf(clew.SettingsInvalid, "%s must be text", key)
}

// Update changes settings of the server. A nil value gives the key back to the
// layers below. All changes are made, in the store and here, or none; changed
// names the keys whose value is another one now.
func (s *Settings) Update(ctx context.Context, changes map[string]any) (changed []string, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	checked, err := s.check(changes)
	if err != nil {
		return nil, err
	}
	if err := s.checkProfileName(checked); err != nil {
		return nil, err
	}
	if err := checkFallbacks(checked["model_profiles"]); err != nil {
		return nil, err
	}
	if err := s.keepsProfileInUse(checked); err != nil {
		return nil, err
	}
	return s.save(ctx, checked)
}

// save stores checked changes. writing is held.
func (s *Settings) save(ctx context.Context, changes raw) ([]string, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	s.mu.Lock()
	before := s.base
	version := layerVersion(s.server)
	s.mu.Unlock()
	stored := maps.Clone(changes)
	if version < len(migrations) {
		stored[versionKey] = presentVersion()
	}
	if err := s.opts.Store.Save(ctx, stored); err != nil {
		return nil, clew.WrapError(clew.StorageFailed, err, "the settings could not be saved")
	}
	// Loaded again instead of just taken over: another node's later change may
	// have been heard already, and must not be undone here.
	if err := s.load(context.WithoutCancel(ctx)); err != nil {
		s.change(func() { s.mergeServer(stored) })
	}
	s.mu.Lock()
	after := s.base
	s.mu.Unlock()
	return s.ownChanges(changes, difference(before, after)), nil
}

// ownChanges leaves out what someone else changed at the same moment.
func (s *Settings) ownChanges(changes raw, differ []string) []string {
	changed := []string{}
	for name := range changes {
		k := s.keys[name]
		if slices.Contains(differ, name) || k != nil && k.Passthrough {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// check validates changes to the server layer and gives them as they will be
// stored.
func (s *Settings) check(changes map[string]any) (raw, error) {
	checked := raw{}
	unknown := 0
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		encoded, err := encode(name, changes[name])
		if err != nil {
			return nil, err
		}
		k := s.keys[name]
		if k == nil && !isNull(encoded) {
			unknown++
		}
		if checked[name], _, err = s.checkOne(name, k, encoded); err != nil {
			return nil, err
		}
		if checked[name] != nil && s.opts.Redactor != nil && s.opts.Redactor.Contains(string(encoded)) {
			return nil, clew.Errorf(clew.SettingsInvalid, "%s contains the value of a stored secret", name)
		}
	}
	s.mu.Lock()
	unknown += len(s.base.unknown)
	s.mu.Unlock()
	if unknown > maxUnknown {
		return nil, clew.Errorf(clew.SettingsInvalid, "there are more than %d settings that clew does not know", maxUnknown)
	}
	return checked, nil
}

func encode(name string, value any) (json.RawMessage, error) {
	if !keyNamePattern.MatchString(name) {
		return nil, clew.Errorf(clew.SettingsInvalid, "%.100q is no name for a setting", name)
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, clew.Errorf(clew.SettingsInvalid, "%s is not a JSON value", name)
	}
	return encoded, nil
}

// checkOne gives a value in its stored form, nil for a reset, and decoded.
func (s *Settings) checkOne(name string, k *Key, encoded json.RawMessage) (json.RawMessage, any, error) {
	if name == versionKey {
		return nil, nil, clew.Errorf(clew.SettingsInvalid, "%s cannot be set", name)
	}
	if k != nil && k.Home == HomeSecret || k == nil && looksSecret(name) {
		return nil, nil, errSecretKey(name)
	}
	if isNull(encoded) {
		return nil, nil, nil
	}
	if k == nil {
		return s.checkUnknown(name, encoded)
	}
	value, err := k.decodeStrict(encoded)
	if err == nil {
		err = s.checkProviders(value)
	}
	if err != nil {
		return nil, nil, clew.Errorf(clew.SettingsInvalid, "%s %v", name, err)
	}
	stored, err := json.Marshal(value)
	if err != nil {
		return nil, nil, clew.Errorf(clew.SettingsInvalid, "%s is not a JSON value", name)
	}
	return stored, value, nil
}

func (s *Settings) checkUnknown(name string, encoded json.RawMessage) (json.RawMessage, any, error) {
	var decoded any
	if len(encoded) > maxValue || json.Unmarshal(encoded, &decoded) != nil {
		return nil, nil, clew.Errorf(clew.SettingsInvalid, "%s %v", name, errTooLong)
	}
	if err := unknownKey(name, decoded); err != nil {
		return nil, nil, clew.Errorf(clew.SettingsInvalid, "%s %v", name, err)
	}
	return encoded, decoded, nil
}

func (s *Settings) checkProviders(value any) error {
	profiles, ok := value.(map[string]Profile)
	if !ok || s.opts.Providers == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		if p := profiles[name].Provider; p != "" {
			if err := oneOf(s.opts.Providers...)(p); err != nil {
				return in(name+" provider", err)
			}
		}
	}
	return nil
}

// checkProfileName refuses the choice of a profile that is not there once the
// changes are made.
func (s *Settings) checkProfileName(changes raw) error {
	var name string
	if json.Unmarshal(changes["model_profile"], &name) != nil || name == "" || s.automaticName(name) {
		return nil
	}
	s.mu.Lock()
	r := s.read()
	s.mu.Unlock()
	r.add(LayerServer, raw{"model_profiles": changes["model_profiles"]})
	if _, there := r.values.Profiles[name]; !there {
		return clew.Errorf(clew.SettingsInvalid, "model_profile must be the name of a profile in model_profiles")
	}
	return nil
}

// keepsProfileInUse refuses other profiles in place of all if the one in use would be
// gone, unless another is chosen with them.
func (s *Settings) keepsProfileInUse(changes raw) error {
	encoded := changes["model_profiles"]
	if _, chosen := changes["model_profile"]; encoded == nil || chosen {
		return nil
	}
	var profiles map[string]Profile
	if err := json.Unmarshal(encoded, &profiles); err != nil {
		return clew.WrapError(clew.Internal, err, "the profiles could not be read back")
	}
	v, _ := s.stored(nil)
	_, before := v.Profiles[v.ModelProfile]
	if _, after := profiles[v.ModelProfile]; before && !after {
		return inUse(v, v.ModelProfile)
	}
	return nil
}

// CheckSession validates changes to a session's own settings. Unlike the
// server's these are of known keys only: nothing would read the others, and they
// would be in the session's records for good.
//
// It does not say that a value contains a stored secret. Owners of sessions need
// not be administrators, and could find a secret out by guessing.
func (s *Settings) CheckSession(changes map[string]any) error {
	checked := raw{}
	server, _ := s.For(nil)
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		encoded, err := encode(name, changes[name])
		if err != nil {
			return err
		}
		k := s.keys[name]
		if k == nil && !looksSecret(name) {
			return clew.Errorf(clew.SettingsInvalid, "there is no setting %s", name)
		}
		if k.isState() && (k.Server() || k.Passthrough) {
			return clew.Errorf(clew.SettingsInvalid, "%s can be set for the whole server only", name)
		}
		stored, value, err := s.checkOne(name, k, encoded)
		if err != nil {
			return err
		}
		if stored != nil {
			if refusal := k.sessionRefusal(k.value(&server), value); refusal != "" {
				return clew.Errorf(clew.SettingsInvalid, "%s %s", name, refusal)
			}
		}
		checked[name] = stored
	}
	return s.checkProfileName(checked)
}
