package deploy

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxProgram is what `make build` may make, in bytes. Each vendor's wire takes about
// half a megabyte of its SDK, the search index 4.3 (SQLite with FTS5), several agents
// with their windows and desktop 0.7, notebooks with their kernels, recordings and
// page 1.4, the scripts that draw their charts 0.75.
const maxProgram = 82_200_000

// Whoever calls a method by a name that is known only at run time
// (reflect.Value.MethodByName, which every template does) makes the linker keep
// all exported methods of all types, which were 15 MB of code that nothing
// calls. This builds the program as it is released, with the linker's list of
// what needs what, and names the way to each such caller.
func TestLinkerDropsMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("links the program")
	}
	to := filepath.Join(t.TempDir(), "clew")
	needs(t, "make")
	cmd := exec.CommandContext(t.Context(), "make", "-s", "build", "PROGRAM="+to, "LDFLAGS=-s -w -dumpdep")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make build: %v\n%s", err, out[:min(len(out), 4000)])
	}
	for _, way := range methodCallers(out) {
		t.Errorf("a method is called by its name; the linker's way to it, from its end:\n  %s", strings.Join(way, "\n  "))
	}
	info, err := os.Stat(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the program has %.1f MB", float64(info.Size())/1e6)
	if info.Size() > maxProgram {
		t.Errorf("the program has %d bytes, more than %d", info.Size(), maxProgram)
	}
}

var marks = regexp.MustCompile(`( <\w+>)+$`)

// methodCallers finds in the linker's list of edges ("a -> b <ReflectMethod>")
// who calls methods by name, each with those who need it.
func methodCallers(dump []byte) [][]string {
	neededBy := map[string]string{}
	var callers []string
	lines := bufio.NewScanner(bytes.NewReader(dump))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		from, to, found := strings.Cut(lines.Text(), " -> ")
		if !found {
			continue
		}
		isCaller := strings.Contains(to, "<ReflectMethod>")
		from, to = marks.ReplaceAllString(from, ""), marks.ReplaceAllString(to, "")
		if _, known := neededBy[to]; known {
			continue
		}
		neededBy[to] = from
		if isCaller {
			callers = append(callers, to)
		}
	}
	var ways [][]string
	for _, c := range callers {
		way := []string{c}
		for at := neededBy[c]; at != "" && !slices.Contains(way, at); at = neededBy[at] {
			way = append(way, at)
		}
		ways = append(ways, way)
	}
	return ways
}

func TestMethodCallers(t *testing.T) {
	got := methodCallers([]byte(`# github.com/clew-run/clew/cmd/clew
_ -> main.main
main.main -> type:x <UsedInIface>
type:x <UsedInIface> -> x.run
x.run -> text/template.evalField <ReflectMethod>
main.main -> text/template.evalField <ReflectMethod>
text/template.evalField <ReflectMethod> -> reflect.Value.MethodByName
`))
	if want := "[[text/template.evalField x.run type:x main.main _]]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// The programs of the image and of a release are built as the others are.
func TestAllAreBuiltWithTheTags(t *testing.T) {
	tags := regexp.MustCompile(`(?m)^TAGS += (\S+)$`).FindStringSubmatch(text(t, "../Makefile"))
	if tags == nil {
		t.Fatal("the Makefile has no tags")
	}
	for name, want := range map[string]string{"Containerfile": " -tags " + tags[1] + " ", "../.goreleaser.yaml": " -tags=" + tags[1] + "]"} {
		if !strings.Contains(text(t, name), want) {
			t.Errorf("the Makefile builds with tags %q, %s does not", tags[1], name)
		}
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
