package chaos

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/child"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// A process is a node or an engine of its own, on one directory and one port over all its
// lives. start, kill and stop belong to one goroutine.
type process struct {
	t      testing.TB
	env    []string
	listen string
	api    *client.API
	said   proc.Output

	cmd  *exec.Cmd
	gone chan struct{}
}

func newProcess(t testing.TB, role, engine, archive, ledger string) *process {
	t.Helper()
	listen := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	p := &process{t: t, listen: listen, api: client.NewAPI("http://"+listen, "")}
	p.env = append(os.Environ(), roleVar+"="+role, dataVar+"="+t.TempDir(), engineVar+"="+engine,
		archiveVar+"="+archive, listenVar+"="+listen, ledgerVar+"="+ledger)
	t.Cleanup(func() {
		p.end(syscall.SIGKILL)
		if bad := p.said.Fault(); bad != "" {
			t.Errorf("%s %s broke:\n%s", role, listen, bad)
		}
		if t.Failed() {
			t.Logf("%s %s said:\n%s", role, listen, p.said.Tail(4000))
		}
	})
	return p
}

func (p *process) url() string { return "http://" + p.listen }

// start returns when the node is ready.
func (p *process) start() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Env, cmd.Stderr = p.env, &p.said
	child.EndWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	gone, ready := make(chan struct{}), make(chan error, 1)
	p.cmd, p.gone = cmd, gone
	go func() {
		// The kernel sends the death signal when the thread that started the
		// process ends, so the thread stays until the process is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(gone)
		if err := cmd.Start(); err != nil {
			ready <- err
			return
		}
		_, err := bufio.NewReader(out).ReadString('\n')
		ready <- err
		_ = cmd.Wait() // it is killed as often as not
	}()
	select {
	case err = <-ready:
	case <-time.After(time.Minute):
		err = fmt.Errorf("it was not ready in time")
	}
	if err != nil {
		return fmt.Errorf("start node %s: %w\n%s", p.listen, err, p.said.Tail(3000))
	}
	return nil
}

// end sends a signal and waits until the process is gone.
func (p *process) end(s syscall.Signal) {
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	_ = p.cmd.Process.Signal(s)
	select {
	case <-p.gone:
	case <-time.After(time.Minute):
		p.t.Errorf("node %s did not stop", p.listen)
		_ = p.cmd.Process.Kill()
		<-p.gone
	}
	p.cmd = nil
}
