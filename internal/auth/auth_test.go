package auth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/auth/authtest"
	"github.com/clew-run/clew/internal/clock/clocktest"
)

// Covers: WS-102, WS-110
func TestAuthenticateKinds(t *testing.T) {
	a := auth.New(auth.Options{OwnerToken: "clew_owner_secret-of-the-owner"})
	none := auth.New(auth.Options{})
	tests := []struct {
		name string
		a    *auth.Authenticator
		tok  string
		want clew.Code
	}{
		{"owner", a, "clew_owner_secret-of-the-owner", ""},
		{"nothing", a, "", clew.AuthRequired},
		{"wrong", a, "clew_owner_secret-of-the-owneR", clew.AuthFailed},
		{"prefix", a, "clew_owner_secret-of-the", clew.AuthFailed},
		{"longer", a, "clew_owner_secret-of-the-owner2", clew.AuthFailed},
		{"an API key without keys", a, "clew_0123456789ab_" + strings.Repeat("x", 43), clew.AuthFailed},
		{"a JWT without JWT", a, "a.b.c", clew.AuthFailed},
		{"huge", a, strings.Repeat("x", 1<<20), clew.AuthFailed},
		{"no ways in, no token", none, "", clew.AuthRequired},
		{"no ways in", none, "x", clew.AuthFailed},
	}
	for _, tt := range tests {
		p, err := tt.a.Authenticate(t.Context(), auth.Credentials{Token: tt.tok})
		if clew.CodeOf(err) != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err == nil && p != (clew.Principal{User: "owner", Role: clew.RoleAdmin}) {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
	if p, err := (auth.Off{}).Authenticate(t.Context(), auth.Credentials{}); err != nil || p.User != "local" || p.Role != clew.RoleAdmin {
		t.Errorf("off: %+v, %v", p, err)
	}
}

func TestOwnerToken(t *testing.T) {
	dir := t.TempDir()
	first, err := auth.LoadOwnerToken(dir)
	if err != nil || !strings.HasPrefix(first, "clew_owner_") || len(first) != len("clew_owner_")+43 {
		t.Fatalf("%d characters, %v", len(first), err)
	}
	path := filepath.Join(dir, "token")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if again, err := auth.LoadOwnerToken(dir); err != nil || again != first {
		t.Errorf("second start: same %t, %v", again == first, err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
	if other, _ := auth.LoadOwnerToken(t.TempDir()); other == first {
		t.Error("two installations have one token")
	}

	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := auth.LoadOwnerToken(dir); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode is still %v", info.Mode())
	}

	if err := os.WriteFile(path, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := auth.LoadOwnerToken(dir); err == nil || strings.Contains(err.Error(), "short\n") {
		t.Errorf("short token: %v", err)
	}
	if _, err := auth.LoadOwnerToken(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing directory gave a token")
	}
}

// Many processes that start at once agree on one token.
func TestOwnerTokenRace(t *testing.T) {
	dir := t.TempDir()
	tokens := make([]string, 16)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() { tokens[i], _ = auth.LoadOwnerToken(dir) })
	}
	wg.Wait()
	for _, tok := range tokens {
		if tok == "" || tok != tokens[0] {
			t.Fatal("tokens differ")
		}
	}
}

func TestKeys(t *testing.T) {
	now := noon
	store := &authtest.MemoryKeys{}
	keys := auth.NewKeys(store, func() time.Time { return now })
	a := auth.New(auth.Options{Keys: keys})
	rec, token, err := keys.Create(t.Context(), auth.NewKey{
		Name: "ci", User: "ada", Role: clew.RoleViewer, ExpiresMS: now.Add(time.Hour).UnixMilli(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(token, "clew_"+rec.ID+"_") || !strings.HasSuffix(token, rec.LastFour) {
		t.Error("the token does not have its form")
	}
	if secret := token[len("clew_")+13:]; strings.Contains(fmt.Sprintf("%+v", rec), secret) {
		t.Error("the record has the secret")
	}
	try := func(token string) (clew.Principal, clew.Code) {
		p, err := a.Authenticate(t.Context(), auth.Credentials{Token: token})
		return p, clew.CodeOf(err)
	}
	want := clew.Principal{User: "ada", Role: clew.RoleViewer, KeyID: rec.ID, ExpiresMS: rec.ExpiresMS}
	if p, code := try(token); code != "" || p != want {
		t.Errorf("%+v, %s", p, code)
	}
	flip := []byte(token)
	flip[len(flip)-1] ^= 1
	for _, bad := range []string{
		string(flip), token + "x", token[:len(token)-1], strings.ToUpper(token), "clew_ffffffffffff" + token[17:],
		strings.Replace(token, "clew_", "clew-", 1), token + "\n", " " + token, "clew__" + token, "clew_" + rec.ID + "_",
	} {
		if _, code := try(bad); code != clew.AuthFailed {
			t.Errorf("%d characters: %q", len(bad), code)
		}
	}

	store.Fail(errors.New("store is down"))
	if _, code := try(token); code != clew.Unavailable {
		t.Errorf("store down: %q", code)
	}
	if _, _, err := keys.Create(t.Context(), auth.NewKey{User: "ada"}); clew.CodeOf(err) != clew.StorageFailed {
		t.Errorf("create with the store down: %v", err)
	}
	if _, err := keys.List(t.Context()); clew.CodeOf(err) != clew.Unavailable {
		t.Errorf("list with the store down: %v", err)
	}
	if _, err := keys.Revoke(t.Context(), rec.ID); clew.CodeOf(err) != clew.Unavailable {
		t.Errorf("revoke with the store down: %v", err)
	}
	store.Fail(nil)

	now = now.Add(time.Hour)
	if _, code := try(token); code != clew.TokenExpired {
		t.Errorf("expired: %q", code)
	}
	second, _, err := keys.Create(t.Context(), auth.NewKey{User: "ada"})
	if err != nil || second.Role != clew.RoleOwner {
		t.Errorf("%+v, %v", second, err)
	}
	if list, err := keys.List(t.Context()); err != nil || len(list) != 2 || list[0].ID != rec.ID {
		t.Errorf("%v, %v", list, err)
	}
	done, err := keys.Revoke(t.Context(), rec.ID)
	if err != nil || done.RevokedMS != now.UnixMilli() {
		t.Errorf("%+v, %v", done, err)
	}
	now = now.Add(time.Hour)
	if again, err := keys.Revoke(t.Context(), rec.ID); err != nil || again != done {
		t.Errorf("%+v, %v", again, err)
	}
	if _, code := try(token); code != clew.AuthFailed {
		t.Errorf("revoked: %q", code)
	}
	if _, err := keys.Revoke(t.Context(), "ffffffffffff"); !errors.Is(err, auth.ErrNoKey) {
		t.Errorf("unknown: %v", err)
	}
	for _, n := range []auth.NewKey{
		{}, {User: "a b"}, {User: "ada", Role: "root"}, {User: "ada", ExpiresMS: 1}, {User: "ada", Name: strings.Repeat("x", 201)},
	} {
		if _, _, err := keys.Create(t.Context(), n); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%+v: %v", n, err)
		}
	}
}

// A revocation reaches the subscribers, also when the watch broke meanwhile.
func TestOnRevoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		store := &authtest.MemoryKeys{}
		keys := auth.NewKeys(store, nil)
		a := auth.New(auth.Options{Keys: keys, Log: slog.New(slog.DiscardHandler)})
		var wg sync.WaitGroup
		wg.Go(func() { _ = a.Run(ctx) })
		var ids [3]string
		for i := range ids {
			rec, _, err := keys.Create(ctx, auth.NewKey{User: "ada"})
			if err != nil {
				t.Fatal(err)
			}
			ids[i] = rec.ID
		}
		heard := make(chan string, 10)
		cancel := a.OnRevoke(func(id string) { heard <- id })
		synctest.Wait()
		if a.Revoked(ids[0]) || len(heard) != 0 {
			t.Error("nothing was revoked yet")
		}
		revoke := func(id string) {
			if _, err := keys.Revoke(ctx, id); err != nil {
				t.Error(err)
			}
		}
		revoke(ids[0])
		if got := <-heard; got != ids[0] || !a.Revoked(ids[0]) {
			t.Errorf("heard of %s", got)
		}

		store.Break(errors.New("link lost"))
		synctest.Wait()
		broke := time.Now()
		revoke(ids[1]) // nobody watches now
		seen := map[string]bool{<-heard: true, <-heard: true}
		if !seen[ids[1]] || time.Since(broke) >= time.Second {
			t.Errorf("heard of %v after %v", seen, time.Since(broke))
		}

		cancel()
		revoke(ids[2])
		synctest.Wait()
		if len(heard) != 0 || !a.Revoked(ids[2]) {
			t.Error("a cancelled subscription heard, or the key is not known as revoked")
		}
		stop()
		wg.Wait()
	})
}

// Covers: WS-005, WS-110
func TestCredentialsOf(t *testing.T) {
	tests := []struct {
		name    string
		headers []string
		target  string
		query   bool
		want    string
		code    clew.Code
	}{
		{"header", []string{"Bearer abc"}, "/", false, "abc", ""},
		{"scheme in any case", []string{"bEARER  abc "}, "/", false, "abc", ""},
		{"none", nil, "/", true, "", ""},
		{"query where allowed", nil, "/?token=abc", true, "abc", ""},
		{"query where not", nil, "/?token=abc", false, "", ""},
		{"header before query", []string{"Bearer abc"}, "/?token=def", true, "abc", ""},
		{"no token", []string{"Bearer"}, "/", false, "", clew.AuthFailed},
		{"blank token", []string{"Bearer  "}, "/?token=abc", true, "", clew.AuthFailed},
		{"other scheme", []string{"Basic abc"}, "/?token=abc", true, "", clew.AuthFailed},
		{"bare", []string{"abc"}, "/", false, "", clew.AuthFailed},
		{"two", []string{"Bearer abc", "Bearer def"}, "/", false, "", clew.AuthFailed},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("GET", tt.target, nil)
		for _, h := range tt.headers {
			r.Header.Add("Authorization", h)
		}
		c, err := auth.CredentialsOf(r, tt.query)
		if c.Token != tt.want || clew.CodeOf(err) != tt.code {
			t.Errorf("%s: %q, %v", tt.name, c.Token, err)
		}
	}
}

// No log line and no error has a secret in it.
func TestNoSecretLeaks(t *testing.T) {
	const canary = "CANARY0123456789canary0123456789"
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	old := slog.Default()
	slog.SetDefault(log)
	defer slog.SetDefault(old)

	note := func(v any) { fmt.Fprintf(&out, "%v %+v\n", v, v) }
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(canary), 0o666); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(filepath.Join(dir, "token"), 0o666)
	owner, err := auth.LoadOwnerToken(dir)
	note(err)
	_, err = auth.NewJWT(t.Context(), auth.JWTConfig{JWKSFile: file(t, `{"keys":[{"kty":"oct","k":"`+canary+`"`)})
	note(err)
	_, err = auth.NewJWT(t.Context(), auth.JWTConfig{JWKSURL: "http://127.0.0.1:1/" + canary, Log: log})
	note(err)
	_, err = auth.NewJWT(t.Context(), auth.JWTConfig{SecretFile: file(t, canary[:20])})
	note(err)

	store := &authtest.MemoryKeys{}
	j, err := auth.NewJWT(t.Context(), auth.JWTConfig{SecretFile: file(t, canary)})
	note(err)
	a := auth.New(auth.Options{OwnerToken: owner, Keys: auth.NewKeys(store, nil), JWT: j, Log: log})
	for _, token := range []string{
		canary, canary + "x", "clew_0123456789ab_" + (canary + canary)[:43], canary + "." + canary + "." + canary,
		raw(`{"alg":"HS256","kid":"`+canary+`"}`, `{"sub":"`+canary+`"}`, canary),
	} {
		c := auth.Credentials{Token: token}
		p, err := a.Authenticate(t.Context(), c)
		note(p)
		note(err)
		log.Info("call", "credentials", c, "err", err)
		fmt.Fprintf(&out, "%#v\n", c)
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", token)
		_, err = auth.CredentialsOf(r, false)
		note(err)
	}
	if s := out.String(); strings.Contains(s, canary[:20]) || !strings.Contains(s, "could be read by others") {
		t.Errorf("output:\n%s", s)
	}
}

// FuzzAPIKey lets nothing in but the one token that was issued.
func FuzzAPIKey(f *testing.F) {
	keys := auth.NewKeys(&authtest.MemoryKeys{}, atNoon)
	a := auth.New(auth.Options{Keys: keys})
	rec, token, err := keys.Create(f.Context(), auth.NewKey{User: "ada"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token)
	f.Add("clew_" + rec.ID + "_")
	f.Add("clew_" + rec.ID + "_" + strings.Repeat("A", 43))
	f.Add("clew_owner_" + strings.Repeat("A", 43))
	f.Fuzz(func(t *testing.T, tok string) {
		// The fuzzer cannot know the token but as a seed; splice its parts too.
		for _, s := range []string{tok, "clew_" + rec.ID + "_" + tok} {
			_, err := a.Authenticate(context.Background(), auth.Credentials{Token: s})
			if (err == nil) != (s == token) {
				t.Fatalf("%q: %v", s, err)
			}
		}
	})
}

// A key ends by the time of day, wherever the clock jumps: it is over an hour too early
// on a clock that is an hour ahead, holds again when that is put right, and does not
// end while the clock stands.
func TestKeyEndsByTheTimeOfDay(t *testing.T) {
	hands := clocktest.New(noon)
	keys := auth.NewKeys(&authtest.MemoryKeys{}, hands.Now)
	rec, _, err := keys.Create(t.Context(), auth.NewKey{Name: "k", User: "ann", ExpiresMS: noon.Add(30 * time.Minute).UnixMilli()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		do   func()
		good bool
	}{
		{"at first", func() {}, true},
		{"an hour ahead", func() { hands.Jump(time.Hour) }, false},
		{"put right", func() { hands.Jump(-time.Hour) }, true},
		{"the clock stands", func() { hands.Run(0); hands.Advance(time.Hour) }, true},
		{"the clock drifts", func() { hands.Run(2); hands.Advance(14 * time.Minute) }, true},
		{"its time is over", func() { hands.Advance(2 * time.Minute) }, false},
	} {
		c.do()
		if good, err := keys.InForce(t.Context(), rec.ID); err != nil || good != c.good {
			t.Errorf("%s: %v, %v", c.what, good, err)
		}
	}
}
