// Package history is pure: it makes views of a session's records. The model
// history is what a model is given; the message store is a short form of the
// transcript for programs that want no more.
package history

import (
	"slices"

	"github.com/clew-run/clew"
)

// Effective gives what is sent to a model: everything that no summary and no
// marker hides. A marker itself is for people.
func Effective(list []clew.ModelMessage) []clew.ModelMessage {
	if !slices.ContainsFunc(list, unsent) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), unsent)
}

func unsent(m clew.ModelMessage) bool { return m.Hidden() || m.IsTruncationMarker }

// Condense hides the first n messages that are sent behind a summary, which
// stands right after them. Nothing is removed. The list given is not changed.
func Condense(list []clew.ModelMessage, n int, id, summary string, ts int64) []clew.ModelMessage {
	out, end := hide(list, n, func(m *clew.ModelMessage) { m.CondenseParent = id })
	return slices.Insert(out, end, clew.ModelMessage{
		Role: clew.SpeakerUser, TS: ts, IsSummary: true, CondenseID: id,
		Content: clew.List[clew.Part]{{Type: clew.PartText, Text: summary}},
	})
}

// Truncate hides the first n messages that are sent behind a marker.
func Truncate(list []clew.ModelMessage, n int, id string, ts int64) []clew.ModelMessage {
	out, end := hide(list, n, func(m *clew.ModelMessage) { m.TruncationParent = id })
	return slices.Insert(out, end, clew.ModelMessage{Role: clew.SpeakerUser, TS: ts, IsTruncationMarker: true, TruncationID: id})
}

// hide marks the first n messages that are sent, and gives the place behind
// them. A call and its results go together: a cut between them moves on.
func hide(list []clew.ModelMessage, n int, mark func(*clew.ModelMessage)) (out []clew.ModelMessage, end int) {
	out = slices.Clone(list)
	for i := range out {
		m := &out[i]
		if m.Hidden() || m.IsTruncationMarker {
			continue
		}
		if n <= 0 && !answers(m) {
			break
		}
		n--
		mark(m)
		end = i + 1
	}
	return out, end
}

// answers reports whether a message has results of calls in the one before.
func answers(m *clew.ModelMessage) bool {
	return slices.ContainsFunc(m.Content, func(p clew.Part) bool { return p.Type == clew.PartToolResult })
}

// Uncondense undoes a condense: the summary goes, what it hid is sent again.
func Uncondense(list []clew.ModelMessage, id string) []clew.ModelMessage {
	out := slices.DeleteFunc(slices.Clone(list), func(m clew.ModelMessage) bool { return m.IsSummary && m.CondenseID == id })
	for i := range out {
		if out[i].CondenseParent == id {
			out[i].CondenseParent = ""
		}
	}
	return out
}
