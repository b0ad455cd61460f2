package checkpoint

import (
	"context"
	"path"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// exactLines is how many lines of an answer are compared so that the shortest
// difference is found, which may take a second. Of the others some difference is
// found, a hundred times faster.
const exactLines = 40_000

// unifyAll shows line by line how texts differ.
func unifyAll(ctx context.Context, diffs []FileDiff) error {
	room := exactLines
	for i := range diffs {
		d := &diffs[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		options := []diff.Option{diff.Context(3)}
		if lines := strings.Count(d.Before, "\n") + strings.Count(d.After, "\n"); lines <= room {
			room -= lines
		} else {
			options = append(options, diff.Fast())
		}
		if body := textdiff.Unified(d.Before, d.After, options...); body != "" {
			d.Unified = d.head() + body
		}
	}
	return nil
}

// head names both sides.
func (d *FileDiff) head() string {
	before, after := path.Join("a", d.Path), path.Join("b", d.Path)
	if d.OldPath != "" {
		before = path.Join("a", d.OldPath)
	}
	switch d.Status {
	case Added:
		before = "/dev/null"
	case Deleted:
		after = "/dev/null"
	}
	return "--- " + before + "\n+++ " + after + "\n"
}
