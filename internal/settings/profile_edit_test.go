package settings

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

// What happens to the keys when profiles are edited and deleted.
func TestKeysOfEditedProfiles(t *testing.T) {
	secrets := memorySecrets{}
	m := NewMemory()
	s, err := Open(t.Context(), Options{Store: m, Secrets: secrets, Providers: []string{"openai", "anthropic"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	keyName := func(profile, want string, stored ...string) {
		t.Helper()
		names := slices.Sorted(maps.Keys(secrets))
		if p, err := s.NamedProfile(profile); err != nil || p.KeyName != want || !slices.Equal(names, stored) {
			t.Errorf("%+v, %v, secrets %v", p, err, names)
		}
	}
	do(s.PutProfile(ctx, "a", map[string]any{"provider": "openai", "model": "m", "api_key": canary}))
	keyName("a", "profile.a", "profile.a")
	do(s.PatchProfile(ctx, "a", map[string]any{"key_name": nil}))
	keyName("a", "", "profile.a") // it is not named, and not lost
	do(s.PutProfile(ctx, "b", map[string]any{"provider": "openai", "model": "m", "key_name": "profile.a"}))
	do(s.DeleteProfile(ctx, "a"))
	keyName("b", "profile.a", "profile.a") // another one needs it
	do(s.PatchProfile(ctx, "b", map[string]any{"api_key": canary}))
	keyName("b", "profile.b", "profile.a", "profile.b")

	for _, profile := range []map[string]any{{"provider": "nobody", "model": "m"}, {"provider": "openai"}, {"model": "m"}, {"provider": "openai", "model": "m", "fallback": []string{"c"}}} {
		profile["api_key"] = canary + "2"
		if err := s.PutProfile(ctx, "c", profile); clew.CodeOf(err) != clew.SettingsInvalid {
			t.Errorf("%v: %v", profile, err)
		}
	}
	keyName("b", "profile.b", "profile.a", "profile.b") // what is refused leaves no key behind
	m.Fail(errors.New("full"))
	if err := s.DeleteProfile(ctx, "b"); clew.CodeOf(err) != clew.StorageFailed {
		t.Error(err)
	}
	m.Fail(nil)
	keyName("b", "profile.b", "profile.a", "profile.b")
}

// A profile with a secret in it is not shown.
func TestProfileWithASecret(t *testing.T) {
	redactor := NewRedactor()
	s, err := Open(t.Context(), Options{Store: NewMemory(), Redactor: redactor})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutProfile(t.Context(), "a", map[string]any{"provider": "openai", "model": canary}); err != nil {
		t.Fatal(err)
	}
	redactor.Add(canary)
	if list := s.Profiles(); len(list) != 1 || !list[0].Hidden || list[0].Model != "" || list[0].Name != "a" {
		t.Errorf("%+v", list)
	}
}
