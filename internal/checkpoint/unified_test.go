package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/checkpoint/scan"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// awkward makes a text of few different lines, for which the shortest difference
// takes very long to find.
func awkward(seed uint32, size int) string {
	var b strings.Builder
	for x := seed*2654435761 + 1; b.Len() < size; {
		x = x*1664525 + 1013904223
		b.WriteString([]string{"{", "}", "  x", "  y", "return", "if", "z", "\t"}[x>>29] + "\n")
	}
	return b.String()
}

// patched applies a unified difference.
func patched(t *testing.T, before, unified string) string {
	t.Helper()
	old, out := strings.SplitAfter(before, "\n"), strings.Builder{}
	at := 0
	for line := range strings.Lines(unified) {
		switch line[0] {
		case '@':
			var from int
			if _, err := fmt.Sscanf(line, "@@ -%d", &from); err != nil {
				t.Fatal(err)
			}
			for ; at < from-1; at++ {
				out.WriteString(old[at])
			}
		case ' ':
			out.WriteString(old[at])
			at++
		case '-':
			if old[at] != line[1:] {
				t.Fatalf("line %d is %q, not %q", at+1, old[at], line[1:])
			}
			at++
		case '+':
			out.WriteString(line[1:])
		}
	}
	return out.String() + strings.Join(old[at:], "")
}

// Texts that could keep a server busy for minutes are compared all the same, and
// what comes out is right.
func TestAwkwardTexts(t *testing.T) {
	var diffs []FileDiff
	for i := range uint32(12) {
		diffs = append(diffs, FileDiff{Status: Modified, Path: "f", Before: awkward(i, 500_000), After: awkward(i+1000, 500_000)})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // many times what it takes
	defer cancel()
	if err := unifyAll(ctx, diffs); err != nil {
		t.Fatal(err)
	}
	for _, d := range diffs {
		head := "--- a/f\n+++ b/f\n"
		if !strings.HasPrefix(d.Unified, head) || patched(t, d.Before, strings.TrimPrefix(d.Unified, head)) != d.After {
			t.Error("the difference does not lead from one text to the other")
		}
	}
}

// asked is a context that notes each time somebody asks whether it is over.
type asked struct {
	context.Context
	asked func()
	err   error
}

func (a *asked) Err() error {
	a.asked()
	return a.err
}

// While texts are compared others can work in the place, and it can be called
// off after each file.
func TestDiffHoldsNobodyUp(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "work")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Open(filepath.Join(dir, "data"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	p, err := s.Workspace(t.Context(), root, scan.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	saved, err := p.Save(t.Context(), Ref{Session: "s", ID: "first"})
	if err != nil {
		t.Fatal(err)
	}
	const files = 5
	for i := range files {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint(i)), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, free := &asked{Context: t.Context()}, 0
	ctx.asked = func() {
		if len(p.repository.turn) == 0 { // nobody has the lock
			if free++; free == files-1 {
				ctx.err = context.Canceled
			}
		}
	}
	if _, _, err := p.Diff(ctx, saved.Hash, "", DiffLimits{}); !errors.Is(err, context.Canceled) || free != files-1 {
		t.Errorf("asked %d times without the lock, then %v", free, err)
	}
}

// Of files with the same bytes those of the same name are taken for one.
func TestExactRenames(t *testing.T) {
	one, two := tree.Item{Kind: tree.File}, tree.Item{Kind: tree.File}
	one.Oid[0], two.Oid[0] = 1, 2
	went := []tree.Change{{Path: "a/x", From: one}, {Path: "a/y", From: one}, {Path: "a/z", From: two}, {Path: "a/v", From: one}}
	came := []tree.Change{{Path: "b/w", To: one}, {Path: "b/y", To: one}, {Path: "b/x", To: two}, {Path: "b/u", To: two}}
	same, restWent, restCame := exact(went, came)
	got := map[string]string{}
	for _, p := range same {
		got[p.old] = p.Path
	}
	if len(same) != 3 || got["a/y"] != "b/y" || got["a/x"] != "b/w" || got["a/z"] != "b/x" {
		t.Errorf("renamed %v", got)
	}
	if len(restWent) != 1 || restWent[0].Path != "a/v" || len(restCame) != 1 || restCame[0].Path != "b/u" {
		t.Errorf("rest %v, %v", restWent, restCame)
	}
}
