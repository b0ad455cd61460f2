package settings

import (
	"encoding/json"
	"maps"
	"slices"
)

// An Entry is one setting as it holds for the server.
type Entry struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	Layer Layer  `json:"layer"` // where the value is from
	// Hidden says that the value contains a secret and is left out.
	Hidden  bool   `json:"hidden,omitempty"`
	Unknown bool   `json:"unknown,omitempty"` // kept, without an effect
	Group   string `json:"group,omitempty"`
	Doc     string `json:"doc,omitempty"`
	Allowed string `json:"allowed,omitempty"` // for people
	Default any    `json:"default,omitempty"`
	// Session says what a session may do with it for itself.
	Session SessionRule `json:"session,omitempty"`
	// Kind says how it is edited, and Choices which values there are, with choice.
	Kind    Kind     `json:"kind,omitempty"`
	Choices []string `json:"choices,omitempty"`
	// Min and Max are the bounds, with number.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// List gives all settings with the layer that each value is from: known ones in
// the order of the table of keys, then unknown ones. Pass-through values, which
// are large, and secrets are not among them.
func (s *Settings) List() []Entry {
	s.mu.Lock()
	r := s.read()
	s.mu.Unlock()
	var list []Entry
	for _, k := range Keys() {
		if s.keys[k.Name] != k || k.field < 0 || k.Passthrough {
			continue
		}
		e := Entry{
			Key: k.Name, Value: k.value(&r.values), Layer: LayerDefault,
			Group: k.Group, Doc: k.Doc, Allowed: k.Allowed, Default: k.Default(), Session: k.Session, Kind: k.Kind(), Choices: k.Choices, Min: k.Min, Max: k.Max,
		}
		if from, set := r.set[k.Name]; set {
			e.Layer = from
		}
		list = append(list, s.shown(e))
	}
	for _, name := range slices.Sorted(maps.Keys(r.unknown)) {
		list = append(list, s.shown(Entry{Key: name, Value: r.unknown[name], Layer: r.set[name], Unknown: true}))
	}
	return list
}

// Layer says where the value of a known setting is from.
func (s *Settings) Layer(key string) Layer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if from, set := s.base.set[key]; set {
		return from
	}
	return LayerDefault
}

// shown takes out a value with a secret in it: someone may have pasted one.
func (s *Settings) shown(e Entry) Entry {
	encoded, err := json.Marshal(e.Value)
	if err != nil || s.opts.Redactor != nil && s.opts.Redactor.Contains(string(encoded)) {
		e.Value, e.Hidden = nil, true
	}
	return e
}
