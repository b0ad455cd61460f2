package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew/internal/nightly"
)

var (
	dir    string // of this run: the programs, and nothing that outlives it
	mu     sync.Mutex
	builds = map[string]func() (string, error){}
)

// Main runs the tests of a package. Its TestMain calls it.
func Main(m *testing.M) int {
	made, err := os.MkdirTemp("", "clew-proc-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir = made
	defer func() { _ = os.RemoveAll(dir) }()
	return m.Run()
}

// Dir is a directory of this run, which goes when it ends.
func Dir() string { return dir }

// Program builds clew with build tags, once per run. CLEW_E2E_PROGRAM names one
// that is built already, CLEW_E2E_PROGRAM_<TAGS> one with tags: .ci/run builds
// each once for all suites. Tests with the race detector build it with that as well,
// and so does CLEW_E2E_RACE=1; neither takes a program that is built already.
func Program(t testing.TB, tags string) string {
	t.Helper()
	mu.Lock()
	build := builds[tags]
	if build == nil {
		build = sync.OnceValues(func() (string, error) { return compile(tags) })
		builds[tags] = build
	}
	mu.Unlock()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

func compile(tags string) (string, error) {
	name, bin := "CLEW_E2E_PROGRAM", filepath.Join(dir, "clew")
	if tags != "" {
		name, bin = name+"_"+strings.ToUpper(tags), bin+"-"+tags
	}
	race := nightly.Raced() || os.Getenv("CLEW_E2E_RACE") == "1"
	if made := os.Getenv(name); made != "" && !race {
		return made, fresh(made)
	}
	args := []string{"build", "-o", bin, "-tags", tags}
	if race {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "./cmd/clew")...)
	cmd.Dir = Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}

// fresh refuses a program that is older than its sources.
func fresh(program string) error {
	if out, err := exec.Command(filepath.Join(Root(), "tools", "fresh"), program).CombinedOutput(); err != nil {
		return fmt.Errorf("a program that was handed over: %s", strings.TrimSpace(string(out)))
	}
	return nil
}

// Root is the top of the repository: the nearest directory above the test's own
// that has a go.mod. A build with -trimpath knows no other way.
func Root() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			panic("proc: no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}
