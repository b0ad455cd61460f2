// Command tests runs the tests of Go that one waits for while working.
//
//	tests all      all of them, without campaigns
//	tests quick    format, vet and tests of the packages that changed since the branch left
//	               main, or since $BASE, and of those that import them
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/clew-run/clew"

// What is left to the gate and the night is named here alone. A campaign kills or damages
// something many times over: it is a test that testing.Short() skips or that has this
// name, or it is in one of these packages.
const campaignNames = "Kill"

var campaigns = regexp.MustCompile(`^internal/e2e/(chaos|faults|travelcrash)(/|$)`)

// What quick leaves out beyond campaigns: random plays, suites that run whole programs, and
// packages whose tests start engines, kernels or servers, which takes a minute, unless they
// themselves changed.
const plays = "Anywhere|Chaos|Crash|EveryCommand|Random"

var (
	suites = regexp.MustCompile(`^(internal/e2e|bench|examples|deploy)(/|$)`)
	slow   = regexp.MustCompile(`^internal/(cli|journal|notebook|server)$`)
)

// elsewhere says who tests what is not Go.
var elsewhere = []struct {
	files *regexp.Regexp
	run   string
}{
	{regexp.MustCompile(`^(go\.(mod|sum)|Makefile)$`), "make test"},
	{regexp.MustCompile(`^web/`), "make test-web test-web-e2e"},
	{regexp.MustCompile(`^sdk/typescript/`), "make test-sdk"},
	{regexp.MustCompile(`^sdk/python/`), "make test-python"},
	{regexp.MustCompile(`\.md$`), "go test ./internal/e2e/docs ./internal/layers"},
}

func main() {
	run := map[string]func() error{"all": all, "quick": quick}[strings.Join(os.Args[1:], " ")]
	if run == nil {
		run = func() error { return errors.New("usage: tests all|quick") }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		os.Exit(1)
	}
}

func all() error {
	graph, err := list()
	if err != nil {
		return err
	}
	var names []string
	for _, p := range graph {
		if !campaigns.MatchString(p.name()) {
			names = append(names, p.ImportPath)
		}
	}
	err = test(campaignNames, names...)
	fmt.Println("left out: campaigns. All tests: .ci/run tests runs; in full: make nightly")
	return err
}

func quick() error {
	files, err := changedFiles()
	if err != nil {
		return err
	}
	if err := format(files); err != nil {
		return err
	}
	graph, err := list()
	if err != nil {
		return err
	}
	s := choose(graph, files)
	if len(s.changed) > 0 {
		fmt.Printf("changed: %s\nand those that import them: %s\n", words(s.changed), words(s.importers))
		// What a change breaks in importers does not compile or fails their tests.
		if err := command("go", append([]string{"vet"}, s.changedPaths...)...); err != nil {
			return err
		}
		err = test(campaignNames+"|"+plays, s.tested...)
	}
	s.report(files)
	return err
}

// A choice is what quick tests.
type choice struct {
	tested             []string // import paths
	changedPaths       []string // those of them that changed
	changed, importers []string // their names
	slow, suites       []string // importers that are left out
	farther            int      // packages that import those
}

func choose(graph []pkg, files []string) choice {
	// What only tests see does not reach those that import the package.
	changed, spreads := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		if p := owner(graph, f); p != "" {
			changed[p] = true
			if !strings.HasSuffix(f, "_test.go") && !strings.Contains("/"+f, "/testdata/") {
				spreads[p] = true
			}
		}
	}
	s, near := choice{}, map[string]bool{}
	for _, p := range graph {
		name := p.name()
		if !changed[p.ImportPath] && !slices.ContainsFunc(p.allImports(), func(i string) bool { return spreads[i] }) {
			continue
		}
		near[p.ImportPath] = true
		switch {
		case suites.MatchString(name):
			s.suites = append(s.suites, name)
			continue
		case changed[p.ImportPath]:
			s.changed, s.changedPaths = append(s.changed, name), append(s.changedPaths, p.ImportPath)
		case slow.MatchString(name):
			s.slow = append(s.slow, name)
			continue
		default:
			s.importers = append(s.importers, name)
		}
		s.tested = append(s.tested, p.ImportPath)
	}
	for _, p := range graph {
		if !near[p.ImportPath] && slices.ContainsFunc(p.Deps, func(d string) bool { return spreads[d] }) {
			s.farther++
		}
	}
	return s
}

func (s choice) report(files []string) {
	if len(s.slow) > 0 {
		fmt.Printf("left out, slow: go test ./%s\n", strings.Join(s.slow, " ./"))
	}
	if len(s.suites) > 0 {
		fmt.Printf("left out, suites: go test ./%s\n", strings.Join(s.suites, " ./"))
	}
	fmt.Printf("left out: campaigns, random plays (%s), and %d packages that use what changed from farther away: make test, .ci/run\n", strings.ReplaceAll(plays, "|", ", "), s.farther)
	for _, e := range elsewhere {
		if slices.ContainsFunc(files, e.files.MatchString) {
			fmt.Printf("not Go alone: %s\n", e.run)
		}
	}
}

// owner gives the package that a file belongs to: its directory, and for a file that is
// embedded or read by tests the nearest directory above that is a package. What belongs to
// none is a text at the top.
func owner(graph []pkg, file string) string {
	dir := path.Dir(file)
	if dir == "." && !strings.HasSuffix(file, ".go") {
		return ""
	}
	for ; ; dir = path.Dir(dir) {
		p := path.Join(module, dir)
		if slices.ContainsFunc(graph, func(g pkg) bool { return g.ImportPath == p }) && (dir != "." || strings.HasSuffix(file, ".go") || strings.HasPrefix(file, "testdata/")) {
			return p
		}
		if dir == "." {
			return ""
		}
	}
}

// A pkg is what go list says of a package.
type pkg struct {
	ImportPath                               string
	Imports, TestImports, XTestImports, Deps []string
}

func (p pkg) name() string {
	if p.ImportPath == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

func (p pkg) allImports() []string { return slices.Concat(p.Imports, p.TestImports, p.XTestImports) }

func list() ([]pkg, error) {
	out, err := output("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", "./...")
	if err != nil {
		return nil, err
	}
	var graph []pkg
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return graph, nil
		} else if err != nil {
			return nil, err
		}
		graph = append(graph, p)
	}
}

// changedFiles lists what differs from the base, committed or not.
func changedFiles() ([]string, error) {
	base := os.Getenv("BASE")
	for _, branch := range []string{"origin/main", "main", "HEAD"} {
		if base != "" {
			break
		}
		out, _ := output("git", "merge-base", "HEAD", branch)
		base = strings.TrimSpace(out)
	}
	differ, err := output("git", "diff", "--name-only", base)
	if err != nil {
		return nil, err
	}
	untracked, err := output("git", "ls-files", "--others", "--exclude-standard")
	return strings.Fields(differ + untracked), err
}

func format(files []string) error {
	args := []string{"-l"}
	for _, f := range files {
		if _, err := os.Stat(f); err == nil && strings.HasSuffix(f, ".go") {
			args = append(args, f)
		}
	}
	if len(args) == 1 {
		return nil
	}
	bad, err := output("gofmt", args...)
	if err == nil && bad != "" {
		err = fmt.Errorf("not formatted, run make fmt:\n%s", bad)
	}
	return err
}

func test(skip string, packages ...string) error {
	args := []string{"tool", "-modfile=tools/go.mod", "gotestsum", "--format", "pkgname-and-test-fails", "--format-hide-empty-pkg", "--hide-summary", "skipped", "--"}
	args = append(args, "-short", "-skip", skip, "-timeout", "20m", "-vet=off")
	return command("go", append(args, packages...)...)
}

func words(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " ")
}

func command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return nil
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return string(out), nil
}
