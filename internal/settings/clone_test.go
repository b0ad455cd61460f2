package settings

import (
	"reflect"
	"testing"
)

// What For gives is the caller's alone: changing it changes nothing else.
func TestClone(t *testing.T) {
	warm := 0.5
	r := newReading(keyIndex, nil)
	r.values.Profiles = map[string]Profile{"a": {Model: "m", Temperature: &warm, Headers: map[string]string{"X": "1"}}}
	r.values.CustomModes = []Mode{{Slug: "s", Groups: []string{"read"}}}
	r.set["mode"] = LayerFile
	c := r.clone()
	if !reflect.DeepEqual(r, c) {
		t.Fatalf("got %+v, want %+v", c, r)
	}
	c.values.Profiles["a"].Headers["X"] = "2"
	*c.values.Profiles["a"].Temperature = 1
	c.values.CustomModes[0].Groups[0] = "edit"
	c.set["mode"] = LayerServer
	if r.values.Profiles["a"].Headers["X"] != "1" || warm != 0.5 || r.values.CustomModes[0].Groups[0] != "read" || r.set["mode"] != LayerFile {
		t.Errorf("the copy shares memory: %+v", r)
	}
}

func BenchmarkClone(b *testing.B) {
	r := newReading(keyIndex, nil)
	r.values.Profiles = map[string]Profile{"a": {Model: "m"}}
	for b.Loop() {
		_ = r.clone()
	}
}
