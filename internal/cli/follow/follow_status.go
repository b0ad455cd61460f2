package follow

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
)

// latest is how the connection stands. Who looks late sees the newest state
// only.
type latest struct {
	mu    sync.Mutex
	state client.State
	news  chan struct{}
}

func (l *latest) set(s client.State) {
	l.mu.Lock()
	l.state = s
	l.mu.Unlock()
	select {
	case l.news <- struct{}{}:
	default: // it is known that there is something new
	}
}

func (l *latest) get() client.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// connection tells a person when the server is gone and when it is back.
func (f *follower) connection(s client.State) {
	switch {
	case s == client.Reconnecting && f.lost.IsZero():
		f.lost = time.Now()
		f.note(Waiting, "The connection is lost; trying again. The work does not depend on it.")
	case s == client.Active && !f.lost.IsZero():
		f.lost = time.Time{}
		f.note(Faint, "Connected again.")
	}
}

// ticked looks at the clock once a second.
func (f *follower) ticked() *outcome {
	if f.lost.IsZero() || f.o.GiveUp <= 0 || time.Since(f.lost) < f.o.GiveUp {
		return nil
	}
	return &outcome{EndedLost, "the server has been gone for " + term.Duration(time.Since(f.lost))}
}

// working keeps what the status line says of tools.
func (f *follower) working(messages []clew.Message) {
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Tool == nil:
		case m.Tool.Status == clew.ToolRunning:
			f.doing, f.since = callTitle(m.Tool), time.Now()
		case m.Tool.Status.Ended():
			f.doing = ""
		}
	}
}

// draw puts the line below the story: the prompt, what is typed, or what is going
// on. Texts wait while somebody types.
func (f *follower) draw() {
	f.screen.measure()
	f.hold(f.asking != nil || len(f.line.Text) > 0)
	if k := f.asking; k != nil {
		left := ""
		if text := ask.Deadline(k.Q, f.now()); text != "" {
			left = "(" + text + ") "
		}
		f.screen.setPrompt("    " + left + k.Prompt() + f.line.end())
		return
	}
	if f.story == nil {
		return
	}
	switch {
	case slices.Contains(f.line.Text, '\n'):
		f.screen.setPrompt("    Enter tells the agent all of it › " + f.line.end())
	case len(f.line.Text) > 0:
		f.screen.setPrompt("    Tell the agent › " + f.line.end())
	case !f.lost.IsZero():
		f.screen.SetStatus("no connection for " + term.Duration(time.Since(f.lost)))
	case f.doing != "":
		text := "… " + term.FirstLine(f.doing)
		if t := time.Since(f.since); t >= 2*time.Second {
			text += " · " + term.Duration(t)
		}
		f.screen.SetStatus(text)
	}
}

// hold has texts of agents wait, or go on.
func (f *follower) hold(on bool) {
	if f.story != nil && f.story.hold != on {
		f.story.hold = on
		f.story.flow()
	}
}

// setPrompt shows the line that a person types in; of a long one the end.
func (s *Screen) setPrompt(text string) {
	text = term.CleanLine(text)
	for over := term.Width(text) - (s.width - 1); over > 0; over = term.Width(text) - (s.width - 1) {
		_, text = term.Split(text, over+1)
		text = "…" + strings.TrimPrefix(text, "…")
	}
	if text == s.status {
		return
	}
	s.end()
	s.Write(text)
	s.status = text
}
