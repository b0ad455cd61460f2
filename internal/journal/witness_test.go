package journal

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/journal/journaltest"
)

func openTestWitness(t *testing.T, dir string) *witness {
	t.Helper()
	w, err := openWitness(dir, newHealth(true, clock.System()), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

func headAt(seq uint64, mark byte) clew.Head { return clew.Head{Seq: seq, Hash: clew.Hash{mark}} }

// Covers: C-09
func TestWitnessSurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	w := openTestWitness(t, dir)
	for seq := uint64(1); seq <= 50; seq++ {
		w.saw("one", headAt(seq, 1))
		w.saw("two", headAt(seq*2, 2))
	}
	w.sealed("two", 99) // behind its head of 100
	w.saw("three", headAt(7, 3))
	w.sealed("three", 7)
	w.close()
	again := openTestWitness(t, dir)
	if got := again.of("one"); got != (recordedHead{50, clew.Hash{1}}) {
		t.Errorf("one is witnessed at %d", got.seq)
	}
	if got := again.of("two"); got.seq != 100 {
		t.Errorf("two is witnessed at %d", got.seq)
	}
	// What was sealed since the last rewrite may come back as an old entry: it
	// is a lower bound all the same.
	if got := again.of("three"); got.seq > 7 {
		t.Errorf("three is witnessed at %d", got.seq)
	}
}

// Whatever happens to the file, what can still be read counts and what cannot
// says nothing.
//
// Covers: C-09
func TestWitnessDamage(t *testing.T) {
	good := string(appendWitness(nil, "one", recordedHead{10, clew.Hash{1}})) + string(appendWitness(nil, "two", recordedHead{20, clew.Hash{2}})) + string(appendWitness(nil, "one", recordedHead{11, clew.Hash{3}}))
	lines := strings.SplitAfter(good, "\n")
	flipped := []byte(good)
	flipped[len(lines[0])+12] ^= 1
	tests := map[string]struct {
		file     string
		one, two uint64
	}{
		"whole":           {good, 11, 20},
		"torn":            {good[:len(good)-5], 10, 20},
		"torn to nothing": {"", 0, 0},
		"bit flipped":     {string(flipped), 11, 0},
		"older entry last": {
			good + string(appendWitness(nil, "one", recordedHead{4, clew.Hash{9}})), 11, 20,
		},
		"zeros without end": {good + string(bytes.Repeat([]byte{0}, 200_000)), 11, 20},
		"zeros before":      {string(bytes.Repeat([]byte{0}, 200_000)) + "\n" + good, 11, 20},
		"no checksum":       {good + "99 " + strings.TrimSpace(lines[1]) + "\n", 11, 20},
		"negative":          {good + "00000000 -1 x one\n", 11, 20},
		"words":             {good + "hello\n\n \n", 11, 20},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, witnessFile), []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			w := openTestWitness(t, dir)
			if one, two := w.of("one").seq, w.of("two").seq; one != tt.one || two != tt.two {
				t.Errorf("witnessed %d and %d, want %d and %d", one, two, tt.one, tt.two)
			}
			w.saw("two", headAt(30, 5)) // and it can be written on
			w.close()
			w.saw("two", headAt(40, 6)) // a late call is left out
			if got := openTestWitness(t, dir).of("two").seq; got != 30 {
				t.Errorf("after a new entry: %d", got)
			}
		})
	}
}

func TestWitnessRewrite(t *testing.T) {
	dir := t.TempDir()
	w := openTestWitness(t, dir)
	for seq := uint64(1); seq <= 1000; seq++ {
		w.saw(clew.SessionID(fmt.Sprint("s", seq%3)), headAt(seq, 1))
	}
	if err := w.writeLines(); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	err := w.rewrite()
	w.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	w.saw("s0", headAt(1001, 2))
	w.close()
	b, err := os.ReadFile(filepath.Join(dir, witnessFile))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte("\n")); n != 4 || int64(len(b)) != w.size {
		t.Errorf("%d lines in %d bytes, counted %d", n, len(b), w.size)
	}
	if got := openTestWitness(t, dir); got.of("s0").seq != 1001 || got.of("s1").seq != 1000 || len(got.sessions()) != 3 {
		t.Errorf("after the rewrite: %v", got.heads)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
}

// Covers: C-09
func TestWitnessCheck(t *testing.T) {
	records, head := journaltest.Records(clew.Head{}, "s", 1, 10)
	at := func(seq uint64) recordedHead { return recordedHead{seq, records[seq-1].Hash()} }
	tests := map[string]struct {
		seen    recordedHead
		head    clew.Head
		tail    []clew.Record
		damaged bool
	}{
		"never seen":            {recordedHead{}, head, records, false},
		"the same":              {at(10), head, records, false},
		"an older one":          {at(4), head, records, false},
		"before the tail":       {at(4), head, records[6:], false},
		"no tail":               {at(4), head, nil, false},
		"cut off":               {at(10), records[7].After(), records[:8], true},
		"gone":                  {at(1), clew.Head{}, nil, true},
		"another end":           {recordedHead{10, clew.Hash{1}}, head, records, true},
		"another in the middle": {recordedHead{4, clew.Hash{1}}, head, records, true},
	}
	for name, tt := range tests {
		err := tt.seen.check("s", tt.head, tt.tail)
		if damaged := clew.CodeOf(err) == clew.SessionDamaged; damaged != tt.damaged || !damaged && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A head is in the file when the append that told of it returns: whoever kills the
// process right after the acknowledgement takes nothing away.
func TestWitnessIsWrittenAtOnce(t *testing.T) {
	dir := t.TempDir()
	w := openTestWitness(t, dir)
	defer w.close()
	for seq := uint64(1); seq <= 100; seq++ {
		w.saw("one", headAt(seq, 1))
		b, err := os.ReadFile(filepath.Join(dir, witnessFile))
		if err != nil {
			t.Fatal(err)
		}
		if line := string(appendWitness(nil, "one", recordedHead{seq, headAt(seq, 1).Hash})); !strings.HasSuffix(string(b), line) {
			t.Fatalf("the file ends without head %d:\n%s", seq, b)
		}
	}
}
