package main

import (
	"cmp"
	_ "embed" // for the text below
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// processors that programs are released for. The modules are the same, as a rule, so
// a system has one list.
var processors = []string{"amd64", "arm64"}

// modules gives the Go modules that are linked into a program for a system, and
// whether the web UI is in it. Beside the licence of a module it finds those of its
// parts: a package that was taken from elsewhere has one in its directory.
func modules(root, system, program string) (parts []*part, web bool, err error) {
	const format = `{{with .Module}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{.Dir}}{{"\t"}}{{$.Dir}}{{"\t"}}{{.Main}}{{end}}`
	byName, seen := map[string]*part{}, map[string]bool{}
	for _, processor := range processors {
		list, err := goCommand(root, []string{"GOOS=" + system, "GOARCH=" + processor, "CGO_ENABLED=0"}, "list", "-deps", "-f", format, program)
		if err != nil {
			return nil, false, err
		}
		for line := range strings.Lines(list) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(fields) != 5 {
				continue // of the standard library
			}
			name, version, top, dir := fields[0], fields[1], fields[2], fields[3]
			if fields[4] == "true" {
				web = web || filepath.Base(dir) == "web" && filepath.Dir(dir) == top
				continue
			}
			p := byName[name]
			if p == nil {
				p = &part{name: name, version: version}
				byName[name] = p
				parts = append(parts, p)
			}
			for ; !seen[dir] && strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
				seen[dir] = true
				if err := p.collect(top, dir); err != nil {
					return nil, false, err
				}
			}
		}
	}
	var errs []error
	for _, p := range parts {
		slices.SortFunc(p.texts, func(x, y text) int { // the module's own first
			return cmp.Or(cmp.Compare(strings.Count(x.file, "/"), strings.Count(y.file, "/")), cmp.Compare(x.file, y.file))
		})
		errs = append(errs, p.judge(""))
	}
	return parts, web, errors.Join(errs...)
}

// standard gives Go itself. All of it that is linked is under the licence on top: the
// one that lies beside crypto/internal/boring is of code that only another build has.
func standard(root string) (*part, error) {
	out, err := goCommand(root, nil, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(out), "\n")
	p := &part{name: "Go standard library", version: version}
	if err := p.collect(dir, dir); err != nil {
		return nil, err
	}
	if len(p.texts) == 0 { // Go of a distribution keeps it elsewhere
		p.texts = []text{{file: "LICENSE", body: goLicence}}
	}
	return p, p.judge("")
}

// goLicence is that of Go.
//
//go:embed go.txt
var goLicence string

func goCommand(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}
