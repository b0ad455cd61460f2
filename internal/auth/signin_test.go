package auth_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/auth/authtest"
)

const (
	ownerOfTests = "clew_owner_secret-of-the-owner"
	firefox      = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	month        = 30 * 24 * time.Hour
)

// A desk is SignIns with all that they need, and a clock.
type desk struct {
	t       *testing.T
	now     time.Time
	store   *authtest.MemoryKeys
	tickets *authtest.MemoryTickets
	keys    *auth.Keys
	auth    *auth.Authenticator
	signIns *auth.SignIns
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, now: noon, store: &authtest.MemoryKeys{}, tickets: &authtest.MemoryTickets{}}
	d.keys = auth.NewKeys(d.store, func() time.Time { return d.now })
	d.auth = auth.New(auth.Options{OwnerToken: ownerOfTests, Keys: d.keys})
	d.signIns = auth.NewSignIns(d.auth, d.keys, d.tickets)
	return d
}

func (d *desk) key(n auth.NewKey) (auth.KeyRecord, string) {
	d.t.Helper()
	rec, token, err := d.keys.Create(d.t.Context(), n)
	if err != nil {
		d.t.Fatal(err)
	}
	return rec, token
}

func (d *desk) signIn(token string) auth.Visit {
	d.t.Helper()
	v, err := d.signIns.ByToken(d.t.Context(), token, firefox, auth.Credentials{})
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

func (d *desk) who(token string) (clew.Principal, clew.Code) {
	p, err := d.auth.Authenticate(d.t.Context(), auth.Credentials{Token: token})
	return p, clew.CodeOf(err)
}

// A sign-in is the caller and never more, and ends no later than what it was
// made with.
//
// Covers: WS-102
func TestSignInIsNeverWidened(t *testing.T) {
	d := newDesk(t)
	v := d.signIn(ownerOfTests)
	if p, code := d.who(v.Token); code != "" || p.User != "owner" || p.Role != clew.RoleAdmin || p.KeyID != v.ID || p.ExpiresMS != d.now.Add(month).UnixMilli() {
		t.Errorf("owner: %+v %s", p, code)
	}
	if !v.Browser || v.Name != "browser: Firefox on Linux" || v.Parent != "" {
		t.Errorf("%+v", v.KeyRecord)
	}
	for _, role := range []clew.Role{clew.RoleViewer, clew.RoleApprover, clew.RoleOwner, clew.RoleAdmin} {
		rec, token := d.key(auth.NewKey{User: "ada", Role: role, ExpiresMS: d.now.Add(time.Hour).UnixMilli()})
		v := d.signIn(token)
		want := clew.Principal{User: "ada", Role: role, KeyID: v.ID, ExpiresMS: rec.ExpiresMS}
		if p, code := d.who(v.Token); code != "" || p != want || v.Parent != rec.ID {
			t.Errorf("%s: %+v %s", role, p, code)
		}
	}
	for token, want := range map[string]clew.Code{"": clew.AuthRequired, "x": clew.AuthFailed, ownerOfTests + "x": clew.AuthFailed} {
		if _, err := d.signIns.ByToken(t.Context(), token, "", auth.Credentials{}); clew.CodeOf(err) != want {
			t.Errorf("%d characters: %v", len(token), err)
		}
	}
	d.store.Fail(errors.New("down"))
	if _, err := d.signIns.ByToken(t.Context(), ownerOfTests, "", auth.Credentials{}); clew.CodeOf(err) != clew.StorageFailed {
		t.Errorf("store down: %v", err)
	}
}

// What a key let in goes with the key, over any number of steps.
func TestSignInEndsWithItsKey(t *testing.T) {
	d := newDesk(t)
	rec, token := d.key(auth.NewKey{User: "ada"})
	line := []auth.Visit{d.signIn(token)}
	for len(line) < 5 {
		line = append(line, d.signIn(line[len(line)-1].Token))
	}
	last := line[len(line)-1]
	if _, code := d.who(last.Token); code != "" {
		t.Fatalf("the last of the line: %s", code)
	}
	if _, err := d.signIns.ByToken(t.Context(), last.Token, "", auth.Credentials{}); clew.CodeOf(err) != clew.Forbidden {
		t.Errorf("one too many: %v", err)
	}
	ticket, _, err := d.signIns.NewTicket(t.Context(), clew.Principal{User: "ada", Role: clew.RoleOwner, KeyID: rec.ID})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.keys.Revoke(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	for i, v := range line {
		if _, code := d.who(v.Token); code != clew.AuthFailed {
			t.Errorf("%d: %q", i, code)
		}
	}
	if _, err := d.signIns.ByTicket(t.Context(), ticket, "", auth.Credentials{}); clew.CodeOf(err) != clew.AuthFailed {
		t.Errorf("a ticket of a revoked key: %v", err)
	}
}

// Live connections hear of the end of the key that theirs came from.
//
// Covers: WS-102
func TestRevocationReachesSignIns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		rec, token := d.key(auth.NewKey{User: "ada"})
		first := d.signIn(token)
		var mu sync.Mutex
		var ended []string
		d.auth.OnRevoke(func(id string) {
			mu.Lock()
			defer mu.Unlock()
			ended = append(ended, id)
		})
		go func() { _ = d.auth.Run(t.Context()) }()
		second := d.signIn(first.Token)
		other := d.signIn(ownerOfTests)
		synctest.Wait()
		if _, err := d.keys.Revoke(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		// One that was being made meanwhile is heard of after the end of its key.
		if err := d.store.Put(t.Context(), auth.KeyRecord{ID: "late", User: "ada", Browser: true, Parent: second.ID}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		want := []string{rec.ID, first.ID, second.ID, "late"}
		if !slices.Equal(ended, want) || !d.auth.Revoked(second.ID) || d.auth.Revoked(other.ID) {
			t.Errorf("%v, want %v", ended, want)
		}
	})
}

// A ticket works once, soon, and for whom it was made.
func TestTicket(t *testing.T) {
	d := newDesk(t)
	ada := clew.Principal{User: "ada", Role: clew.RoleApprover, ExpiresMS: d.now.Add(time.Hour).UnixMilli()}
	make := func() string {
		t.Helper()
		ticket, expires, err := d.signIns.NewTicket(t.Context(), ada)
		if err != nil || expires != d.now.Add(time.Minute).UnixMilli() {
			t.Fatalf("%d, %v", expires, err)
		}
		return ticket
	}
	use := func(ticket string) (auth.Visit, clew.Code) {
		v, err := d.signIns.ByTicket(t.Context(), ticket, "", auth.Credentials{})
		return v, clew.CodeOf(err)
	}
	ticket := make()
	if slices.ContainsFunc(d.tickets.Hashes(), func(h string) bool { return strings.Contains(h, ticket) }) {
		t.Error("the ticket itself is kept")
	}
	if v, code := use(ticket); code != "" || v.User != "ada" || v.Role != clew.RoleApprover || v.ExpiresMS != ada.ExpiresMS {
		t.Errorf("%+v %s", v, code)
	}
	for _, bad := range []string{ticket, "", "x", ticket[:42] + "*", strings.Repeat("x", 43)} {
		if _, code := use(bad); code != clew.AuthFailed {
			t.Errorf("%d characters: %q", len(bad), code)
		}
	}

	if _, err := d.signIns.ByTicket(t.Context(), ticket, "", auth.Credentials{}); !strings.Contains(clew.AsError(err).Message, "run `clew open` again") {
		t.Errorf("a used one says %q", clew.AsError(err).Message)
	}

	// Of many who come with one ticket, one is let in.
	ticket = make()
	var wg sync.WaitGroup
	var mu sync.Mutex
	in := 0
	for range 8 {
		wg.Go(func() {
			if _, code := use(ticket); code == "" {
				mu.Lock()
				in++
				mu.Unlock()
			}
		})
	}
	if wg.Wait(); in != 1 {
		t.Errorf("%d were let in", in)
	}

	ticket = make()
	d.now = d.now.Add(time.Minute)
	if _, code := use(ticket); code != clew.TokenExpired {
		t.Errorf("late: %q", code)
	}
	ada.ExpiresMS = d.now.Add(time.Second).UnixMilli()
	ticket = make()
	d.now = d.now.Add(2 * time.Second)
	if _, code := use(ticket); code != clew.TokenExpired {
		t.Errorf("after the end of the credentials: %q", code)
	}
}

// Who opens the page again keeps the sign-in; who comes with another role, or after
// some time, gets a new one.
func TestSignInAgain(t *testing.T) {
	d := newDesk(t)
	first := d.signIn(ownerOfTests)
	again := func(token string) auth.Visit {
		t.Helper()
		v, err := d.signIns.ByToken(t.Context(), token, "", auth.Credentials{Token: first.Token, Cookie: true})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	d.now = d.now.Add(time.Hour)
	if v := again(ownerOfTests); v.ID != first.ID || v.Token != "" || v.ExpiresMS != first.ExpiresMS {
		t.Errorf("%+v", v)
	}
	ticket, _, err := d.signIns.NewTicket(t.Context(), clew.Principal{User: "owner", Role: clew.RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.signIns.ByTicket(t.Context(), ticket, "", auth.Credentials{Token: first.Token, Cookie: true})
	if err != nil || v.ID == first.ID || v.User != "owner" || v.Role != clew.RoleViewer {
		t.Errorf("%+v, %v", v, err)
	}
	d.now = d.now.Add(25 * time.Hour)
	if v := again(ownerOfTests); v.ID == first.ID || v.Token == "" {
		t.Errorf("%+v", v)
	}
	if err := d.signIns.End(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	if _, code := d.who(first.Token); code != clew.AuthFailed {
		t.Errorf("after the end: %q", code)
	}
	if v := again(ownerOfTests); v.ID == first.ID || v.Token == "" {
		t.Errorf("an ended sign-in was taken up: %+v", v)
	}
}

// A browser does not go over to somebody else by a link: not by a token, not by a
// ticket. After signing out, or once what it had is over, it does.
func TestSignInAsSomebodyElse(t *testing.T) {
	d := newDesk(t)
	_, bob := d.key(auth.NewKey{User: "bob"})
	had := d.signIn(ownerOfTests)
	cookie := auth.Credentials{Token: had.Token, Cookie: true}
	ticket, _, err := d.signIns.NewTicket(t.Context(), clew.Principal{User: "bob", Role: clew.RoleOwner})
	if err != nil {
		t.Fatal(err)
	}
	_, byToken := d.signIns.ByToken(t.Context(), bob, "", cookie)
	_, byTicket := d.signIns.ByTicket(t.Context(), ticket, "", cookie)
	for _, err := range []error{byToken, byTicket} {
		if clew.CodeOf(err) != clew.Forbidden {
			t.Errorf("let in: %v", err)
		}
	}
	if _, code := d.who(had.Token); code != "" {
		t.Errorf("the sign-in it had: %q", code)
	}
	if err := d.signIns.End(t.Context(), had.ID); err != nil {
		t.Fatal(err)
	}
	if v, err := d.signIns.ByToken(t.Context(), bob, "", cookie); err != nil || v.User != "bob" {
		t.Errorf("%+v, %v", v, err)
	}
}

// Signing out ends sign-ins and no other keys.
func TestEndLeavesOtherKeys(t *testing.T) {
	d := newDesk(t)
	rec, token := d.key(auth.NewKey{User: "ada"})
	if err := errors.Join(d.signIns.End(t.Context(), rec.ID), d.signIns.End(t.Context(), "ffffffffffff")); err != nil {
		t.Fatal(err)
	}
	if _, code := d.who(token); code != "" {
		t.Error(code)
	}
}

// Sign-ins that are over are forgotten after a while, keys made by hand are not.
func TestOldSignInsAreForgotten(t *testing.T) {
	d := newDesk(t)
	hand, _ := d.key(auth.NewKey{User: "ada", ExpiresMS: d.now.Add(time.Minute).UnixMilli()})
	out := d.signIn(ownerOfTests)
	lapsed := d.signIn(ownerOfTests)
	if err := d.signIns.End(t.Context(), out.ID); err != nil {
		t.Fatal(err)
	}
	has := func() (ids []string) {
		list, err := d.keys.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			ids = append(ids, k.ID)
		}
		return ids
	}
	d.now = d.now.Add(23 * time.Hour)
	d.signIn(ownerOfTests)
	if ids := has(); len(ids) != 4 {
		t.Errorf("too soon: %v", ids)
	}
	d.now = d.now.Add(2 * time.Hour)
	d.signIn(ownerOfTests)
	if ids := has(); slices.Contains(ids, out.ID) || !slices.Contains(ids, lapsed.ID) {
		t.Errorf("a day later: %v", ids)
	}
	d.now = d.now.Add(month)
	d.signIn(ownerOfTests)
	if ids := has(); slices.Contains(ids, lapsed.ID) || !slices.Contains(ids, hand.ID) {
		t.Errorf("a month later: %v", ids)
	}
}

// A user has a hundred browsers at most: the oldest are signed out, those that may
// do less before the others.
func TestOnlySoManyBrowsers(t *testing.T) {
	d := newDesk(t)
	_, owner := d.key(auth.NewKey{User: "ada", Role: clew.RoleOwner})
	_, viewer := d.key(auth.NewKey{User: "ada", Role: clew.RoleViewer})
	_, other := d.key(auth.NewKey{User: "bob", Role: clew.RoleOwner})
	bob := d.signIn(other)
	var owners, viewers []auth.Visit
	for range 60 {
		d.now = d.now.Add(time.Second)
		owners = append(owners, d.signIn(owner))
	}
	for range 50 {
		d.now = d.now.Add(time.Second)
		viewers = append(viewers, d.signIn(viewer))
	}
	d.now = d.now.Add(time.Hour)
	d.signIn(other) // sweeps
	live := func(list []auth.Visit) (n int) {
		for _, v := range list {
			if _, code := d.who(v.Token); code == "" {
				n++
			}
		}
		return n
	}
	if live(owners) != 60 || live(viewers[:10]) != 0 || live(viewers[10:]) != 40 || live([]auth.Visit{bob}) != 1 {
		t.Errorf("%d of the owner's, %d of the viewer's first ten and %d of the others are left", live(owners), live(viewers[:10]), live(viewers[10:]))
	}
	for range 50 {
		d.now = d.now.Add(time.Second)
		owners = append(owners, d.signIn(owner))
	}
	d.now = d.now.Add(time.Hour)
	d.signIn(other)
	if live(viewers) != 0 || live(owners[:10]) != 0 || live(owners[10:]) != 100 {
		t.Errorf("%d of the viewer's, %d of the owner's first ten and %d of the others are left", live(viewers), live(owners[:10]), live(owners[10:]))
	}
}
