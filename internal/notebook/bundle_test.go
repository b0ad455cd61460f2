package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What is small stays in the message, what is large is a blob, and nothing that a kernel
// says is taken for the address of one.
func TestBundle(t *testing.T) {
	var stored []string
	put := func(_ context.Context, b []byte) (string, error) {
		stored = append(stored, string(b))
		return fmt.Sprint("address", len(stored)), nil
	}
	long := strings.Repeat("x", 3<<10)
	b := bundle(t.Context(), map[string]json.RawMessage{
		"text/plain":           json.RawMessage(`"` + long + `"`),
		"text/html":            json.RawMessage(`"` + long + `"`),
		"application/json":     json.RawMessage(`{"blob":"0123","bytes":4}`),
		"application/geo+json": json.RawMessage(`{"a":1}`),
		"image/png":            json.RawMessage(`"iVBORw0KGgo=\n"`),
	}, put)
	got, err := json.Marshal(b.data)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"application/geo+json":{"a":1},"application/json":{"blob":"address1","bytes":25},"image/png":{"blob":"address2","bytes":8},"text/html":"` + long + `","text/plain":{"blob":"address3","bytes":3072}}`
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if len(b.images) != 1 || b.images[0] != "blob:address2" || stored[1] != "\x89PNG\r\n\x1a\n" {
		t.Errorf("images %v, stored %q", b.images, stored)
	}
	full := func(context.Context, []byte) (string, error) { return "", errors.New("the quota is used up") }
	b = bundle(t.Context(), map[string]json.RawMessage{"image/png": json.RawMessage(`"iVBORw0KGgo="`)}, full)
	if len(b.images) != 0 || b.data["image/png"].(map[string]any)["problem"] != "the quota is used up" {
		t.Errorf("without room: %+v", b)
	}
}

// A model gets the beginning and the end of a run, without colours.
func TestWords(t *testing.T) {
	var w words
	w.add("first\n")
	for range 100_000 {
		w.add("0123456789")
	}
	w.addBlock("\x1b[31mlast\x1b[0m")
	got := w.String()
	if !strings.HasPrefix(got, "first\n0123") || !strings.HasSuffix(got, "9\nlast\n") || !strings.Contains(got, "left out") || len(got) > 50<<10 {
		t.Errorf("%d bytes: %q … %q", len(got), got[:20], got[len(got)-20:])
	}
}
