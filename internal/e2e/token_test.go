package e2e

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	procs "github.com/clew-run/clew/internal/e2e/proc"
)

// secret signs the tokens of the people in these tests.
const secret = "a secret of these tests that is long enough"

var secretFile = sync.OnceValues(func() (string, error) {
	path := filepath.Join(procs.Dir(), "secret")
	return path, os.WriteFile(path, []byte(secret), 0o600)
})

// withUsers adds the settings with which the server knows the tests' people.
func withUsers(t testing.TB, env map[string]string) map[string]string {
	t.Helper()
	path, err := secretFile()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{"AUTH_HMAC_SECRET_FILE": path, "AUTH_ALLOW_ADMIN": "true"}
	for k, v := range env {
		out[k] = v
	}
	return out
}

// Token gives a user's JWT. The user admin is an administrator.
func (p *proc) Token(user string) string { return userToken(p.t, user) }

func userToken(t testing.TB, user string) string {
	t.Helper()
	role := "owner"
	if user == "admin" {
		role = "admin"
	}
	return signed(t, secret, jwt.MapClaims{"sub": user, "clew_role": role, "exp": time.Now().Add(time.Hour).Unix()})
}

func signed(t testing.TB, key string, claims jwt.MapClaims) string {
	t.Helper()
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
