package object

import "testing"

// A tree that can be read is written the same again.
func FuzzTree(f *testing.F) {
	f.Add(EncodeTree([]Entry{{ModeFile, "a", ID{1}}, {ModeTree, "a-", ID{2}}, {ModeTree, "a", ID{3}}, {ModeLink, "\xff\n", ID{4}}}))
	f.Add([]byte("100644 a\x00short"))
	f.Add([]byte("40000 ..\x00" + string(make([]byte, HashSize))))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseTree(data, nil)
		if err != nil {
			return
		}
		again, err := parseTree(EncodeTree(entries), nil)
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%v %d of %d", err, len(again), len(entries))
		}
	})
}

// A damaged pack index gives an error or no object, and never a crash.
func FuzzIdx(f *testing.F) {
	f.Add(encodeIdx([]packedObject{{ID{1}, 2, 12}, {ID{0xff}, 3, 1 << 40}}, [HashSize]byte{}), byte(1))
	f.Fuzz(func(_ *testing.T, data []byte, first byte) {
		x, err := parseIdx(data)
		if err != nil {
			return
		}
		x.find(ID{first})
		x.find(ID{first, 0xff})
		x.IDs()
	})
}
