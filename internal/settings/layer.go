package settings

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// A Layer is one of the places that a value can come from.
type Layer string

// The layers, lowest first. For each key the highest layer with a valid value
// wins. Maps and lists are taken as a whole, they are not merged.
const (
	LayerDefault     Layer = "default"
	LayerFile        Layer = "file"
	LayerEnvironment Layer = "environment"
	LayerServer      Layer = "server"
	LayerSession     Layer = "session"
)

// A Problem is a value that was found to be wrong when settings were read. A
// lower layer's value holds in its place. Messages never repeat the value.
type Problem struct {
	Key     string `json:"key"` // with .entry for a part of a map or list
	Layer   Layer  `json:"layer"`
	Message string `json:"message"`
}

func (p Problem) String() string { return string(p.Layer) + ": " + p.Key + " " + p.Message }

// raw is what a layer holds: values as JSON by key.
type raw map[string]json.RawMessage

// A reading is settings as they come out of the layers.
type reading struct {
	keys      index
	providers []string // nil: any name is taken
	values    Values
	set       map[string]Layer // the layer that each key's value is from
	unknown   raw              // kept, not interpreted
	problems  []Problem
}

func newReading(keys index, providers []string) *reading {
	return &reading{keys: keys, providers: providers, values: Defaults(), set: map[string]Layer{}, unknown: raw{}}
}

// clone copies a reading with everything in it.
func (r *reading) clone() *reading {
	c := *r
	c.values = deepCopy(reflect.ValueOf(r.values)).Interface().(Values)
	c.set, c.unknown, c.problems = maps.Clone(r.set), maps.Clone(r.unknown), slices.Clone(r.problems)
	return &c
}

// deepCopy copies a value with the maps, lists and pointers in it.
func deepCopy(v reflect.Value) reflect.Value {
	out := v
	switch {
	case v.Kind() == reflect.Struct:
		out = reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			out.Field(i).Set(deepCopy(v.Field(i)))
		}
	case v.Kind() == reflect.Map && !v.IsNil():
		out = reflect.MakeMapWithSize(v.Type(), v.Len())
		for key, value := range v.Seq2() {
			out.SetMapIndex(key, deepCopy(value))
		}
	case v.Kind() == reflect.Slice && !v.IsNil():
		out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(deepCopy(v.Index(i)))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		out = reflect.New(v.Type().Elem())
		out.Elem().Set(deepCopy(v.Elem()))
	}
	return out
}

func (r *reading) report(layer Layer, key, message string) {
	r.problems = append(r.problems, Problem{Key: key, Layer: layer, Message: message})
}

// add puts a layer on top.
func (r *reading) add(layer Layer, values raw) {
	values = withPreset(values)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if isNull(values[name]) || name == versionKey {
			continue
		}
		k := r.keys[name]
		switch {
		case k == nil:
			r.addUnknown(layer, name, values[name])
		case k.Home == HomeSecret:
			r.report(layer, name, secretMessage(name))
		case k.field >= 0:
			r.addKnown(layer, k, values[name])
		}
	}
}

func (r *reading) addKnown(layer Layer, k *Key, value json.RawMessage) {
	decoded, err := k.decodeLenient(value, func(part, message string) {
		r.report(layer, k.Name+"."+part, message)
	})
	if err != nil {
		r.report(layer, k.Name, err.Error())
		return
	}
	if profiles, ok := decoded.(map[string]Profile); ok {
		r.dropProviders(layer, profiles)
	}
	if modes, ok := decoded.([]Mode); ok {
		nameSource(modes)
	}
	if layer == LayerSession && !r.sessionMay(k, decoded) {
		return
	}
	k.set(&r.values, decoded)
	r.set[k.Name] = layer
}

// sessionMay is asked while r holds what the server says.
func (r *reading) sessionMay(k *Key, value any) bool {
	message := k.sessionRefusal(k.value(&r.values), value)
	if message != "" {
		r.report(LayerSession, k.Name, message)
	}
	return message == ""
}

// sessionRefusal says why a session may not have the value, "" if it may.
func (k *Key) sessionRefusal(server, session any) string {
	switch {
	case k.Session == SessionNever:
		return "can be set for the whole server only"
	case k.Session == SessionTighten && !k.tighter(server, session):
		return "may only be stricter in a session than on the server"
	}
	return ""
}

// dropProviders takes unknown providers out of profiles, which otherwise stay
// as they are.
func (r *reading) dropProviders(layer Layer, profiles map[string]Profile) {
	if r.providers == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		p := profiles[name]
		if p.Provider == "" || slices.Contains(r.providers, p.Provider) {
			continue
		}
		p.Provider = ""
		profiles[name] = p
		r.report(layer, "model_profiles."+name+".provider", "is not the name of a provider; it was removed")
	}
}

func (r *reading) addUnknown(layer Layer, name string, value json.RawMessage) {
	if looksSecret(name) {
		r.report(layer, name, secretMessage(name))
		return
	}
	if layer == LayerSession {
		r.report(layer, name, "is not a setting")
		return
	}
	var decoded any
	if len(value) > maxValue || json.Unmarshal(value, &decoded) != nil {
		r.report(layer, name, "is not a JSON value of a fit size")
		return
	}
	if err := unknownKey(name, decoded); err != nil {
		r.report(layer, name, err.Error())
		return
	}
	r.unknown[name] = value
	r.set[name] = layer
}

func secretMessage(name string) string {
	return "is a secret and not kept in settings: use `clew secret set " + snake(name) + "`"
}

func nameSource(modes []Mode) {
	for i := range modes {
		if modes[i].Source == "" {
			modes[i].Source = SourceGlobal
		}
	}
}
