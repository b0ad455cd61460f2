package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// drawHead is the session at a glance. Where there is little room the figures go
// first, then the end of the title: what the session is doing stays.
func (m *model) drawHead() paint.Line {
	title := m.state.Session.Title
	if title == "" {
		title = "Untitled session"
	}
	mark, ink, word := m.statusLine()
	front, state := paint.L(paint.S(ink, " "+mark+" ")), paint.L(paint.S(ink, "  "+word))
	name := paint.L(paint.B(paint.Plain, title))
	figures := m.figures()
	width := func() int {
		return front.Width() + min(name.Width(), 24) + state.Width() + 3 + term.Width(strings.Join(figures, " · "))
	}
	for len(figures) > 0 && width() > m.w {
		figures = figures[1:]
	}
	right := paint.L(paint.S(paint.Soft, strings.Join(figures, " · ")+" "))
	name = name.Cut(m.w - front.Width() - state.Width() - right.Width() - 1)
	return paint.Between(append(append(front, name...), state...), right, m.w)
}

// working reports whether an agent is at work.
func (m *model) working() bool { return m.busy && m.state.Status.Status != clew.StatusPaused }

// statusLine is what the session is doing, as a mark and a word.
func (m *model) statusLine() (mark string, ink paint.Ink, word string) {
	n := len(m.questions())
	switch {
	case !m.state.Known():
		return "·", paint.Past, "opening"
	case m.state.Status.Returning != nil:
		return "◐", paint.Run, "files are being taken back"
	case n == 1:
		return "◇", paint.Ask, "needs you"
	case n > 1:
		return "◇", paint.Ask, fmt.Sprintf("needs you, %d questions", n)
	case m.working():
		return m.spinner(), paint.Run, "working" + m.elapsed()
	}
	switch m.state.Status.Status {
	case clew.StatusPaused:
		return "◇", paint.Ask, "paused"
	case clew.StatusFailed:
		return "✕", paint.Fail, "failed"
	case clew.StatusCancelled:
		return "○", paint.Past, "cancelled"
	case clew.StatusCompleted:
		return "●", paint.Run, "done"
	}
	return m.restWord()
}

// restWord is how the work ended that came last.
func (m *model) restWord() (mark string, ink paint.Ink, word string) {
	var newest *clew.TaskInfo
	for i := range m.state.Tasks {
		if t := &m.state.Tasks[i]; t.ParentTaskID == "" && (newest == nil || t.CreatedMS >= newest.CreatedMS) {
			newest = t
		}
	}
	if newest == nil || newest.Outcome == nil {
		return endMark("")
	}
	return endMark(newest.Outcome.Status)
}

// endMark shows how a session's last work ended.
func endMark(o clew.OutcomeStatus) (mark string, ink paint.Ink, word string) {
	word = ask.EndWord(o)
	switch {
	case o == clew.OutcomeFailed:
		return "✕", paint.Fail, word
	case o == clew.OutcomeBudget:
		return "◇", paint.Ask, word
	case word != "":
		return "○", paint.Past, word
	}
	return "●", paint.Past, "idle"
}

// spinner turns once a second, no faster: it is to be seen and not to be watched.
func (m *model) spinner() string {
	marks := []string{"◐", "◓", "◑", "◒"}
	return marks[m.now.Unix()%int64(len(marks))]
}

// elapsed is how long the agent has been at work.
func (m *model) elapsed() string {
	if m.workSince == 0 {
		return ""
	}
	d := max(time.Duration(m.serverNow()-m.workSince)*time.Millisecond, 0)
	if d >= time.Hour {
		return fmt.Sprintf(" %d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf(" %d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// figures are what the session cost, who is here and what a kernel does, the least
// important first.
func (m *model) figures() []string {
	var parts []string
	if n := m.state.Usage.TokensIn + m.state.Usage.TokensOut; n > 0 {
		parts = append(parts, term.Tokens(n))
	}
	if m.state.Usage.CostUSD > 0 {
		parts = append(parts, term.Dollars(m.state.Usage.CostUSD))
	}
	if n := len(m.state.Viewers); n == 1 && m.state.Viewers[0].Clients > 1 {
		parts = append(parts, fmt.Sprintf("%s ×%d", m.state.Viewers[0].UserID, m.state.Viewers[0].Clients))
	} else if n > 0 {
		names := make([]string, 0, n)
		for _, v := range m.state.Viewers {
			names = append(names, string(v.UserID))
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	if work := ask.KernelWork(m.state.Notebooks); work != "" { // the last to go
		parts = append(parts, work)
	}
	for i := range parts {
		parts[i] = term.CleanLine(parts[i])
	}
	return parts
}
