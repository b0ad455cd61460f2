package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// A Key is how push services know an installation (VAPID, RFC 8292). Browsers
// bind each subscription to its public part, so all nodes have the same one and
// it never changes.
type Key struct {
	private *ecdsa.PrivateKey
	public  string
}

// NewKey makes the private part of a key, in the form that ReadKey takes.
func NewKey() (string, error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	b, err := k.Bytes()
	return base64.RawURLEncoding.EncodeToString(b), err
}

// ReadKey reads a private part.
func ReadKey(text string) (Key, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return Key{}, errors.New("the key for push is not base64url") // the cause could quote it
	}
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), b)
	if err != nil {
		return Key{}, errors.New("the key for push is not one of P-256")
	}
	public, err := k.PublicKey.Bytes()
	if err != nil {
		return Key{}, err
	}
	return Key{k, base64.RawURLEncoding.EncodeToString(public)}, nil
}

// tokenFor is how long a push service may take a token; RFC 8292 allows a day.
const tokenFor = 12 * time.Hour

// authorization proves to one push service who sends. contact is an https or
// mailto address that its operators could write to.
func (k Key) authorization(endpoint, contact string, now time.Time) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", errors.New("the endpoint cannot be read")
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"aud": u.Scheme + "://" + u.Host, "exp": now.Add(tokenFor).Unix(), "sub": contact,
	}).SignedString(k.private)
	return "vapid t=" + token + ", k=" + k.public, err
}
