// Command sbom lists everything that a built clew is made of, as CycloneDX: the
// Go modules that the linker wrote into the program, and the packages that the
// web UI is built from.
//
//	go run ./deploy/sbom bin/clew web/package-lock.json VERSION > clew.cdx.json
//
// The version is given, since a program that is built without paths in it does not
// say what else the linker was told.
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

	"github.com/clew-run/clew/deploy/npm"
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
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM package-lock.json VERSION")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(program, lock, version string, w io.Writer) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(lock)
	if err != nil {
		return err
	}
	list, err := packages(data)
	if err != nil {
		return err
	}
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Component = component{Type: "application", Ref: info.Main.Path, Name: "clew", Version: version, PURL: "pkg:golang/" + info.Main.Path + "@" + version, Licenses: []license{{"Apache-2.0"}}}
	b.Components = append(modules(info), list...)
	slices.SortFunc(b.Components, func(x, y component) int { return cmp.Compare(x.Ref, y.Ref) })
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(b)
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

// packages gives those that end up in the pages; those for building only do not.
func packages(lock []byte) ([]component, error) {
	shipped, err := npm.Shipped(lock)
	if err != nil {
		return nil, err
	}
	var list []component
	for _, p := range shipped {
		purl := "pkg:npm/" + strings.Replace(p.Name, "@", "%40", 1) + "@" + p.Version
		c := component{Type: "library", Ref: purl, Name: p.Name, Version: p.Version, PURL: purl}
		if p.License != "" {
			c.Licenses = []license{{p.License}}
		}
		list = append(list, c)
	}
	return list, nil
}
