package push

import (
	"net"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// A subscription is renewed in place, ends with its key and after a long time
// without renewal, and is gone when it is removed.
func TestSubscriptions(t *testing.T) {
	w := newWorld(t)
	ann := person("ann", "key1")
	b := w.service.Browser()
	first := w.subscribe(ann, b)
	if again := w.subscribe(ann, b); again.ID != first.ID || again.CreatedMS != first.CreatedMS || len(w.list(ann)) != 1 {
		t.Errorf("%+v, then %+v", first, again)
	}
	if _, err := w.p.Unsubscribe(t.Context(), person("bob", ""), first.ID); err != nil || len(w.list(ann)) != 1 {
		t.Errorf("bob has removed ann's: %v", err)
	}
	if found, err := w.p.Unsubscribe(t.Context(), ann, first.ID); err != nil || !found || len(w.list(ann)) != 0 {
		t.Errorf("not removed: %v", err)
	}
	w.subscribe(ann, b)
	w.subscribe(person("ann", "key2"), w.service.Browser())
	w.mu.Lock()
	w.revoked["key1"] = true
	w.mu.Unlock()
	if list := w.list(ann); len(list) != 1 || list[0].KeyID != "key2" {
		t.Errorf("after one key was revoked: %+v", list)
	}
	w.mu.Lock()
	w.ahead = holdsFor
	w.mu.Unlock()
	if list := w.list(ann); len(list) != 0 {
		t.Errorf("after %v: %+v", holdsFor, list)
	}
	if rows, err := w.p.o.Table.List(t.Context()); err != nil || len(rows) != 0 {
		t.Errorf("rows are left: %v, %v", rows, err)
	}
}

// Credentials that were given away for less neither see nor touch their owner's
// other browsers; the owner sees all.
func TestLesserCredentialsSeeTheirOwn(t *testing.T) {
	w := newWorld(t)
	ann := person("ann", "key1")
	lesser := []clew.Principal{
		{User: "ann", Role: clew.RoleApprover, KeyID: "key2"}, {User: "ann", Role: clew.RoleApprover, KeyID: "key3"},
		{User: "ann", Role: clew.RoleApprover}, // of an outside issuer
	}
	hers, issued := w.subscribe(ann, w.service.Browser()), w.subscribe(person("ann", ""), w.service.Browser())
	var own []Subscription
	for _, by := range lesser {
		own = append(own, w.subscribe(by, w.service.Browser()))
	}
	for i, by := range lesser {
		if list := w.list(by); len(list) != 1 || list[0].ID != own[i].ID {
			t.Errorf("%+v sees %+v", by, list)
		}
		for _, s := range []Subscription{hers, issued, own[(i+1)%len(own)]} {
			if found, err := w.p.Unsubscribe(t.Context(), by, s.ID); err != nil || found {
				t.Errorf("%+v has removed another: %v", by, err)
			}
		}
	}
	if tried, err := w.p.Test(t.Context(), lesser[0]); err != nil || len(tried) != 1 || tried[0].ID != own[0].ID {
		t.Errorf("tried %+v, %v", tried, err)
	}
	if list := w.list(ann); len(list) != 5 {
		t.Errorf("ann sees %d", len(list))
	}
	if found, err := w.p.Unsubscribe(t.Context(), ann, own[0].ID); err != nil || !found {
		t.Errorf("ann cannot remove one of hers: %v", err)
	}
	if found, err := w.p.Unsubscribe(t.Context(), lesser[1], own[1].ID); err != nil || !found {
		t.Errorf("nor an approver theirs: %v", err)
	}
}

// A browser belongs to whoever came last.
func TestABrowserChangesHands(t *testing.T) {
	w := newWorld(t)
	ann, bob := person("ann", ""), person("bob", "")
	b := w.service.Browser()
	w.subscribe(ann, b)
	w.subscribe(bob, b)
	if len(w.list(ann)) != 0 || len(w.list(bob)) != 1 {
		t.Errorf("ann has %d, bob %d", len(w.list(ann)), len(w.list(bob)))
	}
	w.run()
	w.asked("ann", question("req_1", 0))
	w.asked("bob", question("req_2", 0))
	if d := b.Next(); d.Body["request_id"] != "req_2" {
		t.Errorf("bob hears %s", d.Plain)
	}
}

// Who may answer nothing is told nothing, and nobody has browsers without end.
func TestWhoSubscribes(t *testing.T) {
	w := newWorld(t)
	viewer := clew.Principal{User: "ann", Role: clew.RoleViewer}
	b := w.service.Browser()
	n := NewSubscription{Endpoint: b.Endpoint(), P256dh: b.P256dh(), Auth: b.Auth()}
	s := w.subscribe(person("ann", ""), b)
	if _, err := w.p.Subscribe(t.Context(), viewer, n); clew.CodeOf(err) != clew.Forbidden {
		t.Errorf("a viewer subscribes: %v", err)
	}
	if _, err := w.p.Unsubscribe(t.Context(), viewer, s.ID); clew.CodeOf(err) != clew.Forbidden || len(w.list(viewer)) != 0 {
		t.Errorf("a viewer removes: %v", err)
	}
	for range maxSubscriptions - 1 {
		w.browser(person("ann", ""))
	}
	more := w.service.Browser()
	n = NewSubscription{Endpoint: more.Endpoint(), P256dh: more.P256dh(), Auth: more.Auth()}
	if _, err := w.p.Subscribe(t.Context(), person("ann", ""), n); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("one too many: %v", err)
	}
}

// Addresses come from strangers: none leads into the operator's network.
func TestEndpoints(t *testing.T) {
	w := newWorld(t)
	b := w.service.Browser()
	port := b.Endpoint()[strings.LastIndex(w.service.URL, ":"):]
	try := func(endpoint, p256dh, auth string) error {
		_, err := w.p.Subscribe(t.Context(), person("ann", ""), NewSubscription{Endpoint: endpoint, P256dh: p256dh, Auth: auth})
		return err
	}
	for _, bad := range []string{
		"", "x", strings.Replace(b.Endpoint(), "https", "http", 1), "https://127.0.0.1:1/x", "https://127.0.0.1/x", "https://[::1]/x", "https://10.0.0.1/x",
		"https://169.254.169.254/x", "https://2130706433" + port, "https://0x7f.1" + port, "https://[::ffff:127.0.0.1]/x", "https://u:p@push.example.org/x",
		"ftp://push.example.org/x", "https://push.example.org/" + strings.Repeat("x", maxEndpoint), "//push.example.org/x", "https:///x",
	} {
		if err := try(bad, b.P256dh(), b.Auth()); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%s: %v", bad, err)
		} else if len(bad) > 10 && strings.Contains(err.Error(), bad) {
			t.Errorf("the error has the address: %v", err)
		}
	}
	for _, keys := range [][2]string{{"", b.Auth()}, {b.P256dh()[:20], b.Auth()}, {strings.Repeat("A", 87), b.Auth()}, {b.P256dh(), ""}, {b.P256dh(), "AAAA"}, {"!", "!"}} {
		if err := try(b.Endpoint(), keys[0], keys[1]); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("keys %v: %v", keys, err)
		}
	}
	if err := try(b.Endpoint(), b.P256dh()+"=", b.Auth()+"=="); err != nil {
		t.Errorf("padding: %v", err)
	}
	// A name is checked when it is dialed, by what it means then; and what the
	// operator takes off the list is not reached any more.
	if err := try("https://localhost"+port, b.P256dh(), b.Auth()); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.allow = nil
	w.mu.Unlock()
	for _, s := range w.list(person("ann", "")) {
		if got := w.p.post(t.Context(), s, message{Kind: "test"}, 0); got.status != 0 || b.Waiting() != 0 {
			t.Errorf("an address that is not allowed was reached: %v", got)
		}
		host := strings.Split(strings.TrimPrefix(s.Endpoint, "https://"), "/")[0]
		if _, err := w.p.o.Dial(t.Context(), "tcp", host); err == nil || !strings.Contains(err.Error(), "not a public address") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := net.Dial("tcp", w.service.Address()); err != nil {
		t.Fatalf("the service is gone, and the test shows nothing: %v", err)
	}
}
