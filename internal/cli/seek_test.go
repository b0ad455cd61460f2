package cli

import (
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// A server that is started again elsewhere is found by its socket, and whoever sits
// at its old address hears nothing.
func TestServerIsFoundAgain(t *testing.T) {
	data := t.TempDir()
	var c *env.Rest
	var id clew.SessionID
	t.Run("first", func(t *testing.T) {
		startServer(t, data)
		var err error
		if c, err = (&env.App{IO: env.IO{Environ: []string{"HOME=/nonexistent"}}}).Connect(env.Remote{Data: data}); err != nil {
			t.Fatal(err)
		}
		if id, err = c.API().CreateSession(t.Context(), client.NewSession{Title: "First"}); err != nil {
			t.Fatal(err)
		}
	})
	var heard atomic.Bool
	stranger, err := net.Listen("tcp", c.Base.Host)
	if err != nil {
		t.Fatal(err)
	}
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		for {
			conn, err := stranger.Accept()
			if err != nil {
				return
			}
			heard.Store(true)
			_ = conn.Close()
		}
	}()
	if _, err := c.API().GetSession(t.Context(), id); clew.CodeOf(err) != clew.ConnectionFailed {
		t.Errorf("without a server: %v", err)
	}
	t.Run("second", func(t *testing.T) {
		startServer(t, data)
		change := map[string]any{"settings": map[string]any{"mode": "ask"}}
		if err := c.Call(t.Context(), http.MethodPatch, "settings", change, nil); err != nil { // with a body
			t.Errorf("a change: %v", err)
		}
		if s, err := c.API().GetSession(t.Context(), id); err != nil || s.Title != "First" {
			t.Errorf("%+v, %v", s, err)
		}
		if now := c.Address(); now.Host == c.Base.Host || now.Scheme != c.Base.Scheme {
			t.Errorf("its address is said to be %s", now)
		}
		ws, err := client.Dial(t.Context(), c.Dialing(id))
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		for environ, err := range ws.Follow(t.Context()) {
			if err != nil || clew.EventType(environ.Type) != clew.EventSessionState {
				t.Errorf("the first envelope: %s, %v", environ.Type, err)
			}
			break
		}
	})
	_ = stranger.Close()
	<-listening
	if heard.Load() {
		t.Error("a stranger was asked")
	}
}
