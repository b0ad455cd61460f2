package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/tool/files"
)

type finder struct{ asked string }

func (f *finder) Find(_ context.Context, id clew.SessionID, workspace, query string, limit int) ([]files.Found, bool, error) {
	f.asked = fmt.Sprintf("%s %s %s %d", id, workspace, query, limit)
	return []files.Found{{Path: "main.go"}, {Path: "my docs", Directory: true}}, true, nil
}

// Files are listed for those who may mention them in a message, and for nobody else.
func TestFindFiles(t *testing.T) {
	f := &finder{}
	b := newBench(t, func(o *api.Options) { o.Files = f })
	b.sessions.owner["s1"] = "owner"
	const at = "/api/v1/sessions/s1/files"
	a := b.call(ownerToken, "GET", at+"?query=ma&limit=7", "").is(http.StatusOK, "")
	if want := `{"files":[{"path":"main.go","mention":"@main.go"},{"path":"my docs","directory":true,"mention":"@\"my docs/\""}],"more":true}`; strings.TrimSpace(a.raw) != want || f.asked != "s1 /w ma 7" {
		t.Error(a.raw, f.asked)
	}
	if b.call(ownerToken, "GET", at, "").is(http.StatusOK, ""); f.asked != "s1 /w  20" {
		t.Error(f.asked)
	}
	for _, bad := range []string{"limit=0", "limit=101", "query=" + strings.Repeat("x", 501)} {
		b.call(ownerToken, "GET", at+"?"+bad, "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	b.sessions.access["s1"] = map[clew.UserID]clew.Role{"eve": clew.RoleViewer, "amy": clew.RoleApprover}
	f.asked = ""
	b.call(b.key("stranger", clew.RoleOwner), "GET", at, "").is(http.StatusNotFound, clew.SessionNotFound)
	b.call(b.key("eve", clew.RoleOwner), "GET", at, "").is(http.StatusForbidden, clew.Forbidden)
	b.call(b.key("amy", clew.RoleOwner), "GET", at, "").is(http.StatusForbidden, clew.Forbidden)
	b.call(b.key("owner", clew.RoleViewer), "GET", at, "").is(http.StatusForbidden, clew.Forbidden)
	if f.asked != "" {
		t.Errorf("somebody else's request went on: %s", f.asked)
	}
}
