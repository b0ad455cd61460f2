package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

const testSecret = "a shared secret of more than 32 bytes"

var (
	noon   = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	atNoon = func() time.Time { return noon }

	rsaKey  = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	weakKey = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 1024)) })
	ecKey   = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	otherEC = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

type claims = jwt.MapClaims

func good() claims {
	return claims{"sub": "ada", "exp": noon.Add(time.Hour).Unix(), "iss": "https://id.example", "aud": "clew"}
}

func with(c claims, name string, v any) claims {
	if v == nil {
		delete(c, name)
		return c
	}
	c[name] = v
	return c
}

func sign(t testing.TB, m jwt.SigningMethod, key any, kid string, c claims) string {
	t.Helper()
	tok := jwt.NewWithClaims(m, c)
	if kid != "" {
		tok.Header["kid"] = kid
	}
	s, err := tok.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func hs(t testing.TB, c claims) string {
	return sign(t, jwt.SigningMethodHS256, []byte(testSecret), "", c)
}

func file(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// keySet gives a JWK Set of the public halves of keys.
func keySet(t testing.TB, keys map[string]any) string {
	t.Helper()
	store := jwkset.NewMemoryStorage()
	for kid, key := range keys {
		if s, ok := key.(crypto.Signer); ok {
			key = s.Public()
		}
		jwk, err := jwkset.NewJWKFromKey(key, jwkset.JWKOptions{
			Marshal:  jwkset.JWKMarshalOptions{Private: true}, // writes symmetric keys, which are to be refused
			Metadata: jwkset.JWKMetadataOptions{KID: kid},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.KeyWrite(t.Context(), jwk); err != nil {
			t.Fatal(err)
		}
	}
	b, err := store.JSONPrivate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func newJWT(t testing.TB, c auth.JWTConfig) *auth.Authenticator {
	t.Helper()
	if c.Now == nil {
		c.Now = atNoon
	}
	j, err := auth.NewJWT(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return auth.New(auth.Options{JWT: j})
}

// both takes HS256, RS256 and ES256.
func both(t testing.TB) *auth.Authenticator {
	return newJWT(t, auth.JWTConfig{
		SecretFile: file(t, testSecret+"\n"), Issuer: "https://id.example", Audience: "clew",
		JWKSFile: file(t, keySet(t, map[string]any{
			"rsa": rsaKey(), "ec": ecKey(), "weak": weakKey(), "oct": []byte(testSecret),
		})),
	})
}

func publicPEM(t testing.TB, pub any) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func raw(header, payload, sig string) string {
	e := base64.RawURLEncoding.EncodeToString
	return e([]byte(header)) + "." + e([]byte(payload)) + "." + e([]byte(sig))
}

// Covers: WS-005, WS-061, WS-102, WS-110
func TestJWT(t *testing.T) {
	a := both(t)
	rs := func(c claims) string { return sign(t, jwt.SigningMethodRS256, rsaKey(), "rsa", c) }
	es := func(c claims) string { return sign(t, jwt.SigningMethodES256, ecKey(), "ec", c) }
	crit := jwt.NewWithClaims(jwt.SigningMethodHS256, good())
	crit.Header["crit"] = []string{"b64"}
	oddKid := jwt.NewWithClaims(jwt.SigningMethodRS256, good())
	oddKid.Header["kid"] = 7
	payload := `{"sub":"ada","exp":99999999999,"iss":"https://id.example","aud":"clew"}`

	tests := []struct {
		name, token string
		want        clew.Code
		role        clew.Role
	}{
		{"HS256", hs(t, good()), "", clew.RoleOwner},
		{"RS256", rs(good()), "", clew.RoleOwner},
		{"ES256", es(good()), "", clew.RoleOwner},
		{"RS256 without kid", sign(t, jwt.SigningMethodRS256, rsaKey(), "", good()), "", clew.RoleOwner},
		{"role viewer", hs(t, with(good(), "clew_role", "viewer")), "", clew.RoleViewer},
		{"role approver", hs(t, with(good(), "clew_role", "approver")), "", clew.RoleApprover},
		{"role admin is not allowed", hs(t, with(good(), "clew_role", "admin")), "", clew.RoleOwner},
		{"audience in a list", hs(t, with(good(), "aud", []string{"x", "clew"})), "", clew.RoleOwner},

		{"unknown role", hs(t, with(good(), "clew_role", "root")), clew.AuthFailed, ""},
		{"role is a list", hs(t, with(good(), "clew_role", []string{"admin"})), clew.AuthFailed, ""},
		{"expired", hs(t, with(good(), "exp", noon.Add(-time.Second).Unix())), clew.TokenExpired, ""},
		{"expires now", hs(t, with(good(), "exp", noon.Unix())), clew.TokenExpired, ""},
		{"expired, of a foreign issuer", hs(t, with(with(good(), "exp", 1), "iss", "x")), clew.AuthFailed, ""},
		{"expired, signed by another", sign(t, jwt.SigningMethodHS256, []byte(strings.Repeat("x", 32)), "",
			with(good(), "exp", 1)), clew.AuthFailed, ""},
		{"no exp", hs(t, with(good(), "exp", nil)), clew.AuthFailed, ""},
		{"exp is text", hs(t, with(good(), "exp", "99999999999")), clew.AuthFailed, ""},
		{"exp overflows", hs(t, with(good(), "exp", 1e18)), clew.AuthFailed, ""},
		{"not yet valid", hs(t, with(good(), "nbf", noon.Add(time.Minute).Unix())), clew.AuthFailed, ""},
		{"no sub", hs(t, with(good(), "sub", nil)), clew.AuthFailed, ""},
		{"sub is a path", hs(t, with(good(), "sub", "../ada")), clew.AuthFailed, ""},
		{"sub too long", hs(t, with(good(), "sub", strings.Repeat("a", 129))), clew.AuthFailed, ""},
		{"sub is a number", hs(t, with(good(), "sub", 7)), clew.AuthFailed, ""},
		{"sub is the owner", hs(t, with(good(), "sub", "owner")), clew.AuthFailed, ""},
		{"sub is local", hs(t, with(good(), "sub", "local")), clew.AuthFailed, ""},
		{"foreign issuer", hs(t, with(good(), "iss", "https://id.example.evil")), clew.AuthFailed, ""},
		{"no issuer", hs(t, with(good(), "iss", nil)), clew.AuthFailed, ""},
		{"foreign audience", hs(t, with(good(), "aud", "other")), clew.AuthFailed, ""},
		{"no audience", hs(t, with(good(), "aud", nil)), clew.AuthFailed, ""},
		{"none", sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "", good()), clew.AuthFailed, ""},
		{"None", raw(`{"alg":"None"}`, payload, ""), clew.AuthFailed, ""},
		{"no alg", raw(`{}`, payload, ""), clew.AuthFailed, ""},
		{"HS256 with the RSA public key", sign(t, jwt.SigningMethodHS256, publicPEM(t, rsaKey().Public()), "rsa", good()), clew.AuthFailed, ""},
		{"HS384", sign(t, jwt.SigningMethodHS384, []byte(testSecret), "", good()), clew.AuthFailed, ""},
		{"PS256", sign(t, jwt.SigningMethodPS256, rsaKey(), "rsa", good()), clew.AuthFailed, ""},
		{"RS256 under the EC key's name", sign(t, jwt.SigningMethodRS256, rsaKey(), "ec", good()), clew.AuthFailed, ""},
		{"weak RSA key", sign(t, jwt.SigningMethodRS256, weakKey(), "weak", good()), clew.AuthFailed, ""},
		{"foreign EC key", sign(t, jwt.SigningMethodES256, otherEC(), "ec", good()), clew.AuthFailed, ""},
		{"unknown kid", sign(t, jwt.SigningMethodES256, ecKey(), "nope", good()), clew.AuthFailed, ""},
		{"kid is a number", must(oddKid.SignedString(rsaKey())), clew.AuthFailed, ""},
		{"critical header", must(crit.SignedString([]byte(testSecret))), clew.AuthFailed, ""},
		{"signature cut", hs(t, good())[:60], clew.AuthFailed, ""},
		{"signature empty", strings.TrimRight(hs(t, good()), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), clew.AuthFailed, ""},
		{"no JSON", raw("x", "y", "z"), clew.AuthFailed, ""},
		{"too long", hs(t, with(good(), "x", strings.Repeat("x", 9000))), clew.AuthFailed, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := a.Authenticate(t.Context(), auth.Credentials{Token: tt.token})
			if clew.CodeOf(err) != tt.want {
				t.Fatalf("code %q, want %q (%v)", clew.CodeOf(err), tt.want, err)
			}
			if err != nil {
				if p != (clew.Principal{}) {
					t.Errorf("a refused caller has principal %+v", p)
				}
				return
			}
			want := clew.Principal{User: "ada", Role: tt.role, ExpiresMS: noon.Add(time.Hour).UnixMilli()}
			if p != want {
				t.Errorf("principal %+v, want %+v", p, want)
			}
		})
	}
}

func TestJWTWithoutPins(t *testing.T) {
	a := newJWT(t, auth.JWTConfig{SecretFile: file(t, testSecret), RoleClaim: "role", AllowAdmin: true})
	p, err := a.Authenticate(t.Context(), auth.Credentials{Token: hs(t, claims{
		"sub": "ada", "exp": noon.Add(time.Hour).Unix(), "role": "admin", "clew_role": "viewer",
	})})
	if err != nil || p.Role != clew.RoleAdmin {
		t.Errorf("got %+v, %v", p, err)
	}
	// Whether 1e300 seconds overflow into past or future depends on the
	// machine; neither may let anyone in.
	_, err = a.Authenticate(t.Context(), auth.Credentials{Token: hs(t, with(good(), "exp", 1e300))})
	if err == nil {
		t.Error("an overflowing exp was taken")
	}
	// A symmetric key in a key set is no key of this server.
	set := newJWT(t, auth.JWTConfig{JWKSFile: file(t, keySet(t, map[string]any{"oct": []byte(testSecret), "rsa": rsaKey()}))})
	_, err = set.Authenticate(t.Context(), auth.Credentials{
		Token: sign(t, jwt.SigningMethodHS256, []byte(testSecret), "oct", good()),
	})
	if clew.CodeOf(err) != clew.AuthFailed {
		t.Errorf("HS256 with a key of the set: %v", err)
	}
	// Without a key set, RS256 is no algorithm of this server.
	_, err = a.Authenticate(t.Context(), auth.Credentials{Token: sign(t, jwt.SigningMethodRS256, rsaKey(), "", good())})
	if clew.CodeOf(err) != clew.AuthFailed {
		t.Errorf("RS256 without a key set: %v", err)
	}
}

// A key set served by URL is fetched, and fetched again when a token names a
// key that is not in it, but not for every such token.
func TestJWKSByURL(t *testing.T) {
	var body atomic.Value
	var fetches atomic.Int32
	body.Store(keySet(t, map[string]any{"one": rsaKey()}))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetches.Add(1)
		_, _ = w.Write([]byte(body.Load().(string)))
	}))
	defer srv.Close()
	a := newJWT(t, auth.JWTConfig{JWKSURL: srv.URL})
	try := func(kid string, m jwt.SigningMethod, key any) clew.Code {
		_, err := a.Authenticate(t.Context(), auth.Credentials{Token: sign(t, m, key, kid, good())})
		return clew.CodeOf(err)
	}
	if got := try("one", jwt.SigningMethodRS256, rsaKey()); got != "" {
		t.Fatalf("first key: %s", got)
	}
	body.Store(keySet(t, map[string]any{"two": ecKey()}))
	if got := try("two", jwt.SigningMethodES256, ecKey()); got != "" {
		t.Fatalf("rotated key: %s", got)
	}
	if got := try("one", jwt.SigningMethodRS256, rsaKey()); got != clew.AuthFailed {
		t.Errorf("key that was taken out: %q", got)
	}
	for range 20 {
		if got := try("made-up", jwt.SigningMethodES256, ecKey()); got != clew.AuthFailed {
			t.Errorf("unknown key: %q", got)
		}
	}
	if n := fetches.Load(); n != 2 {
		t.Errorf("%d fetches, want the first and one for the new key", n)
	}
}

// An issuer that was away at the start is asked again; until then nobody is
// told that their token is bad.
func TestJWKSComesLater(t *testing.T) {
	var up atomic.Bool
	set := keySet(t, map[string]any{"one": rsaKey()})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte(set))
	}))
	defer srv.Close()
	for _, kid := range []string{"one", ""} {
		up.Store(false)
		cfg := auth.JWTConfig{JWKSURL: srv.URL, Log: slog.New(slog.DiscardHandler)}
		down, late := newJWT(t, cfg), newJWT(t, cfg)
		c := auth.Credentials{Token: sign(t, jwt.SigningMethodRS256, rsaKey(), kid, good())}
		if _, err := down.Authenticate(t.Context(), c); clew.CodeOf(err) != clew.Unavailable {
			t.Errorf("kid %q, issuer away: %v", kid, err)
		}
		up.Store(true)
		if _, err := late.Authenticate(t.Context(), c); err != nil {
			t.Errorf("kid %q, issuer back: %v", kid, err)
		}
	}
}

func TestJWTConfigRefused(t *testing.T) {
	secret := file(t, testSecret)
	set := file(t, keySet(t, map[string]any{"rsa": rsaKey()}))
	for name, c := range map[string]auth.JWTConfig{
		"nothing":            {},
		"short secret":       {SecretFile: file(t, "short")},
		"no secret file":     {SecretFile: filepath.Join(t.TempDir(), "no")},
		"no key set file":    {JWKSFile: filepath.Join(t.TempDir(), "no")},
		"not a key set":      {SecretFile: secret, JWKSFile: file(t, "{")},
		"URL and file":       {JWKSURL: "https://id.example/jwks", JWKSFile: set},
		"plain http":         {JWKSURL: "http://id.example/jwks"},
		"no URL":             {JWKSURL: "jwks"},
		"URL with a user":    {JWKSURL: "https://u:p@id.example/jwks"},
		"loopback lookalike": {JWKSURL: "http://localhost.id.example/jwks"},
	} {
		if _, err := auth.NewJWT(t.Context(), c); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
