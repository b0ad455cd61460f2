package call

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func get(t *testing.T, c *http.Client, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(req)
}

// script is a body that gives each part after its delay. A cancelled context
// ends the wait, as on a real connection.
type script struct {
	ctx   context.Context
	parts []struct {
		after time.Duration
		text  string
	}
}

func (s *script) Read(p []byte) (int, error) {
	if len(s.parts) == 0 {
		return 0, io.EOF
	}
	next := s.parts[0]
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-time.After(next.after):
	}
	s.parts = s.parts[1:]
	return copy(p, next.text), nil
}

func (s *script) Close() error { return nil }

func TestStall(t *testing.T) {
	type part = struct {
		after time.Duration
		text  string
	}
	const stall = time.Minute
	for name, c := range map[string]struct {
		headers time.Duration
		parts   []part
		think   time.Duration // the consumer takes so long between reads
		stalls  bool
	}{
		"no headers":     {headers: stall + 1, stalls: true},
		"late headers":   {headers: stall - 1, parts: []part{{0, "a"}}},
		"silent body":    {parts: []part{{0, "a"}, {stall + 1, "b"}}, stalls: true},
		"slow body":      {parts: []part{{stall - 1, "a"}, {stall - 1, "b"}, {stall - 1, "c"}}},
		"slow consumer":  {parts: []part{{0, "a"}, {0, "b"}}, think: 10 * stall},
		"keeps on going": {parts: []part{{stall / 2, ":"}, {stall / 2, ":"}, {stall / 2, ":"}, {stall / 2, "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := Client(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					select {
					case <-r.Context().Done():
						return nil, r.Context().Err()
					case <-time.After(c.headers):
					}
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: &script{ctx: r.Context(), parts: c.parts}, Request: r}, nil
				})}, stall)
				err := drain(t, client, c.think)
				if c.stalls != errors.Is(err, ErrStalled) || !c.stalls && err != nil {
					t.Errorf("error %v, want a stall: %v", err, c.stalls)
				}
			})
		})
	}
}

func drain(t *testing.T, client *http.Client, think time.Duration) error {
	res, err := get(t, client, "http://provider.test/")
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	buf := make([]byte, 16)
	for {
		if _, err := res.Body.Read(buf); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		time.Sleep(think) // of the bubble's own clock
	}
}

func TestNoRedirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	res, err := get(t, Client(nil, 0), server.URL)
	if err == nil {
		_ = res.Body.Close()
	}
	if s, ok := errors.AsType[*StatusError](err); !ok || s.Status != http.StatusTemporaryRedirect {
		t.Fatalf("error %v, want a redirect's status", err)
	}
}

func TestFailuresAreRead(t *testing.T) {
	long := strings.Repeat("x", 2*maxFailure)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/json" {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, `{"error":"no"}`)
			return
		}
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, long)
	}))
	defer server.Close()
	for path, want := range map[string]StatusError{
		"/":     {Status: 502, Body: []byte(long[:maxFailure])},
		"/json": {Status: 200, Body: []byte(`{"error":"no"}`)},
	} {
		res, err := get(t, Client(nil, 0), server.URL+path)
		if err == nil {
			_ = res.Body.Close()
		}
		if s, ok := errors.AsType[*StatusError](err); !ok || s.Status != want.Status || !bytes.Equal(s.Body, want.Body) {
			t.Errorf("%s: error %v, want status %d", path, err, want.Status)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
func (endless) Close() error               { return nil }

func TestBodyIsBounded(t *testing.T) {
	client := Client(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: endless{}, Request: r}, nil
	})}, 0)
	res, err := get(t, client, "http://provider.test/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	n, err := io.Copy(io.Discard, struct{ io.Reader }{res.Body})
	if !errors.Is(err, errTooMuch) || n > maxBody+64<<10 {
		t.Errorf("read %d bytes with error %v", n, err)
	}
}
