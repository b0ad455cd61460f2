// Package call holds what the providers have in common: the HTTP of one call
// with its watchdog, what failures mean, images, and the answer while it grows.
package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"
)

// DefaultStall is how long a stream may be silent.
const DefaultStall = 120 * time.Second

const (
	// maxBody bounds what one call reads from the network. Each few bytes of an
	// answer come in an envelope of some hundred, so it is far above maxAnswer.
	maxBody = 128 << 20
	// maxFailure is as much as is read of a failed call's body.
	maxFailure = 64 << 10
)

// ErrStalled is the cause of a call that was cut because nothing came.
var ErrStalled = errors.New("no byte came from the provider for too long")

var errTooMuch = errors.New("the provider sent more than a call may read")

// A StatusError is an HTTP answer that is no stream.
type StatusError struct {
	Host   string // that answered
	Status int
	Header http.Header
	Body   []byte
}

func (e *StatusError) Error() string { return fmt.Sprintf("HTTP status %d", e.Status) }

// Client gives an HTTP client for model calls on the transport of base, which
// may be nil. It differs from an ordinary client in three ways:
//
//   - a call ends with ErrStalled if no byte comes for stall, be it of the
//     headers or of the body;
//   - everything but a stream is a *StatusError, so both vendors' failures are
//     read in one place;
//   - no redirect is followed: it could carry the key to another host.
func Client(base *http.Client, stall time.Duration) *http.Client {
	if stall <= 0 {
		stall = DefaultStall
	}
	next := http.DefaultTransport // with the proxy of the environment
	if base != nil && base.Transport != nil {
		next = base.Transport
	}
	return &http.Client{
		Transport:     &transport{next: next, stall: stall},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type transport struct {
	next  http.RoundTripper
	stall time.Duration
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	dog := &watchdog{ctx: ctx, cancel: cancel, stall: t.stall, host: req.URL.Host}
	dog.timer = time.AfterFunc(t.stall, func() { cancel(ErrStalled) })
	res, err := t.next.RoundTrip(req.WithContext(ctx))
	dog.timer.Stop()
	if err != nil {
		cause := dog.cause(err)
		cancel(nil)
		return nil, cause
	}
	dog.body = res.Body
	res.Body = dog
	if res.StatusCode/100 == 2 && !isJSON(res.Header) {
		return res, nil
	}
	return nil, failed(res, req.URL.Hostname())
}

// isJSON reports whether an answer is one piece of JSON: a server that knows no
// streams, or one that puts its error under a status of 200.
func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

func failed(res *http.Response, host string) error {
	defer func() { _ = res.Body.Close() }()
	// A body that breaks off still tells what it has; the status says the rest.
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxFailure))
	return &StatusError{Host: host, Status: res.StatusCode, Header: res.Header, Body: body}
}

// A watchdog is a response body that gives up when a read takes too long. Only
// reads count: a slow consumer is no stall.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
	host   string
	body   io.ReadCloser
	read   int64
	once   sync.Once
}

func (w *watchdog) Read(p []byte) (int, error) {
	if w.read >= maxBody {
		return 0, errTooMuch
	}
	w.timer.Reset(w.stall)
	n, err := w.body.Read(p)
	w.timer.Stop()
	w.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = w.cause(err)
	}
	return n, err
}

// cause names the stall where the network only knows that it was cancelled, and
// the host, which holds no secret: an address may.
func (w *watchdog) cause(err error) error {
	if errors.Is(context.Cause(w.ctx), ErrStalled) {
		err = ErrStalled
	}
	return &linkError{host: w.host, err: err}
}

// A linkError is a failure of the connection to a host.
type linkError struct {
	host string
	err  error
}

func (e *linkError) Error() string { return e.host + ": " + e.err.Error() }
func (e *linkError) Unwrap() error { return e.err }

// Some clients stop reading at the last event of a stream. The connection serves the
// next call only if the little that is left is read: so much, and so long.
const (
	restBytes = 4 << 10
	restTime  = 100 * time.Millisecond
)

func (w *watchdog) Close() error {
	var err error
	w.once.Do(func() {
		w.timer.Reset(restTime)
		_, _ = io.CopyN(io.Discard, w.body, restBytes) // a stream that is cut has no end
		w.timer.Stop()
		err = w.body.Close()
		w.cancel(nil)
	})
	return err
}

// Options say where and as whom a provider calls.
type Options struct {
	BaseURL string                                // "" is the vendor's
	Region  string                                // of a cloud; "" is what the environment says
	Project string                                // of Google Cloud; the same
	Key     func(context.Context) (string, error) // read anew for each call
	// KeyHeader is the header that the key goes in, "" for the vendor's usual one.
	KeyHeader string
	Headers   map[string]string // further headers; the key's own is not among them
	HTTP      *http.Client      // its transport is used; nil is the standard one
	Stall     time.Duration     // silence that ends a call; 0 is 120 s
}
