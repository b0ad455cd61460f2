package chaos

import (
	"context"
	"fmt"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// asker is an agent that asks as many questions as its message says, all at
// once, and rests when they are settled.
type asker struct {
	asked chan question

	mu   sync.Mutex
	done map[string]bool // turns whose questions were asked
}

// question is one that is open on record.
type question struct {
	session  clew.SessionID
	id       clew.RequestID
	askedNS  int64 // before it was open
	deadline int64 // Unix ms, 0 for none
}

func newAsker() *asker { return &asker{asked: make(chan question, 1<<16), done: map[string]bool{}} }

// askText is the message that has the asker ask.
func askText(count, timeoutSec int) string { return fmt.Sprintf("%d %d", count, timeoutSec) }

// Work implements session.Agent.
func (a *asker) Work(_ context.Context, turn session.Turn, prompt clew.Message, desk *session.Desk) error {
	v, err := desk.View()
	if err != nil || v.Question != nil {
		return nil // the turn is over, or waits
	}
	if a.again(string(v.Session) + string(turn.ID)) {
		_, err := desk.RecordTask(func(_ session.Batch, _ *session.State, t *session.Task) []clew.Event {
			return []clew.Event{{Type: clew.EventTaskIdle, Data: &clew.TaskIdleData{TaskRef: t.TaskRef}}}
		})
		return err
	}
	var count, timeout int
	if _, err := fmt.Sscanf(prompt.Text, "%d %d", &count, &timeout); err != nil {
		return err
	}
	began := now()
	var open []clew.Asking
	_, err = desk.RecordTask(func(b session.Batch, s *session.State, t *session.Task) []clew.Event {
		var events []clew.Event
		open = open[:0]
		for i := range count {
			q := clew.HitlInputRequestData{Field: "who", Question: fmt.Sprintf("Who is first, %d?", i), InputType: clew.InputText, DefaultValue: nobody}
			q.TimeoutSec = timeout
			made := session.AskInput(s, t, b, len(events), q)[:2]
			events = append(events, made...)
			open = append(open, made[1].Data.(*clew.HitlInputRequestData).Asking)
		}
		return events
	})
	if err != nil {
		return err
	}
	for _, q := range open {
		a.asked <- question{session: v.Session, id: q.RequestID, askedNS: began, deadline: q.DeadlineMS}
	}
	return nil
}

// again reports whether the turn was here before.
func (a *asker) again(turn string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.done[turn]
	a.done[turn] = true
	return was
}
