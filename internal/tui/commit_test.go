package tui

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

// /commit shows what would be committed with the model's message, and commits exactly
// that; the message can be changed before.
func TestCommit(t *testing.T) {
	d := newDesk(t, 90, 24)
	d.opens(clew.SessionState{Workspace: "/home/ada/shop", Owner: "ada", Role: clew.RoleOwner})
	d.answer["POST /commit-preview"] = map[string]any{
		"branch": "main", "head": "h", "tree": "t", "hooks": []string{"pre-commit"}, "others": 1,
		"files":   []map[string]any{{"path": "cart.go", "status": "modified", "added": 3, "deleted": 4}},
		"message": "Round the discount once\n\nIt was rounded twice.",
	}
	d.answer["POST /commit"] = map[string]any{"commit": "4be21aa0000", "branch": "main"}
	d.written("/commit")
	d.sees("Commit 1 file on main?", "Round the discount once", "It was rounded twice.", "1 other changed file is left out", "Hooks do not run: pre-commit", "cart.go | 7 +++----   (1 file, +3 −4)", "y commit")
	d.press("e")
	d.sees("The commit's message")
	d.press("enter")
	d.sees("Commit 1 file on main?")
	d.press("n")
	if d.m.overlay != nil || slices.Contains(d.asked, "POST /commit") {
		t.Fatalf("a no committed: %v", d.asked)
	}
	d.written("/commit")
	d.press("y")
	d.sees("Committed 4be21aa on main. Not pushed.")

	d.answer["POST /commit-preview"] = map[string]any{"branch": "main", "files": []any{}, "hooks": []string{}}
	d.written("/commit")
	d.sees("There is nothing to commit.")
	d.press("enter")
	if d.m.overlay != nil {
		t.Error("it stays")
	}
}
