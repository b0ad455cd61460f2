package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const asked = `{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"go"}]}`

func TestScriptTakesThePlaceOfTheFormer(t *testing.T) {
	routes := newStage().routes()
	for _, want := range []string{"first", "second"} {
		send(t, routes, http.MethodPut, "/control/script", "- reply: [{text: "+want+"}]", http.StatusOK)
		if got := send(t, routes, http.MethodPost, "/v1/messages", asked, http.StatusOK); !strings.Contains(got, want) {
			t.Errorf("the model said %s, not %q", got, want)
		}
	}
	send(t, routes, http.MethodPut, "/control/script", "- repyl: []", http.StatusBadRequest)
	if got := send(t, routes, http.MethodGet, "/control/requests", "", http.StatusOK); !strings.Contains(got, `"requests":1,"problems":[]`) {
		t.Errorf("requests: %s", got)
	}
	send(t, routes, http.MethodPost, "/v1/messages", asked, http.StatusBadRequest) // the one step is used up
	if got := send(t, routes, http.MethodGet, "/control/requests", "", http.StatusOK); !strings.Contains(got, "scripted model: ") {
		t.Errorf("a request that no step answers is not told: %s", got)
	}
}

func TestHourLastsUntilRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		begin := time.Now()
		done := make(chan error, 1)
		go func() { done <- s.sleep(context.Background(), held) }()
		synctest.Wait()
		time.Sleep(time.Minute)
		s.release()
		s.release() // twice is as good as once
		if err := <-done; err != nil || time.Since(begin) != time.Minute {
			t.Errorf("it waited %v, %v", time.Since(begin), err)
		}
		if err := s.sleep(t.Context(), 2*held); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("a released stage waited %v, %v", time.Since(begin), err)
		}
		if err := s.sleep(t.Context(), time.Second); err != nil || time.Since(begin) != time.Minute+time.Second {
			t.Errorf("a short wait was left out: %v, %v", time.Since(begin), err)
		}
		s.hold()
		if err := s.sleep(t.Context(), held); err != nil || time.Since(begin) < held {
			t.Errorf("a held stage went on after %v, %v", time.Since(begin), err)
		}
	})
}

func TestReplyWaitsForItsGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		routes := newStage().routes()
		send(t, routes, http.MethodPut, "/control/script", "- reply: [{wait: door}, {text: hello}]", http.StatusOK)
		got := make(chan string, 1)
		go func() { got <- send(t, routes, http.MethodPost, "/v1/messages", asked, http.StatusOK) }()
		synctest.Wait()
		if len(got) > 0 {
			t.Fatal("the reply did not wait")
		}
		send(t, routes, http.MethodPost, "/control/open/door", "", http.StatusOK)
		if said := <-got; !strings.Contains(said, "hello") {
			t.Errorf("the model said %s", said)
		}
	})
}

func send(t *testing.T, h http.Handler, method, path, body string, status int) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Api-Key", "any")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	got, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != status {
		t.Fatalf("%s %s: status %d, want %d: %s %v", method, path, w.Code, status, got, err)
	}
	return string(got)
}
