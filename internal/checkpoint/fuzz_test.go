package checkpoint

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
		for name, p := range m.perms {
			if p > 0o7777 || bytes.ContainsRune([]byte(name), 0) {
				t.Errorf("%q %o", name, p)
			}
		}
	})
}

// A damaged index is no index, and never a crash.
func FuzzIndex(f *testing.F) {
	n := &node{kids: []kid{{name: "a", kind: file, oid: object.ID{1}}, {name: "d", kind: directory, dir: &node{}}, {name: "x", kind: leftAlone, why: ignored}}}
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
		if len(second.kids) != len(got.kids) {
			t.Errorf("%d kids, then %d", len(got.kids), len(second.kids))
		}
	})
}
