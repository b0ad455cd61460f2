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

// On a small terminal no word of a choice is cut, and the keys that matter are named.
func TestPermissionsAreWholeWhenNarrow(t *testing.T) {
	d := newDesk(t, 40, 12)
	d.opens(clew.SessionState{Workspace: "/home/ada/shop", Owner: "ada", Role: clew.RoleOwner})
	d.answer["GET /api/v1/permissions"] = map[string]any{"workspace": "/home/ada/shop", "holds": "ask"}
	d.press("/")
	d.typed("perm")
	d.press("enter")
	d.sees("How much may the agent do without\n asking?", "› 1  Ask before every command and\n      every edit  now",
		"2  Edit files in this folder; ask\n      before commands", "3  Everything inside the sandbox", "in /home/ada/shop", "enter save · esc back")
}

// What a small terminal has no room for is not what one needs to know.
func TestListsNameTheirKeysWhenNarrow(t *testing.T) {
	d := newDesk(t, 40, 12)
	d.opens(clew.SessionState{})
	d.answer["GET /api/v1/sessions"] = map[string]any{"sessions": []map[string]any{}}
	d.press("ctrl+k")
	d.sees("No session has this in its title or\n   id.", "enter opens · esc back")
}
