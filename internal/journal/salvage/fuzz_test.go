package salvage

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

// The block in testdata was written by the engine: fences and records of six
// sessions in turns.
const (
	realStream = "CLEW_J_0"
	realIndex  = 1
)

func realBlock(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/CLEW_J_0-1.blk")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// messages cuts what is nothing but whole messages.
func messages(t testing.TB, data []byte) (list [][]byte) {
	t.Helper()
	for len(data) > 0 {
		n := NewBlock(realStream, realIndex, data).messageAt(0)
		if n == 0 {
			t.Fatalf("%d bytes are no message", len(data))
		}
		list, data = append(list, data[:n]), data[n:]
	}
	return list
}

// covered is a message without what its checksum does not cover: how long it, its
// subject and its headers are.
func covered(m []byte) string {
	subject := blockHeader + int(binary.LittleEndian.Uint16(m[20:]))
	skip := 0
	if binary.LittleEndian.Uint32(m)&headersFlag != 0 {
		skip = 4
	}
	return string(m[4:20]) + string(m[blockHeader:subject]) + string(m[subject+skip:])
}

// An edit is a piece of damage, in five bytes of the fuzzer's.
func edit(data, e []byte) []byte {
	at := int(binary.LittleEndian.Uint16(e[1:])) % (len(data) + 1)
	to := min(len(data), at+int(binary.LittleEndian.Uint16(e[3:]))%2000)
	switch e[0] % 7 {
	case 0: // a bit
		if at < len(data) {
			data[at] ^= 1 << (e[3] % 8)
		}
	case 1: // cut short
		return data[:at]
	case 2: // a hole, as when a file was never written
		clear(data[at:to])
	case 3: // missing
		return slices.Delete(data, at, to)
	case 4: // twice
		return slices.Insert(data, to, slices.Clone(data[at:to])...)
	case 5: // a piece of itself, from where it belongs to somewhere else
		piece := slices.Clone(data[at:to])
		copy(data[(at*7)%(len(data)+1):], piece)
	case 6: // others' bytes
		return slices.Insert(data, at, e...)
	}
	return data
}

// Whatever happened to a block, what is kept of it is messages that the engine
// wrote, in the order in which they stood there, and all that were left whole.
//
// Covers: C-06
func FuzzBlock(f *testing.F) {
	sound := realBlock(f)
	written := messages(f, sound)
	f.Add([]byte{}, []byte{})
	for kind := range byte(7) {
		f.Add([]byte{}, []byte{kind, 0xd0, 0x07, 0x2a, 0x01})
		f.Add([]byte{}, []byte{kind, 0, 0, 0xff, 0x01, 0, 0x10, 0x20, 3, 0})
	}
	f.Add(sound[:2500], []byte{})
	f.Add([]byte(compressedTag), []byte{})
	f.Fuzz(func(t *testing.T, data, edits []byte) {
		if len(data) == 0 {
			data = slices.Clone(sound)
		}
		for edits = edits[:min(len(edits), 50)]; len(edits) >= 5 && len(data) < 2*len(sound); edits = edits[5:] {
			data = edit(data, edits[:5])
		}
		before := slices.Clone(data)
		good, lost := NewBlock(realStream, realIndex, data).Scan()
		if !bytes.Equal(before, data) {
			t.Fatal("the block was changed")
		}
		if bytes.HasPrefix(data, []byte(compressedTag)) {
			if lost != 0 || good != nil {
				t.Fatalf("a block in another form lost %d bytes", lost)
			}
			return
		}
		kept(t, data, good, lost, written)
		again, more := NewBlock(realStream, realIndex, good).Scan()
		if more != 0 || !bytes.Equal(again, good) {
			t.Fatalf("of what was kept, %d bytes are lost the second time", more)
		}
	})
}

// kept holds what a scan kept against the block that it read.
func kept(t *testing.T, data, good []byte, lost int, written [][]byte) {
	t.Helper()
	whole := map[string]bool{}
	for _, m := range written {
		whole[covered(m)] = true
	}
	if len(good)+lost > len(data) {
		t.Fatalf("%d bytes kept and %d lost of %d", len(good), lost, len(data))
	}
	if lost == 0 && !bytes.HasPrefix(data, good) {
		t.Fatal("nothing was lost, and something was moved")
	}
	rest := data
	var list []string
	for _, m := range messages(t, good) {
		if !whole[covered(m)] {
			t.Fatalf("a message that nobody wrote: %q", m)
		}
		at := bytes.Index(rest, m)
		if at < 0 {
			t.Fatalf("a message out of its order: %q", m)
		}
		rest = rest[at+len(m):]
		list = append(list, string(m))
	}
	if left := len(data) - len(good) - lost; len(rest) != left {
		t.Fatalf("%d bytes follow the last message, counted %d", len(rest), left)
	}
	// Messages never overlap and no part of one is one, so each that stands there
	// whole must have been kept, as often as it stands there.
	have := map[string]int{}
	for _, m := range list {
		have[m]++
	}
	for _, m := range written {
		if n := bytes.Count(data, m); have[string(m)] < n {
			t.Fatalf("a message stands there whole %d times and was kept %d times: %q", n, have[string(m)], m)
		}
	}
}

// What is kept of a session is its records or some of them, each as it was
// written; which are missing the chain of hashes tells.
func TestKeptRecords(t *testing.T) {
	sound := realBlock(t)
	for at := 0; at < len(sound); at += 7 {
		data := slices.Clone(sound)
		data[at] ^= 1
		good, _ := NewBlock(realStream, realIndex, data).Scan()
		for _, m := range messages(t, good) {
			start := bytes.Index(m, []byte("\r\n\r\n{")) + 4
			if start < 4 {
				continue // a fence
			}
			if _, err := clew.ParseRecord(m[start : len(m)-blockSum]); err != nil {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
		if n := len(messages(t, sound)) - len(messages(t, good)); n > 1 {
			t.Fatalf("byte %d: one bit cost %d messages", at, n)
		}
	}
}
