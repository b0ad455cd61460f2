package follow

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// pastShown is how much of a transcript somebody gets who comes later.
const pastShown = 20

// past tells the newest messages of a session in short. If there are earlier ones, it
// says so first, with the command that shows them.
func (s *transcriptPrinter) past(messages []clew.Message, shows string) {
	from := 0
	for i, n := len(messages)-1, 0; i >= 0 && n < pastShown; i-- {
		if from = i; worthTelling(messages[i]) {
			n++
		}
	}
	if slices.ContainsFunc(messages[:from], worthTelling) {
		s.note(Faint, "… there is more before this: %s", shows)
	}
	for i := range messages[from:] {
		m := &messages[from+i]
		switch {
		case m.Partial || !worthTelling(*m):
		case m.Type == clew.TypeAsk && m.Tool != nil:
			s.para("tool")
			mark, i := "✓", Good
			if m.Tool.Status != clew.ToolComplete {
				mark, i = "✕", Bad
			}
			s.Item(i, mark, term.FirstLine(env.FirstOf(m.Tool.Title, m.Tool.Name+" "+m.Tool.Input)))
		default:
			s.message(m)
		}
	}
}

func worthTelling(m clew.Message) bool {
	switch {
	case m.Type == clew.TypeAsk:
		return m.Tool != nil && m.Tool.Status.Ended()
	case m.Say == clew.SayUserFeedback, m.Say == clew.SayText, m.Say == clew.SayCompletionResult, m.Say == clew.SayError:
		return m.Text != ""
	}
	return false
}
