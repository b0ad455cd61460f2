package npm

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What is for building only is left out, unless it is asked for; what is there twice
// is named once; the order is always the same.
func TestShipped(t *testing.T) {
	lock := `{"packages": {
		"": {"version": "1"},
		"node_modules/b": {"version": "2.0.0", "license": "MIT"},
		"node_modules/@a/x": {"version": "1.0.0", "license": "ISC"},
		"node_modules/@a/x/node_modules/b": {"version": "1.0.0"},
		"node_modules/c/node_modules/b": {"version": "2.0.0", "license": "MIT"},
		"node_modules/linked": {"link": true},
		"node_modules/maybe": {"version": "1.0.0", "devOptional": true},
		"node_modules/tool": {"version": "1.0.0", "dev": true},
		"node_modules/writer": {"version": "1.0.0", "dev": true}
	}}`
	got, err := Shipped([]byte(lock), "writer")
	if err != nil {
		t.Fatal(err)
	}
	want := []Package{
		{"node_modules/@a/x", "@a/x", "1.0.0", "ISC"},
		{"node_modules/@a/x/node_modules/b", "b", "1.0.0", ""},
		{"node_modules/b", "b", "2.0.0", "MIT"},
		{"node_modules/writer", "writer", "1.0.0", ""},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if _, err := Shipped([]byte("{")); err == nil {
		t.Error("half a lock file is read")
	}
}

var (
	imported = regexp.MustCompile(`(?:\bfrom|\bimport|\bimport\() ?"((?:@[\w-]+/)?\w[\w.-]*)[^"]*"`)
	own      = regexp.MustCompile(`^(@clew-run/.*|node:.*|virtual)$`) // virtual: what our own build makes
)

// Whatever the sources of the web UI import is among what is shipped: npm calls
// anything "dev" that package.json does not name as a dependency.
func TestImportsAreShipped(t *testing.T) {
	lock, err := os.ReadFile("../../web/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := Shipped(lock, "tailwindcss")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, dir := range []string{"../../web/src", "../../sdk/typescript/src"} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, ".test.") || strings.HasPrefix(path, "test/") {
				return err
			}
			data, err := os.ReadFile(dir + "/" + path)
			for _, m := range imported.FindAllStringSubmatch(string(data), -1) {
				name := m[1]
				if !own.MatchString(name) && !slices.ContainsFunc(shipped, func(p Package) bool { return p.Name == name }) {
					t.Errorf("%s/%s imports %s, which is for building only", dir, path, name)
				}
				seen[name] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"react", "@xyflow/react", "tailwindcss"} {
		if !seen[name] {
			t.Errorf("no file imports %s: is this where the sources are?", name)
		}
	}
}
