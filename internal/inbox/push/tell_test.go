package push

import (
	"crypto/x509"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/inbox/push/pushtest"
)

// withRoots has a Push trust the service's certificate.
func withRoots(p *Push, s *pushtest.Service) http.RoundTripper {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	transport := p.client.Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.RootCAs = pool
	return transport
}

// Each browser of a person hears once of a question and once that it is settled,
// and of nothing in between; those of others hear nothing.
func TestTold(t *testing.T) {
	w := newWorld(t)
	w.run()
	phone, laptop, other := w.browser(person("ann", "")), w.browser(person("ann", "")), w.browser(person("bob", ""))
	deadline := time.Now().Add(10 * time.Minute).UnixMilli()
	q := question("req_1", deadline)
	w.asked("ann", q)
	for _, b := range []*pushtest.Browser{phone, laptop} {
		d := b.Next()
		if d.Kind != "question" || d.Body["request_id"] != "req_1" || d.Body["session_id"] != "s1" || d.Body["title"] != "Release 1.4" ||
			d.Body["asks"] != "command" || d.Body["deadline_ms"] != float64(deadline) || d.Body["inbox"] != 1.0 {
			t.Errorf("told %s", d.Plain)
		}
		if strings.Contains(d.Plain, "CANARY") {
			t.Errorf("the message says what is asked: %s", d.Plain)
		}
		ttl, _ := strconv.Atoi(d.Header.Get("Ttl"))
		if ttl < 500 || ttl > 600 || d.Header.Get("Urgency") != "high" || d.Header.Get("Topic") != topic("req_1") || len(topic("req_1")) != 32 {
			t.Errorf("headers %v", d.Header)
		}
	}
	q.RemindedMS = 7
	w.asked("ann", q) // changed
	second := question("req_2", 0)
	w.asked("ann", q, second)
	for _, b := range []*pushtest.Browser{phone, laptop} {
		if d := b.Next(); d.Body["request_id"] != "req_2" || d.Body["inbox"] != 2.0 {
			t.Errorf("after a change and another question came %s", d.Plain)
		}
	}
	w.asked("ann", second)
	for _, b := range []*pushtest.Browser{phone, laptop} {
		if d := b.Next(); d.Kind != "settled" || d.Body["request_id"] != "req_1" || d.Body["inbox"] != 1.0 || d.Header.Get("Topic") != topic("req_1") {
			t.Errorf("after the first was settled came %s", d.Plain)
		}
	}
	w.asked("ann")
	w.asked("bob", second)
	for _, b := range []*pushtest.Browser{phone, laptop} {
		if d := b.Next(); d.Kind != "settled" || d.Body["request_id"] != "req_2" || d.Body["inbox"] != 0.0 {
			t.Errorf("after the last was settled came %s", d.Plain)
		}
	}
	if d := other.Next(); d.Kind != "question" || d.Body["request_id"] != "req_2" || other.Waiting() != 0 {
		t.Errorf("bob's first message is %s", d.Plain)
	}
	if strings.Contains(w.log.String(), "CANARY") {
		t.Errorf("an endpoint is in the log: %s", w.log)
	}
}

// What a push service cannot take now comes again, to that browser alone, and is
// given up in the end; a browser that is gone is forgotten.
func TestFailures(t *testing.T) {
	w := newWorld(t)
	ann := person("ann", "")
	fine, busy, refused, gone, dead := w.browser(ann), w.browser(ann), w.browser(ann), w.browser(ann), w.browser(ann)
	busy.Answer(http.StatusTooManyRequests, nil)
	refused.Answer(http.StatusForbidden, nil)
	gone.Answer(http.StatusGone, nil)
	dead.Answer(http.StatusBadGateway, nil)
	stop := w.run()
	w.asked("ann", question("req_1", 0))
	if d := busy.Next(); d.Status != http.StatusTooManyRequests {
		t.Fatalf("answered %d", d.Status)
	}
	busy.Answer(http.StatusCreated, nil)
	for d := busy.Next(); d.Status != http.StatusCreated; d = busy.Next() {
	}
	for range 4 { // one attempt and three more
		dead.Next()
	}
	w.until(func() bool { return w.p.Counters.GivenUp.Load() == 2 })
	w.asked("ann")
	for name, b := range map[string]*pushtest.Browser{"fine": fine, "busy": busy} {
		d := b.Next()
		if name == "fine" {
			d = b.Next()
		}
		if d.Kind != "settled" {
			t.Errorf("%s heard %s", name, d.Plain)
		}
	}
	stop() // waits for what is under way
	for name, b := range map[string]*pushtest.Browser{"fine": fine, "busy": busy, "dead": dead} {
		if b.Waiting() != 0 {
			t.Errorf("%s heard %d messages too many", name, b.Waiting())
		}
	}
	if refused.Waiting() != 1 || gone.Waiting() != 1 {
		t.Errorf("%d messages to one that refuses, %d to one that is gone", refused.Waiting(), gone.Waiting())
	}
	if n := len(w.list(ann)); n != 4 {
		t.Errorf("%d subscriptions are left", n)
	}
	if c := &w.p.Counters; c.Sent.Load() != 4 || c.Gone.Load() != 1 || c.GivenUp.Load() != 2 || c.Retried.Load() < 4 {
		t.Errorf("sent %d, gone %d, given up %d, tried again %d", c.Sent.Load(), c.Gone.Load(), c.GivenUp.Load(), c.Retried.Load())
	}
	if strings.Contains(w.log.String(), "CANARY") {
		t.Errorf("an endpoint is in the log: %s", w.log)
	}
}

// A push service may say how long to wait, within reason.
func TestRetryAfter(t *testing.T) {
	w := newWorld(t)
	b := w.browser(person("ann", ""))
	s := w.list(person("ann", ""))[0]
	for after, want := range map[string]time.Duration{"7": 7 * time.Second, "999999999999": 0, "90000": time.Hour, "-3": 0, "soon": 0} {
		b.Answer(http.StatusTooManyRequests, http.Header{"Retry-After": {after}})
		o := w.p.post(t.Context(), s, message{Kind: "test"}, time.Minute)
		if want == 0 && after == "999999999999" {
			want = time.Hour
		}
		if o.wait != want || !o.passing() {
			t.Errorf("Retry-After: %s is %v, %+v", after, o.wait, o)
		}
	}
	if again, err := w.p.another(1, results{later: []string{"x"}, wait: time.Hour}); again != time.Hour || err == nil {
		t.Errorf("again in %v, %v", again, err)
	}
}

// What was told before a stop and settled while nobody was there is settled at
// the next start, even if the row's mark is gone; and nothing is told twice.
func TestSettledMeanwhile(t *testing.T) {
	w := newWorld(t)
	b := w.browser(person("ann", ""))
	stop := w.run()
	w.asked("ann", question("req_1", 0), question("req_2", 0))
	b.Next()
	b.Next()
	stop()
	w.asked("ann", question("req_2", 0))
	if err := w.p.settleMissed(t.Context()); err != nil { // as without the mark
		t.Fatal(err)
	}
	if d := b.Next(); d.Kind != "settled" || d.Body["request_id"] != "req_1" {
		t.Errorf("heard %s", d.Plain)
	}
	stop = w.run()
	w.asked("ann", question("req_2", 0), question("req_3", 0))
	if d := b.Next(); d.Body["request_id"] != "req_3" {
		t.Errorf("heard %s", d.Plain)
	}
	stop()
	if rows, err := w.p.o.Table.Below(t.Context(), toldRows); err != nil || len(rows) != 2 || b.Waiting() != 0 {
		t.Errorf("%d notes, %v; %d messages too many", len(rows), err, b.Waiting())
	}
}

// A question whose time is over is not told of.
func TestTooLate(t *testing.T) {
	w := newWorld(t)
	b := w.browser(person("ann", ""))
	w.run()
	w.asked("ann", question("req_1", time.Now().Add(-time.Second).UnixMilli()), question("req_2", 0))
	if d := b.Next(); d.Body["request_id"] != "req_2" {
		t.Errorf("heard %s", d.Plain)
	}
}

// A test says what became of it, without the address, and not without end.
func TestTry(t *testing.T) {
	w := newWorld(t)
	ann := person("ann", "")
	fine, broken := w.browser(ann), w.browser(ann)
	broken.Answer(http.StatusInternalServerError, nil)
	tried, err := w.p.Test(t.Context(), ann)
	if err != nil || len(tried) != 2 || tried[0].Error != "" || tried[1].Error != "the push service answered 500" {
		t.Errorf("%+v, %v", tried, err)
	}
	if d := fine.Next(); d.Kind != "test" || d.Body["inbox"] != 0.0 || d.Header.Get("Topic") != "" {
		t.Errorf("heard %s", d.Plain)
	}
	if s := w.list(ann)[0]; s.LastMS == 0 {
		t.Error("it is not noted that it was told")
	}
	for range 20 {
		if _, err = w.p.Test(t.Context(), ann); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("tests can be made without end")
	}
	if _, err := w.p.Test(t.Context(), person("bob", "")); err != nil {
		t.Errorf("one person's tests take another's away: %v", err)
	}
}
