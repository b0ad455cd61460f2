package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// The users of the two ways in that name nobody. A JWT may not name them, so
// that an outside issuer cannot hand out what belongs to the installation.
const (
	OwnerUser clew.UserID = "owner" // whoever has the owner token
	LocalUser clew.UserID = "local" // everybody, with authentication off
)

// maxToken bounds what is looked at: no token of ours is longer, and no issuer
// needs more.
const maxToken = 8 << 10

// Credentials are what a caller brings: any one of the kinds of token.
type Credentials struct {
	Token  string
	Cookie bool // a browser sent it by itself
}

// LogValue keeps the token out of logs.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String keeps the token out of messages.
func (c Credentials) String() string {
	if c.Token == "" {
		return "no credentials"
	}
	return "credentials"
}

// GoString keeps the token out of %#v.
func (c Credentials) GoString() string { return c.String() }

// Options says which ways in an Authenticator knows. A nil or empty one is
// closed.
type Options struct {
	OwnerToken string
	Owners     Owners // the owner tokens of other nodes
	Keys       *Keys
	JWT        *JWT
	Log        *slog.Logger // nil = slog.Default()
}

// Owners knows the owner tokens of all nodes, by TokenHash.
type Owners interface {
	Has(ctx context.Context, hash string) (bool, error)
}

// TokenHash is what may be kept of a token.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// An Authenticator knows callers by their token. It is safe for concurrent use.
type Authenticator struct {
	owner    [sha256.Size]byte
	hasOwner bool
	owners   Owners
	keys     *Keys
	jwt      *JWT
	log      *slog.Logger
	revoked  revocations
}

// New makes an Authenticator. With Keys given, Run must run too, or revocations
// on other nodes go unnoticed by live connections.
func New(o Options) *Authenticator {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	a := &Authenticator{owners: o.Owners, keys: o.Keys, jwt: o.JWT, log: o.Log}
	if o.OwnerToken != "" {
		a.owner, a.hasOwner = sha256.Sum256([]byte(o.OwnerToken)), true
	}
	return a
}

// Authenticate says who holds the token. It fails with AUTH_REQUIRED if there
// is none, TOKEN_EXPIRED if it was good once, UNAVAILABLE if that cannot be
// told right now, and AUTH_FAILED in every other case, without saying why: the
// cause is in the error's chain, for the log.
func (a *Authenticator) Authenticate(ctx context.Context, c Credentials) (clew.Principal, error) {
	switch {
	case c.Token == "":
		return clew.Principal{}, clew.Errorf(clew.AuthRequired, "credentials are required")
	case len(c.Token) > maxToken:
		return clew.Principal{}, refused(errors.New("token is too long"))
	case a.isOwner(c.Token):
		return clew.Principal{User: OwnerUser, Role: clew.RoleAdmin}, nil
	}
	if strings.HasPrefix(c.Token, ownerPrefix) && a.owners != nil {
		return a.ownerElsewhere(ctx, c.Token)
	}
	if id, secret, ok := parseKey(c.Token); ok && a.keys != nil {
		return a.keys.verify(ctx, id, secret)
	}
	if strings.Count(c.Token, ".") == 2 && a.jwt != nil {
		return a.jwt.verify(ctx, c.Token)
	}
	return clew.Principal{}, refused(errors.New("token is of no known kind"))
}

// ownerElsewhere knows the owner by the token of another node.
func (a *Authenticator) ownerElsewhere(ctx context.Context, token string) (clew.Principal, error) {
	switch has, err := a.owners.Has(ctx, TokenHash(token)); {
	case err != nil:
		return clew.Principal{}, clew.WrapError(clew.Unavailable, err, "the credentials cannot be checked right now")
	case !has:
		return clew.Principal{}, refused(errors.New("no node has this owner token"))
	}
	return clew.Principal{User: OwnerUser, Role: clew.RoleAdmin}, nil
}

// isOwner compares hashes, so that neither content nor length shows in time.
func (a *Authenticator) isOwner(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return a.hasOwner && subtle.ConstantTimeCompare(sum[:], a.owner[:]) == 1
}

// OnRevoke calls fn with the id of every API key that is revoked from now on,
// on whichever node. fn must not block. One id may come more than once.
//
// A caller that lets a connection in adds it to what fn closes first and asks
// Revoked after that; then no revocation slips through between the two.
func (a *Authenticator) OnRevoke(fn func(keyID string)) (cancel func()) {
	return a.revoked.subscribe(fn)
}

// Revoked reports whether the key is known to be revoked.
func (a *Authenticator) Revoked(keyID string) bool { return a.revoked.has(keyID) }

// watchPause is how long Run waits before it follows the store again. It is
// far below the second within which a revoked key's connections must close.
const watchPause = 200 * time.Millisecond

// Run follows the key store until ctx ends and tells OnRevoke's functions. When
// the store fails it starts over, and hears of every revoked key again.
func (a *Authenticator) Run(ctx context.Context) error {
	if a.keys == nil {
		<-ctx.Done()
		return nil
	}
	for ctx.Err() == nil {
		err := a.keys.store.Watch(ctx, a.revoked.hear)
		if ctx.Err() != nil {
			break
		}
		a.log.WarnContext(ctx, "watch of API keys broke; following anew", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(watchPause):
		}
	}
	return nil
}

// Off lets everybody in as an administrator. The server takes it on loopback
// only, and Doors stays in force.
type Off struct{}

// Authenticate gives the same principal to all.
func (Off) Authenticate(context.Context, Credentials) (clew.Principal, error) {
	return clew.Principal{User: LocalUser, Role: clew.RoleAdmin}, nil
}

// refused is the one answer to credentials that do not hold.
func refused(cause error) *clew.Error {
	return clew.WrapError(clew.AuthFailed, cause, "the credentials are not valid")
}

func expired(cause error) *clew.Error {
	return clew.WrapError(clew.TokenExpired, cause, "the credentials have expired")
}
