// Package blob says to which blobs the records of a session refer. Blobs are
// shared by all sessions and known by the hash of their bytes: a reference on
// record is what gives those who may read a session its blobs, and no others.
package blob

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// Scheme marks the address of a blob.
const Scheme = "blob:"

// For says for whom a blob is stored: it counts against the user's quota for as long
// as the session is there. Nobody counts one without a user.
type For struct {
	User    clew.UserID
	Session clew.SessionID
}

// References lists the blobs that a record refers to. Only fields that hold
// addresses count: in texts, and in what tools are called with, people and models
// write what they like.
func References(r clew.Record) []string {
	if !MayName(r.Data()) {
		return nil
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return nil // of a newer program, or damaged: it refers to nothing
	}
	var list []string
	if d, ok := ev.Data.(*clew.ActionsData); ok {
		windows(d, &list)
		return list
	}
	collect(reflect.ValueOf(ev.Data), &list)
	switch d := ev.Data.(type) {
	case *clew.MessageCreatedData:
		outputs(&d.Message, &list)
	case *clew.MessageUpdatedData:
		outputs(&d.Message, &list)
	}
	return list
}

// MayName reports whether a record may have addresses of blobs: it has the word, or one of
// the fields whose names do not. It is quick, and says yes too often.
func MayName(record []byte) bool {
	return slices.ContainsFunc(words, func(w []byte) bool { return bytes.Contains(record, w) })
}

var words = [][]byte{[]byte("blob"), []byte(`"saved_outputs"`), []byte(`"attachments"`), []byte(`"metadata"`), []byte(`"variables"`)}

// outputs collects what a cell put out that is too large for a record: of the data of its
// message, by type, what has nothing but an address and a size.
func outputs(m *clew.Message, list *[]string) {
	if m.Cell == nil {
		return
	}
	data, _ := m.Metadata["data"].(map[string]any)
	for _, v := range data {
		large, _ := v.(map[string]any)
		if _, sized := large["bytes"]; len(large) == 2 && sized {
			if address, ok := large["blob"].(string); ok {
				add(strings.TrimPrefix(address, Scheme), list)
			}
		}
	}
}

// Missing lists the blobs that records before this one refer to, and that did not
// come along with them: that reference gives nobody what others have here.
func Missing(r clew.Record) []string {
	if r.Type != clew.EventSessionImported {
		return nil
	}
	var d clew.SessionImportedData
	if json.Unmarshal(r.Data(), &d) != nil {
		return nil
	}
	return d.MissingBlobs
}

// windows collects what windows show. The params of an action have no fields of their
// own.
func windows(d *clew.ActionsData, list *[]string) {
	for i := range d.Actions {
		a := &d.Actions[i]
		if a.Type != clew.ActionWindowCreate && a.Type != clew.ActionWindowUpdate {
			continue
		}
		if p, ok := a.WindowParams(); ok {
			collect(reflect.ValueOf(p), list)
		}
	}
}

func collect(v reflect.Value, list *[]string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			collect(v.Elem(), list)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if !holds(v.Type().Elem()) {
				return
			}
			collect(v.Index(i), list)
		}
	case reflect.Map:
		if !holds(v.Type().Elem()) {
			return
		}
		for it := v.MapRange(); it.Next(); {
			collect(it.Value(), list)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				collectField(f, v.Field(i), list)
			}
		}
	}
}

// holds reports whether values of a type can have fields with addresses.
func holds(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return holds(t.Elem())
	default:
		return t.Kind() == reflect.Struct
	}
}

// addresses are the fields that hold one; data is that of a window, and the last ones are
// those of notebooks.
var addresses = []string{
	"output_blob", "result_blob", "blob", "data",
	"source_blob", "saved_outputs", "attachments", "metadata", "variables",
}

func collectField(f reflect.StructField, v reflect.Value, list *[]string) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "images" && v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		for i := range v.Len() {
			if address, ok := strings.CutPrefix(v.Index(i).String(), Scheme); ok {
				add(address, list)
			}
		}
	case slices.Contains(addresses, name) && v.Kind() == reflect.String:
		add(strings.TrimPrefix(v.String(), Scheme), list)
	default:
		collect(v, list)
	}
}

func add(address string, list *[]string) {
	if Valid(address) {
		*list = append(*list, address)
	}
}

// Valid reports whether a text is an address, without its scheme.
func Valid(address string) bool {
	return len(address) == 64 && strings.Trim(address, "0123456789abcdef") == ""
}
