package tui

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
)

// A wordsEffect is what the server makes of plain words while a question is open.
type wordsEffect struct {
	text    string // for the person, "" if nothing is open
	instead string // what to do in place of a bare yes or no, "" if that can be sent
	weight  int    // the more, the more a person has to know it
}

const (
	yesOrNo  = "press tab, then y or n"
	byNumber = "press tab, then a number"
)

// wordsMean says what becomes of what is written. Words never approve an act. Of
// several questions the server chooses, so the gravest meaning is told.
func (m *model) wordsMean() wordsEffect {
	if m.write.mode == clew.ModeRun { // a plan is a task of its own
		return wordsEffect{}
	}
	var most wordsEffect
	for _, q := range m.questions() {
		is := m.wordsAt(q)
		if is.weight < most.weight {
			is, most = most, is
		}
		if is.instead == "" {
			is.instead = most.instead
		}
		most = is
	}
	return most
}

// wordsAt says what words mean if one question gets them.
func (m *model) wordsAt(q clew.Question) wordsEffect {
	switch q.Asking().WordsEffect {
	case clew.WordsChange:
		return wordsEffect{"a plan is open: your words ask to change it", yesOrNo, 3}
	case clew.WordsSteer:
		return wordsEffect{"", yesOrNo, 0}
	case clew.WordsContinue:
		return wordsEffect{"your words let it continue", yesOrNo, 1}
	case clew.WordsAnswer:
		if labels, _ := client.Choices(q); len(labels) > 0 {
			return wordsEffect{"your words answer the question", byNumber, 2}
		}
		return wordsEffect{"your words answer the question", "", 2}
	}
	return wordsEffect{"a question is open: your words deny it and say what to do", yesOrNo, 4}
}

// writtenMeans is what becomes of what is written, for the person.
func (m *model) writtenMeans() string {
	if c, ok := m.choiceInWords(); ok {
		return "this chooses “" + term.CleanLine(c.label) + "”"
	}
	return m.wordsMean().text
}
