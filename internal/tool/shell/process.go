package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/disk"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/tool/limit"
)

// How long a command has between being asked to end and being ended, and how
// long the kernel gets to carry that out.
const (
	grace     = 2 * time.Second
	killLimit = 5 * time.Second
	drain     = time.Second
)

// Why a command was stopped, in words for the model.
const (
	stoppedByLimit   = "it reached its time limit"
	stoppedByCancel  = "it was cancelled"
	stoppedByTool    = "stop_command ended it"
	stoppedByServer  = "the server is stopping"
	stoppedBySession = "the session ended"
	stoppedByDisk    = "the disk is nearly full"
	stoppedByQuota   = "the workspaces of its user take too much room"
	stoppedUnlimited = "its limits could not be set, so it was not run"
)

// A process is a command under way, with everything it starts. Its fields are
// set before it is shared; what tells of its end is read after done is closed.
type process struct {
	held
	plan    plan
	cmd     *exec.Cmd
	inner   *inner      // the sandbox's first process; nil without one
	group   limit.Group // that holds it; nil without one
	master  *os.File
	out     *output
	started time.Time
	done    chan struct{} // closed when nothing of it is left
	code    int
	cause   string // why it was stopped, "" if it ended by itself
	lost    bool   // the kernel did not end it in time
	reached clew.CommandLimit
	took    time.Duration
	use     *disk.Use // of the workspace; nil without a quota
	full    error     // why it was stopped by the quota; the watch sets it

	stopOnce sync.Once
	stopping chan struct{}
	reason   string // given with the first Stop; read after stopping is closed
}

// start runs a plan. The caller waits for done.
func (s *Shell) start(pl plan, out *output) (*process, error) {
	pl.shared = s.linked.directories(pl)
	p := &process{plan: pl, out: out, done: make(chan struct{}), stopping: make(chan struct{})}
	if err := s.enter(p); err != nil {
		return nil, err
	}
	p.enterQuota()
	if err := p.launch(s.spawner); err != nil {
		p.use.End()
		s.leave(p)
		return nil, fmt.Errorf("the command could not be started: %w", err)
	}
	go func() {
		defer s.leave(p)
		defer close(p.done)
		defer p.use.End()
		p.supervise()
	}()
	return p, nil
}

func (p *process) launch(sp *spawner) error {
	master, tty, err := openTerminal()
	if err != nil {
		return fmt.Errorf("no terminal: %w", err)
	}
	var l *launch
	if p.group, err = p.plan.group(); err == nil {
		l, err = p.plan.launch(p.group)
	}
	if err != nil {
		p.leaveGroup()
		return errors.Join(err, master.Close(), tty.Close())
	}
	// Standard input is at its end, and the terminal controls nothing: whoever
	// asks for a password fails at once instead of waiting for nobody.
	l.cmd.Stdout, l.cmd.Stderr = tty, tty
	p.cmd, p.master, p.held, p.started = l.cmd, master, l.held, time.Now()
	err = sp.Start(l.cmd)
	l.close()
	_ = tty.Close()
	if err != nil {
		_ = master.Close()
		p.release()
		p.leaveGroup()
	}
	return err
}

// leaveGroup ends what is in the command's control group and removes it.
func (p *process) leaveGroup() {
	if p.group != nil {
		p.lost = !p.group.Close(killLimit) || p.lost
	}
}

// Stop begins to end the process. The first reason stays.
func (p *process) Stop(reason string) {
	p.stopOnce.Do(func() {
		p.reason = reason
		close(p.stopping)
	})
}

// supervise waits for the end, of the command and of all that it started.
func (p *process) supervise() {
	read := make(chan struct{})
	go func() { defer close(read); p.read() }()
	exited := make(chan struct{})
	go func() { defer close(exited); _ = p.cmd.Wait() }()
	if p.info != nil {
		p.enterSandbox()
	}
	if p.plan.limit > 0 {
		t := time.AfterFunc(p.plan.limit-time.Since(p.started), func() { p.Stop(stoppedByLimit) })
		defer t.Stop()
	}

	if p.plan.opts.Room != nil || p.use != nil {
		over, watched := make(chan struct{}), make(chan struct{})
		go func() { defer close(watched); p.watchRoom(over) }()
		defer func() { close(over); <-watched }()
	}

	select {
	case <-exited:
	case <-p.stopping:
		p.cause = p.reason
		p.lost = !p.terminate(exited)
	}
	p.release()
	p.took = time.Since(p.started)
	if !p.lost {
		p.code = exitCode(p.cmd.ProcessState)
	}
	p.cleanUp()
	if !within(read, drain) {
		_ = p.master.SetReadDeadline(time.Now()) // somebody still holds the terminal
		<-read
	}
	_ = p.master.Close()
	p.out.End()
}

// enterSandbox waits until the sandbox stands, sets the limits of the command in
// there and lets it begin.
func (p *process) enterSandbox() {
	if p.inner = readInner(p.info); p.inner == nil { // bwrap says why, or hangs
		_ = p.cmd.Process.Kill()
		return
	}
	err := limit.Apply(p.inner.pid, p.plan.opts.Limits, p.plan.heldByGroup(), true)
	if err == nil && p.group != nil {
		err = p.group.Join(p.inner.pid)
	}
	if err != nil {
		p.plan.opts.log().Error("a command's limits could not be set", "err", err)
		p.Stop(stoppedUnlimited)
		_ = p.cmd.Process.Kill()
		return
	}
	p.begin()
}

// terminate asks all processes to end, then ends them. It reports whether the
// command is gone.
func (p *process) terminate(exited <-chan struct{}) bool {
	pid := p.cmd.Process.Pid
	if p.cause != stoppedByDisk && p.cause != stoppedByQuota { // where there is no time
		p.askToEnd()
		if within(exited, grace) {
			return true
		}
	}
	if p.alive != nil { // the warden finds what hides from us
		p.release()
		if within(exited, grace) {
			return true
		}
	}
	if p.group != nil {
		p.group.Kill()
	} else {
		signalBelow(pid, 0, syscall.SIGKILL)
	}
	_ = p.cmd.Process.Kill()
	return within(exited, killLimit)
}

// askToEnd asks the processes of the command, and not those of the machinery.
func (p *process) askToEnd() {
	if p.group == nil {
		signalBelow(p.cmd.Process.Pid, p.plan.keepers(), syscall.SIGTERM)
		return
	}
	for _, pid := range p.group.Processes() {
		if p.inner == nil || pid != p.inner.pid {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	}
}

// cleanUp ends what outlives the command, and waits for that end.
func (p *process) cleanUp() {
	if p.inner != nil {
		p.lost = !p.inner.End(killLimit) || p.lost
	}
	switch {
	case p.group != nil:
		p.reached = p.group.Reached()
		p.leaveGroup()
	case p.plan.sandbox != SandboxBwrap:
		p.lost = !killAllMarked(p.plan.env[callVariable]) || p.lost
	}
	switch {
	case p.reached != "":
	case p.cause == stoppedByDisk:
		p.reached = clew.LimitDisk
	case p.cause == stoppedByQuota, p.use.Over() && p.code == 128+int(syscall.SIGXFSZ):
		p.reached = clew.LimitWorkspace
	case p.cause == stoppedByLimit:
		p.reached = clew.LimitTime
	case p.code == 128+int(syscall.SIGXFSZ):
		p.reached = clew.LimitFileSize
	}
}

// killAllMarked kills until no process of a call is left. One that is just being
// forked, or is just becoming another program, shows no mark for a moment: so it
// looks again a few times before it believes that.
func killAllMarked(call string) bool {
	if planted.Bug("hidden process left") {
		return true
	}
	const looks, pause = 3, 10 * time.Millisecond
	for deadline, clean := time.Now().Add(killLimit), 0; clean < looks; {
		if len(killMarked(func(mark string) bool { return mark == call })) == 0 {
			clean++
		} else if clean = 0; time.Now().After(deadline) {
			return false
		}
		if clean < looks {
			<-time.After(pause) // the kernel needs a moment
		}
	}
	return true
}

// readPace bounds how fast a flood is read, so that it costs a share of one
// core and not all of it: so many bytes, then a rest.
const (
	readBurst = 512 << 10
	readRest  = 20 * time.Millisecond
)

func (p *process) read() {
	buf := make([]byte, 32<<10)
	for since, total := time.Now(), 0; ; {
		n, err := p.master.Read(buf)
		p.out.Write(buf[:n])
		if err != nil {
			return // EIO: the last holder of the terminal closed it
		}
		if total += n; total < readBurst {
			continue
		}
		if rest := readRest - time.Since(since); rest > 0 {
			time.Sleep(rest)
		}
		since, total = time.Now(), 0
	}
}

// exitCode is as a shell has it: 128 and the signal for a killed process.
func exitCode(st *os.ProcessState) int {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return st.ExitCode()
}

func within(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}
