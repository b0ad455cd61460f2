package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/server"
)

// puppet is a model that calls the tool it is told, once: "call: TOOL INPUT".
type puppet struct{}

func (puppet) Stream(_ context.Context, req llm.Request, _ func(llm.Delta) error) (llm.Answer, error) {
	for _, said := range slices.Backward(req.Messages[len(req.Messages)-1].Content) {
		_, line, found := strings.Cut(said.Text, "call: ")
		if said.Type != clew.PartText || !found {
			continue
		}
		line, _, _ = strings.Cut(line, "\n")
		name, input, _ := strings.Cut(line, " ")
		return llm.Answer{
			Parts: []clew.Part{{Type: clew.PartToolUse, ToolCallID: "call_1", Tool: name, Input: json.RawMessage(input)}}, Stop: llm.StopToolUse, Model: req.Model,
		}, nil
	}
	return llm.Answer{Parts: []clew.Part{{Type: clew.PartText, Text: "Done."}}, Stop: llm.StopEnd, Model: req.Model}, nil
}

// quotaConfig is a server with a puppet that may do what the scripts do.
func quotaConfig(t *testing.T, scripts map[string]string, more map[string]any) server.Config {
	t.Helper()
	cfg := insideConfig(t)
	cfg.DiskReserve = "0" // that of the machine is not what is looked at
	cfg.Providers = map[string]llm.Provider{"puppet": puppet{}}
	cfg.Settings = filepath.Join(t.TempDir(), "settings.json")
	lines := []string{}
	for name := range scripts {
		lines = append(lines, "bash "+name)
	}
	values := map[string]any{
		"model_profiles": map[string]any{"p": map[string]any{"provider": "puppet", "model": "m"}}, "model_profile": "p",
		"auto_approval_enabled": true, "always_allow_execute": true, "always_allow_write": true, "allowed_commands": lines, "command_sandbox": "none",
	}
	for k, v := range more {
		values[k] = v
	}
	writeJSON(t, cfg.Settings, values)
	return cfg
}

// A tenant is a user with a session in a workspace of the server's.
type tenant struct {
	neighbour
	url, token string
	dir        string
	calls      int
}

func newTenant(t *testing.T, srv *inside, name string, scripts map[string]string) *tenant {
	t.Helper()
	n := &tenant{neighbour: neighbour{t, client.NewAPI(srv.URL(), srv.Token(name)), ""}, url: srv.URL(), token: srv.Token(name)}
	n.makeSession("")
	n.dir = filepath.Join(srv.cfg.Data, "workspaces", string(n.id))
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range scripts {
		if err := os.WriteFile(filepath.Join(n.dir, file), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// call has the model call a tool and gives how that ended.
func (n *tenant) call(tool string, input map[string]any) (ended *clew.MessageTool) {
	n.Helper()
	b, err := json.Marshal(input)
	if err != nil {
		n.Fatal(err)
	}
	n.calls++
	n.command(clew.CommandUserMessage, clew.UserMessageData{Text: fmt.Sprintf("call: %s %s", tool, b)})
	eventually(n, "the call to end", func() bool {
		page, err := n.api.Messages(n.Context(), n.id, client.PageOf{})
		if err != nil {
			return false
		}
		count := 0
		for _, m := range page.Messages {
			if m.Tool != nil && m.Tool.Status.Ended() {
				if count++; count == n.calls {
					ended = m.Tool
				}
			}
		}
		return ended != nil
	})
	return ended
}

// usage is what the server says that the user has.
func (n *tenant) usage() (u api.DiskUsage) {
	n.Helper()
	req, err := http.NewRequestWithContext(n.Context(), http.MethodGet, n.url+"/api/v1/usage", nil)
	if err != nil {
		n.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+n.token)
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		n.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&u); err != nil || r.StatusCode != http.StatusOK {
		n.Fatal(r.Status, err)
	}
	return u
}

func (n *tenant) bash(script string) *clew.MessageTool {
	n.Helper()
	return n.call("execute_command", map[string]any{"command": "bash " + script, "timeout_sec": 60})
}

// A user who fills up the workspaces is stopped and told why, and writes nothing new;
// another user works on. Once something is deleted the first one does too.
func TestWorkspaceQuota(t *testing.T) {
	if testing.Short() {
		t.Skip("fills workspaces")
	}
	scripts := map[string]string{
		"fill.sh":  "trap '' TERM\nfor i in $(seq 200); do head -c 2m /dev/zero >fill$i; sleep 0.02; done; sleep 60",
		"large.sh": "exec head -c 4m /dev/zero >large",
		"free.sh":  "rm -f fill*",
	}
	srv := startInsideWith(t, quotaConfig(t, scripts, map[string]any{"workspace_quota_mb": 32}), nil)
	bob, ann := newTenant(t, srv, "bob", scripts), newTenant(t, srv, "ann", scripts)

	filled := bob.bash("fill.sh")
	if filled.LimitReached != clew.LimitWorkspace {
		t.Fatalf("what fills up: %+v", filled)
	}
	t.Logf("figures filler: stopped after %d ms", filled.DurationMS)
	if large := bob.bash("large.sh"); large.LimitReached != clew.LimitWorkspace {
		t.Errorf("a command that writes: %+v", large)
	}
	write := map[string]any{"path": "note.txt", "content": strings.Repeat("x", 100)}
	if wrote := bob.call("write_file", write); wrote.Status != clew.ToolError || !strings.Contains(wrote.Error, "workspace_quota_mb") {
		t.Errorf("a file tool: %+v", wrote)
	}
	if got := bob.usage(); got.Workspaces.Bytes < 32<<20 || got.Workspaces.QuotaBytes != 32<<20 || got.Checkpoints.QuotaBytes == 0 {
		t.Errorf("the user has %+v", got)
	}
	if large := ann.bash("large.sh"); large.LimitReached != "" || large.Status != clew.ToolComplete {
		t.Errorf("another user: %+v", large)
	}

	if freed := bob.bash("free.sh"); freed.Status != clew.ToolComplete {
		t.Fatalf("to delete: %+v", freed)
	}
	if wrote := bob.call("write_file", write); wrote.Status != clew.ToolComplete {
		t.Errorf("a file tool after the deletion: %+v", wrote)
	}
	if large := bob.bash("large.sh"); large.Status != clew.ToolComplete {
		t.Errorf("a command after the deletion: %+v", large)
	}
}

// A user whose sessions refer to more than they may is refused another image and told
// why; what the user has already is no more, and another user is not touched. Once a
// session is erased there is room again.
func TestBlobQuota(t *testing.T) {
	cfg := quotaConfig(t, nil, map[string]any{"blob_quota_mb": 1})
	srv := startInsideWith(t, cfg, nil)
	bob, ann := newTenant(t, srv, "bob", nil), newTenant(t, srv, "ann", nil)
	show := func(n *tenant, image int) error {
		_, err := n.api.Command(t.Context(), n.id, "", clew.CommandUserMessage, clew.UserMessageData{Text: "look", Images: []string{noisyImage(t, image)}})
		return err
	}
	if err := show(bob, 1); err != nil {
		t.Fatal(err)
	}
	err := show(bob, 2)
	if clew.CodeOf(err) != clew.BudgetExceeded || !strings.Contains(err.Error(), "blob_quota_mb") {
		t.Fatalf("a second image: %v", err)
	}
	if err := show(bob, 1); err != nil {
		t.Errorf("the same image again: %v", err)
	}
	if err := show(ann, 2); err != nil {
		t.Errorf("another user: %v", err)
	}
	first := bob.id
	bob.makeSession("")
	if err := show(bob, 2); clew.CodeOf(err) != clew.BudgetExceeded {
		t.Errorf("in another session: %v", err)
	}
	if _, err := bob.api.DeleteSession(t.Context(), first, true); err != nil {
		t.Fatal(err)
	}
	eventually(t, "room for the image", func() bool { return show(bob, 2) == nil })
}

// noisyImage is a picture of about 0.75 MB that no other number gives.
func noisyImage(t *testing.T, n int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 1))
	picture := image.NewGray(image.Rect(0, 0, 900, 850))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32())
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}
