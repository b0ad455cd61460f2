package tui

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
)

func planned() clew.SessionState {
	return clew.SessionState{
		Status: clew.StatusExecuting, CurrentLayer: clew.LayerExecution, Plan: &clew.PlanSummary{ID: "p", Status: clew.PlanApproved, Version: 2, TotalTodos: 3},
		Todos: clew.List[clew.Todo]{
			{ID: "one", Task: "First step", Status: clew.TodoCompleted},
			{ID: "two", Task: "Second step", Status: clew.TodoInProgress, ProgressPercentage: 40, CurrentStep: "reading"},
			{ID: "three", Task: "Third step", Status: clew.TodoPending, DependsOn: clew.List[string]{"two"}},
		},
	}
}

// The plan stands beside the transcript where there is room, else in its place.
func TestPlanPanel(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(planned())
	d.seesNot("Second step")
	d.press("ctrl+p")
	d.sees("Plan 1 of 3", "● First step", "◐ Second step", "40 % reading", "○ Third step", "after “Second step”")
	d.press("down", "s")
	d.typed("why not")
	d.press("enter", "up", "t", "p", "c") // what works cannot be tried again
	d.sees("Cancel the run?", "y cancels it")
	d.press("n")
	var got []string
	for _, s := range d.sent {
		got = append(got, string(s.Type))
	}
	if strings.Join(got, " ") != "control_skip control_pause" || d.sent[0].Data["todo_id"] != "three" || d.sent[0].Data["reason"] != "why not" {
		t.Errorf("sent %v", d.sent)
	}
	wide := newDesk(t, 200, 50)
	wide.opens(planned())
	wide.sees("Plan 1 of 3", "Nothing said yet.")
}

func TestSwitcher(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.answer["GET /api/v1/sessions"] = map[string]any{"sessions": []map[string]any{
		{"session_id": "sess_1", "title": "This one", "status": "idle"},
		{"session_id": "sess_2", "title": "Another", "status": "awaiting_input", "questions": 1, "last_line": "May I?"},
		{"session_id": "sess_3", "title": "Third", "status": "idle", "outcome": "failed"},
		{"session_id": "sess_4", "title": "Fourth", "status": "idle", "outcome": "budget"},
		{"session_id": "sess_5", "title": "Fifth", "status": "idle", "outcome": "done"},
	}}
	d.press("ctrl+k")
	d.sees("Sessions", "● This one", "here", "◇ Another", "May I?", "needs you", "✕ Third", "failed", "◇ Fourth", "out of budget", "● Fifth", "idle")
	d.typed("an")
	d.sees("› an▏")
	d.press("enter") // it is here already
	if d.m.overlay != nil || d.m.write.String() != "" {
		t.Error("it is still open, or wrote into the composer")
	}
}

func TestRewindPreview(t *testing.T) {
	lines := previewLines(&clew.RewindPreviewAnswer{
		Count: 3, FilesCount: 1, Running: true, IrreversibleCount: 1,
		Forgotten:    []clew.RememberedRule{{Tool: "execute_command", Pattern: "go test *"}, {Tool: "write_file"}},
		Irreversible: []clew.IrreversibleStep{{Summary: "POST to a shop", Reason: "it left the machine"}},
		Files:        []clew.CheckpointFile{{Paths: clew.FilePaths{Relative: "a.txt"}, Status: "modified", Unified: "@@ -1 +1 @@\n-new\n+old\n"}},
	}, true, 60)
	got := text(lines)
	for _, want := range []string{"3 messages go\n", "1 file changes\n", "agents are at work and will be stopped\n", "no longer allowed without asking, not even after an undo:\n· execute_command go test *\n· write_file\n", "1 step cannot be undone\n", "· POST to a shop: it left the machine\n", "a.txt  modified\n", "-new\n", "+old\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestRewindPicker(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.answer["GET /timeline"] = map[string]any{"marks": []map[string]any{
		{"message_id": "msg_000000000002", "ts": 1, "kind": "user", "label": "do this", "target": true},
		{"message_id": "msg_000000000003", "ts": 2, "kind": "tool", "label": "not a place", "target": true},
		{"message_id": "msg_000000000005", "ts": 3, "kind": "user", "label": "then that", "target": true},
	}}
	d.press("ctrl+r")
	d.sees("Go back to before", "› ● then that", "● do this")
	d.seesNot("not a place")
	r := d.m.overlay.(*rewind)
	d.press("down")
	r.press(d.m, key("enter"))
	late := r.wanted
	r.press(d.m, key("enter"))
	r.press(d.m, key("up")) // the answer comes after the person went on
	r.looked(r.wanted, &clew.RewindPreviewAnswer{Count: 4, FilesCount: 2}, nil)
	r.looked(late, &clew.RewindPreviewAnswer{Count: 9}, nil)
	d.sees("Go back to before “do this”?", "4 messages go", "2 files change")

	r.press(d.m, key("f"))
	if r.preview != nil || r.press(d.m, key("y")) != nil {
		t.Fatal("a yes to a preview that is not there yet")
	}
	r.looked(r.wanted, &clew.RewindPreviewAnswer{Count: 4}, nil)
	d.sees("Go back to before “do this”?", "files stay as they are")
	d.m.link.client = deafClient(t) // it is told to send its state then
	d.press("y")
	if d.m.overlay != nil {
		t.Error("it is still open")
	}
	if len(d.sent) != 1 || d.sent[0].Data["message_id"] != "msg_000000000002" || d.sent[0].Data["restore_checkpoint"] != nil {
		t.Errorf("sent %v", d.sent)
	}
}

func TestEditor(t *testing.T) {
	var e editor
	e.Set("가나 다")
	e.key(key("left"))
	e.key(key("backspace"))
	if e.String() != "가나다" {
		t.Errorf("%q", e.String())
	}
	e.key(key("end"))
	e.key(key("ctrl+w"))
	if e.String() != "" {
		t.Errorf("a word: %q", e.String())
	}
	e.Set("한국어 text\nsecond")
	l := e.lay(8)
	if strings.Join(l.lines, "|") != "한국어 |text|second" || l.row != 2 || l.col != 6 {
		t.Errorf("%q, cursor %d,%d", l.lines, l.row, l.col)
	}
	if !e.vertical(-1, 8) || e.Cursor != 8 {
		t.Errorf("up: cursor %d", e.Cursor)
	}
	one := editor{term.Editor{Single: true}}
	one.Insert("a\nb\tc\x07")
	if one.String() != "a b\tc" {
		t.Errorf("on one line: %q", one.String())
	}
}
