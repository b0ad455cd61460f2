package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
)

func withFiles(t *testing.T, width, height int) *desk {
	t.Helper()
	d := newDesk(t, width, height)
	d.answer["GET /files"] = map[string]any{"files": []foundFile{
		{Path: "main.go", Mention: "@main.go"}, {Path: "internal/domain/main_of_the_domain_with_a_long_name.go", Mention: "@internal/domain/main_of_the_domain_with_a_long_name.go"},
		{Path: "docs", Directory: true, Mention: "@docs/"}, {Path: "docs/my notes.md", Mention: `@"docs/my notes.md"`},
	}}
	d.opens(clew.SessionState{})
	return d
}

func (d *desk) wrote(want string) {
	d.Helper()
	if got := d.m.write.String(); got != want {
		d.Errorf("%q is written, want %q", got, want)
	}
}

// An @ opens the list of files, at every size; enter and tab take one, and the message
// goes out as it is written.
func TestMentionList(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		d := withFiles(t, size[0], size[1])
		d.typed("explain @")
		d.sees(" › main.go", "docs/", "my notes.md  docs/", " › explain @")
		d.typed("ma")
		d.press("enter")
		d.wrote("explain @main.go ")
		d.seesNot("my notes.md")
		d.typed("(@no")
		d.press("down", "down", "down", "tab")
		d.wrote(`explain @main.go (@"docs/my notes.md" `)
		if len(d.sent) != 0 {
			t.Fatalf("sent %v", d.sent)
		}
		d.press("enter")
		if len(d.sent) != 1 || d.sent[0].Data["text"] != `explain @main.go (@"docs/my notes.md"` {
			t.Fatalf("sent %v", d.sent)
		}
	}
}

// Behind a directory the list goes on; what is written out in full is sent by enter.
func TestMentionOfADirectory(t *testing.T) {
	d := withFiles(t, 80, 24)
	d.typed("see @do")
	d.press("down", "down", "tab")
	d.wrote("see @docs/")
	d.sees("my notes.md")
	d.press("down", "down", "enter")
	if len(d.sent) != 1 || d.sent[0].Data["text"] != "see @docs/" {
		t.Fatalf("sent %v, left %q", d.sent, d.m.write.String())
	}
	d.typed("@main.go")
	d.press("enter")
	if len(d.sent) != 2 || d.sent[1].Data["text"] != "@main.go" {
		t.Fatalf("sent %v, left %q", d.sent, d.m.write.String())
	}
}

// Esc closes the list and nothing else; the word stays closed, another one opens.
func TestMentionCloses(t *testing.T) {
	d := withFiles(t, 80, 24)
	d.typed("a @m")
	d.press("esc")
	d.seesNot("domain")
	d.typed("ai")
	d.seesNot("domain")
	if d.m.focus != writing {
		t.Error("esc left the composer")
	}
	d.typed(" @")
	d.sees("domain")
	d.press("backspace")
	d.seesNot("domain")
	d.wrote("a @mai ")
	// Words that are no mentions open nothing.
	asked := len(d.asked)
	d.typed("me@example.com a@b")
	if len(d.asked) != asked {
		t.Errorf("asked %v", d.asked[asked:])
	}
}

// What was said before comes back without a list in the way of the next one.
func TestMentionLeavesHistoryAlone(t *testing.T) {
	d := withFiles(t, 80, 24)
	said := func(id, text string) clew.Message {
		return clew.Message{MessageID: clew.MessageID(id), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: text}
	}
	d.opens(clew.SessionState{Messages: []clew.Message{said("msg_000000000001", "first"), said("msg_000000000002", "see @main.go")}})
	d.press("up")
	d.wrote("see @main.go")
	d.press("up")
	d.wrote("first")
}

// A server that has no files to offer is no obstacle.
func TestMentionWithoutFiles(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.typed("@x")
	d.press("enter")
	if len(d.sent) != 1 || d.sent[0].Data["text"] != "@x" {
		t.Errorf("sent %v", d.sent)
	}
}

// One question goes to the server at a time; the last letters are asked for in the end.
func TestMentionAsksInTurn(t *testing.T) {
	d := withFiles(t, 80, 24)
	var first tea.Cmd
	for i, r := range "@mai" {
		_, cmd := d.m.Update(key(string(r)))
		if i == 0 {
			first = cmd
			continue
		}
		d.do(cmd)
	}
	d.do(first)
	if got := strings.Join(d.asked, " "); strings.Count(got, "GET /files") != 2 || d.m.files.asked != "mai" {
		t.Errorf("asked %s, last for %q", got, d.m.files.asked)
	}
}
