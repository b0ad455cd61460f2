package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew/internal/checkpoint/scan"
)

// Places gives all workspaces that have checkpoints, with the standard rules,
// also those whose directory is gone: they can be listed, checked and collected.
func (s *Store) Places() ([]*Place, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, failed(err, "the directory of checkpoints cannot be read")
	}
	var places []*Place
	for _, e := range entries {
		name, err := os.ReadFile(filepath.Join(s.dir, e.Name(), "workspace"))
		if errors.Is(err, os.ErrNotExist) || !e.IsDir() {
			continue // one that is being made, or no part of the store
		}
		if err != nil {
			return nil, failed(err, "the directory of checkpoints cannot be read")
		}
		root := strings.TrimSuffix(string(name), "\n")
		d := s.repository(root)
		if filepath.Base(d.dir) != e.Name() {
			continue // copied here by somebody
		}
		own, err := s.ownPath(root)
		if err != nil {
			return nil, err
		}
		places = append(places, &Place{repository: d, rules: d.ruleset(scan.Rules{}, own)})
	}
	return places, nil
}
