package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/erase"
	"github.com/clew-run/clew/internal/session"
)

// erasures notes what is deleted.
type erasures struct {
	deleted map[clew.SessionID]session.Erasure
}

func (e *erasures) Preview(_ context.Context, id clew.SessionID) (erase.Preview, error) {
	return erase.Preview{SessionID: id, Records: 7, Forks: []erase.Fork{{SessionID: "s2", Owner: "bob"}}}, nil
}

func (e *erasures) Delete(_ context.Context, id clew.SessionID, by clew.UserID, now bool) (session.Erasure, error) {
	d := session.Erasure{Session: id, Owner: "ada", By: by, AtMS: 5, EraseMS: 9}
	if now {
		d.EraseMS = 5
	}
	if e.deleted == nil {
		e.deleted = map[clew.SessionID]session.Erasure{}
	}
	e.deleted[id] = d
	return d, nil
}

func (e *erasures) Deleted(_ context.Context, id clew.SessionID, by clew.Principal) (*session.Erasure, error) {
	d, ok := e.deleted[id]
	if !ok || !d.Concerns(by) {
		return nil, nil
	}
	return &d, nil
}

func (e *erasures) Restore(ctx context.Context, id clew.SessionID, by clew.Principal) error {
	if d, _ := e.Deleted(ctx, id, by); d == nil {
		return clew.Errorf(clew.SessionNotFound, "no deleted session %s", id)
	}
	delete(e.deleted, id)
	return nil
}

// Its owner and administrators delete a session and bring it back; nobody else learns
// even that it was there.
//
// Covers: C-15
func TestDelete(t *testing.T) {
	const path = "/api/v1/sessions/s1"
	for who, status := range map[string]int{"owner": http.StatusOK, "admin": http.StatusOK, "viewer": http.StatusForbidden, "approver": http.StatusForbidden, "stranger": http.StatusNotFound} {
		b := newBench(t)
		b.sessions.owner["s1"] = "ada"
		b.sessions.access["s1"] = map[clew.UserID]clew.Role{"vic": clew.RoleViewer}
		token := map[string]string{
			"owner": b.key("ada", clew.RoleOwner), "admin": ownerToken, "viewer": b.key("vic", clew.RoleOwner),
			"approver": b.key("ada", clew.RoleApprover), "stranger": b.key("bob", clew.RoleOwner),
		}[who]
		if a := b.call(token, "GET", path+"/deletion", ""); a.status != status || status == http.StatusOK && !strings.Contains(a.raw, `"forks":[{"session_id":"s2","owner":"bob"}]`) {
			t.Errorf("%s: the preview is %d %s", who, a.status, a.raw)
		}
		if a := b.call(token, "DELETE", path, ""); a.status != status || status == http.StatusOK && !strings.Contains(a.raw, `"erase_ms":9`) {
			t.Errorf("%s: deleted %d %s", who, a.status, a.raw)
		}
		_, _ = b.erasures.Delete(t.Context(), "s1", "ada", false)
		allowed := status == http.StatusOK
		if a := b.call(token, "GET", path+"/deletion", ""); strings.Contains(a.raw, "deleted_ms") != allowed {
			t.Errorf("%s: afterwards it says %s", who, a.raw)
		}
		if a := b.call(token, "POST", path+"/restore", ""); (a.status == http.StatusNoContent) != allowed {
			t.Errorf("%s: brought back %d %s", who, a.status, a.raw)
		}
	}
	b := newBench(t)
	b.sessions.owner["s1"] = "ada"
	if a := b.call(ownerToken, "DELETE", path+"?now=true", ""); !strings.Contains(a.raw, `"erase_ms":5`) {
		t.Errorf("at once: %s", a.raw)
	}
}
