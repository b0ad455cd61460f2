package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"

	"github.com/clew-run/clew"
)

// A note collects what the log says of a request. It belongs to the request's
// goroutine.
type note struct {
	user    clew.UserID
	problem *problem
}

type noteKey struct{}

func noteOf(ctx context.Context) *note {
	if n, ok := ctx.Value(noteKey{}).(*note); ok {
		return n
	}
	return &note{}
}

// logged answers a request and writes one line about it. The line has the
// route's pattern in place of the path and never the query, which may carry a
// token.
func (a *API) logged(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	start := a.o.Clock.Elapsed()
	n := &note{}
	r = r.WithContext(context.WithValue(r.Context(), noteKey{}, n))
	rec := &recorder{ResponseWriter: w}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	defer func() {
		a.recovered(recover(), rec, r)
		attrs := []slog.Attr{
			slog.String("method", r.Method), slog.String("route", r.Pattern), slog.Int("status", rec.status),
			slog.Float64("duration_ms", float64((a.o.Clock.Elapsed()-start).Microseconds())/1e3),
		}
		if n.user != "" {
			attrs = append(attrs, slog.String("user", string(n.user)))
		}
		level := slog.LevelInfo
		if n.problem != nil {
			attrs = append(attrs, slog.String("code", string(n.problem.Body.Code)))
			if n.problem.cause != nil {
				attrs = append(attrs, slog.String("cause", n.problem.cause.Error()))
			}
		}
		if rec.status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		a.log.LogAttrs(r.Context(), level, "request", attrs...)
	}()
	next(rec, r)
}

// recovered turns a panic into a 500. One bad request must not end the others.
func (a *API) recovered(v any, w *recorder, r *http.Request) {
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	a.log.ErrorContext(r.Context(), "panic in a request", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	if w.status == 0 {
		writeError(w, r, clew.Errorf(clew.Internal, "internal error"))
	}
}

// recorder remembers the status.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the first final status.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write means 200 if nothing was said before.
func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack hands the connection over to the WebSocket.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.status == 0 {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, rw, err
}
