package client

import (
	"context"
	"errors"

	"github.com/clew-run/clew"
)

// An AskEvent is what Ask yields: *TextEvent, *ToolEvent, *QuestionEvent, and at the
// end *ResultEvent.
type AskEvent interface{ askEvent() }

// A TextEvent is a piece of what the agent says. Output of commands and words of
// subtasks are not in it.
type TextEvent struct {
	MessageID clew.MessageID // pieces of one message have the same
	Text      string
	// Again says that the model began the message anew: Text stands in place of the
	// earlier pieces.
	Again bool
}

// A ToolEvent says that a tool call began (Status is ToolRunning) or ended. A call
// that never ran, because somebody denied it, has its end only.
type ToolEvent struct {
	MessageID clew.MessageID
	CallID    string
	TaskID    clew.TaskID // that of a subtask if one made the call
	clew.MessageTool
}

// A QuestionEvent is a question that waits for an answer: from Answer, or from
// anybody else with access to the session. The work waits as well.
type QuestionEvent struct {
	clew.Question
	api *API
}

// Answer answers the question. An approval takes Action clew.ChoiceApprove or
// clew.ChoiceReject, a question in words takes Value. HITL_REQUEST_EXPIRED means that
// somebody else was faster.
func (q *QuestionEvent) Answer(ctx context.Context, answer InboxAnswer) error {
	_, err := q.api.AnswerQuestion(ctx, q.RequestID(), answer)
	return err
}

// A ResultEvent is how the work ended.
type ResultEvent struct {
	SessionID clew.SessionID
	TaskID    clew.TaskID
	Answer    string // the final answer, or else what the agent said last
	Outcome   clew.Outcome
	Usage     clew.Usage // of this work, subtasks included
	Reports   []string   // of a plan: paths on the server
}

// Err is nil for work that is done, and says otherwise why it is not.
func (r *ResultEvent) Err() error {
	switch {
	case r.Outcome.Status == clew.OutcomeDone:
		return nil
	case r.Outcome.Message != "":
		return errors.New(string(r.Outcome.Status) + ": " + r.Outcome.Message)
	}
	return errors.New(string(r.Outcome.Status))
}

func (*TextEvent) askEvent()     {}
func (*ToolEvent) askEvent()     {}
func (*QuestionEvent) askEvent() {}
func (*ResultEvent) askEvent()   {}
