package object

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// An ID names an object by its content.
type ID [sha256.Size]byte

func (h ID) String() string { return hex.EncodeToString(h[:]) }

// Zero reports whether it names nothing.
func (h ID) Zero() bool { return h == ID{} }

// ParseID reads a name in hexadecimal digits.
func ParseID(s string) (ID, error) {
	var h ID
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("%q is no name of a checkpoint", s)
	}
	copy(h[:], b)
	return h, nil
}

// A Kind is one of git's kinds of objects, by git's number.
type Kind byte

// The kinds of objects.
const (
	Commit Kind = 1
	Tree   Kind = 2
	Blob   Kind = 3
)

func (k Kind) String() string {
	switch k {
	case Commit:
		return "commit"
	case Tree:
		return "tree"
	case Blob:
		return "blob"
	}
	return "object of kind " + strconv.Itoa(int(k))
}

// header is what git hashes before an object's bytes.
func header(k Kind, size int64) []byte {
	return append(strconv.AppendInt([]byte(k.String()+" "), size, 10), 0)
}

// Hash gives the name of an object.
func Hash(k Kind, data []byte) ID {
	h := sha256.New()
	h.Write(header(k, int64(len(data))))
	h.Write(data)
	return ID(h.Sum(nil))
}

// HashFrom gives the name of an object whose bytes are read. It fails if there
// are more or fewer than size.
func HashFrom(k Kind, r io.Reader, size int64) (ID, error) {
	h := sha256.New()
	h.Write(header(k, size))
	n, err := io.Copy(h, r)
	if err == nil && n != size {
		err = ErrChanged
	}
	return ID(h.Sum(nil)), err
}

// The modes of tree entries.
const (
	ModeFile = 0o100644
	ModeExec = 0o100755
	ModeLink = 0o120000
	ModeTree = 0o040000
)

// An Entry is one line of a tree object.
type Entry struct {
	Mode uint32
	Name string
	ID   ID
}

// EncodeTree sorts as git does, where a directory's name ends in a slash, and
// gives the object's bytes.
func EncodeTree(entries []Entry) []byte {
	slices.SortFunc(entries, compareEntries)
	size := 0
	for _, e := range entries {
		size += 8 + len(e.Name) + len(e.ID)
	}
	out := make([]byte, 0, size)
	for _, e := range entries {
		out = strconv.AppendUint(out, uint64(e.Mode), 8)
		out = append(out, ' ')
		out = append(out, e.Name...)
		out = append(out, 0)
		out = append(out, e.ID[:]...)
	}
	return out
}

func compareEntries(a, b Entry) int {
	n := min(len(a.Name), len(b.Name))
	if c := compareStrings(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return int(after(a, n)) - int(after(b, n))
}

// after gives the byte that counts at place n of an entry's name.
func after(e Entry, n int) byte {
	if n < len(e.Name) {
		return e.Name[n]
	}
	if e.Mode == ModeTree {
		return '/'
	}
	return 0
}

func compareStrings(a, b string) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// ErrDamaged says that something stored is missing or is not what was stored.
var ErrDamaged = errors.New("an object of the checkpoint store is damaged")

// parseTree reads a tree; only those names that are in only, if it is not nil.
func parseTree(data []byte, only map[string]bool) ([]Entry, error) {
	var entries []Entry
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte{' '})
		name, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 || len(rest) < sha256.Size {
			return nil, ErrDamaged
		}
		data = rest[sha256.Size:]
		if only != nil && !only[string(name)] {
			continue
		}
		m, err := strconv.ParseUint(string(mode), 8, 32)
		if err != nil || len(name) == 0 || bytes.IndexByte(name, '/') >= 0 || string(name) == "." || string(name) == ".." {
			return nil, ErrDamaged
		}
		entries = append(entries, Entry{uint32(m), string(name), ID(rest[:sha256.Size])})
	}
	return entries, nil
}
