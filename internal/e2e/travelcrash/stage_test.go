// Package travelcrash kills the real program while it takes a session and its
// files elsewhere, and looks at what the next start makes of it.
package travelcrash

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
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

// A stage can be put back to how it was when it was last kept: the paths stay
// the same, as the session's records name them.
type stage struct {
	*proc.Stage
	dir  string                    // what lives is in live, what is kept in kept
	said map[string]clew.MessageID // what was said, by its text
}

// newStage sets up a server; env, if it is not nil, gives it further variables once
// the workspace is there.
func newStage(t testing.TB, bin string, env func(work string) map[string]string) *stage {
	t.Helper()
	s := &stage{dir: memoryDir(t), said: map[string]clew.MessageID{}}
	live := filepath.Join(s.dir, "live")
	work := filepath.Join(live, "work")
	proc.Must(t, os.MkdirAll(work, 0o700))
	with := proc.Setup{
		Name: "travel", Session: sessionID, Program: bin, Dir: live, Script: script, Model: llmtest.Options{Fast: true},
		Profile: map[string]any{"price_in": 3, "price_out": 15},
		Settings: map[string]any{
			"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "model_crash_retry": "auto",
		},
	}
	if env != nil {
		with.Env = env(work)
	}
	t.Cleanup(func() { s.wipe("live"); s.wipe("kept") }) // after the server is gone
	s.Stage = proc.NewStage(t, with)
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
	part.Stage = s.In(t)
	return &part
}

func (s *stage) must(err error) {
	s.T.Helper()
	proc.Must(s.T, err)
}

// wipe removes a directory whatever its permissions are.
func (s *stage) wipe(name string) {
	dir := filepath.Join(s.dir, name)
	_ = exec.Command("chmod", "-R", "u+rwx", dir).Run() // it may not be there
	if err := os.RemoveAll(dir); err != nil {
		s.T.Error(err)
	}
}

// keep stops the server and keeps everything as it is, for again.
func (s *stage) keep() {
	s.T.Helper()
	s.must(s.Srv.Stop())
	s.copy("live", "kept")
}

// again puts everything back to how it was kept.
func (s *stage) again() {
	s.T.Helper()
	s.Srv.Kill()
	s.copy("kept", "live")
}

func (s *stage) copy(from, to string) {
	s.T.Helper()
	s.wipe(to)
	if out, err := exec.Command("cp", "-a", filepath.Join(s.dir, from), filepath.Join(s.dir, to)).CombinedOutput(); err != nil {
		s.T.Fatalf("%v %s", err, out)
	}
}

// send sends a command under a name; sent again it must have no second effect.
func (s *stage) send(name string, typ clew.CommandType, data any) (client.Receipt, error) {
	ctx, cancel := context.WithTimeout(s.T.Context(), within)
	defer cancel()
	return s.API().Command(ctx, sessionID, clew.ClientMessageID(name), typ, data)
}

// say says something and waits until the agent is done with it.
func (s *stage) say(text string) {
	s.T.Helper()
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
	ctx, cancel := context.WithTimeout(s.T.Context(), within)
	defer cancel()
	list, state, err := s.Replay(ctx, id)
	for _, r := range list {
		sc.records = append(sc.records, r.Event)
	}
	sc.state = state
	return sc, err
}

// settled waits until nothing is under way in a session.
func (s *stage) settled(id clew.SessionID) scene {
	s.T.Helper()
	return s.await(id, func(sc scene) bool { return sc.state.Returning == nil && sc.state.Status == clew.StatusIdle })
}

// await waits for something that a session will come to by itself.
func (s *stage) await(id clew.SessionID, until func(scene) bool) (sc scene) {
	s.T.Helper()
	proc.Eventually(s.T, "what the session comes to by itself", within, func() bool {
		var err error
		sc, err = s.look(id)
		s.must(err)
		return until(sc)
	})
	return sc
}
