package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The example of the Standard Webhooks specification.
const (
	exampleSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleBody   = `{"test": 2432232314}`
)

var exampleTime = time.Unix(1614265330, 0)

func example() http.Header {
	return http.Header{
		"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	}
}

func TestVerify(t *testing.T) {
	key, err := keyOf(exampleSecret)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(http.Header)
		body   string
		at     time.Time
		ok     bool
	}{
		{"as it is", func(http.Header) {}, exampleBody, exampleTime, true},
		{"two signatures", func(h http.Header) { h.Set("Webhook-Signature", "v2,x v1,eA== "+h.Get("Webhook-Signature")) }, exampleBody, exampleTime, true},
		{"clocks a little apart", func(http.Header) {}, exampleBody, exampleTime.Add(4 * time.Minute), true},
		{"too old", func(http.Header) {}, exampleBody, exampleTime.Add(6 * time.Minute), false},
		{"from the future", func(http.Header) {}, exampleBody, exampleTime.Add(-6 * time.Minute), false},
		{"another body", func(http.Header) {}, exampleBody + " ", exampleTime, false},
		{"another id", func(h http.Header) { h.Set("Webhook-Id", "msg_x") }, exampleBody, exampleTime, false},
		{"another time", func(h http.Header) { h.Set("Webhook-Timestamp", "1614265331") }, exampleBody, exampleTime, false},
		{"no time", func(h http.Header) { h.Del("Webhook-Timestamp") }, exampleBody, exampleTime, false},
		{"no signature", func(h http.Header) { h.Del("Webhook-Signature") }, exampleBody, exampleTime, false},
		{"not base64", func(h http.Header) { h.Set("Webhook-Signature", "v1,***") }, exampleBody, exampleTime, false},
	}
	for _, tt := range tests {
		h := example()
		tt.change(h)
		if err := verify(key, h, []byte(tt.body), tt.at); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := keyOf(""); err == nil {
		t.Error("no secret is taken as one")
	}
}

// A notice that comes twice is told once, and both are thanked for.
func TestReceiver(t *testing.T) {
	key, err := keyOf(exampleSecret)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r := &receiver{key: key, out: &out, now: func() time.Time { return exampleTime }, seen: map[string]time.Time{}}
	post := func(h http.Header) int {
		req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(exampleBody))
		req.Header = h
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		return w.Code
	}
	for range 2 {
		if code := post(example()); code != http.StatusNoContent {
			t.Errorf("answered %d", code)
		}
	}
	if n := strings.Count(out.String(), "for"); n != 1 {
		t.Errorf("told %d times: %s", n, &out)
	}
	if code := post(http.Header{}); code != http.StatusUnauthorized {
		t.Errorf("unsigned: %d", code)
	}
}
