package main

import (
	"bytes"
	"context"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew/client/clienttest"
)

// A screen is what the program writes, for others to read meanwhile.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	wake chan struct{}
}

func newScreen() *screen { return &screen{wake: make(chan struct{})} }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.wake)
	s.wake = make(chan struct{})
	return s.text.Write(p)
}

// wait returns once the text shows.
func (s *screen) wait(t *testing.T, text string) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		s.mu.Lock()
		shown, wake := s.text.String(), s.wake
		s.mu.Unlock()
		if strings.Contains(shown, text) {
			return
		}
		select {
		case <-wake:
		case <-limit:
			t.Fatalf("%q does not show:\n%s", text, shown)
		}
	}
}

func TestWatch(t *testing.T) {
	fake := clienttest.New(t)
	srv := httptest.NewServer(fake.Handler())
	defer srv.Close()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("token-alice\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	keys, typing := io.Pipe()
	out, status := newScreen(), newScreen()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--server", srv.URL, "--token-file", token}, keys, out, status)
	}()

	out.wait(t, "-- in sync, 0 replayed")
	if _, err := io.WriteString(typing, "hello\n"); err != nil {
		t.Fatal(err)
	}
	out.wait(t, "msg_000000000002 alice: hello")
	out.wait(t, "msg_000000000004 main-monitor-0: hello")
	fake.DropAll()
	status.wait(t, "(connection lost")
	if _, err := io.WriteString(typing, "again\n"); err != nil {
		t.Fatal(err)
	}
	out.wait(t, "alice: again")

	_ = typing.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
