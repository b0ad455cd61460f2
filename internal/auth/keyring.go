package auth

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"
)

// A keyring holds the keys that may have signed a token, each kind for its own
// algorithm: a public key can never serve as a shared secret.
type keyring struct {
	secret []byte          // HS256, nil = not taken
	set    keyfunc.Keyfunc // RS256 and ES256, nil = not taken
}

func newKeyring(ctx context.Context, c JWTConfig) (keyring, error) {
	var k keyring
	var err error
	if c.SecretFile != "" {
		if k.secret, err = readSecret(c.SecretFile); err != nil {
			return keyring{}, err
		}
	}
	switch {
	case c.JWKSURL != "" && c.JWKSFile != "":
		err = errors.New("give the key set by URL or by file, not both")
	case c.JWKSURL != "":
		k.set, err = fetchKeySet(ctx, c)
	case c.JWKSFile != "":
		k.set, err = readKeySet(c.JWKSFile)
	case k.secret == nil:
		err = errors.New("neither a secret nor a key set is given")
	}
	return k, err
}

func readSecret(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	b = bytes.TrimRight(b, "\r\n")
	if len(b) < minSecret {
		return nil, fmt.Errorf("the secret in %s is shorter than %d bytes", path, minSecret)
	}
	return b, nil
}

func readKeySet(path string) (keyfunc.Keyfunc, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key set: %w", err)
	}
	set, err := keyfunc.NewJWKSetJSON(json.RawMessage(b))
	if err != nil { // the cause may quote a private key
		return nil, fmt.Errorf("%s is not a JSON Web Key Set", path)
	}
	return set, nil
}

const (
	fetchTimeout  = 5 * time.Second
	fetchInterval = 15 * time.Minute
	maxKeySet     = 1 << 20
	// unknownEvery bounds how often tokens with unknown keys make us ask the
	// issuer: anyone can make those up.
	unknownEvery = 30 * time.Second
)

func fetchKeySet(ctx context.Context, c JWTConfig) (keyfunc.Keyfunc, error) {
	u, err := url.Parse(c.JWKSURL)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, errors.New("the key set's URL is malformed")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopbackName(u.Hostname())) {
		return nil, errors.New("the key set's URL must be https, or http on loopback")
	}
	client := c.HTTP
	if client == nil {
		client = &http.Client{Timeout: fetchTimeout}
	}
	limited := *client
	limited.Transport = limitedTransport{client.Transport}
	return keyfunc.NewDefaultOverrideCtx(ctx, []string{c.JWKSURL}, keyfunc.Override{
		Client: &limited, HTTPTimeout: fetchTimeout, RefreshInterval: fetchInterval,
		// A limiter's Wait fails at once if its turn would come after this, so
		// a flood of unknown keys is refused and does not pile up.
		RateLimitWaitMax:  fetchTimeout,
		RefreshUnknownKID: rate.NewLimiter(rate.Every(unknownEvery), 1),
		RefreshErrorHandlerFunc: func(string) func(context.Context, error) {
			return func(ctx context.Context, _ error) { // the cause has the whole URL
				c.Log.WarnContext(ctx, "key set of the token issuer could not be fetched", "host", u.Host)
			}
		},
	})
}

// limitedTransport cuts an answer off that is no key set.
type limitedTransport struct{ base http.RoundTripper }

func (t limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxKeySet), resp.Body}
	return resp, nil
}

func loopbackName(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// methods lists the algorithms for which there is a key.
func (k keyring) methods() []string {
	var m []string
	if k.secret != nil {
		m = append(m, jwt.SigningMethodHS256.Alg())
	}
	if k.set != nil {
		m = append(m, jwt.SigningMethodRS256.Alg(), jwt.SigningMethodES256.Alg())
	}
	return m
}

// find gives the keys that may have signed t.
func (k keyring) find(ctx context.Context, t *jwt.Token) (any, error) {
	if _, ok := t.Header["crit"]; ok { // RFC 7515 §4.1.11: not understood, not taken
		return nil, errors.New("the token has critical headers")
	}
	alg := t.Method.Alg()
	if alg == jwt.SigningMethodHS256.Alg() && k.secret != nil {
		return k.secret, nil
	}
	if k.set == nil {
		return nil, errors.New("no key set is configured")
	}
	jwks, err := k.candidates(ctx, t)
	if err != nil {
		return nil, err
	}
	var fit jwt.VerificationKeySet
	for _, j := range jwks {
		if key := publicKeyFor(alg, j); key != nil {
			fit.Keys = append(fit.Keys, key)
		}
	}
	if len(fit.Keys) == 0 {
		return nil, errors.New("the key set has no key for the token's algorithm")
	}
	return fit, nil
}

// errNoKeys says that the issuer's keys could not be had so far.
var errNoKeys = errors.New("the key set is empty")

// candidates gives the key that the token names, or all if it names none.
func (k keyring) candidates(ctx context.Context, t *jwt.Token) ([]jwkset.JWK, error) {
	kid, named := t.Header["kid"]
	id, ok := kid.(string)
	if named && !ok {
		return nil, errors.New("kid is not a string")
	}
	store := k.set.Storage()
	all, err := store.KeyReadAll(ctx)
	if err != nil {
		return nil, err
	}
	if named || len(all) == 0 { // reading a key that is not there makes the store fetch
		j, err := store.KeyRead(ctx, id)
		if named && err == nil {
			return []jwkset.JWK{j}, nil
		}
		if all, _ = store.KeyReadAll(ctx); len(all) == 0 {
			return nil, errNoKeys
		}
		if named {
			return nil, err
		}
	}
	return all, nil
}

// publicKeyFor gives j's public key if it is made for signing with alg, else
// nil. Symmetric keys in a key set are never taken.
func publicKeyFor(alg string, j jwkset.JWK) jwt.VerificationKey {
	m := j.Marshal()
	if m.USE != "" && m.USE != jwkset.UseSig || m.ALG != "" && m.ALG.String() != alg {
		return nil
	}
	switch key := j.Key().(type) {
	case *rsa.PrivateKey:
		return rsaFor(alg, &key.PublicKey)
	case *rsa.PublicKey:
		return rsaFor(alg, key)
	case *ecdsa.PrivateKey:
		return ecdsaFor(alg, &key.PublicKey)
	case *ecdsa.PublicKey:
		return ecdsaFor(alg, key)
	}
	return nil
}

func rsaFor(alg string, key *rsa.PublicKey) jwt.VerificationKey {
	if alg != jwt.SigningMethodRS256.Alg() || key.N.BitLen() < minRSABits {
		return nil
	}
	return key
}

func ecdsaFor(alg string, key *ecdsa.PublicKey) jwt.VerificationKey {
	if alg != jwt.SigningMethodES256.Alg() || key.Curve != elliptic.P256() {
		return nil
	}
	return key
}
