package auth_test

import (
	"errors"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

// Everybody sees and ends their own browsers and nobody else's, and never one
// that may do more than they themselves.
//
// Covers: WS-102
func TestDevicesAreOnesOwn(t *testing.T) {
	d := newDesk(t)
	ada, adaToken := d.key(auth.NewKey{User: "ada"})
	_, watchToken := d.key(auth.NewKey{User: "ada", Role: clew.RoleViewer})
	_, bobToken := d.key(auth.NewKey{User: "bob"})
	laptop, phone, screen, bobs := d.signIn(adaToken), d.signIn(adaToken), d.signIn(watchToken), d.signIn(bobToken)

	sees := func(token string, want ...auth.Visit) {
		t.Helper()
		p, code := d.who(token)
		if code != "" {
			t.Fatal(code)
		}
		list, err := d.signIns.Devices(t.Context(), p)
		if err != nil || len(list) != len(want) {
			t.Fatalf("%d devices, want %d: %v", len(list), len(want), err)
		}
		seen := map[string]bool{}
		for _, k := range list {
			seen[k.ID] = true
		}
		for _, v := range want {
			if !seen[v.ID] {
				t.Errorf("%s is missing in %v", v.ID, seen)
			}
		}
	}
	ends := func(token, id string) error {
		p, _ := d.who(token)
		return d.signIns.EndDevice(t.Context(), p, id)
	}
	sees(laptop.Token, laptop, phone, screen)
	sees(bobs.Token, bobs)
	sees(watchToken, screen)

	for name, err := range map[string]error{
		"another person's":     ends(bobs.Token, phone.ID),
		"one that may do more": ends(screen.Token, phone.ID),
		"no browser's":         ends(laptop.Token, ada.ID),
		"none at all":          ends(laptop.Token, "ffffffffffff"),
	} {
		if !errors.Is(err, auth.ErrNoKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, token := range []string{phone.Token, adaToken, screen.Token} {
		if _, code := d.who(token); code != "" {
			t.Errorf("ended all the same: %s", code)
		}
	}

	if err := ends(laptop.Token, phone.ID); err != nil {
		t.Fatal(err)
	}
	if _, code := d.who(phone.Token); code != clew.AuthFailed {
		t.Errorf("still in: %q", code)
	}
	sees(laptop.Token, laptop, screen)

	// What ends with another key is no device any more.
	if _, err := d.keys.Revoke(t.Context(), ada.ID); err != nil {
		t.Fatal(err)
	}
	_, again := d.key(auth.NewKey{User: "ada"})
	sees(again, screen)

	d.store.Fail(errors.New("down"))
	if _, err := d.signIns.Devices(t.Context(), clew.Principal{User: "ada", Role: clew.RoleOwner}); clew.CodeOf(err) != clew.Unavailable {
		t.Error(err)
	}
}
