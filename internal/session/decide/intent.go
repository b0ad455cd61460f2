package decide

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// An Intent is what an agent wants recorded. It is a plain value: the agent says
// what it found out, and what that leads to is decided in the session's goroutine,
// on the state as it is then. Whatever has to be fresh (whether something new may
// begin, budgets, counts of what ran unasked) is looked at there.
type Intent interface {
	decide(tx *Tx, s *core.State, t *core.Task) (Result, error)
}

// A Result is what became of an intent, as far as its agent has to know.
type Result struct {
	// Started says that a model call is on record, as the message Request. History
	// is what the model hears with it, Summary the name of the summary that it is
	// for.
	Started bool
	Request clew.MessageID
	History []clew.ModelMessage
	Summary string
	// Told says that the model hears of what happened meanwhile.
	Told bool
	// Begun names the calls that may run now.
	Begun []string
	// Opened is the message that begins to grow.
	Opened clew.Message
	// Question is the one that was put to people.
	Question clew.RequestID
	// Warned is the turn in which people were told that their files are not saved,
	// "" if they were not told now.
	Warned clew.MessageID
	// Notebook is what became of a notebook's report.
	Notebook NotebookResult
}

// A Script is an intent for tests: it records what it likes, in the session's
// goroutine. No agent of the program has one.
type Script func(tx *Tx, s *core.State, t *core.Task)

func (f Script) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	f(tx, s, t)
	return Result{}, nil
}

// EndTurn ends the turn.
type EndTurn struct{}

func (EndTurn) decide(tx *Tx, _ *core.State, t *core.Task) (Result, error) {
	tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	return Result{}, nil
}

// A Note is a line of the system in the transcript. Texts are messages that end
// with it.
type Note struct {
	Texts []clew.Message
	Say   clew.Say
	Text  string

	Metadata     map[string]any
	Instructions *clew.InstructionsRead
}

func (n Note) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	r.update(n.Texts)
	r.say(clew.Message{Say: n.Say, Role: clew.SpeakerSystem, Text: n.Text, Metadata: n.Metadata, Instructions: n.Instructions})
	return Result{}, nil
}

// CloseTexts closes the task's growing messages as they stand, and records how
// the files were found.
type CloseTexts struct{ Files *SeenFiles }

func (c CloseTexts) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	CloseOpenTexts(tx, s, t)
	r.files(c.Files)
	return r.res, nil
}
