package main

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

const longest = 160 // characters of a line that is not a message

// describe makes a line of an envelope, "" if it says nothing worth one.
func describe(env wire.Envelope) string {
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil { // newer than this program
		return plain(env)
	}
	switch d := ev.Data.(type) {
	case *clew.SessionState:
		return fmt.Sprintf("-- %s, at %s", d.Status, cmp.Or(string(d.LastMessageID), "the start"))
	case *clew.SyncComplete:
		return fmt.Sprintf("-- in sync, %d replayed", d.Replayed)
	case *clew.MessageCreatedData:
		return message(d.Message)
	case *clew.MessageUpdatedData:
		return message(d.Message)
	case *clew.AgentResponseData, *clew.AgentThinkingData, *clew.MessageAcceptedData:
		return "" // the whole text follows
	case *clew.ErrorData:
		return safe(fmt.Sprintf("-- error %s: %s", d.Code, d.Message))
	default:
		return plain(env)
	}
}

func message(m clew.Message) string {
	text := cmp.Or(m.Text, m.Reasoning)
	if m.Partial || text == "" {
		return ""
	}
	who := cmp.Or(string(m.AgentID), string(m.UserID), string(m.Role))
	return safe(fmt.Sprintf("%s %s: %s", m.MessageID, who, text))
}

// safe keeps what others wrote from commanding the terminal: control and
// direction characters are shown as �.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

func plain(env wire.Envelope) string {
	data := []rune(string(env.Data))
	if len(data) > longest {
		data = append(data[:longest], '…')
	}
	return safe(fmt.Sprintf("%s %s %s", cmp.Or(env.MessageID, "--"), env.Type, string(data)))
}
