package auth

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
)

// signInLife is the longest that a browser stays signed in.
const signInLife = 30 * 24 * time.Hour

// SignIns lets browsers in. A sign-in is an API key that the browser keeps in a
// cookie which no script can read: it stands for the same user with the same
// role as the credentials that it was made with, and ends no later than they do.
// It is listed and revoked like any key. It is safe for concurrent use.
type SignIns struct {
	auth    *Authenticator
	keys    *Keys
	tickets TicketStore
	log     *slog.Logger
	swept   atomic.Int64 // when the last sweep began, Unix ms
}

// NewSignIns makes SignIns for the callers whom a knows.
func NewSignIns(a *Authenticator, keys *Keys, tickets TicketStore) *SignIns {
	return &SignIns{auth: a, keys: keys, tickets: tickets, log: a.log}
}

// A Visit is a sign-in that holds.
type Visit struct {
	KeyRecord
	Token string // what goes into the cookie, "" if the browser has it already
}

// ByToken exchanges credentials of any kind. agent, the browser's User-Agent, is
// for the person who looks at the list of keys; had is what the browser's cookie
// holds already.
func (s *SignIns) ByToken(ctx context.Context, token, agent string, had Credentials) (Visit, error) {
	p, err := s.auth.Authenticate(ctx, Credentials{Token: token})
	if err != nil {
		return Visit{}, err
	}
	return s.enter(ctx, p, agent, had)
}

// ByTicket exchanges a ticket.
func (s *SignIns) ByTicket(ctx context.Context, ticket, agent string, had Credentials) (Visit, error) {
	p, err := s.takeTicket(ctx, ticket)
	if err != nil {
		return Visit{}, err
	}
	return s.enter(ctx, p, agent, had)
}

func (s *SignIns) enter(ctx context.Context, p clew.Principal, agent string, had Credentials) (Visit, error) {
	now := s.keys.now()
	if err := s.notSomebodyElse(ctx, p.User, had); err != nil {
		return Visit{}, err
	}
	if err := s.mayRestOn(ctx, p, now); err != nil {
		return Visit{}, err
	}
	expires := now.Add(signInLife).UnixMilli()
	if p.ExpiresMS != 0 {
		expires = min(expires, p.ExpiresMS)
	}
	n := NewKey{Name: browserName(agent), User: p.User, Role: p.Role, ExpiresMS: expires, Browser: true, Parent: p.KeyID}
	if rec, ok := s.asGood(ctx, n, had); ok {
		return Visit{KeyRecord: rec}, nil
	}
	rec, token, err := s.keys.Create(ctx, n)
	if err != nil {
		return Visit{}, err
	}
	s.sweep(ctx, now)
	return Visit{rec, token}, nil
}

// notSomebodyElse keeps a browser with whom it has: a link that signs people in as
// its maker would have them work, unknowing, in that one's name. Who means it signs
// out first.
func (s *SignIns) notSomebodyElse(ctx context.Context, user clew.UserID, had Credentials) error {
	id, secret, ok := parseKey(had.Token)
	if !ok {
		return nil
	}
	p, err := s.keys.verify(ctx, id, secret)
	switch {
	case clew.CodeOf(err) == clew.Unavailable:
		return err
	case err == nil && p.User != user:
		return clew.Errorf(clew.Forbidden, "this browser is signed in as %s; sign out first to come as somebody else", p.User)
	}
	return nil // what it had does not hold any more
}

// mayRestOn checks what has been shown once more: a ticket may have waited, and
// a chain of sign-ins has an end.
func (s *SignIns) mayRestOn(ctx context.Context, p clew.Principal, now time.Time) error {
	if p.ExpiresMS != 0 && now.UnixMilli() >= p.ExpiresMS {
		return expired(errors.New("what the ticket was made with has expired"))
	}
	if p.KeyID == "" {
		return nil
	}
	rec, err := s.keys.store.Get(ctx, p.KeyID)
	if errors.Is(err, ErrNoKey) {
		return refused(err)
	}
	if err != nil {
		return clew.WrapError(clew.Unavailable, err, "the key cannot be checked right now")
	}
	behind, err := s.keys.inForce(ctx, rec)
	if err == nil && behind+1 > maxLineage {
		return clew.Errorf(clew.Forbidden, "too many sign-ins rest on each other; sign in with a token")
	}
	return err
}

// freshFor is how much sooner a browser's key may end than a new one would,
// before it gets a new one.
const freshFor = 24 * time.Hour

// asGood finds the key that the browser has already, if it is as good as a new
// one: who opens the page ten times a day is not ten browsers.
func (s *SignIns) asGood(ctx context.Context, n NewKey, had Credentials) (KeyRecord, bool) {
	id, secret, ok := parseKey(had.Token)
	if !ok {
		return KeyRecord{}, false
	}
	if _, err := s.keys.verify(ctx, id, secret); err != nil {
		return KeyRecord{}, false
	}
	rec, err := s.keys.store.Get(ctx, id)
	same := err == nil && rec.Browser && rec.User == n.User && rec.Role == n.Role && rec.Parent == n.Parent
	return rec, same && rec.ExpiresMS >= n.ExpiresMS-freshFor.Milliseconds()
}

// End signs a browser out: its key is revoked and its connections close. Other
// keys than browsers' are left alone.
func (s *SignIns) End(ctx context.Context, keyID string) error {
	rec, err := s.keys.store.Get(ctx, keyID)
	if errors.Is(err, ErrNoKey) || err == nil && !rec.Browser {
		return nil
	}
	if err != nil {
		return clew.WrapError(clew.Unavailable, err, "the keys cannot be read right now")
	}
	_, err = s.keys.Revoke(ctx, keyID)
	return err
}

// sweep forgets old sign-ins, not too often. If that fails it is for the next
// one to do.
func (s *SignIns) sweep(ctx context.Context, now time.Time) {
	last := s.swept.Load()
	if now.UnixMilli()-last < sweepEvery.Milliseconds() || !s.swept.CompareAndSwap(last, now.UnixMilli()) {
		return
	}
	if err := s.keys.sweep(ctx); err != nil {
		s.log.WarnContext(ctx, "old sign-ins could not be forgotten", "err", err)
	}
}

// browserMark is how the name of a browser's key begins.
const browserMark = "browser"

// Device says of a browser's key which browser it is, "" if that is not known.
func (k KeyRecord) Device() string {
	if !k.Browser {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(k.Name, browserMark), ": ")
}

// browserName is what a list of keys shows of a browser, by the few words of
// its User-Agent that tell people something.
func browserName(agent string) string {
	pick := func(words [][2]string) string {
		for _, w := range words {
			if strings.Contains(agent, w[0]) {
				return w[1]
			}
		}
		return ""
	}
	program := pick([][2]string{ // most claim to be others, too
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	})
	system := pick([][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS", "Mac"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	switch {
	case program != "" && system != "":
		return browserMark + ": " + program + " on " + system
	case program+system != "":
		return browserMark + ": " + program + system
	}
	return browserMark
}
