package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	procs "github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/tui/feed"
)

const sentenceScript = `
- when: {tool_result: {id: c_read}}
  times: 0
  reply: [{text: It is read.}]
- when: {tool_result: {id: c_missing}}
  times: 0
  reply: [{text: It is not there.}]
- when: {tool_result: {id: c_run}}
  times: 0
  reply: [{text: So be it.}]
- when: {last_user: Read}
  times: 0
  reply:
  - tool: {name: read_file, id: c_read, input: {path: note.txt}}
- when: {last_user: Missing}
  times: 0
  reply:
  - tool: {name: read_file, id: c_missing, input: {path: missing.txt}}
- when: {last_user: Command}
  times: 0
  reply:
  - tool: {name: execute_command, id: c_run, input: {command: echo yes}}
- when: {last_user: Forever}
  times: 0
  reply:
  - text: 'I begin. '
  - delay: 1h
- when: {last_user: Fail}
  times: 0
  reply: [{status: 401, message: bad key}]
`

// heard is what a client makes of a session.
type heard struct {
	Exits    []int    // of the commands, in turn
	Statuses []string // that the last lines of --json have
	Rows     []feed.Kind
	Calls    []string // name, status and code of each
	Ends     []clew.Outcome
}

// A server whose sentences are random words is the same to clients: exit codes,
// states, and what the screen shows as what.
func TestClientsReadNoSentences(t *testing.T) {
	plain, said := followSentences(t, "")
	random, words := followSentences(t, "randomtext")
	if got, want := fmt.Sprint(plain.Exits), "[0 0 4 4 0 0 0 0 6 1]"; got != want {
		t.Errorf("the story ends with %s, want %s: %+v", got, want, plain)
	}
	if !reflect.DeepEqual(plain, random) {
		t.Errorf("with the server's sentences\n%+v\nwith random ones\n%+v", plain, random)
	}
	if len(said) == 0 || len(said) != len(words) {
		t.Fatalf("%d sentences, %d random ones", len(said), len(words))
	}
	for i := range said {
		if said[i] == words[i] {
			t.Errorf("not random: %q", said[i])
		}
	}
}

// followSentences plays the same story with a program, and gives what became of it
// and the sentences that stood beside.
func followSentences(t *testing.T, tags string) (h heard, sentences []string) {
	t.Helper()
	s := procs.NewStage(t, procs.Setup{
		Program: procs.Program(t, tags), Script: sentenceScript, Settings: procs.AllowFiles(),
		Profile: map[string]any{"price_in": 3, "price_out": 15, "context_window": 200_000},
		Files:   map[string]string{"note.txt": "a note\n"},
	})
	s.Start()
	run := func(args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		out, errs, code, err := s.Srv.Run(ctx, append(args, "--json", "--data", s.Srv.Dir)...)
		if err != nil {
			t.Fatalf("clew %v: %v\n%s", args, err, errs)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var last struct {
			SessionID string `json:"session_id"`
			Status    string `json:"status"`
			Error     struct {
				Code string `json:"code"`
			} `json:"error"`
		}
		_ = json.Unmarshal([]byte(lines[len(lines)-1]), &last) // of a refusal there may be none
		h.Exits, h.Statuses = append(h.Exits, code), append(h.Statuses, last.Status+last.Error.Code)
		return last.SessionID
	}
	for _, text := range []string{"Read", "Missing", "Fail"} {
		sentences = append(sentences, h.look(t, s, run("run", "--workspace", s.Work, text))...)
	}
	asked := run("run", "--workspace", s.Work, "Command")
	run("answer", openQuestion(t, s, asked), "no")
	run("attach", "--until-done", asked)
	sentences = append(sentences, h.look(t, s, asked)...)
	stopped := run("run", "--workspace", s.Work, "--detach", "Forever")
	procs.Eventually(t, "it begins", time.Minute, func() bool { return len(stateOf(t, s, stopped).Messages) > 2 })
	run("stop", stopped)
	run("attach", "--until-done", stopped)
	sentences = append(sentences, h.look(t, s, stopped)...)
	run("attach", "--until-done", "sess_nowhere")
	return h, sentences
}

// look notes how a session stands, and gives its sentences.
func (h *heard) look(t *testing.T, s *procs.Stage, id string) (sentences []string) {
	t.Helper()
	state := stateOf(t, s, id)
	f := feed.New()
	f.Load(state)
	for _, r := range f.Rows(nil) {
		h.Rows = append(h.Rows, r.Kind)
	}
	for _, m := range state.Messages {
		if m.Tool != nil {
			h.Calls = append(h.Calls, fmt.Sprintf("%s %s %s", m.Tool.Name, m.Tool.Status, m.Tool.WhyCode))
			sentences = append(sentences, m.Tool.Error)
		}
		if m.Role == clew.SpeakerSystem {
			sentences = append(sentences, m.Text)
		}
	}
	for _, task := range state.Tasks {
		if o := task.Outcome; o != nil {
			sentences = append(sentences, o.Message)
			h.Ends = append(h.Ends, clew.Outcome{Status: o.Status, StoppedBy: o.StoppedBy, WhyCode: o.WhyCode})
		}
	}
	var written []string
	for _, text := range sentences {
		if text != "" {
			written = append(written, text)
		}
	}
	return written
}

func openQuestion(t *testing.T, s *procs.Stage, id string) string {
	t.Helper()
	list := stateOf(t, s, id).Questions
	if len(list) != 1 {
		t.Fatalf("%d questions are open", len(list))
	}
	return string(list[0].RequestID())
}

// stateOf is a session's state now.
func stateOf(t *testing.T, s *procs.Stage, id string) *client.Replica {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := client.Dial(ctx, client.Options{URL: s.Srv.URL(), Token: s.Token(), Session: clew.SessionID(id), View: clew.ViewState})
	procs.Must(t, err)
	defer c.Close()
	var state client.Replica
	for env, err := range c.Follow(ctx) {
		procs.Must(t, err)
		_, err = state.Take(env)
		procs.Must(t, err)
		if clew.EventType(env.Type) == clew.EventSyncComplete {
			break
		}
	}
	return &state
}
