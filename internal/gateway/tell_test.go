package gateway

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// echoing tells who listens, and then what comes through the channel.
func echoing(news <-chan string) Source {
	return func(ctx context.Context, by clew.Principal, send func(clew.EventType, any)) error {
		send("hello", map[string]any{"user": by.User, "role": by.Role})
		for {
			select {
			case text, ok := <-news:
				if !ok {
					return errors.New("the source is dry")
				}
				send("news", map[string]any{"text": text})
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

func TestListen(t *testing.T) {
	r := newRig(t, nil)
	news := make(chan string)
	r.source = echoing(news)
	p := r.connect("/listen", "ann")
	if m := p.expect("hello"); m.field("user") != "ann" || m.field("role") != "owner" || m.MessageID != "" {
		t.Errorf("%s", m.raw)
	}
	news <- "one"
	if m := p.expect("news"); m.field("text") != "one" {
		t.Errorf("%s", m.raw)
	}
	p.command(clew.CommandInterrupt, "c1", `{}`)
	p.expectError(clew.InvalidMessage)
	p.send(`{"type":"pong"}`)
	r.g.Tell(func(clew.SessionID, clew.Principal) (clew.EventType, any, error) {
		return "state", map[string]any{}, nil
	})
	news <- "two"
	if m := p.expect("news"); m.field("text") != "two" {
		t.Errorf("%s", m.raw)
	}
	close(news)
	p.expectError(clew.Unavailable)
	p.expectClose(wire.CloseFor(clew.Errorf(clew.Unavailable, "")), string(clew.Unavailable))
}

// Who may not connect to a session may not listen either.
func TestListenerDoors(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits.ConnectsPerMinute = 2; o.FirstMessageAuth = false })
	r.source = echoing(nil)
	tests := []struct {
		token  string
		header http.Header
		status int
	}{
		{"", nil, http.StatusUnauthorized},
		{"wrong", nil, http.StatusUnauthorized},
		{"ann", http.Header{"Origin": {"https://evil.test"}}, http.StatusForbidden},
		{"ann", http.Header{"Host": {"evil.test"}}, http.StatusForbidden},
		{"ann", http.Header{"Upgrade": nil}, http.StatusUpgradeRequired},
	}
	for _, tt := range tests {
		if _, no := r.request("/listen", tt.token, tt.header); no == nil || no.status != tt.status {
			t.Errorf("%q %v: %+v", tt.token, tt.header, no)
		}
	}
	for range 2 {
		r.connect("/listen", "ann").expect("hello")
	}
	if _, no := r.request("/listen", "ann", nil); no == nil || no.status != http.StatusTooManyRequests {
		t.Errorf("the third connect: %+v", no)
	}
	r.noSecrets("wrong")
}

// Credentials may come with the first message, and end the connection when they
// are revoked or over.
//
// Covers: WS-110
func TestListenerCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPipeRig(t, nil)
		r.source = echoing(nil)
		p := r.connect("/listen", "")
		p.command(clew.CommandInterrupt, "c1", `{}`)
		p.expectError(clew.AuthRequired)
		p.send(`{"type":"auth","data":{"token":"annkey"}}`)
		p.expect(clew.EventAuthResult)
		p.expect("hello")
		r.g.revoke("k1")
		p.expectClose(wire.ClosePolicy, string(clew.AuthFailed))

		r.auth.allow("short", clew.Principal{User: "ann", Role: clew.RoleOwner, ExpiresMS: time.Now().Add(10 * time.Second).UnixMilli()})
		p = r.connect("/listen", "short")
		p.expect("hello")
		p.expectClose(wire.ClosePolicy, string(clew.TokenExpired))

		p = r.connect("/listen", "ann")
		p.expect("hello")
		p.expect(clew.EventPing)
		p.expectClose(wire.CloseGoing, string(clew.ConnectionTimeout)) // it never answered
	})
}

// A listener that does not read is cut and holds up nobody.
func TestSlowListener(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits.WriteTimeout = 200 * time.Millisecond })
	ended := make(chan struct{})
	r.source = func(ctx context.Context, _ clew.Principal, send func(clew.EventType, any)) error {
		defer close(ended)
		text := strings.Repeat("x", 1<<20)
		for ctx.Err() == nil {
			send("news", map[string]any{"text": text})
		}
		return ctx.Err()
	}
	p := r.connect("/listen", "ann")
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the slow listener is still served")
	}
	p.expectClose(wire.CloseTooSlow, wire.ReasonTooSlow)
}

// A source that fails by a fault takes its own connection with it alone.
func TestSourcePanics(t *testing.T) {
	r := newRig(t, nil)
	r.source = func(context.Context, clew.Principal, func(clew.EventType, any)) error { panic("a fault") }
	for range 2 {
		r.connect("/listen", "ann").expectError(clew.Unavailable)
	}
}
