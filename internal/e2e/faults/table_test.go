package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A line of the table is what the runs of a kind came to.
type line struct {
	kind    kind
	seeds   []uint64
	events  int
	acks    int64
	longest time.Duration
	checked [promises + 1]int
	// unflushed counts bytes that a disk lost because nobody had flushed them.
	unflushed int
	notRun    string // why, if it could not be brought about
}

// how says how the faults were brought about.
func (l *line) how() string {
	if l.unflushed == 0 {
		return l.kind.how
	}
	return fmt.Sprintf("%s (%d bytes were lost, all of them unflushed)", l.kind.how, l.unflushed)
}

// A skipRecorder notes why a kind is skipped: the table says so instead of leaving
// it out.
type skipRecorder struct {
	testing.TB
	why string
}

func (r *skipRecorder) Skip(args ...any) {
	r.TB.Helper()
	r.why = strings.TrimPrefix(fmt.Sprint(args...), "not run: ")
	r.TB.Skip(args...)
}

func (r *skipRecorder) Skipf(format string, args ...any) {
	r.TB.Helper()
	r.Skip(fmt.Sprintf(format, args...))
}

func (l *line) add(w *world) {
	l.seeds = append(l.seeds, w.seed)
	l.events += w.events
	l.acks += w.acks.Load()
	l.unflushed += w.unflushed
	l.longest = max(l.longest, w.gap.longest)
	for p, n := range w.checked {
		l.checked[p] += n
	}
}

// table is what the run says of itself, for docs/faults.md.
func table(lines []line) string {
	slices.SortFunc(lines, func(a, b line) int { return a.kind.no - b.kind.no })
	var b strings.Builder
	b.WriteString(`# Faults

Written by ` + "`make faults`" + `. It breaks the real program in each of these ways while clients
write, watch, approve and rewind, and then checks the promises below. If anything that
was acknowledged is lost, the run fails and this page is not written.
` + "`CLEW_SEED=n go test ./internal/e2e/faults -run 'TestFaults/NAME'`" + ` repeats a run.

| | Kind | Brought about by | Faults | Acknowledged | Lost | Longest without service | Seeds |
|---|---|---|---|---|---|---|---|
`)
	for _, l := range lines {
		if len(l.seeds) == 0 {
			fmt.Fprintf(&b, "| %d | %s: %s | %s | not run: %s | – | – | – | – |\n", l.kind.no, l.kind.group, l.kind.name, l.kind.how, l.notRun)
			continue
		}
		fmt.Fprintf(&b, "| %d | %s: %s | %s | %d | %d | 0 | %.1f s | %s |\n", l.kind.no, l.kind.group, l.kind.name, l.how(), l.events, l.acks, l.longest.Seconds(), strings.Trim(fmt.Sprint(l.seeds), "[]"))
	}
	b.WriteString("\n## When a kernel fails\n\n| Kind | What people see | What helps |\n|---|---|---|\n")
	for _, k := range kernelKinds {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.name, k.sees, k.does)
	}
	b.WriteString("\n## What was checked\n\nHow many things were held against each promise. A dash means that the kind gave no occasion.\n\n| |")
	for p := 1; p <= promises; p++ {
		fmt.Fprintf(&b, " %d |", p)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", promises) + "\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s |", l.kind.name)
		for p := 1; p <= promises; p++ {
			if l.checked[p] == 0 {
				b.WriteString(" – |")
			} else {
				fmt.Fprintf(&b, " %d |", l.checked[p])
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nThe promises:\n\n")
	for p := 1; p <= promises; p++ {
		fmt.Fprintf(&b, "%d. %s\n", p, promiseNames[p])
	}
	b.WriteString("\n## Planted bugs\n\nA program with one of these bugs must break the promise (`go test ./internal/e2e/faults -run TestPlanted`):\n\n| Bug | Kind of fault | Promise |\n|---|---|---|\n")
	for _, x := range bugs {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", x.name, x.kind, x.breaks)
	}
	b.WriteString("\nFixes that are reverted, one at a time; then the test must fail (`go test ./internal/e2e/faults -run TestUndone`):\n\n| Reverted | Test |\n|---|---|\n")
	for _, x := range repairs {
		fmt.Fprintf(&b, "| %s | `%s` in %s |\n", x.name, x.run, x.pkg)
	}
	return b.String()
}

// A kind that cannot be brought about on a machine is in its table, with the
// reason.
func TestTableNamesWhatWasNotRun(t *testing.T) {
	r := &skipRecorder{}
	t.Run("a kind", func(t *testing.T) {
		r.TB = t
		defer func() {
			if text := table([]line{{kind: kind{no: 7, group: "g", name: "n", how: "h"}, notRun: r.why}}); !strings.Contains(text, "| 7 | g: n | h | not run: no loop device: gone |") {
				t.Errorf("the table has no such line:\n%s", text)
			}
		}()
		r.Skipf("not run: no %s: %v", "loop device", "gone")
	})
	if r.why == "" {
		t.Error("nothing was noted")
	}
}
