package env

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// A server of another version is named once, with what to do about it; programs are not
// told, nor is a shell that completes a line.
func TestServerOfAnotherVersion(t *testing.T) {
	own := BuildInfo().Version
	for name, tt := range map[string]struct {
		server string
		json   bool
		quiet  bool
		want   string
	}{
		"the same":   {own, false, false, ""},
		"another":    {"v0.0.1", false, false, "The running server is clew v0.0.1, and this is clew " + own + ". Restart it: clew serve restart --data DIR\n"},
		"an older":   {"", false, false, "The running server is an older clew, and this is clew " + own + ". Restart it: clew serve restart --data DIR\n"},
		"for JSON":   {"v0.0.1", true, false, ""},
		"in silence": {"v0.0.1", false, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "clew") // a socket's path is short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			greet(t, filepath.Join(dir, client.LocalSocket), clew.AckData{ClientID: "c1", PID: os.Getpid(), URL: "http://127.0.0.1:8000", Version: tt.server})
			var told bytes.Buffer
			a := &App{IO: IO{Err: &told}, JSON: tt.json}
			for range 2 {
				if address, _, err := a.find(Remote{Data: dir, Quiet: tt.quiet}); err != nil || address != "http://127.0.0.1:8000" {
					t.Fatal(address, err)
				}
			}
			if got := strings.ReplaceAll(told.String(), dir, "DIR"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// greet is a local socket that says who it is, to everybody.
func greet(t *testing.T, path string, ack clew.AckData) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = listener.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write(wire.AppendAck(nil, ack)) // the test sees what came of it
			_ = conn.Close()
		}
	}()
}
