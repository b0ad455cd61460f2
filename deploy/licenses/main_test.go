package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each system's file names what is linked there, has its texts, and is the same each
// time.
func TestProgram(t *testing.T) {
	const server, terminal = "github.com/nats-io/nats-server/v2 v", "github.com/inconshreveable/mousetrap v"
	for system, want := range map[string]struct{ has, hasNot string }{
		"linux":   {server, terminal},
		"windows": {terminal, server},
	} {
		var first, second bytes.Buffer
		for _, b := range []*bytes.Buffer{&first, &second} {
			if err := run("../..", system, b); err != nil {
				t.Fatal(err)
			}
		}
		if first.String() != second.String() {
			t.Errorf("%s: two files differ", system)
		}
		got := first.String()
		for _, s := range []string{"\n" + want.has, "\nGo standard library go1", "Copyright 2009 The Go Authors", "\ngithub.com/spf13/cobra v", "MIT\n======"} {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %q is missing", system, s)
			}
		}
		if strings.Contains(got, "\n"+want.hasNot) || strings.Contains(got, "\ngithub.com/clew-run/clew") {
			t.Errorf("%s has what is not in it", system)
		}
		pages := strings.Contains(got, "\nreact 1") && strings.Contains(got, "\ntailwindcss 4")
		_, err := os.Stat("../../web/dist/index.html")
		if built := !errors.Is(err, fs.ErrNotExist); pages != (built && system == "linux") {
			t.Errorf("%s: packages of the web UI: %v, pages built: %v", system, pages, built)
		}
	}
}

// A module has to bring a licence, and each one in it has to be allowed.
func TestModules(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		kinds string
		err   string
	}{
		"good":            {map[string]string{"LICENSE": mit, "NOTICE": "Made by X", "license.go": "package x"}, "MIT", ""},
		"of a package":    {map[string]string{"COPYING": mit, "in/side/LICENSE.txt": isc}, "ISC MIT", ""},
		"of another one":  {map[string]string{"COPYING": mit, "other/LICENSE": gpl}, "MIT", ""},
		"none":            {map[string]string{"NOTICE": "Made by X"}, "", "example.org/x v0.0.0: it brings no text of a licence"},
		"unknown":         {map[string]string{"LICENSE": "Ask X."}, "", "LICENSE is no licence that is known"},
		"not allowed":     {map[string]string{"LICENSE": gpl}, "", "its licence, GPL, is not among those"},
		"not all allowed": {map[string]string{"LICENSE": mit, "in/LICENSE": gpl}, "", "its licence, GPL, is not among those"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, map[string]string{
				"go.mod":           "module example.org/main\ngo 1.26\nrequire example.org/x v0.0.0\nreplace example.org/x => ./x\n",
				"main.go":          "package main\nimport _ \"example.org/x/in/side\"\nfunc main() {}\n",
				"x/go.mod":         "module example.org/x\ngo 1.26\n",
				"x/in/side/it.go":  "package side\n",
				"x/other/other.go": "package other\n",
			})
			put(t, filepath.Join(dir, "x"), c.files)
			parts, _, err := modules(dir, "linux", ".")
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || len(parts) != 1 {
				t.Fatal(parts, err)
			}
			if got := strings.Join(parts[0].kinds, " "); got != c.kinds {
				t.Errorf("it is %q", got)
			}
			var b bytes.Buffer
			if err := write(&b, "linux", append(parts, parts...)); err != nil {
				t.Fatal(err)
			}
			for file, text := range c.files {
				want := 1
				if strings.HasPrefix(file, "other/") || strings.HasSuffix(file, ".go") {
					want = 0
				}
				if n := strings.Count(b.String(), "\n"+text+"\n"); n != want {
					t.Errorf("%s is there %d times:\n%s", file, n, b.String())
				}
			}
		})
	}
}

// A package has to be the one that the lock file names, with what its makers declared
// and what they wrote.
func TestPackages(t *testing.T) {
	for name, c := range map[string]struct {
		version, license, text, want string
	}{
		"good":         {"1.0.0", "MIT", mit, `^$`},
		"undeclared":   {"1.0.0", "", mit, `^$`},
		"without text": {"1.0.0", "MIT", "", `x 1\.0\.0: it brings no text`},
		"for everyone": {"1.0.0", "Unlicense", "", `^$`},
		"another one":  {"1.0.1", "MIT", mit, `x 1\.0\.0 is in the lock file, but not installed: run make web`},
		"not there":    {"", "MIT", mit, `x 1\.0\.0 is in the lock file, but not installed: run make web`},
		"not allowed":  {"1.0.0", "GPL-3.0-only", mit, `its licence, GPL-3\.0-only, is not`},
		"not as said":  {"1.0.0", "MIT", gpl, `its licence, GPL, is not`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, map[string]string{
				"package-lock.json": `{"packages": {
					"node_modules/x": {"version": "1.0.0", "license": "` + c.license + `"},
					"node_modules/vite": {"version": "2.0.0", "license": "MIT", "dev": true},
					"node_modules/@types/x": {"version": "1.0.0"},
					"node_modules/tester": {"version": "1.0.0", "dev": true}}}`,
				"node_modules/vite/package.json": `{"version": "2.0.0"}`,
				"node_modules/vite/LICENSE.md":   mit + "\n\n# Licenses of bundled dependencies\n" + gpl,
			})
			if c.version != "" {
				put(t, dir, map[string]string{"node_modules/x/package.json": `{"version": "` + c.version + `"}`})
			}
			if c.text != "" {
				put(t, dir, map[string]string{"node_modules/x/license": c.text})
			}
			parts, err := packages(dir)
			said := ""
			if err != nil {
				said = err.Error()
			} else if len(parts) != 2 || parts[0].name != "vite" || parts[1].name != "x" || len(parts[1].texts) != 1 {
				t.Errorf("got %v", parts)
			}
			if !regexp.MustCompile(c.want).MatchString(said) {
				t.Errorf("got %q", said)
			}
		})
	}
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
