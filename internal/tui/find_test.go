package tui

import (
	"fmt"
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

func hit(id, kind, by string, parts ...any) map[string]any {
	var excerpt []map[string]any
	for i, p := range parts {
		excerpt = append(excerpt, map[string]any{"text": p, "match": i%2 == 1})
	}
	return map[string]any{"message_id": id, "kind": kind, "by": by, "excerpt": excerpt}
}

// A slash while reading finds in the session, over what is not loaded as well, and
// opens it at the message.
func TestFindInSession(t *testing.T) {
	d := newDesk(t, 80, 24)
	var messages []clew.Message
	for i := 100; i < 140; i++ {
		messages = append(messages, clew.Message{MessageID: clew.MessageIDOf(uint64(i)), Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: fmt.Sprintf("new text %d", i)})
	}
	total := 41
	d.opens(clew.SessionState{})
	all := whole(clew.SessionState{Status: clew.StatusIdle, Messages: messages}, 1)
	all.Total = total
	d.hears(all)
	d.answer["GET /messages"] = map[string]any{"total": total, "messages": []clew.Message{
		{MessageID: clew.MessageIDOf(7), Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: "an old zebra"},
	}}
	d.answer["GET /api/v1/search"] = map[string]any{"total": 2, "sessions": 1, "groups": []map[string]any{{
		"session_id": "sess_1", "title": "This one", "matches": 2, "hits": []map[string]any{
			hit(string(clew.MessageIDOf(7)), "message", "", "an old ", "zebra"), hit(string(clew.MessageIDOf(120)), "command", "", "echo ", "zebra"),
		},
	}}}
	d.press("esc", "/")
	d.sees("Find in this session", "Words in quotes")
	d.typed("zebra")
	d.sees("› zebra▏", "1 of 2 matches", "Agent", "an old zebra", "Command", "echo zebra")
	d.press("down")
	d.sees("2 of 2 matches")
	d.press("enter")
	d.sees("new text 120")
	d.press("/")
	d.typed("zebra")
	d.press("enter")
	d.sees("an old zebra")
	if !slices.Contains(d.asked, "GET /messages") {
		t.Error("older messages were not asked for")
	}
}

// From the list of sessions a slash finds in all of them.
func TestFindInAllSessions(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.answer["GET /api/v1/search"] = map[string]any{"indexing": true, "total": 1, "sessions": 1, "groups": []map[string]any{{
		"session_id": "sess_2", "title": "Another", "matches": 1, "hits": []map[string]any{hit(string(clew.MessageIDOf(7)), "message", "mina", "an old ", "zebra")},
	}}}
	d.press("ctrl+k", "/")
	d.sees("Find in all sessions")
	d.typed("zebra")
	d.sees("1 match in 1 session · the search index is not up to date yet", "mina", "Another", "an old zebra")
	d.press("tab")
	d.sees("Find in this session")
	d.press("esc")
	if d.m.overlay != nil {
		t.Error("it is still open")
	}
}
