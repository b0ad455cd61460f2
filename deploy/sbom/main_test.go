package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// The list names what is linked into a program, and of packages those that are
// shipped.
func TestList(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := run(exe, "../../web/package-lock.json", "1.2.3", b); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Error("two lists of the same program differ")
	}
	var got bom
	if err := json.Unmarshal(first.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if whole := got.Metadata.Component; whole.Version != "1.2.3" || whole.PURL != "pkg:golang/github.com/clew-run/clew@1.2.3" {
		t.Errorf("the program itself: %+v", whole)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(got.Components, func(c component) bool { return c.Name == name && c.Version != "" && c.PURL != "" })
	}
	if !has("stdlib") || !has("react") || has("vite") || has("typescript") {
		t.Errorf("components: %s", first.String())
	}
}
