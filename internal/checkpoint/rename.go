package checkpoint

import (
	"bytes"
	"hash/maphash"
	"path"
	"slices"

	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// A pair is a change in which both sides may have different paths.
type pair struct {
	tree.Change
	old string // the path before, if it is another one
}

// Bounds of the search for renames. Beyond them a rename shows as one file
// deleted and one added.
const (
	renameShare = 0.5      // of the lines two files have in common
	renameMax   = 200      // files on each side that are compared by content
	renameBytes = 16 << 20 // of them on each side that are read
	renameWork  = 4 << 20  // lines that are looked up
)

// renames joins a file that went and one that came if they have the same
// content, or at least half of it.
func (v *diffReader) renames(changes []tree.Change) ([]pair, error) {
	var out []pair
	var went, came []tree.Change
	for _, c := range changes {
		switch {
		case c.To.Kind == tree.Absent && c.From.Kind != tree.Directory:
			went = append(went, c)
		case c.From.Kind == tree.Absent && c.To.Kind != tree.Directory:
			came = append(came, c)
		default:
			out = append(out, pair{Change: c})
		}
	}
	same, went, came := exact(went, came)
	alike, went, came, err := v.similar(went, came)
	if err != nil {
		return nil, err
	}
	out = slices.Concat(out, same, alike)
	for _, c := range slices.Concat(went, came) {
		out = append(out, pair{Change: c})
	}
	return out, nil
}

func rename(from, to tree.Change) pair {
	return pair{tree.Change{Path: to.Path, From: from.From, To: to.To}, from.Path}
}

// similarity is what files have in common that are taken for one.
type similarity struct {
	kind tree.Kind
	oid  object.ID
	name string
}

// exact joins files with the same bytes, first those of the same name. There may
// be very many of them.
func exact(went, came []tree.Change) (same []pair, restWent, restCame []tree.Change) {
	empty := object.Hash(object.Blob, nil)
	used := map[int]bool{}
	for _, name := range []func(string) string{path.Base, func(string) string { return "" }} {
		waiting := map[similarity][]int{}
		for i, c := range went {
			if k := (similarity{c.From.Kind, c.From.Oid, name(c.Path)}); !used[i] && k.oid != empty {
				waiting[k] = append(waiting[k], i)
			}
		}
		var rest []tree.Change
		for _, c := range came {
			k := similarity{c.To.Kind, c.To.Oid, name(c.Path)}
			list := waiting[k]
			if len(list) == 0 {
				rest = append(rest, c)
				continue
			}
			used[list[0]], waiting[k] = true, list[1:]
			same = append(same, rename(went[list[0]], c))
		}
		came = rest
	}
	return same, unused(went, used), came
}

// similar joins text files of which a good part is the same, best first.
func (v *diffReader) similar(went, came []tree.Change) (alike []pair, restWent, restCame []tree.Change, err error) {
	if len(went) == 0 || len(came) == 0 || len(went) > renameMax || len(came) > renameMax {
		return nil, went, came, nil
	}
	a, err := v.lines(went, func(c tree.Change) tree.Item { return c.From })
	if err != nil {
		return nil, nil, nil, err
	}
	b, err := v.lines(came, func(c tree.Change) tree.Item { return c.To })
	if err != nil {
		return nil, nil, nil, err
	}
	work := 0
	for _, t := range a {
		work += len(t.lines) * len(b)
	}
	if work > renameWork {
		return nil, went, came, nil
	}
	type match struct {
		i, j  int
		share float64
	}
	var found []match
	for i := range a {
		for j := range b {
			if s := share(a[i], b[j]); s >= renameShare {
				found = append(found, match{i, j, s})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y match) int {
		switch {
		case x.share > y.share:
			return -1
		case x.share < y.share:
			return 1
		}
		return 0
	})
	usedA, usedB := map[int]bool{}, map[int]bool{}
	for _, m := range found {
		if !usedA[m.i] && !usedB[m.j] {
			usedA[m.i], usedB[m.j] = true, true
			alike = append(alike, rename(went[m.i], came[m.j]))
		}
	}
	return alike, unused(went, usedA), unused(came, usedB), nil
}

func unused(list []tree.Change, used map[int]bool) []tree.Change {
	var rest []tree.Change
	for i, c := range list {
		if !used[i] {
			rest = append(rest, c)
		}
	}
	return rest
}

var lineSeed = maphash.MakeSeed()

// A text is how many bytes a file has in each different line.
type lineText struct {
	lines map[uint64]int
	size  int
}

func (v *diffReader) lines(list []tree.Change, pick func(tree.Change) tree.Item) ([]lineText, error) {
	out := make([]lineText, len(list))
	room := int64(renameBytes)
	for i, c := range list {
		it := pick(c)
		if it.Kind != tree.File {
			continue
		}
		data, over, err := v.content(it, room)
		if err != nil {
			return nil, err
		}
		room -= int64(len(data))
		if over || isBinary(data) {
			continue
		}
		out[i] = lineText{lines: map[uint64]int{}, size: len(data)}
		for line := range bytes.Lines(data) {
			out[i].lines[maphash.Bytes(lineSeed, line)] += len(line)
		}
	}
	return out, nil
}

func share(a, b lineText) float64 {
	larger := max(a.size, b.size)
	if larger == 0 || float64(min(a.size, b.size)) < renameShare*float64(larger) {
		return 0
	}
	common := 0
	for h, n := range a.lines {
		common += min(n, b.lines[h])
	}
	return float64(common) / float64(larger)
}
