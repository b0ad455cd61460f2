package supervisor

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/shell"
)

// killLimit is how long the kernel gets to end a program.
const killLimit = 5 * time.Second

// launch starts the program, with its limits set before it begins.
func (s *supervisor) launch() error {
	next := restFD
	take := func(name string) *os.File {
		_ = unix.SetNonblock(next, true) // so that reading has a time limit
		f := os.NewFile(uintptr(next), name)
		next++
		return f
	}
	var info, gate *os.File
	if s.orders.Sandbox {
		info, gate = take("info"), take("gate")
	}
	group := -1
	if s.orders.Grouped != "" {
		f := take(s.orders.Grouped)
		group = int(f.Fd())
		s.group = limit.Opened(f)
	}
	attr := &syscall.ProcAttr{Dir: s.orders.Dir, Env: s.orders.Env, Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}}
	if !s.orders.Sandbox {
		// For the program to inherit: without a sandbox nothing holds it before it begins.
		if err := limit.Apply(0, s.orders.Limits, limit.Held{}, false); err != nil {
			return fmt.Errorf("the limits could not be set: %w", err)
		}
		if group >= 0 {
			attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, group
		}
	}
	pid, err := s.fork(attr, next)
	if err != nil {
		return err
	}
	s.state.PID = pid
	crash.At("supervise.program")
	s.reap(pid)
	if s.orders.Sandbox {
		if s.inside, err = shell.Enter(info, gate, s.orders.Limits, s.group); err != nil {
			s.killAll()
			return fmt.Errorf("the sandbox: %w: %s", err, s.tail.String())
		}
	}
	crash.At("supervise.entered")
	return nil
}

// fork starts the program with the files from first on, and closes those.
func (s *supervisor) fork(attr *syscall.ProcAttr, first int) (pid int, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = null.Close() }()
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer func() { _ = w.Close() }()
	s.tail = &tail{read: make(chan struct{})}
	go s.tail.follow(r)
	attr.Files = []uintptr{null.Fd(), null.Fd(), w.Fd()}
	for i := range s.orders.Passed {
		attr.Files = append(attr.Files, uintptr(first+i))
	}
	pid, err = syscall.ForkExec(s.orders.Argv[0], s.orders.Argv, attr)
	for i := range s.orders.Passed {
		_ = unix.Close(first + i)
	}
	return pid, err
}

// reap collects every child. Exited gets the program's status; none is closed when no
// process is left below.
func (s *supervisor) reap(program int) {
	go func() {
		defer close(s.none)
		for {
			var ws syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &ws, 0, nil)
			switch {
			case errors.Is(err, syscall.EINTR):
			case err != nil:
				return
			case pid == program:
				s.exited <- ws
			}
		}
	}()
}

// signal sends a signal to the first process of the program.
func (s *supervisor) signal(sig syscall.Signal) error {
	if s.inside != nil {
		return s.inside.Signal(sig)
	}
	return syscall.Kill(s.state.PID, sig)
}

// killAll ends the program with all that it started, and waits for that.
func (s *supervisor) killAll() {
	if s.inside != nil {
		s.inside.End(killLimit)
	}
	if s.group != nil {
		s.group.Kill()
	}
	for deadline := time.Now().Add(killLimit); time.Now().Before(deadline); {
		shell.KillBelow(os.Getpid())
		select {
		case <-s.none:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A tail keeps the last of what a program writes.
type tail struct {
	mu   sync.Mutex
	last []byte
	read chan struct{} // closed at the end of it
}

func (t *tail) follow(r *os.File) {
	defer close(t.read)
	defer func() { _ = r.Close() }()
	buf := make([]byte, maxStderr)
	for {
		n, err := r.Read(buf)
		t.mu.Lock()
		t.last = append(t.last, buf[:n]...)
		if over := len(t.last) - maxStderr; over > 0 {
			t.last = append(t.last[:0], t.last[over:]...)
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// String gives the last words of a program that has ended.
func (t *tail) String() string {
	select {
	case <-t.read:
	case <-time.After(time.Second): // somebody still has it open
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return shell.Clean(t.last)
}
