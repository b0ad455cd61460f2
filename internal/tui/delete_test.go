package tui

import (
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/deletion"
)

// What deleting erases, what stays and until when it can be undone is on the screen
// before a y counts, and any other key keeps the session.
func TestDeleteSession(t *testing.T) {
	d := newDesk(t, 90, 24)
	d.opens(clew.SessionState{})
	until := time.Date(2026, 11, 23, 9, 30, 0, 0, time.Local).UnixMilli()
	const preview, remove = "GET /deletion", "DELETE "
	d.answer[preview] = map[string]any{
		"session_id": "sess_1", "records": 12, "questions": 1, "directory": "/home/ada/w", "erase_ms": until,
		"forks": []map[string]any{{"session_id": "sess_2", "owner": "bob"}},
	}
	d.answer[remove] = map[string]any{"session_id": "sess_1", "deleted_ms": 1, "erase_ms": until}
	d.answer["GET /api/v1/sessions"] = map[string]any{"sessions": []map[string]any{}}
	open := func() {
		d.press("/")
		d.typed("del")
		d.press("enter")
	}
	deleted := func() bool { return slices.Contains(d.asked, remove) }
	open()
	d.sees("Delete this session?", "erases  all 12 records", "1 open question in people's inboxes", "keeps   the files in /home/ada/w",
		"what fork sess_2 of bob has from it", "copies in backups", "It can be brought back until "+deletion.Day(until), "y deletes")
	d.press("n")
	if d.m.overlay != nil || deleted() {
		t.Fatal("a no deleted it, or it is still open")
	}
	open()
	d.press("y")
	if !deleted() {
		t.Fatal("it was not deleted")
	}
	d.sees("clew delete --undo sess_1", "Sessions")
}
