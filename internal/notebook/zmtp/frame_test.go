package zmtp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// head is the start of a frame of a size.
func head(flags byte, size uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{flags | flagLong}, size)
}

// zeros is an endless stream.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestOverTheLimit reads past what is too large, and goes on with what follows.
func TestOverTheLimit(t *testing.T) {
	after := string(Encode([][]byte{[]byte("after")}))
	many := strings.Repeat("\x01\x00", MaxFrames) + "\x00\x00"
	for name, in := range map[string]io.Reader{
		"a frame":         io.MultiReader(bytes.NewReader(head(0, 1<<30)), io.LimitReader(zeros{}, 1<<30), strings.NewReader(after)),
		"frames together": io.MultiReader(bytes.NewReader(head(flagMore, MaxMessage-10)), io.LimitReader(zeros{}, MaxMessage-10), strings.NewReader("\x00\x0a0123456789"+after)),
		"many frames":     strings.NewReader(many + after),
	} {
		r := newReader(in)
		var large *TooLargeError
		if _, err := r.message(); !errors.As(err, &large) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %v", name, large)
		if got, err := r.message(); err != nil || len(got) != 1 || string(got[0]) != "after" {
			t.Errorf("%s: then came %q, %v", name, got, err)
		}
	}
}

func TestFarOverTheLimit(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"one frame":     bytes.NewReader(head(0, 1<<63)),
		"many frames":   io.MultiReader(bytes.NewReader(head(flagMore, maxSkip-1)), io.LimitReader(zeros{}, maxSkip-1), strings.NewReader("\x00\x02ab")),
		"a command":     bytes.NewReader(head(flagCommand, maxCommand+1)),
		"unknown flags": strings.NewReader("\x08\x00"),
	} {
		if _, err := newReader(in).message(); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnnouncedIsNotTaken sees what memory a reader takes for frames of which
// only the size has come.
func TestAnnouncedIsNotTaken(t *testing.T) {
	const readers = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range readers {
		r := newReader(io.MultiReader(bytes.NewReader(head(0, MaxMessage-2)), strings.NewReader("only this")))
		if _, err := r.message(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	each := (after.TotalAlloc - before.TotalAlloc) / readers
	t.Logf("%d KiB for a frame of 64 MiB of which 9 bytes came", each>>10)
	if each > 256<<10 {
		t.Errorf("%d bytes were taken", each)
	}
}

func TestCommandsAreLeftOut(t *testing.T) {
	ping := string(encodeFrame(nil, flagCommand, []byte("\x04PING\x00\x00")))
	in := ping + "\x01\x01a" + ping + "\x00\x01b"
	got, err := newReader(iotest.OneByteReader(strings.NewReader(in))).message()
	if err != nil || !equal(got, [][]byte{[]byte("a"), []byte("b")}) {
		t.Errorf("got %q, %v", got, err)
	}
}

// FuzzFrame reads whatever comes: no more is kept than came, and what was read is
// written the same.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("\x00\x01a\x01\x01b\x00\x00"))
	f.Add(append(head(flagMore, 3), "abc\x00\x00"...))
	f.Add(head(0, 1<<30))
	f.Add(head(0, 1<<63))
	f.Add([]byte("\x04\x05\x04PING\x01\x00\x04\x00\x00\x01x"))
	f.Add(append(greeting(), encodeFrame(nil, flagCommand, ready(Router, "i"))...))
	f.Fuzz(func(t *testing.T, in []byte) {
		_, _ = newReader(bytes.NewReader(in)).handshake()
		r := newReader(bytes.NewReader(in))
		kept := 0
		for {
			frames, err := r.message()
			var large *TooLargeError
			if err != nil && !errors.As(err, &large) {
				break
			}
			if err != nil {
				continue
			}
			for _, f := range frames {
				kept += len(f)
			}
			if again, err := newReader(bytes.NewReader(Encode(frames))).message(); err != nil || !equal(again, frames) {
				t.Fatalf("%q was written as %q: %v", frames, again, err)
			}
		}
		if kept > len(in) {
			t.Fatalf("%d bytes of %d", kept, len(in))
		}
	})
}
