package session_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// presences gives what a feed told about who is there, oldest first.
func presences(t testing.TB, w *session.Watch) []clew.List[clew.Viewer] {
	t.Helper()
	var list []clew.List[clew.Viewer]
	for _, it := range drain(t, w.Feed(), 1) {
		if it.Type != clew.EventPresence {
			continue
		}
		if it.Seq != 0 {
			t.Errorf("presence is on record: %s", it.Envelope)
		}
		var env struct {
			Data clew.PresenceData `json:"data"`
		}
		if err := json.Unmarshal(it.Envelope, &env); err != nil {
			t.Fatal(err)
		}
		list = append(list, env.Data.Viewers)
	}
	return list
}

// Who watches by way of which node is put together where the session lives, told
// to all nodes, and forgotten when a node says nothing more.
//
// Covers: C-79
func TestPresenceOverNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, pace(time.Second, "hm"))
		ctx := t.Context()
		here, there := watch(t, p.a, p.id), watch(t, p.b, p.id)
		say := func(h *session.Host, v ...clew.Viewer) {
			t.Helper()
			if err := h.Present(ctx, p.id, v); err != nil {
				t.Fatal(err)
			}
		}
		say(p.a, clew.Viewer{UserID: "ann", Clients: 1, SinceMS: 20})
		say(p.a, clew.Viewer{UserID: "ann", Clients: 1, SinceMS: 20}) // again: no news
		say(p.b, clew.Viewer{UserID: "ann", Clients: 2, SinceMS: 30}, clew.Viewer{UserID: "bob", Clients: 1, SinceMS: 10})
		synctest.Wait()
		both := clew.List[clew.Viewer]{{UserID: "bob", Clients: 1, SinceMS: 10}, {UserID: "ann", Clients: 3, SinceMS: 20}}
		want := []clew.List[clew.Viewer]{{{UserID: "ann", Clients: 1, SinceMS: 20}}, both}
		for _, w := range []*session.Watch{here, there} {
			if got := presences(t, w); !reflect.DeepEqual(got, want) {
				t.Errorf("told were %v, want %v", got, want)
			}
		}
		if st := stateOf(t, p.b, p.id); !reflect.DeepEqual(st.Viewers, both) {
			t.Errorf("the state has %v", st.Viewers)
		}
		time.Sleep(session.PresentEvery * 2)
		say(p.a, clew.Viewer{UserID: "ann", Clients: 1, SinceMS: 20})
		time.Sleep(session.PresentEvery) // b was not heard of for too long
		if st := stateOf(t, p.a, p.id); len(st.Viewers) != 1 || st.Viewers[0].UserID != "ann" {
			t.Errorf("a silent node's viewers: %v", st.Viewers)
		}
		say(p.a)
		if st := stateOf(t, p.a, p.id); len(st.Viewers) != 0 {
			t.Errorf("after the last one left: %v", st.Viewers)
		}
		if n := len(journaled(t, p.f, p.id)); n != 1 {
			t.Errorf("%d records", n)
		}
	})
}

// That nobody watches a session is no reason to load it.
func TestPresenceLoadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, pace(time.Second, "hm"))
		time.Sleep(time.Hour) // it is cold
		synctest.Wait()
		if err := p.a.Present(t.Context(), p.id, nil); err != nil || p.a.Loaded() != 0 {
			t.Errorf("%d loaded, %v", p.a.Loaded(), err)
		}
	})
}
