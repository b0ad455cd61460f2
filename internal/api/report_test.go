package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// A report is for those who may watch the session, and nothing in it runs.
func TestReports(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "ada"
	b.sessions.access["s1"] = map[clew.UserID]clew.Role{"val": clew.RoleViewer}
	b.blobs[reportBlob] = []byte("<html><script>alert(1)</script>")
	for _, who := range []string{b.key("ada", clew.RoleOwner), b.key("val", clew.RoleOwner)} {
		a := b.call(who, "GET", "/reports/s1/run_1/report.html", "").is(http.StatusOK, "")
		csp := a.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || a.raw != string(b.blobs[reportBlob]) ||
			!strings.HasPrefix(csp, "sandbox; default-src 'none'") || strings.Contains(csp, "script-src") || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%v %q", a.header, a.raw)
		}
	}
	if a := b.call(ownerToken, "GET", "/reports/s1/run_1/odd.bin", "").is(http.StatusOK, ""); a.header.Get("Content-Disposition") != "attachment" {
		t.Errorf("an unknown form is shown: %v", a.header)
	}
	b.call("", "GET", "/reports/s1/run_1/report.html", "").is(http.StatusUnauthorized, "")
	b.call(b.key("eve", clew.RoleOwner), "GET", "/reports/s1/run_1/report.html", "").is(http.StatusNotFound, clew.SessionNotFound)
	b.call(ownerToken, "GET", "/reports/s1/run_1/other.html", "").is(http.StatusNotFound, clew.InvalidMessage)
	delete(b.blobs, reportBlob)
	b.call(ownerToken, "GET", "/reports/s1/run_1/report.pdf", "").is(http.StatusNotFound, clew.InvalidMessage)
}
