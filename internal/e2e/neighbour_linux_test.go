package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/tool/limit/limittest"
	"github.com/clew-run/clew/internal/tool/shell"
)

// obedient is a model that runs the line it is told, once.
type obedient struct{}

func (obedient) Stream(_ context.Context, req llm.Request, _ func(llm.Delta) error) (llm.Answer, error) {
	for _, said := range slices.Backward(req.Messages[len(req.Messages)-1].Content) {
		_, line, found := strings.Cut(said.Text, "run: ")
		if said.Type != clew.PartText || !found {
			continue
		}
		line, _, _ = strings.Cut(line, "\n")
		input, err := json.Marshal(map[string]any{"command": line, "timeout_sec": attackTime(line)})
		return llm.Answer{
			Parts: []clew.Part{{Type: clew.PartToolUse, ToolCallID: "call_1", Tool: "execute_command", Input: input}}, Stop: llm.StopToolUse, Model: req.Model,
		}, err
	}
	return llm.Answer{Parts: []clew.Part{{Type: clew.PartText, Text: "Done."}}, Stop: llm.StopEnd, Model: req.Model}, nil
}

// blockDisk is a file system on a block device, which tells pages in memory from
// those on disk.
func blockDisk(t *testing.T, size string) string {
	t.Helper()
	image, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
	script := `truncate -s "$1" "$2" && mkfs.ext4 -q -m 0 "$2" && mount -o loop "$2" "$3"`
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", size, image, dir).CombinedOutput(); err != nil {
		t.Skipf("not run: no file system can be made here: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.CommandContext(context.Background(), "umount", "-l", dir).Run() })
	return dir
}

// attackTime is how many seconds an attack may take. One that ends at its limit may
// take as long as the disk does; another one would never end.
func attackTime(line string) int {
	if strings.Contains(line, fileOf("disk filler")) {
		return 600
	}
	return 5
}

// attacks are what one user's commands do to a machine, and the limit they meet.
var attacks = map[string]struct {
	script  string
	reached clew.CommandLimit
}{
	"fork bomb":    {"trap '' TERM\nbomb() { bomb | bomb & }\nwhile :; do bomb; done", clew.LimitProcesses},
	"memory eater": {"for i in $(seq 200); do head -c 400m /dev/zero | tail -c 390m >/dev/null; done", clew.LimitMemory},
	"disk filler":  {"trap '' TERM\nfor i in $(seq 1000); do head -c 16m /dev/zero >fill$i; done", clew.LimitDisk},
}

// What one user's commands do to the machine another user hardly notices: a fork
// bomb, a memory eater and a disk filler leave their p99 within three times of what
// it is in quiet, and each is told which limit it met (T5). By day, when other tests
// make a p99 of their own, it is the median.
func TestNeighbours(t *testing.T) {
	if testing.Short() {
		t.Skip("attacks the machine")
	}
	if kind, why := shell.Probe(); kind != shell.SandboxBwrap {
		t.Skipf("not run: no sandbox: %s", why)
	}
	groups := limittest.Groups(t)
	disk := blockDisk(t, "384m")
	cfg := insideConfig(t)
	cfg.Data, cfg.Groups, cfg.Workspaces = filepath.Join(disk, "data"), groups, []string{filepath.Join(disk, "work")}
	cfg.Providers = map[string]llm.Provider{"obedient": obedient{}}
	cfg.Settings = filepath.Join(t.TempDir(), "settings.json")
	lines := []string{}
	for name := range attacks {
		lines = append(lines, "bash "+fileOf(name))
	}
	writeJSON(t, cfg.Settings, map[string]any{
		"model_profiles": map[string]any{"o": map[string]any{"provider": "obedient", "model": "m"}}, "model_profile": "o",
		"auto_approval_enabled": true, "always_allow_execute": true, "allowed_commands": lines,
		"command_memory_mb": 128, "command_processes": 100, "command_sandbox": "bwrap",
	})
	srv := startInsideWith(t, cfg, nil)
	ann := neighbour{t, client.NewAPI(srv.URL(), srv.Token("ann")), ""}
	ann.makeSession("")
	calmly := func(done int) bool { return done < 300 }
	quiet := ann.wait("quiet", calmly)
	for _, name := range slices.Sorted(maps.Keys(attacks)) {
		t.Run(name, func(t *testing.T) {
			// On a machine that does nothing else it is a few milliseconds, of which one
			// hiccup is many.
			calm := max(quiet, 20*time.Millisecond)
			unnoticed := func() bool {
				busy := ann.during(t, name, filepath.Join(disk, "work"), client.NewAPI(srv.URL(), srv.Token("bob")))
				return busy <= 3*calm || busy <= 3*neighbour{t, ann.api, ann.id}.wait("quiet again", calmly)
			}
			if unnoticed() {
				return
			}
			// The machine may have more to do than before, for other reasons.
			if again, andAgain := unnoticed(), unnoticed(); !again || !andAgain {
				t.Error("two of three attacks made a wait more than three times what it is in quiet")
			}
		})
	}
}

// during gives ann's wait while a user attacks the machine from a folder of their own.
func (n neighbour) during(t *testing.T, attack, root string, attacker *client.API) time.Duration {
	t.Helper()
	n.T = t
	dir := filepath.Join(root, fileOf(attack))
	writeScript(t, dir, attack)
	bob := neighbour{t, attacker, ""}
	bob.makeSession(dir)
	bob.command(clew.CommandUserMessage, clew.UserMessageData{Text: "run: bash " + fileOf(attack)})
	reached, ended := clew.CommandLimit(""), false
	busy := n.wait(attack, func(done int) bool {
		if done%20 == 0 && !ended {
			reached, ended = bob.limitReached()
		}
		return !ended || done < 100
	})
	if reached != attacks[attack].reached {
		t.Errorf("it met the limit %q", reached)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
	if err := exec.CommandContext(t.Context(), "sync", "-f", root).Run(); err != nil { // it is over for the disk, too
		t.Error(err)
	}
	return busy
}

func fileOf(attack string) string { return strings.ReplaceAll(attack, " ", "-") + ".sh" }

func writeScript(t *testing.T, dir, attack string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, fileOf(attack)), []byte(attacks[attack].script+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wait changes a title again and again and gives the time that half of the changes take
// at most, at night 99 of 100, from the request to the answer after the flush.
func (n neighbour) wait(when string, more func(done int) bool) time.Duration {
	n.Helper()
	var took []time.Duration
	for more(len(took)) {
		began := time.Now()
		n.command(clew.CommandRenameSession, clew.RenameSessionData{Title: fmt.Sprintf("%s %d", when, len(took))})
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	n.Logf("figures %s: commands=%d p50=%v p99=%v max=%v", when, len(took), p50.Round(time.Microsecond), p99.Round(time.Microsecond), took[len(took)-1].Round(time.Microsecond))
	return nightly.Size(p50, p99)
}

// limitReached tells which limit the session's command met, once it has ended.
func (n neighbour) limitReached() (reached clew.CommandLimit, ended bool) {
	page, err := n.api.Messages(n.Context(), n.id, client.PageOf{})
	if err != nil {
		return "", false
	}
	for _, m := range page.Messages {
		if m.Tool != nil && m.Tool.Status != clew.ToolRunning && m.Tool.Status != clew.ToolWaiting {
			return m.Tool.LimitReached, true
		}
	}
	return "", false
}
