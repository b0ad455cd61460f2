package object

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"testing"
)

// packOf makes a pack of entries: a head and what is compressed.
func packOf(entries ...[2]string) []byte {
	b := packStart(len(entries))
	for _, e := range entries {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		_, _ = w.Write([]byte(e[1]))
		_ = w.Close()
		b = append(append(b, e[0]...), z.Bytes()...)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func size(n uint64) string { return string(binary.AppendUvarint(nil, n)) }

// Sizes are checked before anybody makes room for them.
func TestCheckPack(t *testing.T) {
	whole := func(k Kind, n int64, content string) [2]string { return [2]string{string(entryHeader(k, n)), content} }
	delta := func(base, result uint64) [2]string {
		content := size(base) + size(result) + "\x01x"
		return [2]string{string(entryHeader(refDelta, int64(len(content)))) + string(make([]byte, HashSize)), content}
	}
	zeros := string(make([]byte, 1<<20))
	for name, c := range map[string]struct {
		pack []byte
		ok   bool
	}{
		"none":                 {packOf(), true},
		"some":                 {packOf(whole(Blob, 3, "abc"), whole(Tree, 0, ""), delta(3, 1)), true},
		"more than it says":    {packOf(whole(Blob, 3, zeros)), false},
		"less than it says":    {packOf(whole(Blob, 1<<20, "abc")), false},
		"as much as may be":    {packOf(whole(Blob, 1<<20, zeros), whole(Blob, 1<<20, zeros)), true},
		"too much together":    {packOf(whole(Blob, 1<<20, zeros), whole(Blob, 1<<20, zeros), whole(Blob, 1, "x")), false},
		"a size beyond all":    {packOf([2]string{"\xbf\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "x"}), false},
		"a difference, large":  {packOf(delta(3, 1<<40)), false},
		"of something large":   {packOf(delta(1<<40, 3)), false},
		"many make it large":   {packOf(delta(1, 1<<20), delta(1, 1<<20), delta(1, 1<<20)), false},
		"a tag":                {packOf(whole(4, 1, "x")), false},
		"an unknown kind":      {packOf(whole(5, 1, "x")), false},
		"a difference, no end": {packOf([2]string{string(entryHeader(refDelta, 1)) + string(make([]byte, HashSize)), "\xff"}), false},
	} {
		err := CheckPack(bytes.NewReader(c.pack), Limits{Objects: 10, Bytes: 2 << 20})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrHostile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever a pack has, looking at it ends, with an error of the one kind.
func FuzzCheckPack(f *testing.F) {
	f.Add(packOf([2]string{string(entryHeader(Blob, 3)), "abc"}))
	f.Add(packOf([2]string{string(entryHeader(offsetDelta, 4)) + "\x05", size(3) + size(1) + "\x01x"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := CheckPack(bytes.NewReader(data), Limits{Objects: 100, Bytes: 1 << 16}); err != nil && !errors.Is(err, ErrHostile) {
			t.Fatal(err)
		}
	})
}
