package tree

import (
	"bytes"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// What a directory's statement says is either understood or refused.
func FuzzMeta(f *testing.F) {
	f.Add([]byte("d 0700\x00f 0640 name with space\x00x ignored \xff\x00"))
	f.Add([]byte("x  \x00"))
	f.Add([]byte("f 99999 a\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMeta(data)
		if err != nil {
			return
		}
		if m.perm > 0o7777 {
			t.Errorf("%o", m.perm)
		}
		for name, p := range m.Perms {
			if p > 0o7777 || bytes.ContainsRune([]byte(name), 0) {
				t.Errorf("%q %o", name, p)
			}
		}
	})
}

// A damaged index is no index, and never a crash.
func FuzzIndex(f *testing.F) {
	n := &Node{Entries: []Entry{{Name: "a", Kind: File, Oid: object.ID{1}}, {Name: "d", Kind: Directory, Dir: &Node{}}, {Name: "x", Kind: LeftAlone, why: Ignored}}}
	var b bytes.Buffer
	(&indexWriter{&b}).node(n)
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &indexReader{data: data}
		got := r.node()
		if r.err != nil {
			return
		}
		var again bytes.Buffer
		(&indexWriter{&again}).node(got)
		second := (&indexReader{data: again.Bytes()}).node()
		if len(second.Entries) != len(got.Entries) {
			t.Errorf("%d entries, then %d", len(got.Entries), len(second.Entries))
		}
	})
}
