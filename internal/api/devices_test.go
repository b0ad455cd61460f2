package api_test

import (
	"net/http"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/auth"
)

// An ordinary user sees and ends their own sign-ins, without being an
// administrator.
func TestDevices(t *testing.T) {
	b := newBench(t)
	ada := b.key("ada", clew.RoleOwner)
	laptop, phone := b.signIn(`{"token":"`+ada+`"}`), b.signIn(`{"token":"`+ada+`"}`)
	bob := b.signIn(`{"token":"` + b.key("bob", clew.RoleOwner) + `"}`)
	idOf := func(br *browser) string {
		t.Helper()
		return br.call("GET", "/api/v1/me", "").is(http.StatusOK, "").body["key_id"].(string)
	}
	phoneID := idOf(phone)
	a := laptop.call("GET", "/api/v1/me/devices", "").is(http.StatusOK, "")
	list := a.body["devices"].([]any)
	if len(list) != 2 || list[0].(map[string]any)["browser"] != true || list[0].(map[string]any)["user"] != "ada" {
		t.Error(a.raw)
	}
	laptop.call("GET", "/api/v1/keys", "").is(http.StatusForbidden, clew.Forbidden)
	bob.call("DELETE", "/api/v1/me/devices/"+phoneID, "").is(http.StatusNotFound, clew.InvalidMessage)
	laptop.call("DELETE", "/api/v1/me/devices/nope", "").is(http.StatusNotFound, clew.InvalidMessage)

	laptop.call("DELETE", "/api/v1/me/devices/"+phoneID, "").is(http.StatusNoContent, "")
	phone.call("GET", "/api/v1/me", "").is(http.StatusUnauthorized, clew.AuthFailed)
	laptop.call("DELETE", "/api/v1/me/devices/"+phoneID, "").is(http.StatusNotFound, clew.InvalidMessage)
	laptop.call("DELETE", "/api/v1/me/devices/"+idOf(laptop), "").is(http.StatusNoContent, "")
	laptop.call("GET", "/api/v1/me", "").is(http.StatusUnauthorized, clew.AuthFailed)

	off := newBench(t, func(o *api.Options) { o.Auth, o.Keys, o.SignIns, o.Cookies = auth.Off{}, nil, nil, nil })
	if a := off.call("", "GET", "/api/v1/me/devices", "").is(http.StatusOK, ""); len(a.body["devices"].([]any)) != 0 {
		t.Error(a.raw)
	}
	off.call("", "DELETE", "/api/v1/me/devices/"+phoneID, "").is(http.StatusNotFound, clew.InvalidMessage)
}
