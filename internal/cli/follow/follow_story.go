package follow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// A transcriptPrinter tells people what happens in a session, from what changes of its state:
// words as they come, a line for each tool call, plans, and what went wrong. Each
// thing is told once, however often the connection breaks.
type transcriptPrinter struct {
	*Screen
	verbose bool
	said    clew.ClientMessageID // what the person typed here needs no telling
	look    func(*clew.Message) callDetails

	open   []*growing // texts under way, the oldest first
	told   map[clew.MessageID]bool
	known  aroundKnown
	before string         // the kind of the last block
	on, at clew.MonitorID // of what is told now, and of what was told last
	hold   bool           // somebody is being asked: texts wait until they are whole
	own    map[string]int // what was typed here and is told already
	keep   bool           // the last text is kept back: it may be the answer, which is told elsewhere
	kept   string
	keptOf clew.MessageID
}

// A growing text is shown up to a place. One at a time is shown as it grows;
// others wait until they are whole, so that sentences stay apart.
type growing struct {
	id    clew.MessageID
	on    clew.MonitorID
	text  string
	shown int
}

func newStory(s *Screen, verbose bool, said clew.ClientMessageID) *transcriptPrinter {
	return &transcriptPrinter{
		Screen: s, verbose: verbose, said: said, told: map[clew.MessageID]bool{}, own: map[string]int{}, known: newKnown(), at: clew.MainMonitor,
		look: func(*clew.Message) callDetails { return callDetails{} },
	}
}

// take tells what a change brought. What is there at first is known already, but for
// what is under way.
func (s *transcriptPrinter) take(r *client.Replica, d *clew.StateChangedData, first bool) {
	messages := d.Put.Message
	for i := range messages {
		m := &messages[i]
		if open := m.Partial || m.Tool != nil && !m.Tool.Status.Ended(); first && !open {
			s.told[m.MessageID] = true
		}
		s.message(m)
	}
	s.around(r, first)
}

// para parts blocks of different kinds by an empty line, and says where it goes on when
// that is another monitor than before.
func (s *transcriptPrinter) para(kind string) {
	s.end()
	s.tellKept()
	if on := s.on; on != "" && on != s.at {
		s.at = on
		s.para("monitor")
		s.Line(Faint, "On %s:", on.Name())
		s.before = kind
	}
	if s.before != "" && s.before != kind {
		s.Write("\n")
	}
	s.before = kind
}

func (s *transcriptPrinter) note(i ink, format string, args ...any) {
	s.para("note")
	s.Line(i, format, args...)
}

// message tells a message once it is whole.
func (s *transcriptPrinter) message(m *clew.Message) {
	s.on = m.MonitorID
	defer func() { s.on = "" }()
	switch {
	case m.Type != clew.TypeSay:
		s.tool(m) // questions are told by others
		return
	case m.Cell != nil:
		s.cell(m)
		return
	}
	switch m.Say {
	case clew.SayText, clew.SayCompletionResult:
		if m.Role == clew.SpeakerUser {
			s.person(m)
		} else {
			s.speech(m)
		}
	case clew.SayUserFeedback:
		s.person(m)
	case clew.SayReasoning:
		s.thought(m)
	case clew.SayError, clew.SayDiffError, clew.SayCondenseContextError:
		if s.once(m) {
			s.note(Bad, "✕ %s", m.Text)
		}
	case clew.SayAPIReqRetryDelayed, clew.SayModelFallback:
		if s.once(m) {
			s.note(Faint, "%s", env.FirstOf(m.Text, "The model did not answer; it is asked again."))
		}
	case clew.SayInstructionsRead, clew.SayFilesAttached, clew.SayGit, clew.SayKernelStatus:
		if s.once(m) {
			s.note(Faint, "%s", m.Text)
		}
	case clew.SayImage:
		if s.once(m) {
			s.note(Faint, "[%s]", term.Count(len(m.Images), "image"))
		}
	case clew.SayAPIReqStarted:
		s.SetStatus("thinking …")
	}
}

// cell tells what a notebook's kernel put out, each output once it is whole.
func (s *transcriptPrinter) cell(m *clew.Message) {
	if m.Partial {
		s.SetStatus("the kernel runs a cell …")
		return
	}
	text := ask.CellText(m)
	if !s.once(m) || text == "" {
		return
	}
	i := PlainInk
	if m.Cell.Output == clew.OutputError {
		i = Bad
	}
	s.para("cell " + m.Cell.RunID)
	s.Block(i, "  ", text)
}

// once reports whether a message is to be told now.
func (s *transcriptPrinter) once(m *clew.Message) bool {
	if m.Partial || s.told[m.MessageID] {
		return false
	}
	s.told[m.MessageID] = true
	return true
}

// person tells what people said elsewhere.
func (s *transcriptPrinter) person(m *clew.Message) {
	if s.said != "" && m.ClientMessageID == s.said || m.AgentID != "" || !s.once(m) {
		return
	}
	if s.own[m.Text] > 0 {
		s.own[m.Text]--
		return
	}
	s.para("person")
	s.Block(strong, "> ", m.Text)
}

func (s *transcriptPrinter) thought(m *clew.Message) {
	if m.Partial {
		s.SetStatus("thinking …")
	} else if s.verbose && s.once(m) && m.Reasoning != "" {
		s.para("thought")
		s.Block(Faint, "  ", m.Reasoning)
	}
}

// speech is a text of an agent, which grew or comes whole.
func (s *transcriptPrinter) speech(m *clew.Message) {
	if s.told[m.MessageID] {
		return
	}
	g := s.growing(m.MessageID)
	g.on = m.MonitorID
	switch {
	case m.Text != "" && strings.HasPrefix(g.text, m.Text): // it has come further meanwhile
	case strings.HasPrefix(m.Text, g.text[:g.shown]):
		g.text = m.Text
	default: // the model was asked again
		s.note(Faint, "(It begins anew.)")
		g.text, g.shown = m.Text, 0
	}
	if m.Partial {
		s.flow()
		return
	}
	s.told[m.MessageID] = true
	if s.keep {
		s.tellKept()
		s.kept, s.keptOf = strings.TrimSpace(g.text), g.id
	} else {
		s.reveal(g)
		s.end()
	}
	s.open = slices.DeleteFunc(s.open, func(o *growing) bool { return o == g })
	s.flow()
}

// grow adds streamed text. What does not fit the text so far is left out: the
// whole of it will come.
func (s *transcriptPrinter) grow(id clew.MessageID, offset int, delta string) {
	at := slices.IndexFunc(s.open, func(g *growing) bool { return g.id == id })
	if at < 0 || offset > len(s.open[at].text) {
		return // output of a command, or a text whose beginning is missing
	}
	if g := s.open[at]; offset+len(delta) > len(g.text) {
		g.text = g.text[:offset] + delta
		s.flow()
	}
}

func (s *transcriptPrinter) growing(id clew.MessageID) *growing {
	for _, g := range s.open {
		if g.id == id {
			return g
		}
	}
	g := &growing{id: id}
	s.open = append(s.open, g)
	return g
}

// flow shows more of the text whose turn it is.
func (s *transcriptPrinter) flow() {
	if len(s.open) > 0 && !s.hold && !s.keep {
		s.reveal(s.open[0])
	}
}

func (s *transcriptPrinter) reveal(g *growing) {
	text := g.text[g.shown:]
	if g.shown == 0 {
		text = strings.TrimLeft(text, " \n")
	}
	if text == "" {
		return
	}
	if kind := "text " + string(g.id); s.before != kind {
		was := s.on
		s.on = g.on
		s.para(kind)
		s.on = was
	}
	g.shown = len(g.text)
	s.Screen.say(text)
}

// close ends the story. The text that was kept back is told, unless it is the
// answer and that is printed elsewhere.
func (s *transcriptPrinter) close(answered bool, answer string) {
	if s.kept != "" && answered && s.kept == strings.TrimSpace(answer) {
		s.kept = ""
	}
	s.tellKept()
}

// tellKept tells the text that was kept back.
func (s *transcriptPrinter) tellKept() {
	if text := s.kept; text != "" {
		s.kept = ""
		s.para("text " + string(s.keptOf))
		s.say(text)
		s.end()
	}
}

// took says how long something took, "" if it is not worth a word.
func took(ms int64) string {
	switch {
	case ms < 1000:
		return ""
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return fmt.Sprintf("%d min %d s", ms/60_000, ms/1000%60)
}
