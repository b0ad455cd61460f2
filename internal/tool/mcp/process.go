package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew/internal/settings"
)

// A process is a tool server that runs beside us. It has its own process group,
// which ends as a whole.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	tail   *tail
	exited chan struct{}

	mu     sync.Mutex // signals are sent only while the group's number is ours
	reaped bool
}

// A server that reads nothing for so long is taken for dead.
const writeLimit = 30 * time.Second

// startProcess starts the command of the settings: exactly these words, no
// shell, and an environment of exactly env.
func startProcess(conf settings.McpServer, env map[string]string) (*process, error) {
	path, err := lookPath(conf.Command, env["PATH"])
	if err != nil {
		return nil, err
	}
	p := &process{tail: &tail{}, exited: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: path, Args: append([]string{conf.Command}, conf.Args...), Dir: conf.Dir, Env: []string{}}
	for k, v := range env {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	p.cmd.Stderr, p.cmd.WaitDelay, p.cmd.SysProcAttr = p.tail, time.Second, ownGroup()
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		_, _ = theirIn.Close(), ourIn.Close()
		return nil, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.stdin, p.stdout = theirIn, theirOut, ourIn, ourOut
	started := make(chan error, 1)
	go p.attend(started)
	err = <-started
	_, _ = theirIn.Close(), theirOut.Close()
	if err != nil {
		_, _ = ourIn.Close(), ourOut.Close()
		return nil, err
	}
	return p, nil
}

// lookPath finds the command where the server itself would look: in the PATH of
// its settings if there is one.
func lookPath(command, path string) (string, error) {
	if path == "" || strings.ContainsRune(command, filepath.Separator) {
		return exec.LookPath(command)
	}
	for _, dir := range filepath.SplitList(path) {
		if found, err := exec.LookPath(filepath.Join(dir, command)); err == nil && filepath.IsAbs(found) {
			return found, nil
		}
	}
	return "", fmt.Errorf("%q is not in the PATH of its env", command)
}

// attend starts the process and stays until it is gone. It keeps its thread:
// the kernel ends the process when the thread that started it ends.
func (p *process) attend(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	awaitExit(p.cmd.Process.Pid) // not reaped yet, so nobody else has its number
	p.mu.Lock()
	killGroup(p.cmd.Process.Pid, true)
	_ = p.cmd.Wait()
	p.reaped = true
	p.mu.Unlock()
	// What it wrote is still read; who left the group and holds the pipe is not
	// waited for.
	_ = p.stdout.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	close(p.exited)
}

// Write implements io.Writer: to the process's standard input.
func (p *process) Write(b []byte) (int, error) {
	if err := p.stdin.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return 0, err
	}
	return p.stdin.Write(b)
}

// Close implements io.Closer: the process's input ends, so it should too.
func (p *process) Close() error { return p.stdin.Close() }

// stop ends the process and its group: asked by the end of its input, told by a
// signal, killed.
func (p *process) stop(grace time.Duration) {
	_, _ = p.stdin.Close(), p.stdout.Close() // one that writes on and on notices too
	if !p.within(grace) {
		p.signal(false)
		if !p.within(grace) {
			p.signal(true)
		}
	}
	<-p.exited
}

func (p *process) within(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

func (p *process) signal(kill bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		killGroup(p.cmd.Process.Pid, kill)
	}
}

// state says how the process ended, "" if it ended well.
func (p *process) state() string {
	select {
	case <-p.exited:
	default:
		return ""
	}
	if s := p.cmd.ProcessState; s != nil && !s.Success() {
		return "it ended with " + s.String()
	}
	return ""
}
