package agent

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/session"
)

// modelStream shows an answer as it comes: thoughts and words each grow in a
// message of their own, one at a time.
type modelStream struct {
	desk   *session.TurnContext
	open   *session.Stream
	closed []clew.Message // of streams that ended, not on record yet
	turned bool           // the open message is not the first of this attempt
	said   clew.MessageID // the last message with words
	failed error          // of the session, not of the model
	deaf   bool           // nobody sees it grow
}

// hear takes one piece.
func (l *modelStream) hear(d llm.Delta) error {
	var say clew.Say
	switch d.Kind {
	case llm.DeltaText:
		say = clew.SayText
	case llm.DeltaThinking:
		say = clew.SayReasoning
	case llm.DeltaToolStart, llm.DeltaToolInput:
		return nil
	}
	if d.Text == "" || l.deaf {
		return nil
	}
	if err := l.turnTo(say); err != nil {
		l.failed = err
		return err
	}
	crash.At("model.delta")
	if err := l.open.Write(d.Text); err != nil {
		l.failed = err
		return err
	}
	return nil
}

// turnTo opens a message of a kind and closes the one before.
func (l *modelStream) turnTo(say clew.Say) (err error) {
	if l.open != nil && l.open.Say() == say {
		return nil
	}
	before := l.closed
	if l.open != nil {
		before, l.turned = append(before, l.open.Final()), true
	}
	l.closed, l.open = nil, nil
	if l.open, err = l.desk.Open(say, "", before...); err != nil {
		return err
	}
	if say == clew.SayText {
		l.said = l.open.MessageID()
	}
	return nil
}

// restart begins another attempt. A message that began with the failed one is
// written anew; if there was one before it, both stay as they are, because what
// the next attempt begins with does not belong into the later one.
func (l *modelStream) restart() error {
	switch {
	case l.open == nil:
		return nil
	case l.turned:
		l.closed, l.open, l.turned = append(l.closed, l.open.Final()), nil, false
		l.said = ""
		return nil
	}
	return l.open.Restart()
}

// finals closes what is open.
func (l *modelStream) finals() []clew.Message {
	if l.open == nil {
		return l.closed
	}
	return append(l.closed, l.open.Final())
}
