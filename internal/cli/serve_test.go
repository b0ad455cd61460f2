package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// startServer runs `clew serve` in this process on a port of its own and
// returns its address. The server is stopped, gracefully, when the test ends.
func startServer(t *testing.T, data string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	var log bytes.Buffer
	code := make(chan int, 1)
	go func() {
		a := &env.App{IO: env.IO{In: strings.NewReader(""), Out: w, Err: &log, Environ: []string{"HOME=" + data}}, Server: env.RealServer}
		code <- execute(ctx, a, []string{"serve", "--listen", "127.0.0.1:0", "--data", data})
		_ = w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	t.Cleanup(func() {
		cancel()
		if got := <-code; got != env.ExitOK {
			t.Errorf("serve ended with %d:\n%s", got, log.String())
		}
		token, err := os.ReadFile(filepath.Join(data, "token"))
		if err == nil && bytes.Contains(log.Bytes(), bytes.TrimSpace(token)) {
			t.Error("the owner token is in the log")
		}
	})
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "clew: ready ")
	if err != nil || !ok {
		t.Fatalf("ready line: %q, %v", line, err)
	}
	return address
}

// TestAgainstRealServer drives the commands through a whole server, so that
// they and the REST interface cannot drift apart.
func TestAgainstRealServer(t *testing.T) {
	data := t.TempDir()
	address := startServer(t, data)
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + address, "CLEW_DATA=" + data}
	ask := func(out any, args ...string) {
		t.Helper()
		got := call(t, env.Backend{}, environ, append(args, "--json")...)
		if got.code != env.ExitOK {
			t.Fatalf("%v: %+v", args, got)
		}
		if err := json.Unmarshal([]byte(got.out), out); err != nil {
			t.Fatalf("%v: %v in %s", args, err, got.out)
		}
	}

	var made key
	ask(&made, "token", "create", "--user", "ada", "--role", "viewer", "--expires", "1h", "--name", "laptop")
	if !strings.HasPrefix(made.Token, "clew_") || made.User != "ada" || made.ExpiresMS == 0 {
		t.Errorf("made %+v", made)
	}
	var list struct{ Keys []key }
	ask(&list, "token", "list")
	if len(list.Keys) != 1 || list.Keys[0].ID != made.ID || list.Keys[0].Token != "" {
		t.Errorf("listed %+v", list)
	}
	ask(&struct{}{}, "token", "revoke", made.ID)
	ask(&list, "token", "list")
	if list.Keys[0].RevokedMS == 0 {
		t.Errorf("not revoked: %+v", list)
	}
	got := call(t, env.Backend{}, append(environ, "CLEW_TOKEN="+made.Token), "ls")
	if got.code != env.ExitRefused || strings.Contains(got.errOut, made.Token) {
		t.Errorf("a revoked key: %+v", got)
	}
	var sessions struct{ Sessions []any }
	ask(&sessions, "ls")
	if sessions.Sessions == nil || len(sessions.Sessions) != 0 {
		t.Errorf("sessions: %+v", sessions)
	}
	if got := call(t, env.Backend{}, environ, "show", "sess_none"); got.code != env.ExitFailure {
		t.Errorf("unknown session: %+v", got)
	}
}

// TestDoctorOnRealStore verifies a store that a server has just left: all that
// was acknowledged is there.
//
// Covers: C-66, STO-39
func TestDoctorOnRealStore(t *testing.T) {
	data := t.TempDir()
	t.Run("serve", func(t *testing.T) {
		address := startServer(t, data)
		token, err := os.ReadFile(filepath.Join(data, "token"))
		if err != nil {
			t.Fatal(err)
		}
		api := client.NewAPI(address, strings.TrimSpace(string(token)))
		id, err := api.CreateSession(t.Context(), client.NewSession{Title: "First"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := api.Command(t.Context(), id, "", clew.CommandUserMessage, clew.UserMessageData{Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	})
	got := call(t, env.RealServer, []string{"HOME=" + data}, "doctor", "--data", data, "--json")
	var found struct{ Sessions, Records int }
	if err := json.Unmarshal([]byte(got.out), &found); err != nil || got.code != env.ExitOK {
		t.Fatalf("%+v: %v", got, err)
	}
	if found.Sessions != 1 || found.Records < 3 { // created, message, accepted
		t.Errorf("found %+v", found)
	}
}
