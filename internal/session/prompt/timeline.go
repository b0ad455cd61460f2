package prompt

import (
	"fmt"
	"slices"
	"strings"
)

// A Timeline is what happened beside the conversations of the main agents, in order:
// what people did to windows and what other agents did. Each main agent hears each
// entry once.
type Timeline struct {
	Entries []Entry `json:"entries,omitempty"`
	// Last is the position of the newest entry that there was. Positions begin with 1
	// and have no gaps: what is missing before the first entry left unheard.
	Last int64 `json:"last,omitempty"`
}

// An Entry is one thing that happened.
type Entry struct {
	At int64 `json:"at"`
	// Kind is what a person did to Window, "" if an agent did something.
	Kind   string `json:"kind,omitempty"`
	Window string `json:"window,omitempty"`
	// Agent is the role of the agent, Text what it did and answered.
	Agent string `json:"agent,omitempty"`
	Text  string `json:"text,omitempty"`
}

// What a timeline has room for. What does not fit leaves it, oldest first, and those
// who have not heard it are told how much they missed.
const (
	EntriesMax  = 500
	entriesSize = 64 << 10 // bytes of all of them, about
)

// What a person does to a window, as far as the timeline treats it in its own way.
const (
	kindFocus  = "focus"
	kindMove   = "move"
	kindResize = "resize"
)

// ByPerson adds what a person did to a window. heard is the position that the one who
// is furthest has heard: what nobody has heard is told once, however often it is done.
// A window that is dragged was brought to the front before, which says nothing.
func (t Timeline) ByPerson(kind, window string, heard int64) Timeline {
	for i := len(t.Entries) - 1; i >= 0 && t.Entries[i].At > heard; i-- {
		e := t.Entries[i]
		if e.Kind == "" || e.Window != window {
			continue
		}
		if e.Kind == kind || placed(e.Kind) && placed(kind) {
			return t
		}
		if e.Kind == kindFocus && placed(kind) {
			t.Entries = slices.Clone(t.Entries)
			t.Entries[i].Kind = kind
			return t
		}
		break
	}
	return t.add(Entry{Kind: kind, Window: window})
}

func placed(kind string) bool { return kind == kindMove || kind == kindResize }

// ByAgent adds what an agent did in a turn.
func (t Timeline) ByAgent(role, text string) Timeline {
	return t.add(Entry{Agent: role, Text: text})
}

func (t Timeline) add(e Entry) Timeline {
	t.Last++
	e.At = t.Last
	t.Entries = append(slices.Clip(t.Entries), e)
	size := 0
	for _, e := range t.Entries {
		size += e.size()
	}
	for len(t.Entries) > EntriesMax || size > entriesSize {
		size -= t.Entries[0].size()
		t.Entries = t.Entries[1:]
	}
	return t
}

func (e Entry) size() int {
	return 2*len(e.Kind) + len(e.Window) + len(e.Agent) + len(e.Text) + len("<ui:></ui:>")
}

// Heard lets go of what everybody has heard: all up to a position.
func (t Timeline) Heard(to int64) Timeline {
	n := 0
	for n < len(t.Entries) && t.Entries[n].At <= to {
		n++
	}
	if t.Entries = t.Entries[n:]; len(t.Entries) == 0 {
		t.Entries = nil
	}
	return t
}

// After gives what came after a position, and how many of those left before anybody
// there heard them.
func (t Timeline) After(heard int64) (list []Entry, missed int64) {
	next := t.Last + 1
	if len(t.Entries) > 0 {
		next = t.Entries[0].At
	}
	for _, e := range t.Entries {
		if e.At > heard {
			list = append(list, e)
		}
	}
	if next > heard+1 {
		missed = next - heard - 1
	}
	return list, missed
}

// Render tells what came after a position, "" if nothing did.
func (t Timeline) Render(heard int64) string {
	list, missed := t.After(heard)
	if len(list) == 0 && missed == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<timeline>\n")
	if missed > 0 {
		fmt.Fprintf(&b, "<missed count=\"%d\"/>\n", missed)
	}
	for _, e := range list {
		b.WriteString(e.render())
	}
	b.WriteString("</timeline>")
	return b.String()
}

func (e Entry) render() string {
	if e.Kind != "" {
		return fmt.Sprintf("<ui:%s>%s</ui:%[1]s>\n", tagName(e.Kind), escaped(e.Window))
	}
	return fmt.Sprintf("<ai agent=\"%s\">%s</ai>\n", escaped(e.Agent), escaped(e.Text))
}

// tagName leaves of a kind what can stand in a tag: records of elsewhere may have any.
func tagName(kind string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r == '_' {
			return r
		}
		return -1
	}, kind)
}
