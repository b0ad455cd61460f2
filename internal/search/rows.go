package search

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// How much of a text can be found, in bytes.
const (
	textMax   = 64 << 10
	outputMax = 32 << 10 // of a command, the last
)

// said are the statements that people and agents read as messages. Thoughts, notes of
// the server and what it tells agents are none.
var said = []clew.Say{clew.SayText, clew.SayUserFeedback, clew.SayCompletionResult, clew.SaySubtaskResult, clew.SayError}

// asked are the questions that are sentences; the others show a call.
var asked = []clew.Ask{clew.AskFollowup, clew.AskCompletionResult}

// messageRow is what can be found of a message.
func messageRow(m clew.Message) (row, bool) {
	seq, err := m.MessageID.Seq()
	if err != nil {
		return row{}, false
	}
	r := row{seq: seq, slot: slotMessage, at: m.TS}
	person := m.Role == clew.SpeakerUser && m.AgentID == ""
	if person {
		r.who = string(m.UserID)
	}
	told := m.Role == clew.SpeakerUser && !person
	if !told && (slices.Contains(said, m.Say) || slices.Contains(asked, m.Ask)) {
		r.text = clean(strings.TrimSpace(m.Text), textMax)
	}
	return r, true
}

// callRows is what can be found of a tool call: the command that ran, its output, the
// files it is about. They are found at the message that shows the call.
func callRows(r clew.Record, d *clew.ToolProgressData) []row {
	seq, err := clew.ToolMessage(r.Seq, d).Seq()
	if err != nil {
		return nil
	}
	var rows []row
	add := func(s slot, text string) {
		if text = strings.TrimSpace(text); text != "" {
			rows = append(rows, row{seq: seq, slot: s, at: r.TS, text: text})
		}
	}
	if d.Effect != nil && d.Status == clew.ToolRunning {
		add(slotCommand, clean(d.Effect.Command, textMax))
		add(slotFile, clean(strings.Join(d.Effect.Paths, "\n"), textMax))
	}
	if text, ok := d.Output.(string); ok && d.ExitCode != nil {
		if n := len(text) - outputMax; n > 0 {
			text = text[n:]
		}
		add(slotOutput, clean(text, outputMax))
	}
	return rows
}
