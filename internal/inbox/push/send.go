package push

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// outcome is what became of one message to one subscription.
type outcome struct {
	status int           // of the answer; 0 = none came
	wait   time.Duration // what the push service asked for
}

func (o outcome) sent() bool { return o.status >= 200 && o.status <= 299 }

// gone says that the browser's subscription has ended.
func (o outcome) gone() bool { return o.status == http.StatusNotFound || o.status == http.StatusGone }

// passing says that it may go well another time.
func (o outcome) passing() bool {
	return o.status == 0 || o.status == http.StatusTooManyRequests || o.status == http.StatusRequestTimeout || o.status >= 500
}

// String says it for people and the log, without the address.
func (o outcome) String() string {
	if o.status == 0 {
		return "the push service was not reached"
	}
	return "the push service answered " + strconv.Itoa(o.status)
}

const (
	sendTimeout = 5 * time.Second
	// stopGrace is how long a message that is on its way may take when the node
	// stops: cut off, it would have to be sent again, as nobody knows whether it
	// came.
	stopGrace = 2 * time.Second
	maxWait   = time.Hour // that a push service may make us wait
)

// post sends a message to one subscription, once.
func (p *Push) post(ctx context.Context, s Subscription, m message, ttl time.Duration) outcome {
	if ctx.Err() != nil {
		return outcome{}
	}
	stopped := ctx
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	defer context.AfterFunc(stopped, func() { time.AfterFunc(stopGrace, cancel) })()
	req, err := p.request(ctx, s, m, ttl)
	if err != nil { // it would not go better another time
		p.o.Log.Error("a message cannot be made for a subscription", "subscription", s.ID, "err", err)
		return outcome{status: http.StatusBadRequest}
	}
	resp, err := p.client.Do(req)
	if err != nil { // the error would name the address
		return outcome{}
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection is used again
	o := outcome{status: resp.StatusCode}
	if sec, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && sec > 0 {
		o.wait = min(time.Duration(min(sec, 1<<20))*time.Second, maxWait)
	}
	return o
}

func (p *Push) request(ctx context.Context, s Subscription, m message, ttl time.Duration) (*http.Request, error) {
	plain, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	body, err := encrypt(plain, s)
	if err != nil {
		return nil, err
	}
	proof, err := p.o.Key.authorization(s.Endpoint, contact(p.o.PublicURL()), p.o.Now())
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", proof)
	req.Header.Set("Content-Encoding", "aes128gcm")
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Ttl", strconv.FormatInt(int64(max(ttl, 0)/time.Second), 10))
	req.Header.Set("Urgency", "high")
	if m.RequestID != "" { // a newer word on the same question replaces one that still waits
		req.Header.Set("Topic", topic(string(m.RequestID)))
	}
	return req, nil
}

// contact is what a push service's operators get to see of ours. Some refuse
// everything but an https or mailto address.
func contact(publicURL string) string {
	if strings.HasPrefix(publicURL, "https://") {
		return publicURL
	}
	return "https://github.com/clew-run/clew"
}
