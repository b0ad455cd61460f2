package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// gateDir names, for a test binary, the directory where what it did is noted.
const gateDir = "CLEW_GATE_DIR"

// A suite is a run of go test.
type suite struct {
	name     string
	retries  int
	flags    []string // of go test
	packages []string // in the order in which they start
}

func test(ctx context.Context, args []string) error {
	var always, flags string
	s := suite{}
	f := flag.NewFlagSet("gate test", flag.ContinueOnError)
	f.StringVar(&s.name, "name", "tests", "what timings and flaky tests are listed under")
	f.IntVar(&s.retries, "retries", 2, "how often a failed test is tried again, alone")
	f.StringVar(&always, "always", "", "packages that run in any case, by the ends of their paths, with commas between")
	f.StringVar(&flags, "flags", "", "flags of go test, with spaces between")
	if err := f.Parse(args); err != nil {
		return err
	}
	s.flags, s.packages = strings.Fields(flags), f.Args()
	st, err := openStore()
	if err != nil {
		return err
	}
	st.forget()
	return s.run(ctx, st, strings.Split(always, ","))
}

func (s *suite) run(ctx context.Context, st *store, always []string) error {
	all, err := st.tree.packages(s.packages...)
	if err != nil {
		return err
	}
	known, left := 0, []string(nil)
	keyOf := map[string]string{} // by directory
	for _, path := range s.packages {
		i := slices.IndexFunc(all, func(p pkg) bool { return p.ImportPath == path })
		if i < 0 {
			return fmt.Errorf("go list does not know %s", path)
		}
		if slices.ContainsFunc(always, func(end string) bool { return end != "" && strings.HasSuffix(path, "/"+end) }) {
			left = append(left, path)
			continue
		}
		// .ci/run puts the versions of tools into CI_ENVIRONMENT; a change of it changes every key.
		files := append(append(st.tree.closure(all, all[i]), st.tree.below(".ci")...), "tools/go.mod")
		key, err := st.key(strings.Join(append([]string{s.name}, s.flags...), " "), files)
		if err != nil {
			return err
		}
		key = s.name + "-" + filepath.Base(path) + key[strings.LastIndexByte(key, '-'):]
		before, err := st.find(key)
		if err == nil && before == nil {
			before, err = st.find(key + third())
		}
		if err != nil {
			return err
		}
		keyOf[all[i].Dir] = key
		if before == nil || os.Getenv("FRESH") != "" {
			left = append(left, path)
			continue
		}
		known++
		if err := tell(before.Types); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d packages; %d others passed before with this content\n", s.name, len(left), known)
	if len(left) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "clew-gate-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ran := s.gotestsum(ctx, dir, left)
	results, err := readEvents(filepath.Join(dir, "events"), s.name)
	if err != nil {
		return errors.Join(ran, err)
	}
	if to := os.Getenv("CLEW_GATE_EVENTS"); to != "" {
		if err := os.Rename(filepath.Join(dir, "events"), to); err != nil {
			return errors.Join(ran, err)
		}
	}
	return errors.Join(ran, s.note(st, dir, keyOf, results))
}

// third tells passes apart that played different thirds of a campaign.
func third() string { return "-third" + os.Getenv("CLEW_THIRD") }

func (s *suite) gotestsum(ctx context.Context, dir string, packages []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"tool", "-modfile=tools/go.mod", "gotestsum", "--format", "pkgname-and-test-fails", "--format-hide-empty-pkg",
		"--hide-summary", "skipped", "--jsonfile", filepath.Join(dir, "events")}
	if s.retries > 0 {
		// A failed subtest may need what those before it did.
		args = append(args, fmt.Sprintf("--rerun-fails=%d", s.retries), "--rerun-fails-run-root-test", "--rerun-fails-abort-on-data-race")
	}
	args = append(args, "--packages", strings.Join(packages, " "), "--", "-count=1", "-vet=off", "-exec", self+" exec")
	cmd := exec.CommandContext(ctx, "go", append(args, s.flags...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), gateDir+"="+dir)
	return cmd.Run()
}

// A process is one run of a test binary: its directory and its cost. gotestsum starts another
// for each test that is tried again.
type process struct {
	Dir       string
	ID        string // of its files: ID.types and ID.log
	Wall, CPU float64
}

// execute is what go test runs a test binary with.
func execute(args []string) error {
	dir := os.Getenv(gateDir)
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	id := fmt.Sprint(os.Getpid())
	types := filepath.Join(dir, id+".types")
	cmd := exec.Command(args[0], append(args[1:], "-test.testlogfile="+filepath.Join(dir, id+".log"))...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if name != gateDir && name != typesVariable {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, typesVariable+"="+types)
	start := time.Now()
	ran := cmd.Run()
	r := process{Dir: here, ID: id, Wall: time.Since(start).Seconds()}
	if cmd.ProcessState != nil {
		r.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return errors.Join(ran, os.WriteFile(filepath.Join(dir, id+".run"), data, 0o644))
}

// note keeps what passed, and how long each package took.
func (s *suite) note(st *store, dir string, keyOf map[string]string, res results) error {
	if err := res.tellFlaky(); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.run"))
	if err != nil {
		return err
	}
	runs := map[string][]process{}
	for _, n := range names {
		var r process
		data, err := os.ReadFile(n)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		runs[r.Dir] = append(runs[r.Dir], r)
	}
	for at, tries := range runs {
		rel, err := filepath.Rel(st.tree.root, at)
		if err != nil {
			return err
		}
		var types []string
		for _, r := range tries {
			types = append(types, lines(filepath.Join(dir, r.ID+".types"))...)
			if err := add(timingsVariable, fmt.Sprintf("%s\t%s\t%.1f\t%.1f", s.name, rel, r.Wall, r.CPU)); err != nil {
				return err
			}
		}
		slices.Sort(types)
		types = slices.Compact(types)
		if err := tell(types); err != nil {
			return err
		}
		// A package that needed a second try or came to no end runs again the next time.
		if key := keyOf[at]; key != "" && len(tries) == 1 && res.passed[importPath(rel)] {
			p := pass{Types: types}
			ok, err := p.learn(st, filepath.Join(dir, tries[0].ID+".log"), at, &key)
			if err == nil && ok {
				err = st.put(key, p)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

const module = "github.com/clew-run/clew"

func importPath(dir string) string {
	if dir == "." {
		return module
	}
	return module + "/" + dir
}

// learn reads the log that a test binary wrote of what it looked at (see testlog in Go's
// standard library, which go test uses for its own cache), and says whether there was one.
func (p *pass) learn(st *store, log, at string, key *string) (bool, error) {
	f, err := os.Open(log)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // ended without a word
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	p.Read = map[string]string{}
	whole := false
	seen := map[string]bool{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		what, name, _ := strings.Cut(in.Text(), " ")
		switch what {
		case "#":
			whole = true
		case "getenv":
			switch {
			case name == "CLEW_THIRD" && !strings.HasSuffix(*key, third()):
				*key += third()
			case strings.HasPrefix(name, "CLEW_E2E_PROGRAM") || name == "CLEW_PROGRAM":
				if p.Program, err = st.program(); err != nil {
					return false, err
				}
			}
		case "chdir":
			at = name
		case "open", "stat":
			if !filepath.IsAbs(name) {
				name = filepath.Join(at, name)
			}
			rel, err := filepath.Rel(st.tree.root, name)
			if err != nil || rel == ".." || strings.HasPrefix(rel, "../") || rel == ".git" || strings.HasPrefix(rel, ".git/") || seen[rel] {
				continue
			}
			seen[rel] = true
			if p.Read[rel], err = st.tree.sum(rel); err != nil {
				return false, err
			}
		}
	}
	return whole, in.Err()
}

// results is what go test said.
type results struct {
	suite  string
	passed map[string]bool // packages, by import path
	tests  map[string]*attempts
	order  []string
}

type attempts struct {
	failed, passed int
	output         strings.Builder // until the first failure
}

func readEvents(file, suite string) (results, error) {
	res := results{suite: suite, passed: map[string]bool{}, tests: map[string]*attempts{}}
	f, err := os.Open(file)
	if err != nil {
		return res, err
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e struct{ Action, Package, Test, Output string }
			if json.Unmarshal(line, &e) == nil {
				res.event(e.Action, e.Package, e.Test, e.Output)
			}
		}
		if err != nil {
			return res, nil
		}
	}
}

func (res *results) event(action, pkg, test, output string) {
	if test == "" {
		if action == "pass" || action == "fail" {
			res.passed[pkg] = action == "pass"
		}
		return
	}
	root, _, sub := strings.Cut(test, "/")
	name := strings.TrimPrefix(pkg, module+"/") + " " + root
	a := res.tests[name]
	if a == nil {
		a = &attempts{}
		res.tests[name] = a
		res.order = append(res.order, name)
	}
	switch {
	case action == "output" && a.failed == 0:
		a.output.WriteString(output)
	case action == "fail" && !sub:
		a.failed++
	case action == "pass" && !sub:
		a.passed++
		if a.failed == 0 {
			a.output.Reset()
		}
	}
}

// tellFlaky lists the tests that failed and then passed.
func (res *results) tellFlaky() error {
	for _, name := range res.order {
		a := res.tests[name]
		if a.failed == 0 || a.passed == 0 {
			continue
		}
		out := a.output.String()
		const most = 8000
		if len(out) > most {
			out = "…" + strings.ToValidUTF8(out[len(out)-most:], "")
		}
		line, err := json.Marshal(flaky{Suite: res.suite, Test: name, Output: out})
		if err != nil {
			return err
		}
		if err := add(flakyVariable, string(line)); err != nil {
			return err
		}
	}
	return nil
}
