package core

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/prompt"
)

// labelRunes is what is kept of somebody's words to tell reload options apart.
const labelRunes = 80

// fingerprint is what a turn of a root begins with; none if it is about more than
// words.
func (s *State) fingerprint(t *Task, in Input) prompt.Fingerprint {
	if t.ParentTaskID != "" || t.Run != nil || in.Text == "" || len(in.Images) > 0 {
		return prompt.Fingerprint{}
	}
	return prompt.NewFingerprint(in.Text, PlainLine(in.Text, labelRunes), prompt.WindowsHash(s.promptWindows()))
}

// keepReload keeps what a turn showed, so that it can be shown again. A turn that was
// stopped has not shown all, and one that heard more than its first words, or showed
// something again, did not come to it by these words alone.
func (s *State) keepReload(t *Task) {
	if f := t.Turn.Fingerprint; f != (prompt.Fingerprint{}) && t.Outcome != nil && t.Outcome.Status == clew.OutcomeDone {
		s.Reload = s.Reload.With(f, t.Turn.Acts)
	}
}
