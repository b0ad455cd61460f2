package auth_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

// FuzzJWT compares with a check of its own: whatever is let in was signed with
// the secret under HS256, is in force and names a valid user.
func FuzzJWT(f *testing.F) {
	a := both(f)
	f.Add(hs(f, good()))
	f.Add(hs(f, with(good(), "exp", 1)))
	f.Add(hs(f, with(good(), "sub", "owner")))
	f.Add(sign(f, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "", good()))
	f.Add(sign(f, jwt.SigningMethodHS256, publicPEM(f, rsaKey().Public()), "rsa", good()))
	f.Add(sign(f, jwt.SigningMethodRS256, rsaKey(), "ec", good()))
	f.Add(raw(`{"alg":"none"}`, `{"sub":"ada","exp":99999999999}`, ""))
	f.Add("..")
	f.Fuzz(func(t *testing.T, token string) {
		p, err := a.Authenticate(context.Background(), auth.Credentials{Token: token})
		if err != nil {
			if p != (clew.Principal{}) {
				t.Fatalf("refused with principal %+v", p)
			}
			return
		}
		parts := strings.Split(token, ".")
		if len(parts) != 3 {
			t.Fatalf("let in: %q", token)
		}
		var head struct{ Alg string }
		decode(t, parts[0], &head)
		if head.Alg != "HS256" || !hmacHolds(parts) { // no seed is signed for RS256 or ES256
			t.Fatalf("let in without a signature: %q", token)
		}
		var c struct {
			Sub string
			Exp float64
		}
		decode(t, parts[1], &c)
		if !clew.ValidID(c.Sub) || string(p.User) != c.Sub || c.Exp <= float64(noon.Unix()) || p.Role == clew.RoleAdmin {
			t.Fatalf("let in %+v for %q", p, token)
		}
	})
}

func decode(t *testing.T, part string, v any) {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

func hmacHolds(parts []string) bool {
	mac := hmac.New(sha256.New, []byte(testSecret))
	mac.Write([]byte(parts[0] + "." + parts[1]))
	sig, err := base64.RawURLEncoding.DecodeString(parts[2])
	return err == nil && hmac.Equal(mac.Sum(nil), sig)
}
