package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/clew-run/clew"
)

// A pace is how slow the other side of a transfer may be: it may stand still for
// grace in all, beyond what its bytes take at the least rate.
type pace struct {
	grace time.Duration
	rate  int64 // bytes a second
}

var leastPace = pace{grace: 30 * time.Second, rate: 32 << 10}

func (p pace) allowed(bytes int64) time.Duration {
	return p.grace + time.Duration(float64(bytes)/float64(p.rate)*float64(time.Second))
}

// A line is one direction of a connection. Only the time spent waiting for the
// other side counts against it. It belongs to the request's goroutine.
type line struct {
	pace
	end    time.Time // of the request
	until  func(deadline time.Time) error
	bytes  int64
	waited time.Duration
}

func newLine(ctx context.Context, p pace, until func(time.Time) error) line {
	end, ok := ctx.Deadline()
	if !ok {
		end = time.Now().Add(transferTimeout) //nolint:forbidigo // for a socket
	}
	return line{pace: p, end: end, until: until}
}

// step does one read or write, after which bytes may have gone over the line.
func (l *line) step(bytes int64, do func() (int, error)) (int, error) {
	began := time.Now() //nolint:forbidigo // for a socket
	deadline := began.Add(l.allowed(bytes) - l.waited)
	if l.end.Before(deadline) {
		deadline = l.end
	}
	if err := l.until(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := do()
	l.waited += time.Since(began) //nolint:forbidigo // for a socket
	l.bytes += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = clew.WrapError(clew.ConnectionTimeout, err, "the connection is too slow: a transfer needs %d KiB a second", l.rate>>10)
	}
	return n, err
}

// close lets the connection be used for something else.
func (l *line) close() { _ = l.until(time.Time{}) }

// A pacedBody is a request's body that must not come too slowly.
type pacedBody struct {
	line
	from io.Reader
}

func bodyOf(w http.ResponseWriter, r *http.Request, p pace) *pacedBody {
	return &pacedBody{newLine(r.Context(), p, http.NewResponseController(w).SetReadDeadline), r.Body}
}

// Read implements io.Reader.
func (b *pacedBody) Read(p []byte) (int, error) {
	return b.step(b.bytes, func() (int, error) { return b.from.Read(p) })
}

// A pacedAnswer is an answer that must not be taken too slowly.
type pacedAnswer struct {
	line
	to io.Writer
}

func answerOf(w http.ResponseWriter, r *http.Request, p pace) *pacedAnswer {
	return &pacedAnswer{newLine(r.Context(), p, http.NewResponseController(w).SetWriteDeadline), w}
}

// Write implements io.Writer.
func (a *pacedAnswer) Write(p []byte) (int, error) {
	return a.step(a.bytes+int64(len(p)), func() (int, error) { return a.to.Write(p) })
}
