package tree

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// A Meta is what a git tree cannot say about one directory: permissions other
// than 0755 for itself and other than 0755 or 0644 for its files, and the names
// that were left alone. As bytes it is a list of records that end in NUL:
//
//	d 0700            the directory's own permissions
//	f 0640 name       a file's permissions
//	x ignored name    something left alone, and why
type Meta struct {
	perm  uint32
	Perms map[string]uint32
	left  map[string]SkipReason
}

const defaultDirPerm = 0o755

// The names of a meta tree's entries: the directory's own blob, and the letter
// before a subdirectory's name.
const (
	MetaBlob = "m"
	MetaDir  = "d"
)

func defaultPerm(gitMode uint32) uint32 {
	if gitMode == object.ModeExec {
		return 0o755
	}
	return 0o644
}

func encodeMeta(n *Node) []byte {
	var out []byte
	if p := n.Stamp.Perm(); p != defaultDirPerm {
		out = fmt.Appendf(out, "d %04o\x00", p)
	}
	for i := range n.Entries {
		k := &n.Entries[i]
		switch k.Kind {
		case File:
			if p := k.Stamp.Perm(); p != defaultPerm(k.gitMode()) {
				out = fmt.Appendf(out, "f %04o %s\x00", p, k.Name)
			}
		case LeftAlone:
			out = fmt.Appendf(out, "x %s %s\x00", k.why, k.Name)
		}
	}
	return out
}

func parseMeta(data []byte) (Meta, error) {
	m := Meta{perm: defaultDirPerm, Perms: map[string]uint32{}, left: map[string]SkipReason{}}
	for len(data) > 0 {
		record, rest, ok := bytes.Cut(data, []byte{0})
		parts := bytes.SplitN(record, []byte{' '}, 3)
		if !ok || len(parts) < 2 || !m.parse(string(parts[0]), string(parts[1]), parts[2:]) {
			return m, fmt.Errorf("%w: unknown statement %q", object.ErrDamaged, record)
		}
		data = rest
	}
	return m, nil
}

func (m *Meta) parse(code, value string, name [][]byte) bool {
	if code == "x" && len(name) == 1 {
		for w, s := range skipNames {
			if s == value && w > 0 {
				m.left[string(name[0])] = SkipReason(w)
				return true
			}
		}
		return false
	}
	perm, err := strconv.ParseUint(value, 8, 12)
	switch {
	case err != nil:
		return false
	case code == "d" && len(name) == 0:
		m.perm = uint32(perm)
	case code == "f" && len(name) == 1:
		m.Perms[string(name[0])] = uint32(perm)
	default:
		return false
	}
	return true
}
