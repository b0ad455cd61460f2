package prompt

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
)

// TapeTurns is how many turns of a main conversation another agent is told.
const TapeTurns = 3

// A TapeEntry is something that was said in a conversation.
type TapeEntry struct {
	Role      clew.Speaker `json:"role"`
	Content   string       `json:"content"`
	Timestamp string       `json:"timestamp"`
	Source    Source       `json:"source"`
}

// A Source is where something was said: in a window, or "" for the main conversation.
type Source string

// MarshalJSON writes it as main, or as an object that names the window.
func (s Source) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte(`"main"`), nil
	}
	return json.Marshal(map[string]string{"window": string(s)})
}

// Tape gives the last turns of a conversation, from the end of the transcript. Nothing
// of it is stored. of says which messages are of the conversation, open which windows
// there are: what was said in one that is closed is not told.
func Tape(messages []clew.Message, of func(*clew.Message) bool, open func(window string) bool) []TapeEntry {
	var list []TapeEntry
	var turns []int // where they begin
	for i := range messages {
		m := &messages[i]
		if !words(m) || !of(m) || m.WindowID != "" && !open(m.WindowID) {
			continue
		}
		if m.Role == clew.SpeakerUser {
			turns = append(turns, len(list))
		}
		list = append(list, TapeEntry{Role: m.Role, Content: m.Text, Timestamp: clew.Timestamp(m.TS), Source: Source(m.WindowID)})
	}
	if n := len(turns); n > TapeTurns {
		list = list[turns[n-TapeTurns]:]
	}
	return list
}

// words reports whether a message is what somebody said, all of it.
func words(m *clew.Message) bool {
	switch m.Say {
	case clew.SayUserFeedback:
		return m.Role == clew.SpeakerUser
	case clew.SayText, clew.SayCompletionResult:
		return m.Role == clew.SpeakerAssistant && !m.Partial && strings.TrimSpace(m.Text) != ""
	}
	return false
}

// RenderTape tells a conversation to another agent, "" if there is nothing to tell.
func RenderTape(list []TapeEntry) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<recent_conversation>\n")
	for _, e := range list {
		where := "main"
		if e.Source != "" {
			where = "window " + string(e.Source)
		}
		fmt.Fprintf(&b, "<%s in=\"%s\">%s</%[1]s>\n", e.Role, escaped(where), escaped(clew.Clip(e.Content, tapeRunes)))
	}
	b.WriteString("</recent_conversation>")
	return b.String()
}

// tapeRunes bounds what is told of one message.
const tapeRunes = 2000
