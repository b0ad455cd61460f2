// Package programs uses the real server as other people's programs do: through
// client.Ask, and through the GitHub Action.
package programs

import (
	"os"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// script is a model whose answers follow from the history alone, so that it does not
// matter how often it was asked.
const script = `
- when: {last_user: Look around, turn: 1}
  times: 0
  reply:
  - text: I look first.
  - tool: {name: execute_command, id: c_run, input: {command: "echo noise; echo more noise"}}
  - usage: {input: 100, output: 10}
- when: {tool_result: {id: c_run}}
  times: 0
  reply:
  - tool: {name: new_task, id: c_task, input: {message: Count the files.}}
  - usage: {input: 100, output: 10}
- when: {last_user: Count the files, turn: 1}
  times: 0
  reply:
  - text: Words of a subtask.
  - tool: {name: attempt_completion, id: k_done, input: {result: There are three.}}
  - usage: {input: 100, output: 10}
- when: {tool_result: {id: c_task}}
  times: 0
  reply:
  - text: Three files are here.
  - usage: {input: 100, output: 10}
- when: {last_user: Speak slowly}
  times: 0
  reply:
  - slow: {per_token: 20ms}
  - text: one two three four five six seven eight nine ten
  - usage: {input: 10, output: 10}
- when: {last_user: Hello}
  times: 0
  reply:
  - text: Hello to you.
  - usage: {input: 7, output: 3}
- when: {last_user: Wait for ever}
  times: 0
  reply:
  - text: I wait.
  - stall: true
- when: {last_user: Break}
  times: 0
  reply:
  - {status: 400, message: no such thing}
`

// start starts a server with the model.
func start(t *testing.T, settings map[string]any) *proc.Stage {
	t.Helper()
	s := proc.NewStage(t, proc.Setup{
		Session: "sess_ask", Script: script, Settings: settings, Files: map[string]string{"a.txt": "a\n"},
		Profile: map[string]any{"price_in": 1000, "price_out": 1000},
	})
	s.Start()
	proc.Must(t, s.Create(t.Context()))
	return s
}

func options(s *proc.Stage) client.Options {
	return client.Options{URL: s.Srv.URL(), Session: s.Session, Token: s.Token()}
}

// tasksOf are the tasks of the stage's session as they stand now.
func tasksOf(t *testing.T, s *proc.Stage) []clew.TaskInfo {
	t.Helper()
	o := options(s)
	o.View = clew.ViewState
	c, err := client.Dial(t.Context(), o)
	proc.Must(t, err)
	defer c.Close()
	var r client.Replica
	for env, err := range c.Follow(t.Context()) {
		proc.Must(t, err)
		_, err := r.Take(env)
		proc.Must(t, err)
		if r.Known() {
			break
		}
	}
	return r.Tasks
}
