package settings

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/clew-run/clew"
)

// Export gives what is set on this server and makes sense on another: no
// secrets, no pass-through values, no modes of a workspace, nothing that is
// unset. If anything goes wrong nothing is given.
func (s *Settings) Export() map[string]any {
	s.mu.Lock()
	r := s.read()
	s.mu.Unlock()
	out := map[string]any{versionKey: len(migrations)}
	for name := range r.set {
		k := s.keys[name]
		if k == nil || !k.Exportable || k.Passthrough || k.Home != HomeState {
			continue
		}
		value := k.value(&r.values)
		if modes, ok := value.([]Mode); ok {
			if value = globalModes(modes); len(modes) > 0 && len(value.([]Mode)) == 0 {
				continue
			}
		}
		encoded, err := json.Marshal(value)
		var plain any
		if err != nil || json.Unmarshal(encoded, &plain) != nil {
			return map[string]any{}
		}
		// Someone may have pasted a key into, say, the instructions.
		if s.opts.Redactor != nil && s.opts.Redactor.Contains(string(encoded)) {
			s.log.Warn("setting left out of the export: it contains a secret", "key", name)
			continue
		}
		out[name] = plain
	}
	return out
}

func globalModes(modes []Mode) []Mode {
	return slices.DeleteFunc(slices.Clone(modes), func(m Mode) bool { return m.Source != SourceGlobal })
}

// Import takes settings over from an export, older ones included. Keys that the
// export does not have stay as they are. All values are taken or none.
func (s *Settings) Import(ctx context.Context, imported map[string]any) (changed []string, err error) {
	layer := raw{}
	for name, value := range imported {
		encoded, err := encode(name, value)
		if err != nil {
			return nil, err
		}
		if !isNull(encoded) {
			layer[name] = encoded
		}
	}
	m := migrate(layer, s.opts.Providers)
	for _, name := range slices.Sorted(maps.Keys(m.secrets)) {
		return nil, errSecretKey(name)
	}
	delete(m.values, versionKey)
	changes := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(m.values)) {
		if k := s.keys[name]; k.isState() && (!k.Exportable || k.Passthrough) {
			return nil, clew.Errorf(clew.SettingsInvalid, "%s belongs to one server and is not imported", name)
		}
		changes[name] = m.values[name]
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	checked, err := s.check(changes)
	if err != nil {
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

// Reset empties the server layer and the secret store and loads everything
// again. File and environment are not clew's to empty. A secret that cannot be
// deleted is logged and does not stop the rest.
func (s *Settings) Reset(ctx context.Context) error {
	if err := s.clearStore(ctx); err != nil {
		return err
	}
	s.clearSecrets(ctx)
	return s.Reload(ctx)
}

func (s *Settings) clearStore(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	stored, err := s.opts.Store.Load(ctx)
	if err != nil {
		return clew.WrapError(clew.StorageFailed, err, "the settings could not be read")
	}
	for name := range stored {
		stored[name] = nil
	}
	if len(stored) == 0 {
		return nil
	}
	if err := s.opts.Store.Save(ctx, stored); err != nil {
		return clew.WrapError(clew.StorageFailed, err, "the settings could not be saved")
	}
	return nil
}

func (s *Settings) clearSecrets(ctx context.Context) {
	if s.opts.Secrets == nil {
		return
	}
	names, err := s.opts.Secrets.Names(ctx)
	if err != nil {
		s.log.Warn("secrets could not be listed", "err", err)
	}
	for _, name := range names {
		if err := s.opts.Secrets.Delete(ctx, name); err != nil {
			s.log.Warn("secret could not be deleted", "name", name, "err", err)
		}
	}
}
