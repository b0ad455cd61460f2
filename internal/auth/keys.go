package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
)

const (
	keyPrefix  = "clew_"
	keyIDLen   = 12 // hex digits
	secretLen  = 43 // 32 bytes as base64url
	maxKeyName = 200
)

// A KeyRecord is what is kept of an API key: never its secret.
type KeyRecord struct {
	ID        string      `json:"id"`
	Name      string      `json:"name,omitempty"`
	User      clew.UserID `json:"user"`
	Role      clew.Role   `json:"role"` // the most that the key may do
	Hash      string      `json:"hash"` // SHA-256 of the secret's text, hex
	CreatedMS int64       `json:"created_ms"`
	ExpiresMS int64       `json:"expires_ms,omitempty"` // 0 = never
	RevokedMS int64       `json:"revoked_ms,omitempty"` // 0 = in force
	LastFour  string      `json:"last_four"`            // of the secret, to recognise it by
	Browser   bool        `json:"browser,omitempty"`    // made by a sign-in
	Parent    string      `json:"parent,omitempty"`     // the key with which that was done; it ends with it
}

// ErrNoKey is what a KeyStore's Get gives for an unknown id.
var ErrNoKey = errors.New("no such API key")

// KeyStore keeps API keys for all nodes. Implementations are safe for
// concurrent use.
type KeyStore interface {
	// Get reads a key; ErrNoKey if there is none.
	Get(ctx context.Context, id string) (KeyRecord, error)
	// Put adds a key or replaces it, durably.
	Put(ctx context.Context, k KeyRecord) error
	// Drop forgets a key. Watch does not tell of it.
	Drop(ctx context.Context, id string) error
	// List gives all keys, in any order.
	List(ctx context.Context) ([]KeyRecord, error)
	// Watch calls fn with every stored key and then with each change that any
	// node makes, from one goroutine. It returns when ctx ends or the store
	// fails; a caller that starts over misses nothing.
	Watch(ctx context.Context, fn func(KeyRecord)) error
}

// Keys makes, lists and revokes API keys. It is safe for concurrent use.
type Keys struct {
	store KeyStore
	now   func() time.Time
}

// NewKeys makes Keys on a store; now is the clock, nil the system's.
func NewKeys(store KeyStore, now func() time.Time) *Keys {
	if now == nil {
		now = clock.System().Now
	}
	return &Keys{store: store, now: now}
}

// NewKey is what an API key is made with.
type NewKey struct {
	Name      string
	User      clew.UserID
	Role      clew.Role // RoleNone = RoleOwner, an ordinary user
	ExpiresMS int64     // 0 = never
	Browser   bool
	Parent    string
}

// Create makes a key. The token is given this once and cannot be had again.
func (k *Keys) Create(ctx context.Context, n NewKey) (rec KeyRecord, token string, err error) {
	if n.Role == clew.RoleNone {
		n.Role = clew.RoleOwner
	}
	now := k.now().UnixMilli()
	switch {
	case !clew.ValidID(string(n.User)):
		return rec, "", clew.Errorf(clew.InvalidMessage, "user must be 1 to 128 letters, digits, _ or -")
	case !validRole(n.Role):
		return rec, "", clew.Errorf(clew.InvalidMessage, "role must be admin, owner, approver or viewer")
	case len(n.Name) > maxKeyName:
		return rec, "", clew.Errorf(clew.InvalidMessage, "name is longer than %d bytes", maxKeyName)
	case n.ExpiresMS != 0 && n.ExpiresMS <= now:
		return rec, "", clew.Errorf(clew.InvalidMessage, "expires_ms lies in the past")
	}
	secret := randomSecret()
	rec = KeyRecord{
		ID: newKeyID(), Name: n.Name, User: n.User, Role: n.Role, Hash: hashSecret(secret),
		CreatedMS: now, ExpiresMS: n.ExpiresMS, LastFour: secret[len(secret)-4:],
		Browser: n.Browser, Parent: n.Parent,
	}
	if err := k.store.Put(ctx, rec); err != nil {
		return KeyRecord{}, "", clew.WrapError(clew.StorageFailed, err, "the key could not be stored")
	}
	return rec, keyPrefix + rec.ID + "_" + secret, nil
}

// List gives all keys, oldest first, revoked ones too.
func (k *Keys) List(ctx context.Context) ([]KeyRecord, error) {
	list, err := k.store.List(ctx)
	if err != nil {
		return nil, clew.WrapError(clew.Unavailable, err, "the keys cannot be read right now")
	}
	slices.SortFunc(list, func(a, b KeyRecord) int {
		if a.CreatedMS != b.CreatedMS {
			return int(min(max(a.CreatedMS-b.CreatedMS, -1), 1))
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// Revoke ends a key for good. Doing it again changes nothing.
func (k *Keys) Revoke(ctx context.Context, id string) (KeyRecord, error) {
	rec, err := k.store.Get(ctx, id)
	switch {
	case errors.Is(err, ErrNoKey):
		return KeyRecord{}, ErrNoKey
	case err != nil:
		return KeyRecord{}, clew.WrapError(clew.Unavailable, err, "the keys cannot be read right now")
	case rec.RevokedMS != 0:
		return rec, nil
	}
	rec.RevokedMS = k.now().UnixMilli()
	if err := k.store.Put(ctx, rec); err != nil {
		return KeyRecord{}, clew.WrapError(clew.StorageFailed, err, "the key could not be revoked")
	}
	return rec, nil
}

// InForce reports whether a key could be used now.
func (k *Keys) InForce(ctx context.Context, id string) (bool, error) {
	rec, err := k.store.Get(ctx, id)
	if errors.Is(err, ErrNoKey) {
		return false, nil
	}
	if err != nil {
		return false, clew.WrapError(clew.Unavailable, err, "the key cannot be checked right now")
	}
	if _, err = k.inForce(ctx, rec); clew.CodeOf(err) == clew.Unavailable {
		return false, err
	}
	return err == nil, nil
}

// verify asks the store each time: a cached key might have been revoked.
func (k *Keys) verify(ctx context.Context, id, secret string) (clew.Principal, error) {
	rec, err := k.store.Get(ctx, id)
	if err != nil && !errors.Is(err, ErrNoKey) {
		return clew.Principal{}, clew.WrapError(clew.Unavailable, err, "the key cannot be checked right now")
	}
	match := subtle.ConstantTimeCompare([]byte(hashSecret(secret)), []byte(rec.Hash)) == 1
	switch {
	case err != nil:
		return clew.Principal{}, refused(err)
	case !match:
		return clew.Principal{}, refused(errors.New("the key's secret is wrong"))
	case !validRole(rec.Role) || !clew.ValidID(string(rec.User)):
		return clew.Principal{}, refused(errors.New("the stored key is malformed"))
	}
	if _, err := k.inForce(ctx, rec); err != nil {
		return clew.Principal{}, err
	}
	return clew.Principal{User: rec.User, Role: rec.Role, KeyID: rec.ID, ExpiresMS: rec.ExpiresMS}, nil
}

// parseKey takes a token of the form clew_<id>_<secret> apart. The secret's
// text is hashed as it is, so it has one spelling only.
func parseKey(token string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(token, keyPrefix)
	if !ok || len(rest) != keyIDLen+1+secretLen || rest[keyIDLen] != '_' {
		return "", "", false
	}
	id, secret = rest[:keyIDLen], rest[keyIDLen+1:]
	return id, secret, ValidKeyID(id) && clew.ValidID(secret)
}

// ValidKeyID reports whether s has the form of a key's id.
func ValidKeyID(s string) bool {
	if len(s) != keyIDLen {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func newKeyID() string {
	var b [keyIDLen / 2]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func validRole(r clew.Role) bool {
	switch r {
	case clew.RoleAdmin, clew.RoleOwner, clew.RoleApprover, clew.RoleViewer:
		return true
	}
	return false
}
