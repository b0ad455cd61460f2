// Package npm says which npm packages the web UI is made of.
package npm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Package is one that is in the lock file.
type Package struct {
	Path          string // below the directory of the lock file
	Name, Version string
	License       string // as an SPDX expression, or empty
}

// Shipped gives the packages that end up in the pages, by name. Those for building
// only do not, but for the ones that are named as well.
func Shipped(lock []byte, as ...string) ([]Package, error) {
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
	var list []Package
	for path, p := range l.Packages {
		i := strings.LastIndex(path, "node_modules/")
		if i < 0 || p.Link {
			continue
		}
		name := path[i+len("node_modules/"):]
		if (p.Dev || p.DevOpt) && !slices.Contains(as, name) {
			continue
		}
		list = append(list, Package{Path: path, Name: name, Version: p.Version, License: p.License})
	}
	slices.SortFunc(list, func(x, y Package) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Version, y.Version), cmp.Compare(x.Path, y.Path))
	})
	same := func(x, y Package) bool { return x.Name == y.Name && x.Version == y.Version }
	return slices.CompactFunc(list, same), nil
}
