package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// agentFunc is an agent made of a function.
type agentFunc func(ctx context.Context, turn core.Turn, prompt clew.Message, desk *session.TurnContext) error

func (f agentFunc) Work(ctx context.Context, turn core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	return f(ctx, turn, prompt, desk)
}

// pace answers with pieces, pausing before each.
func pace(every time.Duration, pieces ...string) agentFunc {
	return func(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
		if err := desk.Begin(); err != nil {
			return err
		}
		for _, p := range pieces {
			select {
			case <-time.After(every):
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := desk.Write(p); err != nil {
				return err
			}
		}
		return desk.End()
	}
}

// replies lists what the records say of the reply to a message, oldest first.
func replies(t testing.TB, records []clew.Record) (created, updated []clew.Message) {
	t.Helper()
	for _, r := range records {
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			t.Fatal(err)
		}
		switch d := ev.Data.(type) {
		case *clew.MessageCreatedData:
			if d.Message.Role == clew.SpeakerAssistant {
				created = append(created, d.Message)
			}
		case *clew.MessageUpdatedData:
			updated = append(updated, d.Message)
		}
	}
	return created, updated
}

func types(records []clew.Record) (list []clew.EventType) {
	for _, r := range records {
		list = append(list, r.Type)
	}
	return list
}

// Covers: C-57, C-68, C-70, MSG-26
func TestTurnStreamsAndSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		pieces := slices.Repeat([]string{"ä", "\xf0\x9f", "\x98\x80 ", "x"}, 40) // a character in two pieces
		h := start(t, j, session.Config{Agent: pace(50*time.Millisecond, pieces...)})
		id := create(t, h, "")
		w := watch(t, h, id)
		pos, _ := w.Feed().End()
		do(t, h, id, say("m1", "go"))
		time.Sleep(3333 * time.Millisecond)
		st, err := w.State(t.Context())
		if err != nil || len(st.OpenMessages) != 1 || st.Status != clew.StatusExecuting {
			t.Fatalf("state during the turn: %+v, %v", st, err)
		}
		open := st.OpenMessages[0]
		time.Sleep(time.Minute)
		synctest.Wait()

		text := ""
		want := strings.Join(pieces, "")
		for _, it := range drain(t, w.Feed(), pos) {
			if it.Seq > 0 {
				continue
			}
			d := decodeDelta(t, it.Envelope)
			if d.Offset != len(text) {
				t.Fatalf("a delta at offset %d after %d bytes", d.Offset, len(text))
			}
			text += d.Delta
		}
		if text != want {
			t.Errorf("the deltas make %q", text)
		}
		if open.Text == "" || !strings.HasPrefix(want, open.Text) {
			t.Errorf("open text %q", open.Text)
		}
		records := journaled(t, j, id)
		created, updated := replies(t, records)
		if len(created) != 1 || !created[0].Partial || created[0].ReplyTo != clew.MessageIDOf(2) {
			t.Errorf("created %+v", created)
		}
		if n := len(updated); n < 5 || n > 9 || updated[n-1].Partial || updated[n-1].Text != want {
			t.Errorf("%d updates in 8 seconds", n)
		}
		var last int64
		for _, r := range records[:len(records)-2] { // the end comes when it comes
			if r.Type == clew.EventMessageUpdated {
				if r.TS-last < 1000 {
					t.Errorf("snapshots %d ms apart", r.TS-last)
				}
				last = r.TS
			}
		}
		st, err = w.State(t.Context())
		if err != nil || len(st.OpenMessages) != 0 || st.Status != clew.StatusIdle {
			t.Errorf("state after the turn: %+v, %v", st.OpenMessages, err)
		}
		checkFold(t, j, h, id)
	})
}

// Covers: MSG-27
func TestInterruptKeepsWhatWasStreamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		over := make(chan error, 1)
		h := start(t, j, session.Config{Agent: agentFunc(func(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			if err := errors.Join(desk.Begin(), desk.Write("half a sen")); err != nil {
				return err
			}
			<-ctx.Done()
			over <- errors.Join(desk.Write("tence"), desk.End())
			return ctx.Err()
		})})
		id := create(t, h, "")
		do(t, h, id, say("m1", "go"))
		synctest.Wait()
		r := do(t, h, id, clew.Command{Type: clew.CommandInterrupt, By: ann, ClientMessageID: "i1", Data: &clew.InterruptData{}})
		if len(r.Records) != 3 { // the text as it stands, what the model had not heard, and rest
			t.Errorf("receipt %v", r.Records)
		}
		if err := <-over; err == nil {
			t.Error("an interrupted agent could go on")
		}
		st := stateOf(t, h, id)
		last := st.Messages[len(st.Messages)-1]
		if last.Text != "half a sen" || last.Partial || st.Status != clew.StatusIdle || len(st.OpenMessages) != 0 {
			t.Errorf("after the interrupt: %+v, %s", last, st.Status)
		}
		checkFold(t, j, h, id)
	})
}

// Covers: POL-05, POL-06, POL-07, POL-08
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		var order []string
		h := start(t, j, session.Config{Agent: agentFunc(func(ctx context.Context, _ core.Turn, m clew.Message, desk *session.TurnContext) error {
			order = append(order, m.Text) // one turn at a time
			time.Sleep(time.Second)
			return errors.Join(desk.Begin(), desk.End())
		})})
		id := create(t, h, "")
		for i := range 11 {
			do(t, h, id, say(fmt.Sprint("m", i), fmt.Sprint(i)))
		}
		if _, err := h.Do(t.Context(), id, say("m11", "11")); clew.CodeOf(err) != clew.QueueFull {
			t.Errorf("the eleventh to wait: %v", err)
		}
		if st := stateOf(t, h, id); st.Monitors[0].Queued != 10 || !st.Monitors[0].Busy {
			t.Errorf("monitor %+v", st.Monitors[0])
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := strings.Join(order, " "); got != "0 1 2 3 4 5 6 7 8 9 10" {
			t.Errorf("worked on %s", got)
		}
		checkFold(t, j, h, id)
	})
}

// However an agent fails, its turn ends on record and the next one begins.
//
// Covers: WS-013, WS-050
func TestAgentFails(t *testing.T) {
	secret := errors.New("inner cause")
	tests := map[string]struct {
		work    func(desk *session.TurnContext) error
		code    clew.Code
		replies int // that the failing agent began
	}{
		"error":             {func(*session.TurnContext) error { return clew.WrapError(clew.ProviderError, secret, "no answer") }, clew.ProviderError, 0},
		"plain error":       {func(*session.TurnContext) error { return secret }, clew.Internal, 0},
		"panic":             {func(*session.TurnContext) error { panic(secret) }, clew.ExecutionFailed, 0},
		"error after words": {func(d *session.TurnContext) error { return errors.Join(d.Begin(), d.Write("so far"), secret) }, clew.Internal, 1},
		"panic after words": {func(d *session.TurnContext) error { _ = errors.Join(d.Begin(), d.Write("so far")); panic("oh") }, clew.ExecutionFailed, 1},
		"left unfinished":   {func(d *session.TurnContext) error { return d.Begin() }, clew.ExecutionFailed, 1},
		"nothing at all":    {func(*session.TurnContext) error { return nil }, clew.ExecutionFailed, 0},
		"endless":           {endless, clew.MessageTooLarge, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := new(journaltest.Memory).Node("a")
				h := start(t, j, session.Config{MaxRecord: 64 << 10, Agent: agentFunc(func(_ context.Context, _ core.Turn, m clew.Message, desk *session.TurnContext) error {
					if m.Text == "good" {
						return errors.Join(desk.Begin(), desk.End())
					}
					time.Sleep(time.Second)
					return tt.work(desk)
				})})
				id := create(t, h, "")
				do(t, h, id, say("m1", "bad"))
				do(t, h, id, say("m2", "good"))
				time.Sleep(time.Minute)
				synctest.Wait()
				if st := stateOf(t, h, id); st.Status != clew.StatusIdle {
					t.Fatalf("the session is %s", st.Status)
				}
				records := journaled(t, j, id)
				created, updated := replies(t, records)
				if n := tt.replies + 1; len(created) != n || len(updated) < n || updated[len(updated)-1].Partial {
					t.Errorf("%d replies, %d updates", len(created), len(updated))
				}
				i := slices.Index(types(records), clew.EventError)
				if i < 0 {
					t.Fatal("no error on record")
				}
				ev, _ := clew.DecodeEvent(records[i].Type, records[i].Data())
				if d := ev.Data.(*clew.ErrorData); d.Code != tt.code || d.Context.AgentID != core.MainAgent || strings.Contains(string(records[i].Line()), "inner") { //nolint:forcetypeassert // by its type
					t.Errorf("the record says %s", records[i].Envelope())
				}
				checkFold(t, j, h, id)
			})
		})
	}
}

// endless writes more than a record can hold.
func endless(d *session.TurnContext) error {
	err := d.Begin()
	for err == nil {
		err = d.Write(strings.Repeat("\x01", 1000))
	}
	return err
}

// A turn under way when its node dies is taken up by the next and ends once.
//
// Covers: WS-097, C-70
func TestTurnSurvivesCrash(t *testing.T) {
	for _, begun := range []bool{false, true} {
		t.Run(fmt.Sprintf("reply begun %v", begun), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := new(journaltest.Memory)
				f := &faults{Journal: m.Node("a")}
				a := start(t, f, session.Config{Agent: agentFunc(func(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
					if begun {
						if err := errors.Join(desk.Begin(), desk.Write("lost words")); err != nil {
							return err
						}
					}
					<-ctx.Done()
					return ctx.Err()
				})})
				id := create(t, a, "")
				do(t, a, id, say("m1", "go"))
				do(t, a, id, say("m2", "then this"))
				synctest.Wait()
				f.kill()
				m.Down("a")
				stop(a)

				b := start(t, m.Node("b"), session.Config{Agent: pace(time.Second, "all ", "of it")})
				b.TakeOver(t.Context(), []clew.SessionID{id})
				time.Sleep(time.Minute)
				synctest.Wait()
				records := journaled(t, m.Node("b"), id)
				created, updated := replies(t, records)
				ends := 0
				for _, u := range updated {
					if !u.Partial {
						ends++
						if u.Text != "all of it" {
							t.Errorf("the answer is %q", u.Text)
						}
					}
				}
				if len(created) != 2 || ends != 2 {
					t.Errorf("%d replies with %d ends, want 2 and 2", len(created), ends)
				}
				checkFold(t, m.Node("b"), b, id)
			})
		})
	}
}

// A loaded session with work under way is not idle, however silent its agent.
func TestWorkKeepsSessionLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(journaltest.Memory)
		slow := pace(3*time.Hour, "done")
		a := start(t, m.Node("a"), session.Config{Agent: slow})
		id := create(t, a, "")
		do(t, a, id, say("m1", "go"))
		synctest.Wait()
		stop(a)
		b := start(t, m.Node("a"), session.Config{Agent: slow, IdleAfter: time.Minute})
		if err := b.Wake(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if b.Loaded() != 1 {
			t.Fatal("a session at work was unloaded")
		}
		time.Sleep(4 * time.Hour)
		synctest.Wait()
		if b.Loaded() != 0 {
			t.Error("the session stayed after its work was done")
		}
	})
}
