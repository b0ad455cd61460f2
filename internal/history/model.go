// Package history is pure: it makes views of a session's records. The model
// history is what a model is given; the message store is a short form of the
// transcript for programs that want no more.
package history

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// Effective gives what is sent to a model: everything that no summary and no
// marker hides.
func Effective(list []clew.ModelMessage) []clew.ModelMessage {
	if !slices.ContainsFunc(list, clew.ModelMessage.Hidden) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), clew.ModelMessage.Hidden)
}

// Summary is the message that stands for condensed ones. It is the user's, as a
// call to a model has to begin with one of those.
func Summary(id, text string, ts int64) clew.ModelMessage {
	return clew.ModelMessage{
		Role: clew.SpeakerUser, TS: ts, IsSummary: true, CondenseID: id,
		Content: clew.List[clew.Part]{{Type: clew.PartText, Text: text}},
	}
}

const (
	markerHead = "[%d earlier messages were left out here to make room.]"
	markerTail = "\n\nThe conversation began with this:\n\n"
	markerEnd  = "\n\n[From here on nothing is left out.]"

	firstRunes   = 4000   // what a marker keeps of the first words
	summaryRunes = 16_000 // and of a summary in their place
)

// Marker is the message that stands for the first n messages once they are left
// out. It says how many there were and, so that the model still knows its task,
// what the first of them said.
func Marker(list []clew.ModelMessage, n int, id string, ts int64) clew.ModelMessage {
	hidden := Effective(list)
	hidden = hidden[:Fit(hidden, n)]
	count, words := len(hidden), firstWords(hidden)
	if len(hidden) > 0 && hidden[0].IsTruncationMarker { // what it stood for is left out now as before
		before := 0
		if _, err := fmt.Sscanf(textOf(hidden[0]), markerHead, &before); err == nil {
			count += before - 1
		}
	}
	text := fmt.Sprintf(markerHead, count)
	if words != "" {
		text += markerTail + words + markerEnd // providers may put it into one text with what comes next
	}
	return clew.ModelMessage{
		Role: clew.SpeakerUser, TS: ts, IsTruncationMarker: true, TruncationID: id,
		Content: clew.List[clew.Part]{{Type: clew.PartText, Text: text}},
	}
}

// firstWords are the first ones of the user: those of an older marker if there
// is one, and a summary's, as it tells what came before it.
func firstWords(list []clew.ModelMessage) string {
	for _, m := range list {
		text := textOf(m)
		if m.IsTruncationMarker {
			_, text, _ = strings.Cut(strings.TrimSuffix(text, markerEnd), markerTail)
		}
		switch {
		case m.Role != clew.SpeakerUser || text == "":
		case m.IsTruncationMarker || m.IsSummary:
			return clip(text, summaryRunes)
		default:
			return clip(text, firstRunes)
		}
	}
	return ""
}

func textOf(m clew.ModelMessage) string {
	for _, p := range m.Content {
		if p.Type == clew.PartText {
			return p.Text
		}
	}
	return ""
}

func clip(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes]) + "…"
}

// Cover hides the first n messages that are sent behind a summary or a marker,
// which stands right after them. A call and its results stay on one side, so it
// may be fewer: see Fit.
func Cover(list []clew.ModelMessage, n int, by clew.ModelMessage) []clew.ModelMessage {
	out, end := slices.Clone(list), 0
	n = Fit(list, n)
	for i := range out {
		m := &out[i]
		if n == 0 {
			break
		}
		if m.Hidden() {
			continue
		}
		if by.IsSummary {
			m.CondenseParent = by.CondenseID
		} else {
			m.TruncationParent = by.TruncationID
		}
		end = i + 1
		n--
	}
	return slices.Insert(out, end, by)
}

// Fit says how many messages can be hidden if n shall be: as many or fewer. A
// call is never parted from its results, and an answer whose calls have no
// results yet stays.
func Fit(list []clew.ModelMessage, n int) int {
	sent := Effective(list)
	n = max(0, min(n, len(sent), open(sent)))
	for n > 0 && n < len(sent) && (calls(sent[n-1]) || answers(sent[n])) {
		n--
	}
	return n
}

// open is the place of the last answer if it has calls without results, else
// the end. Names of calls come again and again, so only what stands behind an
// answer belongs to it.
func open(sent []clew.ModelMessage) int {
	for i := len(sent) - 1; i >= 0; i-- {
		if sent[i].Role != clew.SpeakerAssistant {
			continue
		}
		done := map[string]bool{}
		for _, m := range sent[i+1:] {
			for _, p := range m.Content {
				if p.Type == clew.PartToolResult {
					done[p.ToolCallID] = true
				}
			}
		}
		if slices.ContainsFunc(sent[i].ToolCalls(), func(p clew.Part) bool { return !done[p.ToolCallID] }) {
			return i
		}
		break
	}
	return len(sent)
}

// Older is Fit for a window that slides: if the user begins something new a
// little later, it moves on to that, so that whole exchanges are left out.
func Older(list []clew.ModelMessage, n int) int {
	sent := Effective(list)
	for i := n; i < len(sent) && i <= n+n/2; i++ {
		if i > 0 && sent[i].Role == clew.SpeakerUser && !answers(sent[i]) && Fit(sent, i) == i {
			return i
		}
	}
	return Fit(sent, n)
}

// answers reports whether a message has results of calls in the one before.
func answers(m clew.ModelMessage) bool {
	return slices.ContainsFunc(m.Content, func(p clew.Part) bool { return p.Type == clew.PartToolResult })
}

func calls(m clew.ModelMessage) bool {
	return slices.ContainsFunc(m.Content, func(p clew.Part) bool { return p.Type == clew.PartToolUse })
}
