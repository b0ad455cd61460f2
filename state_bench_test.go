package clew

import (
	"strings"
	"testing"
)

// session_state is made for every connection, so its cost is a cost of
// connecting.
func BenchmarkSessionState(b *testing.B) {
	s := SessionState{Status: StatusIdle, LastMessageID: MessageIDOf(200), Owner: "ada"}
	for i := range 200 {
		s.Messages = append(s.Messages, Message{
			MessageID: MessageIDOf(uint64(i) + 1), TS: 1790000000000, Type: TypeSay, Say: SayText, Role: SpeakerAssistant,
			AgentID: "main-monitor-0", MonitorID: MainMonitor, Text: strings.Repeat("some words of an answer ", 20),
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		data, err := MarshalData(s)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
	}
}
