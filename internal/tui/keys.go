package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tui/paint"
)

// press does what a key says: first what holds everywhere, then by focus.
func (m *model) press(k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	m.note = "" // it was about what was done before
	if key != "ctrl+c" {
		m.leaving = time.Time{}
	}
	if key != "esc" {
		m.stopping = time.Time{}
	}
	switch {
	case m.prompt != nil:
		return m.pressPrompt(k)
	case m.palette != nil:
		return m.pressPalette(k)
	case key == "ctrl+c":
		return m.leave()
	case m.overlay != nil:
		return m.overlay.press(m, k)
	}
	if m.mentions() {
		if cmd, ok := m.pressMention(key); ok {
			return cmd
		}
	}
	if cmd, ok := m.pressAnywhere(key); ok {
		return cmd
	}
	switch m.focus {
	case answering:
		return m.pressQuestion(k)
	case planning:
		return m.pressPlan(k)
	case reading:
		return m.pressReading(key)
	}
	cmd := m.pressWriting(k)
	if k.Text == "" && key != "backspace" { // somebody goes elsewhere in what is written
		m.files = mentioning{asking: m.files.asking}
		return cmd
	}
	if strings.TrimSpace(k.Text) == "" && key != "backspace" {
		m.attachTyped()
	}
	return tea.Batch(cmd, m.seekFiles())
}

// leave ends the program at the second ctrl+c: the first one may be what hands do
// before they think.
func (m *model) leave() tea.Cmd {
	if m.now.Sub(m.leaving) < noteFor {
		return tea.Quit
	}
	m.leaving = m.now
	m.overlay = nil
	m.tell(paint.Ask, "press ctrl+c again to leave; the work continues")
	return nil
}

// pressAnywhere knows the keys that hold wherever the focus is.
func (m *model) pressAnywhere(key string) (tea.Cmd, bool) {
	_, height := m.transcriptSize()
	switch key {
	case "tab":
		m.nextFocus()
	case "esc":
		return m.back(), true
	case "ctrl+g":
		m.nextQuestion()
	case "ctrl+k":
		return m.open(newSwitcher("")), true
	case "ctrl+f":
		if m.focus == writing && !m.write.Empty() { // there it goes on by a character
			return nil, false
		}
		return m.open(newFinder(m.link.session)), true
	case "ctrl+o":
		return m.open(&inbox{}), true
	case "ctrl+n":
		return m.newSession(), true
	case "ctrl+r":
		return m.open(&rewind{files: true}), true
	case "ctrl+p":
		m.togglePlan()
	case "f1":
		return m.open(&help{}), true
	case "ctrl+z":
		return tea.Suspend, true
	case "ctrl+l":
		return tea.ClearScreen, true
	case "pgup":
		if m.focus == answering {
			return nil, false
		}
		return m.scroll(-max(height-2, 1)), true
	case "pgdown":
		if m.focus == answering {
			return nil, false
		}
		return m.scroll(max(height-2, 1)), true
	case "ctrl+end":
		m.sight.follow = true
	case "ctrl+x":
		return m.interrupt(), true
	default:
		if m.focus == writing {
			return nil, false
		}
		return m.pressAtRest(key)
	}
	return nil, true
}

// pressAtRest knows the keys that hold wherever nobody writes.
func (m *model) pressAtRest(key string) (tea.Cmd, bool) {
	switch key {
	case "q":
		return tea.Quit, true
	case "?":
		return m.open(&help{}), true
	case "g":
		m.nextQuestion()
	case "i":
		m.focus = writing
	case "w":
		return m.open(&windows{}), true
	case "/":
		if m.focus == reading {
			return m.open(newFinder(m.link.session)), true
		}
		if m.focus = writing; m.write.Empty() {
			return m.openPalette(""), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// nextFocus goes around: the question, the transcript, the plan, the composer. It
// goes to a question only once that was on the screen.
func (m *model) nextFocus() {
	order := []focus{writing}
	if _, _, of := m.question(); of > 0 && m.ask.drawn {
		order = append(order, answering)
	}
	order = append(order, reading)
	if m.planWidth() > 0 {
		order = append(order, planning)
	}
	for i, f := range order {
		if f == m.focus {
			m.focus = order[(i+1)%len(order)]
			m.arrive()
			return
		}
	}
	m.focus = writing
}

func (m *model) arrive() {
	if rows := m.rows(); m.focus == reading && len(rows) > 0 {
		m.sight.chosen = rows[len(rows)-1].ID
		if !m.sight.follow {
			m.sight.chosen = m.sight.top
		}
	}
}

// stopsWithEsc reports whether esc is about the agent: it works, and nothing is
// written or asked.
func (m *model) stopsWithEsc() bool {
	return m.focus == writing && m.working() && m.write.Empty() && len(m.questions()) == 0
}

// escStops stops the agent at the second esc.
func (m *model) escStops() tea.Cmd {
	if m.now.Sub(m.stopping) < noteFor {
		m.stopping = time.Time{}
		return m.stop()
	}
	m.stopping = m.now
	m.tell(paint.Ask, "esc again stops the agent; tab goes to the transcript")
	return nil
}

// back leaves what is open; from the composer it goes to the transcript.
func (m *model) back() tea.Cmd {
	if m.stopsWithEsc() {
		return m.escStops()
	}
	if m.focus != writing {
		m.focus = writing
		return nil
	}
	m.focus = reading
	m.arrive()
	return nil
}

func (m *model) pressReading(key string) tea.Cmd {
	_, height := m.transcriptSize()
	switch key {
	case "up", "k":
		return m.move(-1)
	case "down", "j":
		return m.move(1)
	case "enter", "space":
		return m.unfold()
	case "u":
		return m.scroll(-height / 2)
	case "d":
		return m.scroll(height / 2)
	case "home":
		return m.scroll(-1 << 20)
	case "end", "G":
		m.sight.follow = true
		m.arrive()
	}
	return nil
}

func (m *model) pressWriting(k tea.KeyPressMsg) tea.Cmd {
	width := m.w - composerMargin
	switch k.String() {
	case "enter":
		return m.say(clew.ArrivalSteer)
	case "ctrl+q":
		return m.say(clew.ArrivalQueue)
	case "ctrl+t":
		m.toggleMode()
	case "ctrl+d": // the end of what is typed, as in a shell
		if m.write.Empty() {
			return tea.Quit
		}
		m.write.key(k)
	case "/":
		if len(m.write.Text) == 0 {
			return m.openPalette("")
		}
		m.write.key(k)
	case "end":
		if m.write.Empty() {
			m.sight.follow = true
		}
		m.write.key(k)
	case "up":
		if !m.write.vertical(-1, width) {
			m.recall(1)
		}
	case "down":
		if !m.write.vertical(1, width) {
			m.recall(-1)
		}
	case "backspace":
		m.write.key(k)
		return m.commandAgain()
	default:
		m.write.key(k)
	}
	return nil
}

// commandAgain opens the palette where what is left begins the name of a command.
func (m *model) commandAgain() tea.Cmd {
	typed, slash := strings.CutPrefix(m.write.String(), "/")
	p := palette{}
	p.filter.Set(typed)
	if !slash || typed == "" || len(p.found()) == 0 {
		return nil
	}
	m.write.clear()
	return m.openPalette(typed)
}

// toggleMode chooses whether the next message is talk or a run with a plan.
func (m *model) toggleMode() {
	if m.write.mode == clew.ModeRun {
		m.write.mode = ""
		return
	}
	m.write.mode = clew.ModeRun
}

// interrupt stops what agents are doing, once more after a question.
func (m *model) interrupt() tea.Cmd {
	if !m.working() && len(m.questions()) == 0 {
		m.tell(paint.Soft, "nothing is under way")
		return nil
	}
	m.confirm("Stop the work under way?", "stops it", (*model).stop)
	return nil
}

func (m *model) stop() tea.Cmd {
	word := "stopped; send a message to continue"
	if m.state.Status.CurrentLayer != "" { // steps alone are no run
		word = "stopped: the run is paused; ctrl+p, then p, resumes it"
	}
	return m.command(clew.CommandInterrupt, clew.InterruptData{}, func(m *model) tea.Cmd {
		m.tell(paint.Ask, word)
		return nil
	})
}

// paste puts a text where somebody writes. It is never a key.
func (m *model) paste(text string) tea.Cmd {
	switch {
	case m.prompt != nil:
		m.prompt.Insert(text)
	case m.palette != nil:
		m.palette = nil
		m.write.Insert("/" + text)
	case m.overlay != nil:
		return m.overlay.paste(m, text)
	case m.focus == writing:
		m.write.Insert(m.attachPasted(text))
		return m.seekFiles()
	}
	return nil
}
