package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func (d *desk) types() string {
	var list []string
	for _, s := range d.sent {
		list = append(list, string(s.Type))
	}
	return strings.Join(list, " ")
}

// Esc twice stops the agent, and only where nothing is written.
func TestEscStops(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{Status: clew.StatusExecuting})
	d.sees("esc stops", "tab reads")
	d.press("esc")
	d.sees("esc again stops the agent")
	d.press("x", "backspace", "esc") // something else in between
	if len(d.sent) != 0 {
		t.Fatalf("sent %v", d.sent)
	}
	d.press("esc")
	if d.types() != "interrupt" {
		t.Fatalf("sent %v", d.sent)
	}
	d.sees("stopped; send a message to continue")
	d.press("h", "esc")
	if d.m.focus != reading || len(d.sent) != 1 {
		t.Error("with something written, esc does not go to the transcript")
	}
}

func TestStopAsksForY(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{Status: clew.StatusExecuting})
	d.press("ctrl+x")
	d.sees("Stop the work under way?", "y stops it", "n no")
	d.press("n")
	d.seesNot("Stop the work")
	d.press("ctrl+x", "y")
	if d.types() != "interrupt" || d.m.write.String() != "" {
		t.Errorf("sent %v, wrote %q", d.sent, d.m.write.String())
	}
}

// A slash in an empty composer names what keys do; what is no command is text.
func TestPalette(t *testing.T) {
	d := newDesk(t, 80, 30)
	d.opens(clew.SessionState{Status: clew.StatusExecuting})
	d.press("/")
	d.sees("/stop", "/plan", "/rewind", "/sessions", "/inbox", "/new", "/help", "/quit", "ctrl+x")
	d.typed("st")
	d.sees(" › /stop", " › /st", "/status")
	d.seesNot("/plan")
	d.press("enter")
	d.sees("Stop the work under way?")
	d.press("n", "/")
	d.typed("etc/hosts is broken")
	if d.m.palette != nil || d.m.write.String() != "/etc/hosts is broken" {
		t.Errorf("wrote %q", d.m.write.String())
	}
	d.m.write.Set("")
	d.press("/", "backspace", "/", "esc")
	if d.m.palette != nil || d.m.write.String() != "" {
		t.Error("it did not close")
	}
	d.press("a", "/")
	if d.m.palette != nil || d.m.write.String() != "a/" {
		t.Error("it opened while somebody wrote")
	}
	d.m.write.Set("")
	d.press("/")
	d.m.Update(tea.PasteMsg{Content: "quit\n"})
	if d.m.palette != nil || d.m.write.String() != "/quit\n" {
		t.Errorf("a paste pressed keys: %q", d.m.write.String())
	}
}

// Every command of the palette has its key in the help.
func TestPaletteHasKeys(t *testing.T) {
	var keys strings.Builder
	for _, row := range helpText {
		keys.WriteString(row[0] + " ")
	}
	for _, a := range actions {
		if !strings.Contains(keys.String()+"F1 ", a.key+" ") {
			t.Errorf("/%s is said to be %s", a.name, a.key)
		}
	}
}

// A session that is not there is no empty screen.
func TestRefusedSession(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.m.link.client = deafClient(t)
	d.m.link.client.Close()
	cmd := d.m.receive(batch{link: d.m.link, state: client.Failed, ended: true})
	if cmd == nil || d.m.refused == nil {
		t.Fatal("it goes on")
	}
	if _, quit := cmd().(tea.QuitMsg); !quit {
		t.Error("it does not leave")
	}
	d.opens(clew.SessionState{})
	d.m.refused = nil
	if cmd := d.m.receive(batch{link: d.m.link, state: client.Failed, ended: true}); cmd != nil || d.m.refused != nil {
		t.Error("one that was open goes without a word")
	}
	d.sees("✕ ended:")
}

// The last line says that other sessions need this person.
func TestOthersNeedYou(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	item := func(session clew.SessionID, id clew.RequestID) client.InboxItem {
		return client.InboxItem{SessionID: session, Question: clew.Question{Type: clew.EventHitlApprovalRequest, Data: approval(id, "x")}}
	}
	d.m.Update(client.InboxChange{All: true, Added: []client.InboxItem{item("sess_1", "q1"), item("sess_2", "q2"), item("sess_3", "q3")}})
	d.sees("2 more need you · ctrl+o")
	d.m.Update(client.InboxChange{Removed: []clew.RequestID{"q2"}})
	d.sees("1 more needs you · ctrl+o")
	d.m.Update(client.InboxChange{All: true, Added: []client.InboxItem{item("sess_1", "q1")}})
	d.seesNot("more need")
}

// A new session begins where this one works.
func TestNewSession(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{Workspace: "/work/here"})
	d.answer["POST /api/v1/sessions"] = map[string]any{"session_id": "sess_1"}
	d.answer["GET /api/v1/sessions"] = map[string]any{"sessions": []map[string]any{{"session_id": "sess_1", "title": "This one", "status": "idle"}}}
	d.press("ctrl+k")
	d.sees("+ A new session", "/work/here")
	d.press("down", "enter")
	if d.m.overlay != nil || !strings.Contains(strings.Join(d.asked, "\n"), "POST /api/v1/sessions") {
		t.Errorf("asked %v", d.asked)
	}
}

// How long an agent works is by the server's clock, and moves once a second.
func TestWorkingFor(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.changes(clew.StatePut{Status: &clew.StatusInfo{Status: clew.StatusExecuting}})
	d.sees("working")
	first := d.m.spinner()
	d.m.Update(ticked(d.m.now.Add(65 * time.Second)))
	d.sees("working 1:05")
	if d.m.spinner() == first {
		t.Error("nothing moves")
	}
}

// How the last work ended stands in the first line.
func TestStatusSaysHowItEnded(t *testing.T) {
	for status, want := range map[clew.OutcomeStatus]string{
		clew.OutcomeFailed: "✕ Untitled session  failed", clew.OutcomeCancelled: "cancelled", clew.OutcomeBudget: "out of budget", clew.OutcomeStopped: "stopped", clew.OutcomeDone: "idle",
	} {
		d := newDesk(t, 80, 24)
		d.opens(clew.SessionState{})
		task := clew.TaskInfo{TaskRef: clew.TaskRef{TaskID: "t1", RootTaskID: "t1"}, Outcome: &clew.Outcome{Status: status}}
		d.changes(clew.StatePut{Task: []clew.TaskInfo{task}})
		d.sees(want)
	}
}
