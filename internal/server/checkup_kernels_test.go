package server

import (
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/supervisor"
)

// The doctor tells kernels with a server from those without, and says what becomes of
// them.
func TestKernelChecks(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	running := supervisor.Found{Dir: "/run/x", About: "kernel python3 in /work", Running: true, Supervisor: 7, Started: now.Add(-time.Hour)}
	held, alone, ended := running, running, running
	held.Held = true
	alone.AloneSince, alone.Orphan = now.Add(-time.Minute), 10*time.Minute
	ended.Running, ended.Ended = false, &supervisor.Ended{Why: supervisor.WhyExited, Code: 3, At: now, Stderr: "a\nlast words\n"}
	got := kernelChecks([]supervisor.Found{held, alone, running, ended, {Dir: "/run/y"}}, now)
	for i, want := range []struct{ status, found, do string }{
		{CheckOK, "kernel python3 in /work runs since 2026-01-02T02:04:05Z, supervisor 7", ""},
		{CheckNote, "without a server since 2026-01-02T03:03:05Z, and ends in 9m0s", "kill 7"},
		{CheckWarning, "does not answer", "clew-supervise /run/x"},
		{CheckNote, "ended at 2026-01-02T03:04:05Z: exit code 3: last words", ""},
		{CheckNote, "/run/y is gone", "forgets"},
	} {
		if c := got[i]; c.Status != want.status || !strings.Contains(c.Found, want.found) || !strings.Contains(c.Do, want.do) {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
}
