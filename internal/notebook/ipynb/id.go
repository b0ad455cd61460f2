package ipynb

import (
	"crypto/sha256"
	"fmt"
)

// ValidID says whether a cell may have this id.
func ValidID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, b := range []byte(id) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '_':
		default:
			return false
		}
	}
	return true
}

// nameCells gives an id to each cell that has none, or that of a cell before it. The same
// file gives the same ids each time it is read.
func nameCells(cells []Cell) {
	taken := make(map[string]bool, len(cells))
	var nameless []int
	for i, c := range cells {
		if c.ID == "" || taken[c.ID] {
			nameless = append(nameless, i)
			continue
		}
		taken[c.ID] = true
	}
	for _, i := range nameless {
		for try := 0; ; try++ { // ends: a file has fewer cells than there are ids
			cells[i].ID = madeID(i, try, cells[i])
			if !taken[cells[i].ID] {
				break
			}
		}
		taken[cells[i].ID] = true
	}
}

func madeID(position, try int, c Cell) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s %s", position, try, c.Type, c.Source))
	return fmt.Sprintf("%x", sum[:6])
}
