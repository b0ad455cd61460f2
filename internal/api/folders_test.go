package api_test

import (
	"net/http"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
)

type folderList struct{ asked string }

func (f *folderList) List(by clew.Principal, dir string) (api.FolderList, error) {
	f.asked = string(by.User) + " " + dir
	return api.FolderList{Path: "/srv", Folders: []api.Folder{{Name: "shop", Path: "/srv/shop", Git: true}}}, nil
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
