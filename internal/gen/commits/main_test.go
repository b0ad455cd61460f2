package main

import (
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	areas := map[string]bool{"gateway": true, "web": true, "sdk": true, "deps": true, "session/core": true}
	long := strings.Repeat("x", maxSubject)
	tests := []struct{ subject, body, want string }{
		{"gateway: resume from the last position", "Why.", ""},
		{"web, sdk: bump vitest to 5", "Why.", ""},
		{"session/core: fold windows once", "Why.", ""},
		{`Revert "gateway: resume"`, "This reverts commit 1.", ""},
		{"deps: bump " + long, "Release notes.", ""},
		{"Resume from the last position", "Why.", "form"},
		{"fixup! gateway: resume", "Why.", "form"},
		{"gatway: resume", "Why.", "no package"},
		{"web, gatway: resume", "Why.", "no package"},
		{"gateway: resume " + long, "Why.", "more than 72"},
		{"gateway: a click in an app is not lost", "Why.", "begin with a verb"},
		{"web: of what an app says only the last three wait", "Why.", "begin with a verb"},
		{"gateway: added a test", "Why.", "imperative"},
		{"gateway: tell what cells print", "Why.", "in place of the clause"},
		{"gateway: wake nobody twice", "Why.", "the role"},
		{"gateway: let a deletion go on", "Why.", "everyday words"},
		{"gateway: send frames that are to come", "Why.", "must"},
		{"gateway: resume.", "Why.", "full stop"},
		{"gateway: resume", " \n", "body is empty"},
		{"gateway: resume", "Signed-off-by: A <a@b>\n", "body is empty"},
	}
	for _, tt := range tests {
		got := commit{"1", tt.subject, tt.body}.problem(areas)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.subject, got, tt.want)
		}
	}
}

func TestRepository(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, err := git(dir, append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out)
	}
	run("init", "-q")
	run("commit", "-q", "--allow-empty", "-m", "what was before")
	base := run("rev-parse", "HEAD")
	run("commit", "-q", "--allow-empty", "-m", "build: say hello", "-m", "Why:\n\na greeting.")
	problems, _, err := check(dir, base)
	if err != nil || len(problems) != 0 {
		t.Errorf("%q, %v", problems, err)
	}
	run("commit", "-q", "--allow-empty", "-m", "build: what is good", "-m", "Why.")
	run("commit", "-q", "--allow-empty", "-m", "build: say more")
	problems, checked, err := check(dir, base)
	if err != nil || len(problems) != 2 || checked != "3 commits after "+base[:8]+", 2 with a problem" {
		t.Errorf("%q, %q, %v", problems, checked, err)
	}
	// A shallow clone does not have the base.
	problems, checked, err = check(dir, strings.Repeat("1", 40))
	if err != nil || len(problems) != 0 || !strings.HasPrefix(checked, "not checked") {
		t.Errorf("%q, %q, %v", problems, checked, err)
	}
}
