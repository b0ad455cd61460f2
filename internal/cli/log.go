package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew/internal/cli/env"
)

// newLogger makes the log of a server. Without a format it is for people where
// they look on, and JSON everywhere else.
func newLogger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if level != "" {
		if err := l.UnmarshalText([]byte(level)); err != nil {
			return nil, env.Usagef("log.level %q is not debug, info, warn or error", level)
		}
	}
	if format == "" || format == "auto" {
		format = "json"
		if f, ok := w.(*os.File); ok && env.IsTerminal(f) {
			format = "short"
		}
	}
	opts := &slog.HandlerOptions{Level: l}
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "short":
		return slog.New(&shortLog{level: l, w: &lines{w: w}}), nil
	}
	return nil, env.Usagef("log.format %q is not auto, short, text or json", format)
}

// lines writes one line at a time, whoever has one.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

// A shortLog is a log for somebody who started a server in a terminal: the time,
// what happened, and what is known about it. Requests that went well are left out:
// they are what a server is for.
type shortLog struct {
	level slog.Level
	w     *lines
	known string // what With added
	group string
}

// Enabled implements slog.Handler.
func (h *shortLog) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

// Handle implements slog.Handler.
func (h *shortLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "request" && r.Level < slog.LevelWarn && h.level >= slog.LevelInfo {
		return nil
	}
	var b bytes.Buffer
	if !r.Time.IsZero() {
		b.WriteString(r.Time.Format(time.TimeOnly) + "  ")
	}
	if r.Level != slog.LevelInfo {
		b.WriteString(strings.ToLower(r.Level.String()) + ": ")
	}
	b.WriteString(env.Plain(r.Message) + h.known)
	r.Attrs(func(a slog.Attr) bool {
		b.WriteString(shortAttr(h.group, a))
		return true
	})
	b.WriteByte('\n')
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	_, err := h.w.w.Write(b.Bytes())
	return err
}

// shortAttr is ", key value", or the value alone where it says all.
func shortAttr(group string, a slog.Attr) string {
	v := a.Value.Resolve()
	if a.Equal(slog.Attr{}) {
		return ""
	}
	if v.Kind() == slog.KindGroup {
		text := ""
		for _, sub := range v.Group() {
			text += shortAttr(group+a.Key+".", sub)
		}
		return text
	}
	if a.Key == "err" {
		return ": " + env.Plain(v.String())
	}
	return fmt.Sprintf(", %s%s %s", group, a.Key, env.Plain(v.String()))
}

// WithAttrs implements slog.Handler.
func (h *shortLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	for _, a := range attrs {
		with.known += shortAttr(h.group, a)
	}
	return &with
}

// WithGroup implements slog.Handler.
func (h *shortLog) WithGroup(name string) slog.Handler {
	with := *h
	if name != "" {
		with.group += name + "."
	}
	return &with
}
