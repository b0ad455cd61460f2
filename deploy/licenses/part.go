package main

import (
	_ "embed" // for the text below
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is something of others that is in the program.
type part struct {
	name, version string
	kinds         []string
	texts         []text
}

type text struct{ file, body string }

var (
	// Names of files that have to come with the program, and of those among them that
	// are a licence.
	legal   = regexp.MustCompile(`(?i)^(licen[cs]es?|unlicense|copying|copyright|notices?|patents)([._-].*)?$`)
	licence = regexp.MustCompile(`(?i)^(licen[cs]e|unlicense|copying)`)
	source  = regexp.MustCompile(`\.(go|js|json|ts|tmpl|sh|ya?ml)$`)
)

//go:embed unlicense.txt
var unlicense string

// collect adds the legal files of a directory, which is the part's or is in it.
func (p *part) collect(root, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !legal.MatchString(e.Name()) || source.MatchString(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		p.texts = append(p.texts, text{filepath.ToSlash(name), strings.ReplaceAll(string(body), "\r\n", "\n")})
	}
	return nil
}

// judge finds what licences the part is under, and fails if it has none that is
// known, or one that is not allowed. What its makers declared counts as well.
func (p *part) judge(expression string) error {
	if expression == "Unlicense" && len(p.texts) == 0 { // its text names nobody, so it is everybody's
		p.texts = []text{{"UNLICENSE", unlicense}}
	}
	var errs []error
	all, licences := declared(expression), 0
	for _, t := range p.texts {
		if !licence.MatchString(filepath.Base(t.file)) || t.file == "LICENSE-LOGO" { // of a picture beside the code
			continue
		}
		licences++
		found := kinds(t.body)
		if len(found) == 0 {
			errs = append(errs, fmt.Errorf("%s is no licence that is known: read it, then add it to deploy/licenses/kind.go", t.file))
		}
		all = append(all, found...)
	}
	if licences == 0 {
		errs = append(errs, errors.New("it brings no text of a licence"))
	}
	slices.Sort(all)
	p.kinds = slices.Compact(all)
	errs = append(errs, check(p.kinds))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s %s: %w", p.name, p.version, err)
	}
	return nil
}
