package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

// rest ends a turn, with messages that end before.
func rest(desk *session.TurnContext, before ...clew.Message) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, t *core.Task) {
		for _, m := range before {
			tx.Update(m)
		}
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	})
	return err
}

// hear gives the model what waits, and its answer with calls of these names.
func hear(desk *session.TurnContext, calls ...string) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, t *core.Task) {
		add := func(m clew.ModelMessage) {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: m})
		}
		for _, in := range decide.Waiting(t) {
			add(decide.Heard(in, tx.NextTS()))
		}
		if len(calls) > 0 {
			m := clew.ModelMessage{Role: clew.SpeakerAssistant, TS: tx.NextTS()}
			for _, id := range calls {
				m.Content = append(m.Content, clew.Part{Type: clew.PartToolUse, ToolCallID: id, Tool: "run", Input: json.RawMessage(`{}`)})
			}
			add(m)
		}
	})
	return err
}

// progress records where a call stands.
func progress(desk *session.TurnContext, id string, status clew.ToolStatus) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, t *core.Task) {
		tx.Add(&clew.ToolProgressData{
			ToolCallID: id, Tool: "run", Status: status, TaskID: t.TaskID, AgentID: t.AgentID, Class: clew.ClassReadOnly, Output: "out",
		})
	})
	return err
}

// piece is a delta of either kind.
type piece struct {
	Type clew.EventType         `json:"type"`
	Data clew.AgentResponseData `json:"data"` // agent_thinking has the same fields
}

// Covers: C-17, EVT-08, MSG-31, WS-046, MSG-27
func TestReasoningThenText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Agent: agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			think, err := desk.Open(clew.SayReasoning, "")
			if err != nil {
				return err
			}
			if err := errors.Join(think.Write("let me "), think.Write("see")); err != nil {
				return err
			}
			say, err := desk.Open(clew.SayText, "", think.Final())
			if err != nil {
				return err
			}
			err = errors.Join(say.Write("it is "), say.Write("so"))
			if say.Say() != clew.SayText || say.Text() != "it is so" || think.Text() != "let me see" || say.MessageID() == think.MessageID() {
				err = errors.Join(err, errors.New("the streams do not know themselves"))
			}
			return errors.Join(err, rest(desk, say.Final()))
		})})
		id := create(t, h, "")
		w := watch(t, h, id)
		pos, _ := w.Feed().End()
		do(t, h, id, say("m1", "go"))
		synctest.Wait()
		texts := map[clew.EventType]string{}
		for _, it := range drain(t, w.Feed(), pos) {
			var p piece
			if err := json.Unmarshal(it.Envelope, &p); err != nil {
				t.Fatal(err)
			}
			if it.Seq > 0 {
				continue
			}
			if p.Data.Offset != len(texts[p.Type]) || p.Data.ReplyTo == "" {
				t.Errorf("a piece %+v after %q", p, texts[p.Type])
			}
			texts[p.Type] += p.Data.Delta
		}
		if texts[clew.EventAgentThinking] != "let me see" || texts[clew.EventAgentResponse] != "it is so" {
			t.Errorf("streamed %q", texts)
		}
		created, updated := replies(t, journaled(t, j, id))
		if len(created) != 2 || len(updated) != 2 || updated[0].Reasoning != "let me see" || updated[0].Text != "" ||
			updated[1].Text != "it is so" || updated[0].Partial || updated[1].Partial {
			t.Errorf("on record: %+v", updated)
		}
		checkFold(t, j, h, id)
	})
}

// Text that stood on the screen for a second is on record, also if nothing came after
// it: a crash then would lose it. A closed message is not opened again by that.
//
// Covers: C-17
func TestPauseInAStreamIsOnRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Agent: agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			st, err := desk.Open(clew.SayText, "")
			if err != nil {
				return err
			}
			err = errors.Join(st.Write("first, "), st.Write("second"))
			time.Sleep(5 * time.Second)
			err = errors.Join(err, st.Write(", third"), st.Write(", fourth"), rest(desk, st.Final()))
			time.Sleep(5 * time.Second)
			return err
		})})
		id := create(t, h, "")
		do(t, h, id, say("m1", "go"))
		time.Sleep(2 * time.Second) // and the process dies here
		if _, updated := replies(t, journaled(t, j, id)); len(updated) != 1 || updated[0].Text != "first, second" || !updated[0].Partial {
			t.Errorf("on record in the pause: %+v", updated)
		}
		time.Sleep(20 * time.Second)
		_, updated := replies(t, journaled(t, j, id))
		if end := updated[len(updated)-1]; len(updated) > 3 || end.Text != "first, second, third, fourth" || end.Partial {
			t.Errorf("on record in the end: %+v", updated)
		}
		checkFold(t, j, h, id)
	})
}

// Who joins while a text is written anew never sees a piece that does not fit.
func TestRestartEmptiesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{Agent: agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			st, err := desk.Open(clew.SayText, "")
			if err != nil {
				return err
			}
			err = errors.Join(st.Write("wro"), st.Write("ng"), st.Restart(), st.Restart(), st.Write("right"))
			return errors.Join(err, rest(desk, st.Final()))
		})})
		id := create(t, h, "")
		w := watch(t, h, id)
		pos, _ := w.Feed().End()
		do(t, h, id, say("m1", "go"))
		synctest.Wait()
		text, emptied := "", 0
		for _, it := range drain(t, w.Feed(), pos) {
			if it.Seq == 0 {
				d := decodeDelta(t, it.Envelope)
				if d.Offset != len(text) {
					t.Fatalf("a piece at %d after %q", d.Offset, text)
				}
				text += d.Delta
				continue
			}
			var env struct {
				Type clew.EventType          `json:"type"`
				Data clew.MessageUpdatedData `json:"data"`
			}
			if err := json.Unmarshal(it.Envelope, &env); err != nil {
				t.Fatal(err)
			}
			if env.Type == clew.EventMessageUpdated && env.Data.Message.Partial {
				text = env.Data.Message.Text
				emptied++
			}
		}
		if text != "right" || emptied != 1 {
			t.Errorf("the text is %q, emptied %d times", text, emptied)
		}
	})
}

// Covers: WS-097
func TestResumeAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(journaltest.Memory)
		f := &faults{Journal: m.Node("a")}
		a := start(t, f, session.Config{Agent: agentFunc(func(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			v, err := desk.View()
			if err != nil {
				return err
			}
			if st, err := desk.Resume(v); st != nil || err != nil {
				return errors.Join(err, errors.New("there is nothing to resume"))
			}
			st, err := desk.Open(clew.SayText, "")
			if err != nil {
				return err
			}
			for range 3 {
				time.Sleep(time.Second)
				if err := st.Write("lost "); err != nil {
					return err
				}
			}
			<-ctx.Done()
			return ctx.Err()
		})})
		id := create(t, a, "")
		do(t, a, id, say("m1", "go"))
		time.Sleep(5 * time.Second)
		f.kill()
		m.Down("a")
		stop(a)
		b := start(t, m.Node("b"), session.Config{Agent: agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			v, err := desk.View()
			if err != nil {
				return err
			}
			st, err := desk.Resume(v)
			if err != nil || st == nil || st.Text() != "" {
				return errors.Join(err, errors.New("the message was not taken up"))
			}
			return errors.Join(st.Write("found"), rest(desk, st.Final()))
		})})
		b.TakeOver(t.Context(), []clew.SessionID{id})
		synctest.Wait()
		created, updated := replies(t, journaled(t, m.Node("b"), id))
		n := len(updated)
		if len(created) != 1 || n < 3 || updated[n-1].Text != "found" || updated[n-1].Partial || updated[n-2].Text != "" || !strings.HasPrefix(updated[n-3].Text, "lost") {
			t.Errorf("%d created, updates %+v", len(created), updated)
		}
		checkFold(t, m.Node("b"), b, id)
	})
}

// A running tool asks and waits; an interrupt or its own impatience ends that.
//
// Covers: MSG-28
func TestDeskAsk(t *testing.T) {
	command := func(data any) clew.Command {
		return clew.Command{Type: clew.CommandInterrupt, By: ann, ClientMessageID: "c1", Data: data}
	}
	tests := map[string]struct {
		then func(t *testing.T, h *session.Host, id clew.SessionID)
		want clew.Resolution
	}{
		"answered": {func(t *testing.T, h *session.Host, id clew.SessionID) {
			do(t, h, id, command(&clew.HitlInputResponseData{Value: "blue"}))
		}, clew.ResolvedAnswer},
		"interrupted": {func(t *testing.T, h *session.Host, id clew.SessionID) { do(t, h, id, command(&clew.InterruptData{})) }, clew.ResolvedCancelled},
		"too late":    {nil, clew.ResolvedCancelled},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := new(journaltest.Memory).Node("a")
				var got clew.HitlResolvedData
				var failed error
				h := start(t, j, session.Config{Agent: agentFunc(func(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
					if err := errors.Join(hear(desk, "c1"), progress(desk, "c1", clew.ToolRunning)); err != nil {
						return err
					}
					ctx, cancel := context.WithTimeout(ctx, time.Minute)
					defer cancel()
					got, failed = desk.Ask(ctx, clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: "c1"}, Question: "which?", InputType: clew.InputText})
					return errors.Join(progress(desk, "c1", clew.ToolComplete), rest(desk))
				})})
				id := create(t, h, "")
				do(t, h, id, say("m1", "go"))
				synctest.Wait()
				if st := stateOf(t, h, id); st.HitlPending == nil || st.Status != clew.StatusExecuting {
					t.Fatalf("no question: %+v", st.Status)
				}
				if tt.then == nil {
					time.Sleep(time.Hour)
				} else {
					tt.then(t, h, id)
				}
				synctest.Wait()
				if tt.want == clew.ResolvedAnswer && (failed != nil || got.Value != "blue") {
					t.Errorf("the tool got %+v, %v", got, failed)
				}
				if tt.want == clew.ResolvedCancelled && failed == nil && got.Action != clew.ResolvedCancelled {
					t.Errorf("the tool got %+v", got)
				}
				if st := stateOf(t, h, id); st.HitlPending != nil || st.Status != clew.StatusIdle {
					t.Errorf("left: %+v, %s", st.HitlPending, st.Status)
				}
				resolved := 0
				for _, r := range journaled(t, j, id) {
					if r.Type == clew.EventHitlResolved {
						resolved++
						if !strings.Contains(string(r.Data()), `"`+string(tt.want)+`"`) {
							t.Errorf("resolved %s", r.Data())
						}
					}
				}
				if resolved != 1 {
					t.Errorf("settled %d times", resolved)
				}
				checkFold(t, j, h, id)
			})
		})
	}
}

// An agent that waits for a person is not there; the answer brings it back.
func TestAgentComesBackAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		calls := 0
		h := start(t, j, session.Config{Agent: agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			if calls++; calls > 1 {
				return errors.Join(progress(desk, "c1", clew.ToolComplete), progress(desk, "c2", clew.ToolComplete), rest(desk))
			}
			if err := hear(desk, "c1", "c2"); err != nil {
				return err
			}
			_, err := sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, task *core.Task) {
				decide.AskApproval(tx, s, task, clew.HitlApprovalRequestData{
					Ask: clew.AskCommand, Asking: clew.Asking{ToolCallID: "c1"}, Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject},
				})
			})
			return err // c2 is left for later
		})})
		id := create(t, h, "")
		do(t, h, id, say("m1", "go"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if st := stateOf(t, h, id); calls != 1 || st.Status != clew.StatusAwaitingInput {
			t.Fatalf("called %d times, the session is %s", calls, st.Status)
		}
		do(t, h, id, clew.Command{By: ann, ClientMessageID: "y", Data: &clew.AskResponseData{AskResponse: clew.YesButtonClicked}})
		synctest.Wait()
		if st := stateOf(t, h, id); calls != 2 || st.Status != clew.StatusIdle {
			t.Errorf("called %d times, the session is %s", calls, st.Status)
		}
		if slices.Contains(types(journaled(t, j, id)), clew.EventError) {
			t.Error("waiting was taken for a failure")
		}
		checkFold(t, j, h, id)
	})
}

// Covers: C-22
func TestReportsAfterTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		var late [3]error
		h := start(t, j, session.Config{Agent: agentFunc(func(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			<-ctx.Done()
			_, late[0] = sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, _ *core.Task) {
				tx.Add(&clew.SessionRenamedData{Title: "too late"})
			})
			_, late[1] = desk.View()
			_, late[2] = desk.Open(clew.SayText, "")
			return nil
		})})
		id := create(t, h, "")
		do(t, h, id, say("m1", "go"))
		do(t, h, id, clew.Command{By: ann, ClientMessageID: "i", Data: &clew.InterruptData{}})
		synctest.Wait()
		if slices.Contains(late[:], nil) {
			t.Errorf("after its turn: %v", late)
		}
		if got := stateOf(t, h, id); got.Title != "first" || got.Status != clew.StatusIdle {
			t.Errorf("the session is %q, %s", got.Title, got.Status)
		}
	})
}

// Several tools of one turn record at the same time.
func TestDeskIsShared(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	over := make(chan error, 1)
	h := start(t, j, session.Config{Agent: agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
		ids := []string{"c1", "c2", "c3", "c4", "c5", "c6"}
		errs := make([]error, len(ids)+2)
		errs[0] = hear(desk, ids...)
		var wg sync.WaitGroup
		for i, id := range ids {
			wg.Go(func() {
				errs[i+1] = errors.Join(progress(desk, id, clew.ToolRunning), progress(desk, id, clew.ToolComplete))
			})
		}
		wg.Wait()
		v, err := desk.View()
		if err == nil && (len(v.Task.Calls) != 0 || len(v.Task.History) != 3 || len(v.Task.History[2].Content) != len(ids)) {
			err = fmt.Errorf("the task is %+v", v.Task)
		}
		errs[len(ids)+1] = err
		over <- errors.Join(append(errs, rest(desk))...)
		return nil
	})})
	id := create(t, h, "")
	do(t, h, id, say("m1", "go"))
	if err := <-over; err != nil {
		t.Error(err)
	}
}
