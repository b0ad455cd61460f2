package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew/deploy/npm"
)

// builders are packages for building only that write something of their own into the
// pages: the style sheet's base, and how parts of the code find one another.
var builders = []string{"rolldown", "tailwindcss", "vite"}

// leftOut are packages that others want and the build of the pages leaves out: it
// fails if it finds one (web/vite.diagrams.ts).
var leftOut = []string{"elkjs"}

// packages gives the npm packages that are in the pages.
func packages(web string) ([]*part, error) {
	lock, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	shipped, err := npm.Shipped(lock, builders...)
	if err != nil {
		return nil, err
	}
	var parts []*part
	var errs []error
	for _, s := range shipped {
		if strings.HasPrefix(s.Name, "@types/") {
			continue // declarations, of which nothing is left in the pages
		}
		if slices.Contains(leftOut, s.Name) {
			continue
		}
		p, err := installed(filepath.Join(web, s.Path), s)
		parts, errs = append(parts, p), append(errs, err)
	}
	return parts, errors.Join(errs...)
}

// installed reads a package where npm put it.
func installed(dir string, s npm.Package) (*part, error) {
	var have struct{ Version string }
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(data, &have)
	}
	if err == nil && have.Version != s.Version {
		err = fmt.Errorf("%s is there instead", have.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s is in the lock file, but not installed: run make web (%w)", s.Name, s.Version, err)
	}
	p := &part{name: s.Name, version: s.Version}
	if err := p.collect(dir, dir); err != nil {
		return nil, err
	}
	if slices.Contains(builders, s.Name) {
		for i, t := range p.texts { // what it brings of others stays in it
			p.texts[i].body, _, _ = strings.Cut(t.body, "\n# Licenses of bundled dependencies")
		}
	}
	return p, p.judge(s.License)
}
