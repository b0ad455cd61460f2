package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
)

type folderList struct{ asked string }

func (f *folderList) List(by clew.Principal, dir string) (api.FolderList, error) {
	f.asked = string(by.User) + " " + dir
	return api.FolderList{Path: "/srv", Folders: []api.Folder{{Name: "shop", Path: "/srv/shop", Git: true}}}, nil
}

// Place allows nothing but /srv.
func (f *folderList) Place(by clew.Principal, dir string) (string, error) {
	if f.asked = string(by.User) + " " + dir; dir != "" && dir != "/srv" {
		return "", clew.Errorf(clew.Forbidden, "you may not have a session work in this directory")
	}
	return dir, nil
}

func (f *folderList) Defaults(by clew.UserID, place string) api.SessionDefaults {
	return api.SessionDefaults{Mode: "ask", CustomModes: []map[string]any{}, Permissions: string(by) + " " + place}
}

// Folders are listed for those who may make sessions.
func TestListFolders(t *testing.T) {
	f := &folderList{}
	b := newBench(t, func(o *api.Options) { o.Folders = f })
	a := b.call(ownerToken, "GET", "/api/v1/folders?path=/srv", "").is(http.StatusOK, "")
	if a.body["path"] != "/srv" || f.asked != "owner /srv" {
		t.Error(a.raw, f.asked)
	}
	b.call(b.key("ann", clew.RoleOwner), "GET", "/api/v1/folders", "").is(http.StatusOK, "")
	for _, role := range []clew.Role{clew.RoleViewer, clew.RoleApprover} {
		b.call(b.key("eve", role), "GET", "/api/v1/folders", "").is(http.StatusForbidden, clew.Forbidden)
	}
	newBench(t).call(ownerToken, "GET", "/api/v1/folders", "").is(http.StatusServiceUnavailable, clew.Unavailable)
}

// What a session would have is told to those who may make it, and of no directory where
// they may not.
func TestBeforeASession(t *testing.T) {
	f, found, own := &folderList{}, &finder{}, &words{}
	b := newBench(t, func(o *api.Options) { o.Folders, o.Files, o.Words = f, found, own })
	const at = "/api/v1/folders/"
	a := b.call(ownerToken, "GET", at+"files?path=/srv&query=ma&limit=7", "").is(http.StatusOK, "")
	if !strings.Contains(a.raw, `{"path":"main.go","mention":"@main.go"}`) || found.asked != " /srv ma 7" {
		t.Error(a.raw, found.asked)
	}
	a = b.call(ownerToken, "GET", at+"slash-commands?path=/srv", "").is(http.StatusOK, "")
	if !strings.Contains(a.raw, `"name":"review"`) || !strings.Contains(a.raw, `"name":"pdf"`) || own.workspace != "/srv" {
		t.Error(a.raw, own.workspace)
	}
	a = b.call(ownerToken, "GET", at+"defaults?path=/srv", "").is(http.StatusOK, "")
	if want := `{"mode":"ask","custom_modes":[],"permissions":"owner /srv","auto_approval_enabled":false,"always_allow_write":false,"always_allow_execute":false}`; strings.TrimSpace(a.raw) != want {
		t.Error(a.raw)
	}
	found.asked, own.workspace = "", ""
	for _, route := range []string{"files", "slash-commands", "defaults"} {
		b.call(b.key("ann", clew.RoleOwner), "GET", at+route+"?path=/root", "").is(http.StatusForbidden, clew.Forbidden)
		for _, role := range []clew.Role{clew.RoleViewer, clew.RoleApprover} {
			b.call(b.key("eve", role), "GET", at+route+"?path=/srv", "").is(http.StatusForbidden, clew.Forbidden)
		}
		newBench(t).call(ownerToken, "GET", at+route, "").is(http.StatusServiceUnavailable, clew.Unavailable)
	}
	if found.asked != "" || own.workspace != "" {
		t.Errorf("somebody else's request went on: %q %q", found.asked, own.workspace)
	}
}
