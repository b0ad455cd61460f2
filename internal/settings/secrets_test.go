package settings

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"filippo.io/age"
	"github.com/zalando/go-keyring"

	"github.com/clew-run/clew"
)

const canary = "sk-canary-0123456789"

func openFile(t *testing.T, dir string, environ ...string) *Secrets {
	t.Helper()
	s, err := OpenSecrets(t.Context(), SecretsOptions{Dir: dir, Environ: append(environ, EnvSecretsBackend+"=file")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func expect(t *testing.T, s *Secrets, name, want string) {
	t.Helper()
	got, found, err := s.Get(t.Context(), name)
	if err != nil || found != (want != "") || got != want {
		t.Errorf("%s: found %v, right %v, error %v", name, found, got == want, err)
	}
}

// checkStore is what every backend has to pass.
func checkStore(t *testing.T, s *Secrets) {
	t.Helper()
	ctx := t.Context()
	expect(t, s, "openai_api_key", "")
	for name, value := range map[string]string{"openai_api_key": canary, "profile.work": "other\nlines"} {
		if err := s.Set(ctx, name, value); err != nil {
			t.Fatal(err)
		}
		expect(t, s, name, value)
	}
	if err := s.Set(ctx, "openai_api_key", canary+"2"); err != nil {
		t.Fatal(err)
	}
	expect(t, s, "openai_api_key", canary+"2")
	if names, err := s.Names(ctx); err != nil || !slices.Equal(names, []string{"openai_api_key", "profile.work"}) {
		t.Errorf("names %v, %v", names, err)
	}
	for range 2 {
		if err := s.Delete(ctx, "openai_api_key"); err != nil {
			t.Error(err)
		}
	}
	expect(t, s, "openai_api_key", "")
	for _, name := range []string{"", "*names", "../x", "a b", "1a", strings.Repeat("a", 129)} {
		_, _, err := s.Get(ctx, name)
		for _, err := range []error{err, s.Set(ctx, name, canary), s.Delete(ctx, name)} {
			if clew.CodeOf(err) != clew.SettingsInvalid || strings.Contains(err.Error(), canary) {
				t.Errorf("name %q: %v", name, err)
			}
		}
	}
	for _, value := range []string{"", strings.Repeat("x", maxSecret+1)} {
		if err := s.Set(ctx, "a", value); clew.CodeOf(err) != clew.SettingsInvalid {
			t.Errorf("value of %d bytes: %v", len(value), err)
		}
	}
	if s.Redactor().Redact("x "+canary+" y") != "x "+hidden+" y" {
		t.Error("the redactor does not know a stored secret")
	}
}

// Covers: SET-16, SET-17, C-37
func TestSecretFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "when missing")
	s := openFile(t, dir)
	checkStore(t, s)
	if err := s.Set(t.Context(), "openai_api_key", canary); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, open := range []string{canary, "openai_api_key", "profile.work"} {
			if bytes.Contains(b, []byte(open)) {
				t.Errorf("%s shows %s", e.Name(), open)
			}
		}
	}
	if !slices.Equal(names, []string{"secrets.age", "secrets.key", "secrets.lock"}) {
		t.Errorf("files %v", names)
	}
	again := openFile(t, dir)
	expect(t, again, "openai_api_key", canary)
	// A change by one process is seen by the other.
	if err := again.Set(t.Context(), "gemini_api_key", "fresh-secret"); err != nil {
		t.Fatal(err)
	}
	expect(t, s, "gemini_api_key", "fresh-secret")
}

func TestSecretFileWithAKeyElsewhere(t *testing.T) {
	dir := t.TempDir()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	key := writeFile(t, "identity", id.String()+"\n")
	s := openFile(t, dir, EnvSecretsKeyFile+"="+key)
	if err := s.Set(t.Context(), "a_key", canary); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "secrets.key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a second key was made: %v", err)
	}
	for what, environ := range map[string][]string{
		"missing key": {EnvSecretsBackend + "=file"},
		"wrong key":   {EnvSecretsKeyFile + "=" + writeFile(t, "other", newIdentity(t))},
		"no key":      {EnvSecretsKeyFile + "=" + writeFile(t, "broken", "AGE-SECRET-KEY-canary")},
	} {
		_, err := OpenSecrets(t.Context(), SecretsOptions{Dir: dir, Environ: environ})
		if clew.CodeOf(err) != clew.Unavailable || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", what, err)
		}
	}
	expect(t, openFile(t, dir, EnvSecretsKeyFile+"="+key), "a_key", canary)
}

func newIdentity(t *testing.T) string {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}

func TestDamagedSecretFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := openFile(t, dir).Set(t.Context(), "a_key", canary); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "secrets.age")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-3] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSecrets(t.Context(), SecretsOptions{Dir: dir}); clew.CodeOf(err) != clew.Unavailable {
		t.Errorf("opened: %v", err)
	}
}

// Two processes that write at once lose nothing.
func TestSecretFileWritersDoNotMeet(t *testing.T) {
	dir := t.TempDir()
	var done sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		s := openFile(t, dir)
		done.Go(func() {
			for i := range 10 {
				if err := s.Set(context.Background(), who+strings.Repeat("x", i), canary); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	if names, err := openFile(t, dir).Names(t.Context()); err != nil || len(names) != 20 {
		t.Errorf("%d names, %v", len(names), err)
	}
}

func TestSecretsFromTheEnvironment(t *testing.T) {
	s := openFile(t, t.TempDir(), "ANTHROPIC_API_KEY=from-vendor-1", "OPENAI_API_KEY=from-vendor-2", "CLEW_SECRET_OPENAI_API_KEY=from-clew-2", "CLEW_SECRET_PROFILE_WORK=from-clew-3", "CLEW_SECRET_EMPTY=",
		"AZURE_OPENAI_API_KEY=from-vendor-4", "GOOGLE_API_KEY=from-vendor-5")
	expect(t, s, "anthropic_api_key", "from-vendor-1")
	expect(t, s, "openai_api_key", "from-clew-2")
	expect(t, s, "profile.work", "from-clew-3")
	expect(t, s, "azure_api_key", "from-vendor-4")
	expect(t, s, "gemini_api_key", "from-vendor-5")
	expect(t, s, "empty", "")
	if names, err := s.Names(t.Context()); err != nil || !slices.Equal(names, []string{"anthropic_api_key", "azure_api_key", "gemini_api_key", "openai_api_key", "profile_work"}) {
		t.Errorf("names %v, %v", names, err)
	}
	if err := s.Set(t.Context(), "anthropic_api_key", canary); err != nil {
		t.Fatal(err)
	}
	expect(t, s, "anthropic_api_key", canary)
	if err := s.Delete(t.Context(), "anthropic_api_key"); err != nil {
		t.Fatal(err)
	}
	expect(t, s, "anthropic_api_key", "from-vendor-1")
	if got := s.Redactor().Redact("from-vendor-2"); got != hidden {
		t.Errorf("not yet asked for: %q", got)
	}
}

// testRing is a keyring in memory.
func testRing() (*ring, map[string]string) {
	items := map[string]string{}
	return &ring{
		read: func(service, user string) (string, error) {
			v, ok := items[service+"/"+user]
			if !ok {
				return "", keyring.ErrNotFound
			}
			return v, nil
		},
		write: func(service, user, value string) error {
			items[service+"/"+user] = value
			return nil
		},
		remove: func(service, user string) error {
			if _, ok := items[service+"/"+user]; !ok {
				return keyring.ErrNotFound
			}
			delete(items, service+"/"+user)
			return nil
		},
	}, items
}

// Covers: SET-16, SET-17
func TestKeyring(t *testing.T) {
	r, items := testRing()
	checkStore(t, &Secrets{backend: r, redactor: NewRedactor()})
	if items["clew/profile.work"] == "" || items["clew/*names"] != `["profile.work"]` {
		t.Errorf("%d items, names %s", len(items), items["clew/*names"])
	}
}

func TestKeyringThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := make(chan struct{})
		r := &ring{read: func(string, string) (string, error) { <-wait; return "", nil }}
		if err := r.probe(context.Background(), map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}); err == nil {
			t.Error("taken for one that answers")
		}
		if _, _, err := r.get(context.Background(), "a"); err == nil {
			t.Error("a value without an answer")
		}
		close(wait)
		synctest.Wait()
	})
}

func TestBusIsNeverStarted(t *testing.T) {
	dir := t.TempDir()
	withBus := t.TempDir()
	if err := os.WriteFile(filepath.Join(withBus, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		system string
		env    map[string]string
		want   bool
	}{
		{"linux", nil, false},
		{"linux", map[string]string{"DBUS_SESSION_BUS_ADDRESS": "autolaunch:"}, false},
		{"linux", map[string]string{"XDG_RUNTIME_DIR": dir}, false},
		{"linux", map[string]string{"XDG_RUNTIME_DIR": withBus}, true},
		{"linux", map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}, true},
		{"darwin", nil, true},
	} {
		if got := busThere(tt.system, tt.env); got != tt.want {
			t.Errorf("%s %v: %v", tt.system, tt.env, got)
		}
	}
}

func TestBackendChoice(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenSecrets(t.Context(), SecretsOptions{Dir: dir, Environ: []string{EnvSecretsBackend + "=vault"}}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Error(err)
	}
	if runtime.GOOS != "linux" {
		return // elsewhere the system's own keyring would answer
	}
	if _, err := OpenSecrets(t.Context(), SecretsOptions{Dir: dir, Environ: []string{EnvSecretsBackend + "=keyring"}}); clew.CodeOf(err) != clew.Unavailable {
		t.Error(err)
	}
	s, err := OpenSecrets(t.Context(), SecretsOptions{Dir: dir})
	if err != nil || s.Backend() != "file" {
		t.Errorf("%v", err)
	}
}

// Covers: C-37
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "", "three"} {
		if err := WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("%q, %v", b, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "d"), []byte("x"), 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

// Source tells a stored secret from one of the environment, and gives neither.
func TestSource(t *testing.T) {
	s := openFile(t, t.TempDir(), "OPENAI_API_KEY="+canary, "CLEW_SECRET_PROFILE_WORK="+canary+"2")
	for _, c := range []struct {
		name     string
		vendors  bool
		variable string
		found    bool
	}{
		{"openai_api_key", true, "OPENAI_API_KEY", true},
		{"openai_api_key", false, "", false},
		{"profile.work", false, "CLEW_SECRET_PROFILE_WORK", true},
		{"none", true, "", false},
	} {
		if variable, found, err := s.Source(t.Context(), c.name, c.vendors); variable != c.variable || found != c.found || err != nil {
			t.Errorf("%+v: %q %v %v", c, variable, found, err)
		}
	}
	if err := s.Set(t.Context(), "openai_api_key", canary+"3"); err != nil {
		t.Fatal(err)
	}
	if variable, found, err := s.Source(t.Context(), "openai_api_key", true); variable != "" || !found || err != nil {
		t.Errorf("%q %v %v", variable, found, err)
	}
	if _, _, err := s.Source(t.Context(), "no good", true); err == nil {
		t.Error("no error")
	}
}
