package tui

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

// /permissions shows what holds in the folder and saves another choice for it.
func TestPermissions(t *testing.T) {
	d := newDesk(t, 90, 24)
	d.opens(clew.SessionState{Workspace: "/home/ada/shop", Owner: "ada", Role: clew.RoleOwner})
	d.answer["GET /api/v1/permissions"] = map[string]any{"workspace": "/home/ada/shop", "chosen": "", "holds": "ask"}
	d.answer["PUT /api/v1/permissions"] = map[string]any{"workspace": "/home/ada/shop", "chosen": "edits", "holds": "edits"}
	d.press("/")
	d.typed("perm")
	d.press("enter")
	d.sees("How much may the agent do without asking?", "› 1  Ask before every command and every edit  now",
		"2  Edit files in this folder; ask before commands", "3  Everything inside the sandbox", "in /home/ada/shop")
	d.press("2")
	d.press("enter")
	if d.m.overlay != nil || !slices.Contains(d.asked, "PUT /api/v1/permissions") {
		t.Errorf("not saved: %v", d.asked)
	}
	d.sees("saved for this folder: edits")
}
