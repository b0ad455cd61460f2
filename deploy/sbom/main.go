// Command sbom lists everything that a built clew is made of, as CycloneDX: the
// Go modules that the linker wrote into the program, and the packages that the
// web UI is built from.
//
//	go run ./deploy/sbom bin/clew web/package-lock.json > clew.cdx.json
package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	PURL     string    `json:"purl,omitempty"`
	Licenses []license `json:"licenses,omitempty"`
}

type license struct {
	Expression string `json:"expression"`
}

// bom has neither a date nor a random number in it: the same program has the
// same list.
type bom struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM package-lock.json")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(program, lock string, w io.Writer) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	packages, err := os.ReadFile(lock)
	if err != nil {
		return err
	}
	list, err := npm(packages)
	if err != nil {
		return err
	}
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Component = component{Type: "application", Ref: info.Main.Path, Name: "clew", Version: versionOf(info), PURL: "pkg:golang/" + info.Main.Path, Licenses: []license{{"Apache-2.0"}}}
	b.Components = append(modules(info), list...)
	slices.SortFunc(b.Components, func(x, y component) int { return cmp.Compare(x.Ref, y.Ref) })
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(b)
}

// versionOf is what was linked in, else what Go noted.
func versionOf(info *buildinfo.BuildInfo) string {
	const flag = "internal/cli.version="
	for _, s := range info.Settings {
		if _, v, ok := strings.Cut(s.Value, flag); ok && s.Key == "-ldflags" {
			v, _, _ = strings.Cut(v, " ")
			return strings.Trim(v, `"'`)
		}
	}
	return info.Main.Version
}

func modules(info *buildinfo.BuildInfo) []component {
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	list := []component{{Type: "library", Ref: "pkg:golang/stdlib@" + goVersion, Name: "stdlib", Version: goVersion, PURL: "pkg:golang/stdlib@" + goVersion}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		purl := "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version
		list = append(list, component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl})
	}
	return list
}

// npm gives the packages that end up in the pages; those for building only do not.
func npm(lock []byte) ([]component, error) {
	var l struct {
		Packages map[string]struct {
			Version string `json:"version"`
			License string `json:"license"`
			Dev     bool   `json:"dev"`
			DevOpt  bool   `json:"devOptional"`
			Link    bool   `json:"link"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(lock, &l); err != nil {
		return nil, fmt.Errorf("the lock file: %w", err)
	}
	seen := map[string]bool{}
	var list []component
	for path, p := range l.Packages {
		i := strings.LastIndex(path, "node_modules/")
		if i < 0 || p.Dev || p.DevOpt || p.Link {
			continue
		}
		name := path[i+len("node_modules/"):]
		purl := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
		if seen[purl] {
			continue
		}
		seen[purl] = true
		c := component{Type: "library", Ref: purl, Name: name, Version: p.Version, PURL: purl}
		if p.License != "" {
			c.Licenses = []license{{p.License}}
		}
		list = append(list, c)
	}
	return list, nil
}
