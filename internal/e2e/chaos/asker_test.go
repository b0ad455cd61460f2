package chaos

import (
	"context"
	"fmt"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
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
func (a *asker) Work(_ context.Context, turn core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	v, err := desk.View()
	if err != nil || v.Question != nil {
		return nil // the turn is over, or waits
	}
	if a.again(string(v.Session) + string(turn.ID)) {
		_, err := sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, t *core.Task) {
			tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
		})
		return err
	}
	var count, timeout int
	if _, err := fmt.Sscanf(prompt.Text, "%d %d", &count, &timeout); err != nil {
		return err
	}
	began := now()
	var open []clew.Asking
	_, err = sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
		open = open[:0]
		for i := range count {
			q := clew.HitlInputRequestData{Field: "who", Question: fmt.Sprintf("Who is first, %d?", i), InputType: clew.InputText, DefaultValue: nobody}
			q.TimeoutSec = timeout
			n := tx.Len()
			decide.AskInput(tx, s, t, q)
			tx.Truncate(n + 2)
			open = append(open, tx.Since(n)[1].Data.(*clew.HitlInputRequestData).Asking)
		}
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
