package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const repository = "../.."

// TestOrder checks what the program imports. Tests may import anything: they
// put parts together that the program keeps apart.
func TestOrder(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = repository
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var graph []Package
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p Package
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		graph = append(graph, p)
	}
	if len(graph) < 3 {
		t.Fatalf("only %d packages found", len(graph))
	}
	for _, problem := range Check(graph) {
		t.Error(problem)
	}
}

// A layer that nothing is in says nothing about the program.
func TestLayersExist(t *testing.T) {
	for _, dir := range append(append([]string{}, order...), outside...) {
		if info, err := os.Stat(filepath.Join(repository, dir)); err != nil || !info.IsDir() {
			t.Errorf("layer %s is no directory: %v", dir, err)
		}
	}
}

func TestCheckFindsBadImports(t *testing.T) {
	in := func(name string, imports ...string) Package {
		path := Module
		if name != "." {
			path += "/" + name
		}
		return Package{ImportPath: path, Imports: imports}
	}
	tests := []struct {
		name string
		pkg  Package
		want string // part of the sentence, "" for none
	}{
		{"up", in("internal/session", Module, Module+"/wire", "context"), ""},
		{"down", in("internal/session", Module+"/internal/gateway"), "stands below"},
		{"journal uses archive", in("internal/journal", Module+"/internal/archive", "github.com/nats-io/nats.go"), ""},
		{"archive uses journal", in("internal/archive", Module+"/internal/journal"), "stands below"},
		{"same layer", in("internal/llm/anthropic", Module+"/internal/llm"), ""},
		{"server uses all", in("internal/server", Module+"/internal/api", Module+"/internal/gateway"), ""},
		{"engine elsewhere", in("internal/gateway", "github.com/nats-io/nats.go/jetstream"), "detail of the journal"},
		{"blobs elsewhere", in("internal/journal", "gocloud.dev/blob"), "detail of the archive"},
		{"frames elsewhere", in("internal/api", "github.com/gobwas/ws"), "one place"},
		{"client", in("client", "github.com/coder/websocket", Module+"/wire"), ""},
		{"client library in the server", in("internal/gateway", "github.com/coder/websocket"), "client's library"},
		{"server calls itself", in("internal/api", Module+"/client"), "from outside"},
		{"root is plain", in(".", "example.org/x"), "standard library only"},
		{"root imports down", in(".", Module+"/wire"), "stands below"},
		{"wire", in("wire", Module+"/internal/session"), "vocabulary"},
		{"technology in session", in("internal/session", "net/http"), "no technology"},
		{"fold uses view", in("internal/session/core", Module+"/internal/session/view"), "stands below"},
		{"fold decides", in("internal/session/core", Module+"/internal/session/decide"), "stands below"},
		{"decision uses fold", in("internal/session/decide", Module+"/internal/session/core"), ""},
		{"fold waits", in("internal/session/core", "sync"), "pure functions"},
		{"decision guesses", in("internal/session/decide", "math/rand/v2"), "pure functions"},
		{"cli reaches in", in("internal/cli", Module+"/internal/session"), "front door"},
		{"cli serves", in("internal/cli", Module+"/internal/server", Module+"/client"), ""},
		{"fat main", in("cmd/clew", Module+"/internal/server"), "few lines"},
		{"no place", in("internal/util"), "no place"},
		{"outside", in("bench", Module+"/internal/gateway", "github.com/nats-io/nats.go"), ""},
		{"import of outside", in("internal/api", Module+"/bench"), "no part of the program"},
		{"a name that only starts alike", in("internal/planner"), "no place"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(Check([]Package{tt.pkg}), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q in it", got, tt.want)
			}
		})
	}
}

const (
	longFile = 400 // look whether there is a second noun
	tooLong  = 800
)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func TestFileSize(t *testing.T) {
	err := filepath.WalkDir(repository, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if base == "node_modules" || base == "testdata" || strings.HasPrefix(base, ".") && base != ".." {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		switch lines := bytes.Count(src, []byte("\n")); {
		case lines <= longFile || generated.Match(src):
		case lines > tooLong:
			t.Errorf("%s has %d lines, more than %d", name, lines, tooLong)
		default:
			t.Logf("%s has %d lines, more than %d", name, lines, longFile)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
