// Package travelcrash kills the real program while it takes a session and its
// files elsewhere, and looks at what the next start makes of it.
package travelcrash

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

const (
	sessionID clew.SessionID = "sess_travel"
	// within bounds every wait for the program.
	within = 60 * time.Second
)

// script is proc.Shopping, which also takes its time.
const script = proc.Shopping + `
- when: {last_user: Add plums}
  times: 0
  reply:
  - tool: {name: write_file, id: c3, input: {path: list.txt, content: "apples\nplums\n"}}
- when: {last_user: Think it over}
  times: 0
  reply:
  - text: Let me see. This takes long.
  - stall: true
`

// A stage is a server with a scripted model and a workspace, all of which can be
// put back to how they were when the curtain was last drawn: the paths stay the
// same, as the session's records name them.
type stage struct {
	t    testing.TB
	dir  string
	work string
	srv  *proc.Proc
	said map[string]clew.MessageID // what was said, by its text
}

// newStage sets up a server; env, if it is not nil, gives it further variables once
// the workspace is there.
func newStage(t testing.TB, bin string, env func(*stage) map[string]string) *stage {
	t.Helper()
	model, err := llmtest.Start(llmtest.MustParse(script), llmtest.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	settings, err := json.Marshal(map[string]any{
		"model_profile": "travel",
		"model_profiles": map[string]any{"travel": map[string]any{
			"provider": "anthropic", "model": "travel-1", "base_url": model.URL(), "key_name": "travel_key", "price_in": 3, "price_out": 15,
		}},
		"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "model_crash_retry": "auto",
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := memoryDir(t)
	s := &stage{t: t, dir: dir, work: filepath.Join(dir, "live", "work"), said: map[string]clew.MessageID{}}
	s.must(os.MkdirAll(s.work, 0o700))
	s.must(os.WriteFile(filepath.Join(dir, "settings.json"), settings, 0o600))
	vars := map[string]string{"CLEW_SETTINGS": filepath.Join(dir, "settings.json"), "CLEW_SECRET_TRAVEL_KEY": "sk-travel-0123456789"}
	if env != nil {
		maps.Copy(vars, env(s))
	}
	s.srv = proc.New(t, bin, filepath.Join(dir, "live", "data"), vars)
	t.Cleanup(func() { s.wipe("live"); s.wipe("kept") })
	return s
}

// memoryDir is a directory in memory where there is one: a process that is killed
// loses nothing that it wrote, whatever the disk is.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "clew-travel-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// in is the stage for a part of its test.
func (s *stage) in(t testing.TB) *stage {
	part := *s
	part.t = t
	return &part
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// wipe removes a directory whatever its permissions are.
func (s *stage) wipe(name string) {
	dir := filepath.Join(s.dir, name)
	_ = exec.Command("chmod", "-R", "u+rwx", dir).Run() // it may not be there
	if err := os.RemoveAll(dir); err != nil {
		s.t.Error(err)
	}
}

// keep stops the server and keeps everything as it is, for again.
func (s *stage) keep() {
	s.t.Helper()
	s.must(s.srv.Stop())
	s.copy("live", "kept")
}

// again puts everything back to how it was kept.
func (s *stage) again() {
	s.t.Helper()
	s.srv.Kill()
	s.copy("kept", "live")
}

func (s *stage) copy(from, to string) {
	s.t.Helper()
	s.wipe(to)
	if out, err := exec.Command("cp", "-a", filepath.Join(s.dir, from), filepath.Join(s.dir, to)).CombinedOutput(); err != nil {
		s.t.Fatalf("%v %s", err, out)
	}
}

func (s *stage) start(env ...string) {
	s.t.Helper()
	s.must(s.srv.Start(env...))
}

func (s *stage) api() *client.API {
	token, err := s.srv.Token()
	if err != nil {
		s.t.Error(err)
	}
	return client.NewAPI(s.srv.URL(), token)
}

// send sends a command under a name; sent again it must have no second effect.
func (s *stage) send(name string, typ clew.CommandType, data any) (client.Receipt, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), within)
	defer cancel()
	return s.api().Command(ctx, sessionID, clew.ClientMessageID(name), typ, data)
}

// say says something and waits until the agent is done with it.
func (s *stage) say(text string) {
	s.t.Helper()
	r, err := s.send("", clew.CommandUserMessage, clew.UserMessageData{Text: text})
	s.must(err)
	s.said[text] = r.Records[0]
	s.settled(sessionID)
}

// A scene is what a session's records and its state say.
type scene struct {
	records []clew.Event
	state   clew.SessionState
}

// look reads a session from its start.
func (s *stage) look(id clew.SessionID) (sc scene, err error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), within)
	defer cancel()
	token, err := s.srv.Token()
	if err != nil {
		return sc, err
	}
	ws, resp, err := websocket.Dial(ctx, s.srv.URL()+"/ws/"+string(id)+"?resume_from=start",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return sc, err
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(-1)
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			return sc, err
		}
		var env wire.Envelope
		if err := json.Unmarshal(b, &env); err != nil {
			return sc, err
		}
		switch {
		case env.Seq() > 0:
			e, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
			if err != nil {
				return sc, err
			}
			sc.records = append(sc.records, e)
		case env.Type == string(clew.EventSessionState):
			if err := json.Unmarshal(env.Data, &sc.state); err != nil {
				return sc, err
			}
		case env.Type == string(clew.EventSyncComplete):
			return sc, nil
		case env.Type == string(clew.EventError):
			return sc, fmt.Errorf("the server said %s", b)
		}
	}
}

// settled waits until nothing is under way in a session.
func (s *stage) settled(id clew.SessionID) scene {
	s.t.Helper()
	return s.await(id, func(sc scene) bool { return sc.state.Returning == nil && sc.state.Status == clew.StatusIdle })
}

// await waits for something that a session will come to by itself.
func (s *stage) await(id clew.SessionID, until func(scene) bool) scene {
	s.t.Helper()
	over := time.After(within)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		sc, err := s.look(id)
		s.must(err)
		if until(sc) {
			return sc
		}
		select {
		case <-tick.C:
		case <-over:
			s.t.Fatalf("after %s the session is %s, returning %+v", within, sc.state.Status, sc.state.Returning)
		}
	}
}

// run runs another command of the program, which has to succeed.
func (s *stage) run(args ...string) string {
	s.t.Helper()
	out, errs, code, err := s.srv.Run(s.t.Context(), append(args, "--data", s.srv.Dir)...)
	if err != nil || code != 0 {
		s.t.Errorf("clew %v: exit %d, %v\n%s%s", args, code, err, out, errs)
	}
	return out
}
