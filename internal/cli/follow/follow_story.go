package follow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/wire"
)

// A story tells people what happens in a session, from its envelopes: words as
// they come, a line for each tool call, plans, and what went wrong. Each thing
// is told once, however often the connection breaks.
type story struct {
	*Screen
	verbose bool
	said    clew.ClientMessageID // what the person typed here needs no telling

	open   []*growing // texts under way, the oldest first
	told   map[clew.MessageID]bool
	calls  map[string]clew.ToolProgressData // calls under way
	todos  map[string]clew.TodoStatus
	steps  map[clew.TaskID]bool // tasks that carry out a step of a plan
	before string               // the kind of the last block
	hold   bool                 // somebody is being asked: texts wait until they are whole
	own    map[string]int       // what was typed here and is told already
	keep   bool                 // the last text is kept back: it may be the answer, which is told elsewhere
	kept   string
	keptOf clew.MessageID
}

// A growing text is shown up to a place. One at a time is shown as it grows;
// others wait until they are whole, so that sentences stay apart.
type growing struct {
	id    clew.MessageID
	text  string
	shown int
}

func newStory(s *Screen, verbose bool, said clew.ClientMessageID) *story {
	return &story{
		Screen: s, verbose: verbose, said: said, told: map[clew.MessageID]bool{},
		own: map[string]int{}, calls: map[string]clew.ToolProgressData{}, todos: map[string]clew.TodoStatus{}, steps: map[clew.TaskID]bool{},
	}
}

// hear tells what an envelope says.
func (s *story) hear(env wire.Envelope) {
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		return // newer than this program
	}
	switch d := ev.Data.(type) {
	case *clew.SessionState:
		for _, m := range d.Messages { // texts under way that began before we came
			if m.Partial && m.Say == clew.SayText && m.Role == clew.SpeakerAssistant {
				s.growing(m.MessageID)
			}
		}
		for _, m := range d.OpenMessages {
			s.grow(m.MessageID, 0, m.Text)
		}
	case *clew.MessageCreatedData:
		s.message(d.Message)
	case *clew.MessageUpdatedData:
		s.message(d.Message)
	case *clew.AgentResponseData:
		s.grow(d.MessageID, d.Offset, d.Delta)
	case *clew.ToolProgressData:
		s.tool(d)
	case *clew.ErrorData:
		if env.Seq() > 0 {
			s.para("note")
			s.Line(Bad, "✕ %s", d.Message)
		}
	default:
		s.work(ev)
	}
}

// work tells of plans, runs, tasks and travels.
func (s *story) work(ev clew.Event) {
	switch d := ev.Data.(type) {
	case *clew.PlanGeneratedData:
		if d.Status != clew.PlanPendingApproval { // else the review shows it
			s.plan(d.Todos, true)
		}
	case *clew.PlanModifiedData:
		if d.RunID == "" {
			s.plan(d.UpdatedTodos, false)
		}
	case *clew.TodoStartedData:
		s.steps[d.TaskID] = true
		s.todo(clew.Todo{ID: d.TodoID, Task: d.Task, Status: clew.TodoInProgress}, "")
	case *clew.TodoCompletedData:
		s.todo(clew.Todo{ID: d.TodoID, Task: d.Task, Status: clew.TodoCompleted}, took(d.DurationMS))
	case *clew.TodoFailedData:
		s.todo(clew.Todo{ID: d.TodoID, Task: d.Task, Status: clew.TodoFailed}, d.Error.Message)
	case *clew.TaskSpawnedData:
		if !s.steps[d.ChildTaskID] {
			s.note(Faint, "↳ a subtask begins")
		}
	case *clew.TaskUnpausedData:
		s.note(Faint, "↲ the subtask is done")
	case *clew.MessageQueuedData:
		if d.ClientMessageID == s.said && s.said != "" {
			s.note(Waiting, "It waits until what is under way is done (place %d in the queue).", d.Position)
		}
	case *clew.HitlPausedData:
		s.note(Waiting, "The run is paused%s.", Because(d.Reason))
	case *clew.HitlResumedData:
		s.note(PlainInk, "The run goes on.")
	case *clew.HistoryRewoundData:
		s.note(Waiting, "The session was taken back: %s gone.", env.Goes(d.RemovedCount, "message", "is", "are"))
	case *clew.RewindUndoneData:
		s.note(Waiting, "A rewind was undone.")
	}
}

// Because is a reason behind a colon, if there is one.
func Because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// para parts blocks of different kinds by an empty line.
func (s *story) para(kind string) {
	s.end()
	s.tellKept()
	if s.before != "" && s.before != kind {
		s.Write("\n")
	}
	s.before = kind
}

func (s *story) note(i ink, format string, args ...any) {
	s.para("note")
	s.Line(i, format, args...)
}

// message tells a message once it is whole.
func (s *story) message(m clew.Message) {
	if m.Type != clew.TypeSay {
		return // questions and calls are told by others
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
	case clew.SayAPIReqRetryDelayed:
		if s.once(m) {
			s.note(Faint, "%s", env.FirstOf(m.Text, "The model did not answer; it is asked again."))
		}
	case clew.SayImage:
		if s.once(m) {
			s.note(Faint, "[%s]", env.Count(len(m.Images), "image"))
		}
	case clew.SayAPIReqStarted:
		s.SetStatus("thinking …")
	}
}

// once reports whether a message is to be told now.
func (s *story) once(m clew.Message) bool {
	if m.Partial || s.told[m.MessageID] {
		return false
	}
	s.told[m.MessageID] = true
	return true
}

// person tells what people said elsewhere.
func (s *story) person(m clew.Message) {
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

func (s *story) thought(m clew.Message) {
	if m.Partial {
		s.SetStatus("thinking …")
	} else if s.verbose && s.once(m) && m.Reasoning != "" {
		s.para("thought")
		s.Block(Faint, "  ", m.Reasoning)
	}
}

// speech is a text of an agent, which grew or comes whole.
func (s *story) speech(m clew.Message) {
	if s.told[m.MessageID] {
		return
	}
	g := s.growing(m.MessageID)
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
func (s *story) grow(id clew.MessageID, offset int, delta string) {
	at := slices.IndexFunc(s.open, func(g *growing) bool { return g.id == id })
	if at < 0 || offset > len(s.open[at].text) {
		return // output of a command, or a text whose beginning is missing
	}
	if g := s.open[at]; offset+len(delta) > len(g.text) {
		g.text = g.text[:offset] + delta
		s.flow()
	}
}

func (s *story) growing(id clew.MessageID) *growing {
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
func (s *story) flow() {
	if len(s.open) > 0 && !s.hold && !s.keep {
		s.reveal(s.open[0])
	}
}

func (s *story) reveal(g *growing) {
	text := g.text[g.shown:]
	if g.shown == 0 {
		text = strings.TrimLeft(text, " \n")
	}
	if text == "" {
		return
	}
	if kind := "text " + string(g.id); s.before != kind {
		s.para(kind)
	}
	g.shown = len(g.text)
	s.Screen.say(text)
}

// close ends the story. The text that was kept back is told, unless it is the
// answer and that is printed elsewhere.
func (s *story) close(answered bool, answer string) {
	if s.kept != "" && answered && s.kept == strings.TrimSpace(answer) {
		s.kept = ""
	}
	s.tellKept()
}

// tellKept tells the text that was kept back.
func (s *story) tellKept() {
	if text := s.kept; text != "" {
		s.kept = ""
		s.para("text " + string(s.keptOf))
		s.say(text)
		s.end()
	}
}

// plan lists the todos, all of them or those that stand elsewhere now.
func (s *story) plan(todos []clew.Todo, all bool) {
	for _, t := range todos {
		if all || s.todos[t.ID] != t.Status {
			s.todo(t, "")
		}
		s.todos[t.ID] = t.Status
	}
}

var todoMarks = map[clew.TodoStatus]string{
	clew.TodoPending: "○", clew.TodoInProgress: "◐", clew.TodoCompleted: "●", clew.TodoFailed: "✕", clew.TodoSkipped: "–",
}

var todoInks = map[clew.TodoStatus]ink{
	clew.TodoPending: Faint, clew.TodoInProgress: Waiting, clew.TodoCompleted: Good, clew.TodoFailed: Bad, clew.TodoSkipped: Faint,
}

func (s *story) todo(t clew.Todo, about string) {
	s.para("plan")
	s.todos[t.ID] = t.Status
	text := t.Task
	if about != "" {
		text += " · " + about
	}
	s.Item(todoInks[t.Status], env.FirstOf(todoMarks[t.Status], "○"), oneLine(text))
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

// oneLine is the first line of a text.
func oneLine(s string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more && strings.TrimSpace(rest) != "" {
		first += " …"
	}
	return first
}
