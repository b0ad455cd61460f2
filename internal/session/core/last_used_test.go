package core

import (
	"testing"

	"github.com/clew-run/clew"
)

// What agents and clocks do does not make a session the one that was used last.
func TestLastUsed(t *testing.T) {
	said := func(role clew.Speaker, agent clew.AgentID) *clew.MessageCreatedData {
		return &clew.MessageCreatedData{Message: clew.Message{MessageID: "m", Type: clew.TypeSay, Role: role, AgentID: agent}}
	}
	for _, c := range []struct {
		name  string
		cause clew.ClientMessageID
		data  any
		want  bool
	}{
		{"a session is made", "", &clew.SessionCreatedData{}, true},
		{"a person says something", "", said(clew.SpeakerUser, ""), true},
		{"an agent tells another what to do", "", said(clew.SpeakerUser, "agent"), false},
		{"an agent says something", "", said(clew.SpeakerAssistant, "agent"), false},
		{"a person answers", "", &clew.HitlResolvedData{RequestID: "q", ResolvedBy: "ada"}, true},
		{"time runs out", "", &clew.HitlResolvedData{RequestID: "q", ByTimeout: true}, false},
		{"a client's command", "c1", &clew.SettingsChangedData{}, true},
	} {
		s := &State{LastUsedMS: 1}
		Apply(s, clew.Record{Seq: 2, TS: 7, Cause: c.cause}, c.data)
		if got := s.LastUsedMS == 7; got != c.want {
			t.Errorf("%s: used now: %v, want %v", c.name, got, c.want)
		}
	}
}
