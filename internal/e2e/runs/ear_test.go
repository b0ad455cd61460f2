package runs

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// An ear follows a session over a socket, over the lives of its server too. It
// belongs to one goroutine.
type ear struct {
	t     testing.TB
	c     *client.Client
	pull  func() (wire.Envelope, error, bool)
	heard []wire.Envelope // all that came, in order
	taken int             // of heard: what the test has waited for
	open  []clew.Question
}

// listen connects with somebody's token. Everything is heard from the start.
func (s *stage) listen(ctx context.Context, token string) *ear {
	s.T.Helper()
	c, err := client.Dial(ctx, client.Options{
		URL: s.Srv.URL(), Token: token, Session: sessionID, ResumeFrom: client.FromStart,
		Retry: client.Retry{MaxRetries: 1000, InitialDelay: 20 * time.Millisecond, MaxDelay: 200 * time.Millisecond, Multiplier: 2},
	})
	if err != nil {
		s.T.Fatal(err)
	}
	next, stop := iter.Pull2(c.Follow(ctx))
	s.T.Cleanup(func() {
		stop()
		c.Close()
	})
	return &ear{t: s.T, c: c, pull: next}
}

// more takes one envelope in.
func (e *ear) more() {
	e.t.Helper()
	env, err, ok := e.pull()
	if err != nil || !ok {
		e.t.Fatalf("the stream ended: %v; heard so far: %v", err, e.types())
	}
	e.heard = append(e.heard, env)
	if env.Seq() == 0 {
		return
	}
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		e.t.Fatal(err)
	}
	if slices.Contains(clew.QuestionTypes, ev.Type) {
		e.open = append(e.open, clew.Question(ev))
	}
	if d, ok := ev.Data.(*clew.HitlResolvedData); ok {
		e.open = slices.DeleteFunc(e.open, func(q clew.Question) bool { return q.RequestID() == d.RequestID })
	}
}

// await gives the next envelope of a type that fits, after the last one that was
// waited for.
func (e *ear) await(typ clew.EventType, fits func(data json.RawMessage) bool) wire.Envelope {
	e.t.Helper()
	for {
		for e.taken < len(e.heard) {
			env := e.heard[e.taken]
			e.taken++
			if env.Type == string(typ) && (fits == nil || fits(env.Data)) {
				return env
			}
		}
		e.more()
	}
}

// question gives the next question of a type, with its id.
func (e *ear) question(typ clew.EventType) (clew.RequestID, wire.Envelope) {
	e.t.Helper()
	env := e.await(typ, nil)
	var a clew.Asking
	decode(e.t, env.Data, &a)
	return a.RequestID, env
}

// types lists the types of what was heard, for messages.
func (e *ear) types() []string {
	var list []string
	for _, env := range e.heard {
		list = append(list, env.Type)
	}
	return list
}

// has makes a condition: a field of the data has this value.
func has(field, value string) func(json.RawMessage) bool {
	return func(data json.RawMessage) bool {
		var m map[string]any
		return json.Unmarshal(data, &m) == nil && m[field] == value
	}
}
