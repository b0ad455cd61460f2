package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// keep is how long a pass counts: a machine changes in ways that no key knows.
const keep = 14 * 24 * time.Hour

// A pass is what is kept of a suite that passed.
type pass struct {
	Read    map[string]string `json:"read,omitempty"`    // files that it read beside its inputs, with their sums
	Program string            `json:"program,omitempty"` // the key of the program that it ran, if it did
	Types   []string          `json:"types,omitempty"`   // of events and commands, for the step requirements
}

// A store keeps passes under the keys of what passed. Where it is lost everything runs.
type store struct {
	dir  string
	env  []string // what else decides how tests end: part of each key
	tree *tree
}

func openStore() (*store, error) {
	t, err := readTree()
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	s := &store{dir: filepath.Join(cache, "clew-ci", "passed"), tree: t}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case slices.Contains([]string{"CGO_ENABLED", "GOFLAGS", "GOOS", "GOARCH", "CI_ENVIRONMENT"}, name):
		case name == "CLEW_THIRD", strings.HasPrefix(name, "CLEW_E2E_PROGRAM"), name == "CLEW_PROGRAM", name == "CLEW_FLAKY", name == "CLEW_TIMINGS":
			continue
		case !strings.HasPrefix(name, "CLEW_"):
			continue
		}
		s.env = append(s.env, kv)
	}
	slices.Sort(s.env)
	return s, os.MkdirAll(s.dir, 0o755)
}

// forget removes passes that are too old to count.
func (s *store) forget() {
	names, _ := os.ReadDir(s.dir)
	for _, n := range names {
		if info, err := n.Info(); err == nil && time.Since(info.ModTime()) > keep {
			_ = os.Remove(filepath.Join(s.dir, n.Name()))
		}
	}
}

func (s *store) key(name string, files []string) (string, error) {
	k, err := s.tree.key(append(slices.Clone(s.env), name), files)
	return strings.ReplaceAll(name, "/", "-") + "-" + k, err
}

// find is the pass of a key, if there is one that still counts.
func (s *store) find(key string) (*pass, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, key))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p pass
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, nil // cut short: as if it were not there
	}
	for path, sum := range p.Read {
		if now, err := s.tree.sum(path); err != nil || now != sum {
			return nil, err
		}
	}
	if p.Program != "" {
		now, err := s.program()
		if err != nil || now != p.Program {
			return nil, err
		}
	}
	return &p, nil
}

// program is the key of the program and of what its tests use beside it.
func (s *store) program() (string, error) {
	files, err := s.tree.program()
	if err != nil {
		return "", err
	}
	return s.tree.key(nil, append(files, s.tree.helpers()...))
}

func (s *store) put(key string, p pass) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, ".new-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, key))
}

const typesVariable = "RECORD_CLEW_TYPES"

// tell adds the types of a pass to those of this run.
func tell(types []string) error {
	file := os.Getenv(typesVariable)
	if file == "" || len(types) == 0 {
		return nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(types, "\n") + "\n")
	return errors.Join(err, f.Close())
}

// lines are the different lines of files that may be missing.
func lines(files ...string) []string {
	var all []string
	for _, f := range files {
		data, _ := os.ReadFile(f)
		for line := range strings.Lines(string(data)) {
			all = append(all, strings.TrimRight(line, "\n"))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// once runs a command unless it passed with these inputs.
func once(ctx context.Context, args []string) error {
	cut := slices.Index(args, "--")
	if cut < 1 || cut == len(args)-1 {
		return errors.New("usage: gate once NAME INPUT… -- COMMAND…")
	}
	name, inputs, command := args[0], args[1:cut], args[cut+1:]
	s, err := openStore()
	if err != nil {
		return err
	}
	files, err := s.tree.inputs(slices.Concat(inputs, []string{".ci", "Makefile", "tools"}))
	if err != nil {
		return err
	}
	key, err := s.key(strings.Join(append([]string{name}, command...), " "), files)
	if err != nil {
		return err
	}
	key = name + key[strings.LastIndexByte(key, '-'):]
	known, err := s.find(key)
	if err != nil {
		return err
	}
	if known != nil && os.Getenv("FRESH") == "" {
		fmt.Printf("%s passed before with this content\n", name)
		return tell(known.Types)
	}
	dir, err := os.MkdirTemp("", "clew-gate-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	types, flaky := filepath.Join(dir, "types"), filepath.Join(dir, "flaky")
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), typesVariable+"="+types, flakyVariable+"="+flaky)
	ran := cmd.Run()
	seen := lines(types)
	if err := errors.Join(tell(seen), again(flaky)); err != nil {
		return err
	}
	if ran != nil || len(lines(flaky)) > 0 {
		return ran
	}
	return s.put(key, pass{Types: seen})
}
