package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
	"github.com/clew-run/clew/internal/term"
)

// The commands against a whole server: saved, listed, compared, restored,
// verified and collected.
// Covers: UIC-46, UIC-47, CHK-22, CHK-23
func TestCheckpointCommands(t *testing.T) {
	dir := t.TempDir()
	data, work := filepath.Join(dir, "data"), filepath.Join(dir, "work")
	file := filepath.Join(work, "a.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	environ := []string{"HOME=" + dir, "CLEW_DATA=" + data}
	t.Run("with a server", func(t *testing.T) {
		address := startServer(t, data)
		environ := append(environ, "CLEW_SERVER="+address)
		run := func(code int, args ...string) string {
			t.Helper()
			got := call(t, env.RealServer, environ, args...)
			if got.code != code {
				t.Fatalf("%v: %+v", args, got)
			}
			return got.out + got.errOut
		}
		token, err := os.ReadFile(filepath.Join(data, "token"))
		if err != nil {
			t.Fatal(err)
		}
		api := client.NewAPI(address, strings.TrimSpace(string(token)))
		id, err := api.CreateSession(t.Context(), client.NewSession{Workspace: work})
		if err != nil {
			t.Fatal(err)
		}
		write("one\n")
		if out := run(env.ExitOK, "checkpoint", "ls", string(id)); !strings.Contains(out, "no checkpoint yet") {
			t.Errorf("the list of none:\n%s", out)
		}
		if out := run(env.ExitOK, "checkpoint", "save", string(id), "--message", "first"); !strings.HasPrefix(out, "Saved as ") || !strings.Contains(out, "with 1 file.") {
			t.Errorf("save:\n%s", out)
		}
		write("two\n")
		var list struct {
			Checkpoints []clew.CheckpointSavedData `json:"checkpoints"`
		}
		if err := json.Unmarshal([]byte(run(env.ExitOK, "checkpoint", "ls", string(id), "--json")), &list); err != nil || len(list.Checkpoints) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		hash := list.Checkpoints[0].ToHash
		for _, want := range []string{history.Short(hash) + " ", "first"} {
			if out := run(env.ExitOK, "checkpoint", "ls", string(id)); !strings.Contains(out, want) {
				t.Errorf("the list has no %q:\n%s", want, out)
			}
			if out := run(env.ExitOK, "checkpoint", "ls", work); !strings.Contains(out, want) || !strings.Contains(out, "kB on disk") {
				t.Errorf("the list of the workspace has no %q:\n%s", want, out)
			}
		}
		if out := run(env.ExitOK, "checkpoint", "diff", string(id)); !strings.Contains(out, "modified  a.txt") || !strings.Contains(out, "    +two") {
			t.Errorf("diff:\n%s", out)
		}
		run(env.ExitUsage, "checkpoint", "restore", string(id), hash)
		out := run(env.ExitOK, "checkpoint", "restore", string(id), history.Short(hash), "--yes")
		for _, want := range []string{"Back to " + history.Short(hash) + ":", "1 file changes", "a.txt changes", "Files: 1 written, 0 removed.", "Take it back: clew checkpoint restore " + string(id) + " "} {
			if !strings.Contains(out, want) {
				t.Errorf("the restore says no %q:\n%s", want, out)
			}
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != "one\n" {
			t.Errorf("the file is %q, %v", b, err)
		}
		if out := run(env.ExitOK, "checkpoint", "diff", string(id), hash); out != "no difference\n" {
			t.Errorf("diff after the restore:\n%s", out)
		}
		if err := json.Unmarshal([]byte(run(env.ExitOK, "checkpoint", "ls", string(id), "--json")), &list); err != nil || len(list.Checkpoints) != 2 {
			t.Fatalf("how it was before the restore is not listed: %+v, %v", list, err)
		}
		run(env.ExitOK, "checkpoint", "restore", string(id), history.Short(list.Checkpoints[1].ToHash), "--yes") // forth again
		if b, err := os.ReadFile(file); err != nil || string(b) != "two\n" {
			t.Errorf("the file is %q, %v", b, err)
		}
		said := func(say clew.Say, text string) (ids []string) {
			t.Helper()
			page, err := api.Messages(t.Context(), id, client.PageOf{Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range page.Messages {
				if m.Text == text && (m.Say == say || m.Role == clew.SpeakerUser) {
					ids = append(ids, string(m.MessageID))
				}
			}
			return ids
		}
		if len(said(clew.SayCheckpointSaved, "first")) != 1 {
			t.Error("the checkpoint does not show in the conversation")
		}
		if _, err := api.Command(t.Context(), id, "", clew.CommandUserMessage, clew.UserMessageData{Text: "hello"}); err != nil {
			t.Fatal(err)
		}
		write("three\n")
		run(env.ExitOK, "checkpoint", "restore", string(id), hash, "--yes", "--message", said("", "hello")[0])
		if b, err := os.ReadFile(file); err != nil || string(b) != "one\n" || len(said("", "hello")) != 0 {
			t.Errorf("files and conversation: the file is %q, %v; said is %v", b, err, said("", "hello"))
		}
		for _, args := range [][]string{{"diff", string(id)}, {"save", string(id)}, {"restore", string(id), hash, "--yes"}, {"fsck"}, {"fsck", string(id)}, {"ls", work}} {
			if out := run(env.ExitOK, append([]string{"checkpoint", "--json"}, args...)...); !json.Valid([]byte(out)) {
				t.Errorf("%v: %s", args, out)
			}
		}
		if out := run(env.ExitOK, "checkpoint", "fsck", work); !strings.Contains(out, "checkpoints of 1 workspace verified, 0 problems") {
			t.Errorf("fsck: %s", out)
		}
		if out := run(env.ExitFailure, "checkpoint", "gc"); !strings.Contains(out, "only while no server runs") {
			t.Errorf("gc beside a server: %s", out)
		}
		write(noise(4096)) // most of what is damaged below
		run(env.ExitOK, "checkpoint", "save", string(id))
		run(env.ExitFailure, "checkpoint", "restore", string(id), strings.Repeat("0", 64), "--yes")
		run(env.ExitFailure, "checkpoint", "restore", string(id), "00000000", "--yes")
		run(env.ExitUsage, "checkpoint", "restore", string(id), "not a hash", "--yes")
		run(env.ExitUsage, "checkpoint", "ls", "not a session")
		run(env.ExitUsage, "checkpoint", "fsck", "not a session")
	})
	t.Run("without", func(t *testing.T) {
		got := call(t, env.RealServer, environ, "checkpoint", "gc")
		if got.code != env.ExitOK || !strings.HasPrefix(got.out, "0 checkpoints of ") {
			t.Errorf("gc: %+v", got)
		}
		if got := call(t, env.RealServer, environ, "doctor"); got.code != env.ExitOK || !strings.Contains(got.out, "checkpoints of 1 workspace verified, 0 problems\n") {
			t.Errorf("doctor: %+v", got)
		}
		packs, err := filepath.Glob(filepath.Join(data, "checkpoints", "*", "repo", "objects", "pack", "*.pack"))
		if err != nil || len(packs) == 0 {
			t.Fatal(packs, err)
		}
		for _, name := range packs {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) < 2048 {
				continue // not the one with the noise
			}
			b[len(b)/2] ^= 0xff
			_ = os.Chmod(name, 0o600)
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for args, want := range map[string][]string{
			"checkpoint fsck":           {"damaged: checkpoint ", ", session sess_", ": it cannot be restored\n", " problems\n"},
			"checkpoint fsck --verbose": {"damaged: the store of ", "\n    \"", "a.txt"},
			"doctor":                    {"damaged: checkpoint ", "1 session, "},
		} {
			got := call(t, env.RealServer, environ, strings.Fields(args)...)
			if got.code != env.ExitFailure {
				t.Errorf("%s of what is damaged: %+v", args, got)
			}
			for _, w := range want {
				if !strings.Contains(got.out, w) {
					t.Errorf("%s says no %q:\n%s", args, w, got.out)
				}
			}
		}
		if got := call(t, env.RealServer, environ, "doctor", "--no-checkpoints"); got.code != env.ExitOK {
			t.Errorf("doctor without checkpoints: %+v", got)
		}
		for _, what := range []string{"sess_x", "/nonexistent"} {
			if got := call(t, env.RealServer, environ, "checkpoint", "fsck", what); got.code != env.ExitFailure || !strings.Contains(got.errOut, "there are no checkpoints of "+what) {
				t.Errorf("fsck of %s: %+v", what, got)
			}
		}
		empty := []string{"HOME=" + dir, "CLEW_DATA=" + filepath.Join(dir, "none")}
		for _, args := range [][]string{{"fsck"}, {"gc"}, {"ls", work}} {
			got := call(t, env.RealServer, empty, append([]string{"checkpoint"}, args...)...)
			if got.code != env.ExitFailure || !strings.Contains(got.errOut, "there are no checkpoints in") {
				t.Errorf("%v without any: %+v", args, got)
			}
		}
	})
}

// noise is a text that does not get smaller.
func noise(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%x", sha256.Sum256([]byte{byte(i)}))
	}
	return b.String()
}

// What is meant must be clear before files are touched.
func TestBeginningOfAHash(t *testing.T) {
	var list []history.Saved
	for _, hash := range []string{"aaaa11", "aaaa22", "bbbb11", "aaaa11"} { // the first one twice: files that were the same again
		list = append(list, history.Saved{CheckpointSavedData: clew.CheckpointSavedData{ToHash: hash}})
	}
	for part, want := range map[string]string{"aaaa1": "aaaa11", "bbbb": "bbbb11", "aaaa22": "aaaa22", "aaaa": "", "cccc": "", "aaaa111": ""} {
		if got, err := history.Beginning(list, part, "clew checkpoint ls s1"); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v, want %q", part, got, err, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 kB", 1: "1 kB", 1 << 20: "1.0 MB", 1536 << 20: "1.5 GB"} {
		if got := term.Size(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
}
