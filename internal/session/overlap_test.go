package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// An agent that takes its time to leave keeps the next one waiting: no two work
// on one task.
func TestOneAgentAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most, all atomic.Int32
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{Agent: agentFunc(func(ctx context.Context, _ core.Turn, _ clew.Message, _ *session.TurnContext) error {
			all.Add(1)
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer now.Add(-1)
			<-ctx.Done()
			time.Sleep(300 * time.Millisecond)
			return nil
		})})
		id := create(t, h, "")
		for _, m := range []string{"one", "two", "three"} {
			do(t, h, id, say(m, m))
			synctest.Wait()
			do(t, h, id, clew.NewCommand(ann, &clew.InterruptData{}))
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if most.Load() != 1 || all.Load() < 1 {
			t.Errorf("%d agents worked, %d of them at once", all.Load(), most.Load())
		}
		do(t, h, id, say("four", "four"))
		synctest.Wait()
		if now.Load() != 1 {
			t.Error("nobody works on the last message")
		}
		do(t, h, id, clew.NewCommand(ann, &clew.InterruptData{}))
		time.Sleep(time.Second)
	})
}

// More than one message of the engine takes is refused, and the turn ends.
func TestBatchTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{MaxRecord: 64 << 10, Agent: agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, d *session.TurnContext) error {
			_, err := sessiontest.Record(d, func(tx *decide.Tx, _ *core.State, t *core.Task) {
				for range 3 {
					tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, Message: clew.ModelMessage{
						Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: strings.Repeat("x", 30<<10)}},
					}})
				}
			})
			if clew.CodeOf(err) != clew.MessageTooLarge {
				t.Errorf("recorded: %v", err)
			}
			return err
		})})
		id := create(t, h, "")
		do(t, h, id, say("m1", "go"))
		synctest.Wait()
		if st := stateOf(t, h, id); st.Status != clew.StatusIdle {
			t.Errorf("the session is %s", st.Status)
		}
		checkFold(t, j, h, id)
	})
}
