package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/client/clienttest"
	"github.com/clew-run/clew/wire"
)

func hello() clew.UserMessageData { return clew.UserMessageData{Text: "hello"} }

func noFollow(o *client.Options) { o.NoFollow = true }

// Covers: WS-052
func TestSendAndHearTheEcho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		id, err := c.Send(t.Context(), clew.CommandUserMessage, hello())
		if err != nil {
			t.Fatal(err)
		}
		got := take(t, c, isType(clew.EventMessageAccepted))
		var d clew.MessageAcceptedData
		if err := json.Unmarshal(got[len(got)-1].Data, &d); err != nil || d.ClientMessageID != id {
			t.Fatalf("accepted %+v, sent %s (%v)", d, id, err)
		}
		take(t, c, isType(clew.EventMessageUpdated))
	})
}

func TestDoGivesTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t, noFollow)
		env, err := c.Do(t.Context(), clew.CommandUserMessage, hello())
		if err != nil || clew.EventType(env.Type) != clew.EventMessageAccepted {
			t.Fatalf("%s %v", env.Type, err)
		}
		env, err = c.Do(t.Context(), clew.CommandGetMessages, &clew.GetMessagesData{Limit: 10})
		if err != nil || clew.EventType(env.Type) != clew.EventMessagesPage {
			t.Fatalf("%s %v", env.Type, err)
		}
		synctest.Wait()
		if id, _ := c.Cursor(); id != clew.MessageIDOf(5) {
			t.Fatalf("cursor %s", id)
		}
	})
}

func TestDoGivesTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newBench(t).dial(t, noFollow)
		_, err := c.Do(t.Context(), clew.CommandUserMessage, clew.UserMessageData{})
		if !errors.Is(err, &clew.Error{Code: clew.InvalidMessage}) {
			t.Fatalf("Do: %v", err)
		}
	})
}

// A command whose answer got lost takes effect once. At frame 2 the first of
// its records breaks the line.
//
// Covers: WS-009
func TestDoSurvivesADrop(t *testing.T) {
	for name, frame := range map[string]int{"before the records": 2, "before the acceptance": 3} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.SetPlan(func(conn, f int) clienttest.Fault {
					if conn == 0 && f == frame {
						return clienttest.Fault{Kind: clienttest.Drop}
					}
					return clienttest.Fault{}
				})
				c := b.dial(t, noFollow)
				env, err := c.Do(t.Context(), clew.CommandUserMessage, hello())
				if err != nil || clew.EventType(env.Type) != clew.EventMessageAccepted {
					t.Fatalf("%s %v", env.Type, err)
				}
				if n := len(b.Records(b.id)); n != 5 {
					t.Fatalf("%d records, want 5", n)
				}
			})
		})
	}
}

// Said while the server is away, a command is carried out when it is back.
func TestDoWhileReconnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t, noFollow)
		synctest.Wait()
		b.SetDown(true)
		synctest.Wait()
		if _, err := c.Send(t.Context(), clew.CommandUserMessage, hello()); clew.CodeOf(err) != clew.ConnectionFailed {
			t.Fatalf("Send: %v", err)
		}
		time.AfterFunc(4*time.Second, func() { b.SetDown(false) })
		if _, err := c.Do(t.Context(), clew.CommandUserMessage, hello()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDoEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t, noFollow)
		synctest.Wait()
		b.SetDown(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Do(ctx, clew.CommandUserMessage, hello()); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Do past its time: %v", err)
		}
		if _, err := c.Do(t.Context(), clew.CommandUserMessage, hello()); clew.CodeOf(err) != clew.ConnectionFailed {
			t.Fatalf("Do of a failed client: %v", err)
		}
	})
}

func TestSendChecksTheCatalogue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newBench(t).dial(t)
		for _, tc := range []struct {
			typ  clew.CommandType
			data any
			ok   bool
		}{
			{"no_such_thing", nil, false},
			{clew.CommandUserMessage, clew.RenameSessionData{}, false},
			{clew.CommandUserMessage, &clew.UserMessageData{Text: "x"}, true},
			{clew.CommandUserMessage, json.RawMessage(`{"text":"x"}`), true},
			{clew.CommandControlPause, nil, true},
		} {
			_, err := c.Send(t.Context(), tc.typ, tc.data)
			if (err == nil) != tc.ok {
				t.Errorf("%s with %T: %v", tc.typ, tc.data, err)
			}
		}
	})
}

// An envelope of a type that this client does not know is passed on.
//
// Covers: WS-137
func TestUnknownTypesPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		b.Broadcast(b.id, []byte(`{"type":"from_the_future","session_id":"x","timestamp":"t","data":[1]}`))
		got := take(t, c, func(e wire.Envelope) bool { return e.Type == "from_the_future" })
		if string(got[len(got)-1].Data) != "[1]" {
			t.Fatalf("data %s", got[len(got)-1].Data)
		}
	})
}
