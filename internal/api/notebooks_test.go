package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

type kernels struct{ asked string }

func (k *kernels) Complete(_ context.Context, id clew.SessionID, notebook, code string, cursor int) kernel.Completion {
	k.asked = fmt.Sprint(id, notebook, code, cursor)
	return kernel.Completion{Matches: []string{"print"}, Start: 0, End: 2}
}

func (k *kernels) Inspect(_ context.Context, id clew.SessionID, notebook, code string, cursor, detail int) (string, bool) {
	k.asked = fmt.Sprint(id, notebook, code, cursor, detail)
	return "prints", true
}

// The owner asks a notebook's kernel; those who only look may not.
func TestAskAKernel(t *testing.T) {
	k := &kernels{}
	b := newBench(t, func(o *api.Options) { o.Notebooks = k })
	b.call(ownerToken, "POST", "/api/v1/sessions", `{"session_id":"s1"}`).is(http.StatusCreated, "")
	a := b.call(ownerToken, "POST", "/api/v1/sessions/s1/notebooks/nb1/complete", `{"code":"pr","cursor":2}`).is(http.StatusOK, "")
	if fmt.Sprint(a.body["matches"], a.body["start"], a.body["end"]) != "[print] 0 2" || k.asked != "s1nb1pr2" {
		t.Error(a.raw, k.asked)
	}
	a = b.call(ownerToken, "POST", "/api/v1/sessions/s1/notebooks/nb1/inspect", `{"code":"print","cursor":1,"detail":1}`).is(http.StatusOK, "")
	if a.body["found"] != true || a.body["text"] != "prints" || k.asked != "s1nb1print1 1" {
		t.Error(a.raw, k.asked)
	}
	b.call(b.key("eve", clew.RoleOwner), "POST", "/api/v1/sessions/s1/notebooks/nb1/complete", `{"code":"pr","cursor":2}`).is(http.StatusNotFound, "")
	long := fmt.Sprintf(`{"code":%q,"cursor":0}`, strings.Repeat("x", 65537))
	b.call(ownerToken, "POST", "/api/v1/sessions/s1/notebooks/nb1/complete", long).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	b.call(ownerToken, "POST", "/api/v1/sessions/s1/notebooks/nb1/inspect", long).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	none := newBench(t)
	none.call(ownerToken, "POST", "/api/v1/sessions", `{"session_id":"s1"}`).is(http.StatusCreated, "")
	none.call(ownerToken, "POST", "/api/v1/sessions/s1/notebooks/nb1/complete", `{"code":"pr","cursor":2}`).is(http.StatusServiceUnavailable, clew.Unavailable)
}
