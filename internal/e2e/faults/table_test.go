package faults

import (
	"fmt"
	"slices"
	"strings"
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
}

func (l *line) add(w *world) {
	l.seeds = append(l.seeds, w.seed)
	l.events += w.events
	l.acks += w.acks.Load()
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

Written by ` + "`make faults`" + `, which breaks the real program in each of these ways while
people write, watch, approve and go back, and then checks the promises below. Nothing
that was acknowledged was lost, or the run would have failed and written nothing.
` + "`CLEW_SEED=n go test ./internal/e2e/faults -run 'TestFaults/NAME'`" + ` repeats a run.

| | Kind | Brought about by | Faults | Acknowledged | Lost | Longest without service | Seeds |
|---|---|---|---|---|---|---|---|
`)
	for _, l := range lines {
		fmt.Fprintf(&b, "| %d | %s: %s | %s | %d | %d | 0 | %.1f s | %s |\n", l.kind.no, l.kind.group, l.kind.name, l.kind.how, l.events, l.acks, l.longest.Seconds(), strings.Trim(fmt.Sprint(l.seeds), "[]"))
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
	return b.String()
}
