//go:build randomtext

package sentence

import (
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// Random says whether sentences are replaced.
const Random = true

// Of is a sentence as it leaves the server. The same one always becomes the same:
// what is decided must not depend on when.
func Of(text string) string {
	if text == "" {
		return ""
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	words := make([]string, 3+random.IntN(5))
	for i := range words {
		letters := make([]byte, 2+random.IntN(7))
		for k := range letters {
			letters[k] = byte('a' + random.IntN(26))
		}
		words[i] = string(letters)
	}
	return strings.Join(words, " ")
}

// In replaces the sentences in the data of an event, which is the caller's own. What
// it points to may be somebody else's, and is copied.
func In(data any) {
	if v := reflect.ValueOf(data); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		structure(v.Elem())
	}
}

// fields are those that hold a sentence.
var fields = []string{"Reason", "Error", "Message", "Why"}

func structure(v reflect.Value) {
	switch d := v.Addr().Interface().(type) {
	case *clew.Message:
		if d.Role == clew.SpeakerSystem {
			d.Text = Of(d.Text)
		}
	case *clew.HitlResolvedData:
		if d.ByTimeout || d.WhyCode != "" { // else a person wrote it
			d.Comment = Of(d.Comment)
		}
	}
	for i := range v.NumField() {
		f := v.Field(i)
		switch name := v.Type().Field(i).Name; {
		case !f.CanSet():
		case f.Kind() == reflect.String && slices.Contains(fields, name):
			f.SetString(Of(f.String()))
		case f.Kind() == reflect.Struct:
			structure(f)
		case f.Kind() == reflect.Pointer && !f.IsNil() && f.Elem().Kind() == reflect.Struct:
			own := reflect.New(f.Elem().Type())
			own.Elem().Set(f.Elem())
			structure(own.Elem())
			f.Set(own)
		}
	}
}
