package tui

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

func twoWindows() clew.List[clew.WindowState] {
	return clew.List[clew.WindowState]{
		{WindowID: "notes", MonitorID: "monitor-1", Title: "Notes\x1b[2J", Version: 1, Content: &clew.WindowContent{Kind: clew.WindowMarkdown, Text: "# Hello"}},
		{WindowID: "form", Title: "A form", Version: 2, Failed: "no blink", Content: &clew.WindowContent{Kind: clew.WindowComponents, Root: &clew.Component{Type: clew.ComponentButton, Label: "Save", Action: "save"}}},
	}
}

// w lists the windows, the front one first; enter shows one as it is, and x closes it.
func TestWindows(t *testing.T) {
	d := newDesk(t, 80, 20)
	d.opens(clew.SessionState{Owner: "ada", Role: clew.RoleOwner})
	d.changes(clew.StatePut{Window: twoWindows(), Notice: []clew.NoticeState{{NoticeID: "n1", Title: "Build", Text: "is done"}}})
	d.press("esc", "w")
	d.sees("◆ Build: is done", "› A form", "form", "Notes␛[2J", "text · monitor 2", "enter shows", "d dismisses notices")
	d.press("enter")
	d.sees("A form", "It could not be drawn: no blink", "1 [Save]")
	d.changes(clew.StatePut{Window: []clew.WindowState{{WindowID: "form", Title: "A form", Version: 3, Content: &clew.WindowContent{Kind: clew.WindowText, Text: "changed"}}}})
	d.sees("changed")
	d.seesNot("Save")
	d.press("esc", "down", "enter")
	d.sees("Hello")
	d.change(clew.StateChangedData{Del: map[clew.EntityKind][]string{clew.EntityWindow: {"notes"}}})
	d.sees("This window was closed.")
	d.press("esc", "x", "d")
	d.press("esc")
	if d.m.overlay != nil {
		t.Error("still there")
	}
	if !slices.Equal(d.asked, []string{"POST /commands", "POST /commands"}) {
		t.Errorf("asked for %v", d.asked)
	}
}

// Without windows the list says what they are for; a notice that comes is told.
func TestNoWindows(t *testing.T) {
	d := newDesk(t, 80, 20)
	d.opens(clew.SessionState{Owner: "ada", Role: clew.RoleOwner})
	d.press("/")
	d.typed("wind")
	d.press("enter")
	d.sees("No window is open.", "esc back")
	d.press("enter", "x", "esc")
	d.changes(clew.StatePut{Notice: []clew.NoticeState{{NoticeID: "n2", Text: "The build is done."}}})
	d.sees("The build is done.")
}
