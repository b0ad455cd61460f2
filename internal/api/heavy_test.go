package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/session/view"
)

// longSessions take a while to be read.
type longSessions struct {
	*sessions
	reading atomic.Int64
	ready   chan struct{} // one for each read
}

func (l *longSessions) Watch(context.Context, clew.SessionID) (api.View, error) {
	return longView{fakeView{s: l.sessions}, l}, nil
}

func (l *longSessions) read() {
	l.reading.Add(1)
	<-l.ready
	l.reading.Add(-1)
}

type longView struct {
	fakeView
	l *longSessions
}

func (v longView) Timeline(context.Context, view.TimelineQuery) (view.Timeline, error) {
	v.l.read()
	return view.Timeline{}, nil
}

func (v longView) Page(_ context.Context, q view.PageQuery) (clew.MessagesPage, error) {
	if q.AsOf != "" || q.Around != "" {
		v.l.read()
	}
	return clew.MessagesPage{}, nil
}

func (v longView) Close() {}

// Of one user's reads that go through a whole session two are made at once; some
// more wait for their turn and the others are refused. Other users, and other
// reads, are not held up.
func TestHeavyReadsAreBoundedPerUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := &longSessions{ready: make(chan struct{})}
		b := newBench(t, func(o *api.Options) { long.sessions = o.Sessions.(*sessions); o.Sessions = long })
		b.sessions.owner["s1"], b.sessions.owner["s2"] = "ada", "bob"
		ada, bob := b.key("ada", clew.RoleOwner), b.key("bob", clew.RoleOwner)
		var done sync.WaitGroup
		var fine atomic.Int64
		start := func(token, path string) {
			r := b.request(token, "GET", "/api/v1/sessions/"+path, "")
			done.Go(func() {
				w := httptest.NewRecorder()
				if b.api.ServeHTTP(w, r); w.Code == http.StatusOK {
					fine.Add(1)
				}
			})
			synctest.Wait()
		}
		reading := func(want int64) {
			t.Helper()
			synctest.Wait()
			if n := long.reading.Load(); n != want {
				t.Fatalf("%d reads are made, want %d", n, want)
			}
		}
		ways := []string{"s1/timeline", "s1/messages?around=msg_000000000007", "s1/messages?as_of=msg_000000000007"}
		const waiting = 16
		for i := range 2 + waiting {
			start(ada, ways[i%len(ways)])
		}
		reading(2)
		for _, path := range ways {
			b.call(ada, "GET", "/api/v1/sessions/"+path, "").is(http.StatusTooManyRequests, clew.RateLimited)
		}
		b.call(ada, "GET", "/api/v1/sessions/s1/messages", "").is(http.StatusOK, "")
		start(bob, "s2/timeline")
		reading(3)
		for range 3 + waiting {
			long.ready <- struct{}{}
			synctest.Wait()
			if n := long.reading.Load(); n > 3 {
				t.Errorf("%d reads at once", n)
			}
		}
		done.Wait()
		if fine.Load() != 3+waiting {
			t.Errorf("%d of %d were answered", fine.Load(), 3+waiting)
		}
	})
}
