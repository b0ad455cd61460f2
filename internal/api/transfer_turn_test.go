package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
)

const importTarget = "/api/v1/sessions/import"

// slowUploads are files that come when they may.
type slowUploads struct {
	b       *bench
	entered chan struct{}
	leave   chan struct{}
	done    sync.WaitGroup
}

func newSlowUploads(b *bench) *slowUploads {
	return &slowUploads{b: b, entered: make(chan struct{}), leave: make(chan struct{})}
}

// start begins an upload and returns once the server reads it.
func (s *slowUploads) start(token string) {
	r := s.b.request(token, "POST", importTarget, "")
	r.Body = io.NopCloser(s)
	s.done.Go(func() { s.b.api.ServeHTTP(httptest.NewRecorder(), r) })
	<-s.entered
}

// end lets all of them come to their end.
func (s *slowUploads) end() {
	close(s.leave)
	s.done.Wait()
}

// Read implements io.Reader.
func (s *slowUploads) Read([]byte) (int, error) {
	select {
	case s.entered <- struct{}{}:
	case <-s.leave:
	}
	<-s.leave
	return 0, io.EOF
}

// One user cannot keep others out, and what the credentials do not allow is
// refused before anything is counted.
func TestTransfersOfOneUser(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "ada"
	ada, bob := b.key("ada", clew.RoleOwner), b.key("bob", clew.RoleOwner)
	slow := newSlowUploads(b)
	slow.start(ada)
	slow.start(ada)
	a := b.call(ada, "POST", importTarget, "x").is(http.StatusTooManyRequests, clew.RateLimited)
	if a.header.Get("Retry-After") == "" {
		t.Error("it does not say when to come back")
	}
	b.call(ada, "GET", "/api/v1/sessions/s1/export", "").is(http.StatusTooManyRequests, clew.RateLimited)
	b.call(b.key("ada", clew.RoleViewer), "POST", importTarget, "x").is(http.StatusForbidden, clew.Forbidden)
	b.call(b.key("ada", clew.RoleViewer), "GET", "/api/v1/sessions/s1/export", "").is(http.StatusForbidden, clew.Forbidden)
	b.call(bob, "POST", importTarget, "x").is(http.StatusCreated, "")
	slow.end()
	b.call(ada, "POST", importTarget, "x").is(http.StatusCreated, "")
	b.call(ada, "GET", "/api/v1/sessions/s1/export", "").is(http.StatusOK, "")
}

// Files that come slowly are in nobody's way until there are very many of them.
func TestSlowUploadsHoldNoTurn(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "owner"
	slow := newSlowUploads(b)
	for i := range 15 {
		slow.start(b.key(clew.UserID(fmt.Sprint("user", i)), clew.RoleOwner))
	}
	b.call(ownerToken, "POST", importTarget, "x").is(http.StatusCreated, "")
	b.call(ownerToken, "GET", "/api/v1/sessions/s1/export", "").is(http.StatusOK, "")
	slow.start(b.key("another", clew.RoleOwner))
	b.call(ownerToken, "POST", importTarget, "x").is(http.StatusTooManyRequests, clew.RateLimited)
	slow.end()
	b.call(ownerToken, "POST", importTarget, "x").is(http.StatusCreated, "")
}

// An upload that stands still is over soon, and leaves its place to the next.
func TestStandstillGivesUpItsPlace(t *testing.T) {
	b := newBench(t)
	b.api.Hurry()
	srv := httptest.NewServer(b.api)
	defer srv.Close()
	ada := b.key("ada", clew.RoleOwner)
	for range 3 { // more than she may have at once
		body, hold := io.Pipe()
		r, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+importTarget, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "clew.test"
		r.Header.Set("Authorization", "Bearer "+ada)
		resp, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		_, _ = resp.Body.Close(), hold.Close()
		if err != nil || !strings.Contains(string(answer), string(clew.ConnectionTimeout)) {
			t.Errorf("%s, %v", answer, err)
		}
	}
}

// As many as the machine is meant for are at work. Who asks for a file is told to
// come back; a file that has come waits.
func TestTransfersInTurn(t *testing.T) { synctest.Test(t, transfersInTurn) }

func transfersInTurn(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "owner"
	var atWork, most atomic.Int32
	leave := make(chan struct{})
	b.moved.hold = func() {
		most.Store(max(most.Load(), atWork.Add(1)))
		<-leave
		atWork.Add(-1)
	}
	statuses := make(chan int, 6)
	send := func(ctx context.Context, token string) {
		r := b.request(token, "POST", importTarget, "x").WithContext(ctx)
		go func() {
			w := httptest.NewRecorder()
			b.api.ServeHTTP(w, r)
			statuses <- w.Code
		}()
		synctest.Wait()
	}
	for i := range 5 {
		send(t.Context(), b.key(clew.UserID(fmt.Sprint("user", i)), clew.RoleOwner))
	}
	if len(statuses) > 0 || atWork.Load() != 4 {
		t.Fatalf("%d at work, %d done", atWork.Load(), len(statuses))
	}
	b.call(ownerToken, "GET", "/api/v1/sessions/s1/export", "").is(http.StatusTooManyRequests, clew.RateLimited)
	gone, cancel := context.WithCancel(t.Context())
	send(gone, ownerToken)
	cancel() // one who waits may go
	if status := <-statuses; status == http.StatusCreated {
		t.Error("one who went has a session")
	}
	leave <- struct{}{}
	synctest.Wait()
	if status := <-statuses; status != http.StatusCreated || atWork.Load() != 4 {
		t.Errorf("status %d, then %d at work", status, atWork.Load())
	}
	close(leave)
	for range 4 {
		if status := <-statuses; status != http.StatusCreated {
			t.Errorf("status %d", status)
		}
	}
	b.moved.hold = nil
	b.call(ownerToken, "GET", "/api/v1/sessions/s1/export", "").is(http.StatusOK, "")
	if most.Load() != 4 {
		t.Errorf("%d were at work at once", most.Load())
	}
}
