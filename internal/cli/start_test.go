package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
)

func someSessions() []client.Session {
	return []client.Session{
		{ID: "sess_0123456789abcdef0123456789abcdef", Status: clew.StatusAwaitingInput, Title: strings.Repeat("long ", 40), UpdatedMS: time.Now().UnixMilli()},
		{ID: "sess_fedcba9876543210fedcba9876543210", Status: clew.StatusExecuting, Title: "한국어로 된 아주 긴 제목을 가진 세션입니다 그래서 너비를 잘 세어야 합니다", UpdatedMS: 1},
		{ID: "mine", Status: clew.StatusIdle, Title: "short"},
	}
}

// For people the table fits, with titles cut and nothing else; for programs it is
// whole.
func TestSessionsFitTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 200} {
		var b strings.Builder
		if err := writeSessions(&b, someSessions(), width, true); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if term.Width(strings.TrimRight(line, "\n")) > width {
				t.Errorf("%d columns: %q", width, line)
			}
		}
		for _, want := range []string{"sess_01234567  needs you  ", "sess_fedcba98  working    1970-01-01", "mine  ", "short\n", "…\n"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%d columns, no %q:\n%s", width, want, b.String())
			}
		}
	}
	var b strings.Builder
	if err := writeSessions(&b, someSessions(), 0, false); err != nil {
		t.Fatal(err)
	}
	for _, s := range someSessions() {
		if !strings.Contains(b.String(), string(s.ID)+"  ") || !strings.Contains(b.String(), strings.TrimSpace(s.Title)) || !strings.Contains(b.String(), string(s.Status)) {
			t.Errorf("%s is not whole:\n%s", s.ID, b.String())
		}
	}
}

// A session whose work did not end well says so, not that it is idle.
func TestSessionsSayHowWorkEnded(t *testing.T) {
	for outcome, want := range map[clew.OutcomeStatus]string{
		"": "idle", clew.OutcomeDone: "idle", clew.OutcomeFailed: "failed", clew.OutcomeBudget: "out of budget",
		clew.OutcomeStopped: "stopped", clew.OutcomeDenied: "stopped", clew.OutcomeCancelled: "cancelled",
	} {
		for _, person := range []bool{true, false} {
			var b strings.Builder
			if err := writeSessions(&b, []client.Session{{ID: "mine", Status: clew.StatusIdle, Outcome: outcome}}, 80, person); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), "\nmine     "+want+"  ") {
				t.Errorf("%q is shown as\n%s", outcome, b.String())
			}
		}
	}
}

// clew alone says what there is and what to do next.
func TestGlance(t *testing.T) {
	for name, tt := range map[string]struct {
		g    overview
		want []string
		not  string
	}{
		"nothing":   {overview{}, []string{"No server runs.", "clew demo ", "clew serve ", "clew doctor "}, "clew run"},
		"a problem": {overview{problem: "the token is wrong"}, []string{"the token is wrong", "clew doctor"}, "clew run"},
		"empty":     {overview{server: "http://x"}, []string{"A server runs at http://x", "clew run '…'"}, "clew attach"},
		"at work":   {overview{server: "http://x", sessions: someSessions(), open: 1}, []string{"sess_01234567", "clew inbox             1 question waits for you", "clew -c "}, "clew serve"},
	} {
		var b strings.Builder
		if err := tt.g.write(&b, 80); err != nil {
			t.Fatal(err)
		}
		for _, want := range append(tt.want, "clew help ") {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
		if strings.Contains(b.String(), tt.not) {
			t.Errorf("%s: %q in\n%s", name, tt.not, b.String())
		}
		for line := range strings.Lines(b.String()) {
			if term.Width(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: %q is too wide", name, line)
			}
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]string{
		now.Add(-time.Hour):            "11:00",
		now.Add(-24 * time.Hour):       "Mar 4 12:00",
		now.Add(-365 * 24 * time.Hour): "2025-03-05",
	} {
		if got := term.Ago(at, now); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
}
