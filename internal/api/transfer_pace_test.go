package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
)

// serve runs a handler behind a real connection.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

func request(t *testing.T, srv *httptest.Server, method string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, srv.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Hurry lets transfers stand still for a moment only.
func (a *API) Hurry() { a.pace = standstill }

// standstill never gives any time but the grace.
var standstill = pace{grace: 50 * time.Millisecond, rate: 1 << 40}

// An upload that stands still ends, without an end of the client's.
func TestUploadStandsStill(t *testing.T) {
	ended := make(chan error, 1)
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, bodyOf(w, r, standstill))
		ended <- err
		writeError(w, r, err)
	})
	body, hold := io.Pipe()
	defer func() { _ = hold.Close() }()
	go func() { _, _ = hold.Write([]byte("a few bytes")) }()
	resp, err := srv.Client().Do(request(t, srv, "POST", body))
	if got := <-ended; clew.CodeOf(got) != clew.ConnectionTimeout {
		t.Errorf("the upload ended with %v", got)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// A download that nobody takes ends as well.
func TestDownloadStandsStill(t *testing.T) {
	ended := make(chan error, 1)
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		to := answerOf(w, r, standstill)
		for {
			if _, err := to.Write(make([]byte, 1<<20)); err != nil { // until all buffers are full
				ended <- err
				panic(http.ErrAbortHandler)
			}
		}
	})
	resp, err := srv.Client().Do(request(t, srv, "GET", http.NoBody))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := <-ended; clew.CodeOf(err) != clew.ConnectionTimeout {
		t.Errorf("the download ended with %v", err)
	}
}

// What is fast enough is not disturbed, and the connection serves the next
// request, however long that takes.
func TestPaceOfThePrompt(t *testing.T) {
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, to := bodyOf(w, r, leastPace), answerOf(w, r, leastPace)
		b, err := io.ReadAll(body)
		body.close()
		if err == nil {
			_, err = to.Write(b)
		}
		to.close()
		if err != nil || r.Context().Err() != nil {
			panic(http.ErrAbortHandler)
		}
	})
	want := bytes.Repeat([]byte("text"), 1<<20)
	for range 2 {
		resp, err := srv.Client().Do(request(t, srv, "POST", bytes.NewReader(want)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// The time allowed grows with what came, and shrinks by what was waited, so that
// a byte now and then buys nothing.
func TestPaceOfTheSlow(t *testing.T) { synctest.Test(t, paceOfTheSlow) }

func paceOfTheSlow(t *testing.T) {
	var deadline time.Time
	l := line{pace: pace{grace: 10 * time.Second, rate: 1000}, end: time.Now().Add(time.Hour), until: func(d time.Time) error {
		deadline = d
		return nil
	}}
	left := func() time.Duration {
		if _, err := l.step(l.bytes, func() (int, error) { return 0, errors.ErrUnsupported }); !errors.Is(err, errors.ErrUnsupported) {
			t.Fatal(err)
		}
		return time.Until(deadline)
	}
	if got := left(); got != 10*time.Second {
		t.Errorf("at first %v", got)
	}
	l.bytes = 5000
	if got := left(); got != 15*time.Second {
		t.Errorf("after 5000 bytes %v", got)
	}
	if _, err := l.step(l.bytes, func() (int, error) {
		time.Sleep(14 * time.Second)
		return 0, nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := left(); got != time.Second {
		t.Errorf("after 14 s more %v", got)
	}
	l.end = time.Now().Add(-time.Second)
	if got := left(); got != -time.Second {
		t.Errorf("after the end of the request %v", got)
	}
}
