package cli

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// The log for people is short, and leaves out that the server did what it is for.
func TestShortLog(t *testing.T) {
	var out bytes.Buffer
	log, err := newLogger(&out, "info", "short")
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("not this")
	log.Info("request", "status", 200)
	log.Info("secrets", "backend", "file")
	log.With("session", "sess_1").WithGroup("g").Warn("flush", "n", 2, "err", errors.New("disk\x1b full"))
	log.Error("request", slog.Group("http", "status", 500))
	want := "secrets, backend file\nwarn: flush, session sess_1, g.n 2: disk\uFFFD full\nerror: request, http.status 500\n"
	got := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  `).ReplaceAllString(out.String(), "")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	out.Reset()
	if log, err = newLogger(&out, "debug", "short"); err != nil {
		t.Fatal(err)
	}
	log.Info("request", "status", 200)
	if !strings.Contains(out.String(), "request, status 200") {
		t.Errorf("somebody who looks for something: %q", out.String())
	}
}

// Without a format the log is JSON where a program reads it, and short on a
// terminal.
func TestLogFormat(t *testing.T) {
	var out bytes.Buffer
	for _, format := range []string{"", "auto", "json"} {
		out.Reset()
		log, err := newLogger(&out, "", format)
		if err != nil {
			t.Fatal(err)
		}
		if log.Info("stopped"); !strings.HasPrefix(out.String(), `{"time":`) {
			t.Errorf("%q: %s", format, out.String())
		}
	}
	person, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = person.Close() }()
	log, err := newLogger(tty, "", "auto")
	if err != nil {
		t.Fatal(err)
	}
	log.Info("stopped")
	if line := readTTY(t, person, tty); !strings.HasSuffix(line, "  stopped\r\n") || strings.Contains(line, "{") {
		t.Errorf("on a terminal: %q", line)
	}
}

// readTTY reads what was written to a terminal, and closes it.
func readTTY(t *testing.T, person, tty *os.File) string {
	t.Helper()
	b := make([]byte, 4096)
	n, err := person.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	_ = tty.Close()
	return string(b[:n])
}
