//go:build unix

package login

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ask runs bash with a start-up file.
func ask(t *testing.T, profile string, limit time.Duration) (map[string]string, error) {
	t.Helper()
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("there is no bash")
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".bash_profile"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("ANTHROPIC_API_KEY", "canary")
	return Environment(t.Context(), "/bin/bash", limit)
}

func TestShellAnswers(t *testing.T) {
	for name, profile := range map[string]string{
		"plain":            "",
		"noisy":            "echo hello; echo '[\"PATH=/wrong\"]'; echo oops >&2\n",
		"reads stdin":      "read x; cat\n",
		"leaves a child":   "sleep 1000 &\n",
		"a trap":           "trap 'echo bye' EXIT\n",
		"a broken PATH":    "export PATH=/nowhere\n",
		"fails at the end": "trap 'exit 7' EXIT\n",
	} {
		t.Run(name, func(t *testing.T) {
			env, err := ask(t, profile+"export GOFLAGS=-mine GITHUB_TOKEN=secret PATH=/mine/bin:$PATH\n", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if env["GOFLAGS"] != "-mine" || !strings.HasPrefix(env["PATH"], "/mine/bin:") {
				t.Errorf("environment %q", env)
			}
			if env["GITHUB_TOKEN"] != "" || env["ANTHROPIC_API_KEY"] != "" || env["HOME"] != "" {
				t.Errorf("more passed than may: %q", env)
			}
		})
	}
}

func TestShellDoesNotAnswer(t *testing.T) {
	if _, err := ask(t, "sleep 1000\n", 300*time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not answer within") {
		t.Errorf("a shell that hangs: %v", err)
	}
	if _, err := ask(t, "exit 0\n", time.Minute); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("a shell that ends: %v", err)
	}
	if _, err := Environment(t.Context(), "/usr/sbin/nologin", time.Second); err == nil {
		t.Error("nologin answered")
	}
}

// The keys of the server are not for start-up files.
func TestServersKeysStay(t *testing.T) {
	env, err := ask(t, "export CFLAGS=$ANTHROPIC_API_KEY.\n", time.Minute)
	if err != nil || env["CFLAGS"] != "." {
		t.Errorf("a start-up file saw %q, %v", env["CFLAGS"], err)
	}
}
