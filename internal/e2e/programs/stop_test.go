package programs

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// Work does not outlive a command that is ended, if that is wanted or CI is set.
func TestStopOnExit(t *testing.T) {
	s := start(t, nil)
	for name, c := range map[string]struct {
		env   string
		args  []string
		pipe  bool // nobody reads the output
		code  int
		stops bool
		says  string
	}{
		"wanted":        {"CI=", []string{"--stop-on-exit"}, false, 6, true, "Stopped: this command ended before the work"},
		"not wanted":    {"CI=", nil, false, 130, false, "clew attach"},
		"in CI":         {"CI=true", nil, false, 6, true, "CI is set: if this command is ended, the work stops too."},
		"not in CI":     {"CI=true", []string{"--stop-on-exit=false"}, false, 130, false, "clew attach"},
		"a broken pipe": {"CI=", []string{"--stop-on-exit", "--json"}, true, 1, true, "broken pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			before := len(s.Model.Requests())
			cmd := exec.CommandContext(ctx, s.Srv.Path(), append([]string{"run", "--server", s.Srv.URL()}, append(c.args, "Wait for ever.")...)...)
			cmd.Env = proc.Environment(map[string]string{"CLEW_TOKEN": s.Token(), "HOME": t.TempDir()})
			cmd.Env = append(slices.DeleteFunc(cmd.Env, func(kv string) bool { return strings.HasPrefix(kv, "CI=") }), c.env)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if c.pipe {
				r, w, err := os.Pipe()
				proc.Must(t, err)
				proc.Must(t, r.Close())
				defer func() { _ = w.Close() }()
				cmd.Stdout = w
			}
			proc.Must(t, cmd.Start())
			if !c.pipe {
				proc.Must(t, s.Model.Await(ctx, before+1))
				proc.Must(t, cmd.Process.Signal(syscall.SIGTERM))
			}
			_ = cmd.Wait() // the code says more
			if cmd.ProcessState.ExitCode() != c.code || !strings.Contains(out.String(), c.says) {
				t.Errorf("it ended with %v:\n%s", cmd.ProcessState, out.String())
			}
			tasks := newestTasks(t, s)
			if len(tasks) != 1 || (tasks[0].Outcome != nil && tasks[0].Outcome.Status == clew.OutcomeStopped) != c.stops {
				t.Errorf("the tasks are %+v", tasks)
			}
		})
	}
}

// newestTasks are those of the session that was made last.
func newestTasks(t *testing.T, s *proc.Stage) []clew.TaskInfo {
	t.Helper()
	page, err := s.API().ListSessions(t.Context(), "", "", 100)
	proc.Must(t, err)
	newest := slices.MaxFunc(page.Sessions, func(a, b client.Session) int { return int(a.CreatedMS - b.CreatedMS) })
	part := *s
	part.Session = newest.ID
	return tasksOf(t, &part)
}
