package session_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// steered is an agent whose turns take what is said meanwhile.
type steered struct{ agentFunc }

func (steered) Steers(settings map[string]any) bool { return settings["arrival"] != "queue" }

// Budgeted implements session.Rules.
func (steered) Budgeted() bool { return false }
func (steered) AutoApproval(settings map[string]any) clew.AutoApprovalFlags {
	write, _ := settings["write"].(bool)
	return clew.AutoApprovalFlags{AlwaysAllowWrite: write}
}

func (steered) CheckSettings(changes map[string]any) error {
	if _, ok := changes["secret"]; ok {
		return clew.Errorf(clew.InvalidMessage, "not for sessions")
	}
	return nil
}

// ReminderSec implements session.Rules.
func (steered) ReminderSec(map[string]any) int { return 60 }

func (steered) Agents(map[string]any) core.AgentRules { return core.DefaultAgentRules }

func (steered) Run(map[string]any) run.Rules { return run.DefaultRules }

// Remember implements session.Rules.
func (steered) Remember(map[string]any, *clew.HitlApprovalRequestData, clew.Remember) (map[string]any, error) {
	return nil, nil
}

func (steered) CheckMode(_ map[string]any, mode string) error {
	if mode != "code" {
		return clew.Errorf(clew.InvalidMessage, "there is no mode %q", mode)
	}
	return nil
}

// listen is an agent that hears what is said, thinks for a while, and ends its
// turn: over and over, as long as somebody spoke meanwhile.
func listen(while time.Duration) steered {
	return steered{func(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
		for {
			if err := hear(desk); err != nil {
				return err
			}
			select {
			case <-time.After(while):
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := rest(desk); err != nil {
				return err
			}
			if _, err := desk.View(); err != nil {
				return nil //nolint:nilerr // the turn is over
			}
		}
	}}
}

// heard lists what the models of a session were told, and how it was delivered.
func heard(t testing.TB, records []clew.Record) (texts map[string]int, deliveries map[clew.Delivery]int) {
	t.Helper()
	texts, deliveries = map[string]int{}, map[clew.Delivery]int{}
	for _, r := range records {
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			t.Fatal(err)
		}
		switch d := ev.Data.(type) {
		case *clew.ModelMessageData:
			texts[d.Message.Content[0].Text]++
		case *clew.MessageAcceptedData:
			deliveries[d.Delivery]++
		}
	}
	return texts, deliveries
}

// Covers: POL-03
func TestSteeredMessageIsHeardAtTheNextBoundary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Agent: listen(10 * time.Second)})
		id := create(t, h, "")
		do(t, h, id, say("m1", "first"))
		time.Sleep(time.Second)
		do(t, h, id, say("m2", "second"))
		synctest.Wait()
		if texts, _ := heard(t, journaled(t, j, id)); texts["second"] != 0 {
			t.Error("heard before the boundary")
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		texts, deliveries := heard(t, journaled(t, j, id))
		if texts["second"] != 1 || deliveries[clew.DeliverySteer] != 1 || deliveries[clew.DeliveryDirect] != 1 {
			t.Errorf("heard %v, delivered %v", texts, deliveries)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if st := stateOf(t, h, id); st.Status != clew.StatusIdle {
			t.Errorf("the session is %s", st.Status)
		}
		checkFold(t, j, h, id)
	})
}

// Messages that come while turns end are heard, each once.
//
// Covers: POL-03, POL-05
func TestNoMessageIsLost(t *testing.T) {
	for _, while := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			j := new(journaltest.Memory).Node("a")
			h := start(t, j, session.Config{Agent: listen(while)})
			id := create(t, h, "")
			const n = 300
			for i := range n {
				for {
					_, err := h.Do(t.Context(), id, say(fmt.Sprint("m", i), fmt.Sprint("text ", i)))
					if err == nil {
						break
					}
					if clew.CodeOf(err) != clew.QueueFull {
						t.Fatal(err)
					}
					time.Sleep(while)
				}
				if i%3 == 0 {
					time.Sleep(while)
				}
				if i%20 == 7 {
					do(t, h, id, clew.Command{By: ann, ClientMessageID: clew.ClientMessageID(fmt.Sprint("i", i)), Data: &clew.InterruptData{}})
				}
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			texts, _ := heard(t, journaled(t, j, id))
			for i := range n {
				if got := texts[fmt.Sprint("text ", i)]; got != 1 {
					t.Errorf("message %d was heard %d times", i, got)
				}
			}
			if st := stateOf(t, h, id); st.Status != clew.StatusIdle || st.Monitors[0].Queued != 0 {
				t.Errorf("left: %s, %d waiting", st.Status, st.Monitors[0].Queued)
			}
			checkFold(t, j, h, id)
		})
	}
}

// A session's own settings decide about its messages, and clients are told what
// is approved by itself.
func TestSessionSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Agent: listen(time.Hour)})
		id := create(t, h, "")
		n := 0
		set := func(changes map[string]any) ([]clew.MessageID, error) {
			n++
			r, err := h.Do(t.Context(), id, clew.Command{By: ann, ClientMessageID: clew.ClientMessageID(fmt.Sprint("s", n)), Data: &clew.UpdateSettingsData{Settings: changes}})
			return r.Records, err
		}
		if _, err := set(map[string]any{"secret": 1}); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("a setting that is not for sessions: %v", err)
		}
		plain, err1 := set(map[string]any{"arrival": "queue"})
		flags, err2 := set(map[string]any{"write": true})
		if err := errors.Join(err1, err2); err != nil || len(plain) != 1 || len(flags) != 2 {
			t.Errorf("records %v and %v, %v", plain, flags, err)
		}
		cmd := say("x", "x")
		cmd.Data = &clew.UserMessageData{Text: "x", Mode: "dance"}
		if _, err := h.Do(t.Context(), id, cmd); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("an unknown mode: %v", err)
		}
		do(t, h, id, say("m1", "first"))
		do(t, h, id, say("m2", "second"))
		if _, err := set(map[string]any{"arrival": nil}); err != nil {
			t.Fatal(err)
		}
		do(t, h, id, say("m3", "third"))
		synctest.Wait()
		_, deliveries := heard(t, journaled(t, j, id))
		if st := stateOf(t, h, id); st.Monitors[0].Queued != 1 || deliveries[clew.DeliverySteer] != 1 {
			t.Errorf("%d wait, delivered %v", st.Monitors[0].Queued, deliveries)
		}
		checkFold(t, j, h, id)
	})
}
