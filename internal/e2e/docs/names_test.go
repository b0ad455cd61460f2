//go:build linux

// Package docs does what the documents say: every command, route, setting and
// target that a page names exists, and every command in a block is run.
package docs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/settings"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

func positioned(at int, format string, args ...any) error {
	return fmt.Errorf("%d: %s", at+1, fmt.Sprintf(format, args...))
}

// each calls a function for all code of all pages, commands in blocks line by line: those
// of shells, and lines of a block without a language that show how a command is written.
func each(t *testing.T, do func(where, code string, fenced bool)) {
	t.Helper()
	for _, p := range pages(t) {
		for _, s := range p.spans {
			do(fmt.Sprintf("%s:%d", p.name, s.line), s.text, false)
		}
		for _, b := range p.blocks {
			joined := strings.ReplaceAll(b.text, "\\\n", " \n")
			for i, line := range strings.Split(joined, "\n") {
				prompted, is := strings.CutPrefix(line, "$ ")
				switch {
				case is:
					line = prompted
				case b.lang == "console", !b.shell() && (b.lang != "" || !strings.HasPrefix(line, "clew ")):
					continue
				}
				do(fmt.Sprintf("%s:%d", p.name, b.line+1+i), line, true)
			}
		}
	}
}

// Every clew command that a page or the help names is one, with flags that it has.
func TestCommandsExist(t *testing.T) {
	root := readTree(t)
	found := 0
	each(t, func(where, code string, fenced bool) {
		for _, words := range callsOf(code, "clew", fenced) {
			found++
			if err := root.check(words); err != nil {
				t.Errorf("%s: clew %s: %v", where, strings.Join(words, " "), err)
			}
		}
	})
	root.each(func(c tree) {
		for _, line := range c.Examples {
			for _, words := range callsOf(line, "clew", true) {
				if err := root.check(words); err != nil {
					t.Errorf("%s --help: %s: %v", c.Command, line, err)
				}
			}
		}
	})
	t.Logf("%d command lines", found)
	if found < 200 {
		t.Errorf("only %d command lines were found", found)
	}
}

// A wrong command, flag or argument is noticed.
func TestWrongCommandsAreFound(t *testing.T) {
	tree := readTree(t)
	for line, ok := range map[string]bool{
		"clew": true, "clew run --plan '…'": true, "clew rewind SESSION -1": true, "clew COMMAND --help": true, "clew mcp add|ls": true,
		"clew export SESSION [-o FILE|DIR/|-] [--all]": true, "clew checkpoint fsck [SESSION|DIR]": true, "clew mcp add NAME -- /x --y": true,
		"clew run --fast": false, "clew settings list x": false, "clew cheese": false, "clew token steal": false, "clew ls -z": false, "clew mcp add|lend": false,
	} {
		calls := callsOf(line, "clew", false)
		if len(calls) != 1 {
			t.Fatalf("%s: %q", line, calls)
		}
		if err := tree.check(calls[0]); (err == nil) != ok {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Every target of make that a page names is one.
func TestTargetsExist(t *testing.T) {
	makefile := proc.ReadFile(t, proc.Root(), "Makefile")
	each(t, func(where, code string, fenced bool) {
		for _, words := range callsOf(code, "make", fenced) {
			for _, word := range words {
				if strings.HasPrefix(word, "-") { // another Makefile, or no target
					break
				}
				if !strings.ContainsAny(word, "=…*") && !strings.Contains(makefile, "\n"+word+":") && !strings.Contains(makefile, "\n%/"+word[strings.LastIndex(word, "/")+1:]+":") {
					t.Errorf("%s: there is no make %s", where, word)
				}
			}
		}
	})
}

var (
	setting     = regexp.MustCompile("[Ss]ettings? `([a-z_]+)`")
	environment = regexp.MustCompile(`\bCLEW_SET_([A-Z_]*[A-Z])\b`)
)

// Every setting that a page names is one.
func TestSettingsExist(t *testing.T) {
	known := map[string]bool{}
	for _, k := range settings.Keys() {
		known[k.Name] = true
	}
	check := func(where, key string) {
		if !known[key] && strings.ToUpper(key) != key {
			t.Errorf("%s: there is no setting %s", where, key)
		}
	}
	each(t, func(where, code string, fenced bool) {
		for _, words := range callsOf(code, "clew", fenced) {
			if len(words) > 2 && words[0] == "settings" && slices.Contains([]string{"set", "get", "reset"}, words[1]) && !strings.HasPrefix(words[2], "-") {
				check(where, words[2])
			}
		}
	})
	for _, p := range pages(t) {
		text := proc.ReadFile(t, proc.Root(), p.name)
		for _, m := range setting.FindAllStringSubmatch(text, -1) {
			check(p.name, m[1])
		}
		for _, m := range environment.FindAllStringSubmatch(text, -1) {
			check(p.name, strings.ToLower(m[1]))
		}
	}
}

var (
	route = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE|HEAD) (/\S*|…/\S+)`)
	place = regexp.MustCompile(`^(\{.*\}|[A-Z_]+|…|\$[A-Za-z]+)$`)
	// vendors' are the routes of models, which the scripted model has too.
	vendors = regexp.MustCompile(`^/(v1|v1beta|model)/`)
)

// Every route that a page names is in the OpenAPI document.
func TestRoutesExist(t *testing.T) {
	s := proc.NewStage(t, proc.Setup{})
	s.Start()
	resp, err := s.Call("", "GET", "/openapi.json", nil)
	proc.Must(t, err)
	defer func() { _ = resp.Body.Close() }()
	var doc struct {
		Paths map[string]map[string]any
	}
	proc.Must(t, json.NewDecoder(resp.Body).Decode(&doc))
	if resp.StatusCode != http.StatusOK || len(doc.Paths) < 30 {
		t.Fatalf("%s, %d paths", resp.Status, len(doc.Paths))
	}
	each(t, func(where, code string, _ bool) {
		m := route.FindStringSubmatch(code)
		if m == nil || vendors.MatchString(m[2]) {
			return
		}
		for path, methods := range doc.Paths {
			if _, has := methods[strings.ToLower(m[1])]; has && samePath(m[2], path) {
				return
			}
		}
		t.Errorf("%s: there is no %s %s", where, m[1], m[2])
	})
}

// samePath compares what a page says with a path of the document.
func samePath(said, path string) bool {
	said, _, _ = strings.Cut(said, "?")
	said = strings.TrimRight(said, ".,;:")
	a, b := strings.Split(said, "/"), strings.Split(path, "/")
	if tail, ok := strings.CutPrefix(said, "…/"); ok {
		a = strings.Split(tail, "/")
		b = b[max(0, len(b)-len(a)):]
	} else if len(b) > 3 && b[1] == "api" && a[1] != "api" {
		b = append([]string{""}, b[3:]...)
	}
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !strings.HasPrefix(b[i], "{") && !place.MatchString(a[i]) {
			return false
		}
	}
	return true
}

// JSON and YAML in a page can be read, with … for what is left out.
func TestValuesCanBeRead(t *testing.T) {
	shortened := strings.NewReplacer("{…}", "{}", "[…]", "[]", ": …", ": 0", ":…", ":0", ",…", "", ", …", "")
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			text := shortened.Replace(b.text)
			var err error
			switch b.lang {
			case "json":
				dec := json.NewDecoder(strings.NewReader(text))
				for err == nil && dec.More() {
					var v any
					err = dec.Decode(&v)
				}
			case "yaml":
				var v any
				err = yaml.Unmarshal([]byte(b.text), &v)
			}
			if err != nil {
				t.Errorf("%s:%d: %s: %v", p.name, b.line, b.lang, err)
			}
		}
	}
}

// readTree asks the program for its commands.
func readTree(t *testing.T) tree {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var root tree
	for _, args := range [][]string{{"help", "--json"}, {"help", "man", "--json"}} { // one is hidden
		out, err := exec.CommandContext(ctx, proc.Program(t, ""), args...).Output()
		proc.Must(t, err)
		var d tree
		proc.Must(t, json.Unmarshal(out, &d))
		if root.Command == "" {
			root = d
		} else {
			root.Commands = append(root.Commands, d)
		}
	}
	return root
}
