package history_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
)

type step struct {
	typ  clew.EventType
	data any
}

func fold(steps ...step) *history.Store {
	var s history.Store
	for i, st := range steps {
		s.Add(clew.Record{Seq: uint64(i + 1), TS: int64(1000 + i), Type: st.typ}, st.data)
	}
	return &s
}

func text(say clew.Say, role clew.Speaker, words string) step {
	return step{clew.EventMessageCreated, &clew.MessageCreatedData{Message: clew.Message{Type: clew.TypeSay, Say: say, Role: role, Text: words, TS: 5}}}
}

func call(id, tool string, status clew.ToolStatus, summary, failed string) step {
	return step{clew.EventToolProgress, &clew.ToolProgressData{ToolCallID: id, Tool: tool, Status: status, Summary: summary, Error: failed, DurationMS: 12}}
}

// Covers: STO-22, STO-23, STO-24, STO-25, STO-26, STO-28, STO-29, STO-30, C-48, C-49
func TestStore(t *testing.T) {
	s := fold(
		text(clew.SayUserFeedback, clew.SpeakerUser, "hello"),
		text(clew.SayAPIReqStarted, clew.SpeakerSystem, "not an entry"),
		text(clew.SayText, clew.SpeakerAssistant, "I look"),
		call("a", "read_file", clew.ToolRunning, "a.txt", ""),
		call("b", "read_file", clew.ToolRunning, "b.txt", ""),
		call("a", "read_file", clew.ToolComplete, "text of a", ""),
		call("b", "read_file", clew.ToolError, "cut", "no such file"),
		call("c", "edit", clew.ToolError, "refused", "refused"),
		step{clew.EventError, &clew.ErrorData{Message: "trouble"}},
		step{clew.EventComplete, &clew.CompleteData{Statistics: clew.Statistics{ExecutionTimeMS: 12500}}},
		step{clew.EventTaskCompleted, &clew.TaskCompletedData{TokenUsage: clew.Usage{TokensIn: 7, TokensOut: 9}}},
	)
	got := s.Load(0, 0)
	want := []string{
		"user text hello", "assistant text I look", "assistant tool_complete read_file a.txt true text of a",
		"assistant tool_complete read_file b.txt false cut", "assistant tool_complete edit  false refused",
		"system error trouble", "system result 12500 7 9",
	}
	var lines []string
	for _, e := range got {
		switch e.Type {
		case history.EntryToolComplete:
			lines = append(lines, fmt.Sprintf("%s %s %s %s %v %s", e.Role, e.Type, e.ToolName, e.ToolInput, *e.Success, e.Output))
			if *e.Success != (e.Error == nil) {
				t.Errorf("%s: success %v with error %v", e.ToolCallID, *e.Success, e.Error)
			}
		case history.EntryResult:
			lines = append(lines, fmt.Sprintf("%s %s %d %d %d", e.Role, e.Type, e.DurationMS, e.InputTokens, e.OutputTokens))
		default:
			lines = append(lines, fmt.Sprintf("%s %s %s", e.Role, e.Type, e.Content))
		}
		if e.Timestamp == 0 {
			t.Errorf("no time in %+v", e)
		}
	}
	if !slices.Equal(lines, want) {
		t.Errorf("entries\n%q\nwant\n%q", lines, want)
	}
}

// An answer that is still growing is no entry; when it ends it is one.
func TestStoreWaitsForTheEnd(t *testing.T) {
	growing := clew.Message{Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Partial: true, Text: "so f"}
	done := growing
	done.Partial, done.Text = false, "so far"
	s := fold(step{clew.EventMessageCreated, &clew.MessageCreatedData{Message: growing}},
		step{clew.EventMessageUpdated, &clew.MessageUpdatedData{Message: done}})
	if got := s.Load(0, 0); len(got) != 1 || got[0].Content != "so far" {
		t.Errorf("entries %+v", got)
	}
	// Without a call's id the end belongs to the latest open start of its tool.
	s = fold(call("", "read", clew.ToolRunning, "one", ""), call("", "read", clew.ToolComplete, "done", ""))
	if got := s.Load(0, 0); len(got) != 1 || got[0].Type != history.EntryToolComplete || got[0].ToolInput != "one" {
		t.Errorf("entries %+v", got)
	}
}

// Covers: STO-20, STO-27, STO-40, C-07, C-65
func TestStorePages(t *testing.T) {
	var steps []step
	for i := range 250 {
		steps = append(steps, text(clew.SayText, clew.SpeakerAssistant, fmt.Sprint(i)))
	}
	s := fold(steps...)
	tests := []struct {
		limit, offset int
		first, last   string
		n             int
	}{
		{0, 0, "50", "249", 200},
		{10, 0, "240", "249", 10},
		{10, 10, "230", "239", 10},
		{100, 200, "0", "49", 50},
		{10, 300, "", "", 0},
	}
	for _, tt := range tests {
		got := s.Load(tt.limit, tt.offset)
		if len(got) != tt.n || tt.n > 0 && (got[0].Content != tt.first || got[tt.n-1].Content != tt.last) {
			t.Errorf("limit %d, offset %d: %d entries", tt.limit, tt.offset, len(got))
		}
	}
	if s.UpdatedMS() != 1249 {
		t.Errorf("updated at %d", s.UpdatedMS())
	}
}
