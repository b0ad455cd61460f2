package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/tool/shell"
)

// startLimit is how long a program may take to be started, on a busy machine.
const startLimit = 60 * time.Second

// commandName is the first argument under which this program is a supervisor.
const commandName = "clew-supervise"

// orders are what a supervisor has to know. The files come after those of its own, in
// the order of the fields.
type orders struct {
	Program
	DirOf   string // the directory of the program, where everything is written
	Sandbox bool   // there are Info and Gate
	Grouped string // the path of the control group; "" if there is none
	Passed  int    // how many files are for the program
}

// Start starts a program under a supervisor and holds it. The directory is made if it
// is not there; it is the program's alone and below a root: see Root. What was there of
// an earlier program that ended is replaced. A program that could not be started has
// left nothing but the directory.
func Start(ctx context.Context, dir string, p Program) (*Held, error) {
	if len(p.Argv) == 0 || !filepath.IsAbs(p.Argv[0]) || len(dir)+len("/control") > maxSocketPath {
		return nil, fmt.Errorf("%q cannot be started in %s: a path is not absolute or too long", p.Argv, dir)
	}
	if err := makePrivate(dir); err != nil {
		return nil, err
	}
	h, err := hold(dir)
	if err != nil {
		return nil, err
	}
	if err := h.start(ctx, p); err != nil {
		h.Release()
		return nil, err
	}
	return h, nil
}

func (h *Held) start(ctx context.Context, p Program) error {
	if supervised(h.dir) {
		return ErrRunning
	}
	for _, name := range []string{"control", "state.json", "ended.json"} {
		if err := os.Remove(filepath.Join(h.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	crash.At("supervisor.held")
	started, said, err := h.fork(p)
	if err != nil {
		return err
	}
	defer func() { _ = said.Close() }()
	crash.At("supervisor.forked")
	if err := awaitReady(ctx, said); err != nil {
		h.abandon(started)
		return err
	}
	crash.At("supervisor.ready")
	if err := h.attach(ctx); err != nil {
		h.abandon(started)
		return err
	}
	if h.conn == nil { // it has ended already
		_, _ = started.Wait()
	}
	_ = started.Release() // it is waited for by another handle
	crash.At("supervisor.joined")
	return nil
}

// fork starts the supervisor. What it says once the program runs is read from said.
func (h *Held) fork(p Program) (_ *os.Process, said *os.File, err error) {
	alive, err := lockAlive(h.dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = alive.Close() }() // the supervisor has it by then
	o := orders{Program: p, DirOf: h.dir, Sandbox: p.Info != nil, Passed: len(p.Files)}
	o.Env = append(slices.Clone(p.Env), shell.MarkVariable+"="+Mark(h.dir))
	files := []*os.File{nil, alive, nil}
	if o.Sandbox {
		files = append(files, p.Info, p.Gate)
	}
	if p.Group != nil {
		o.Grouped = p.Group.Dir().Name()
		files = append(files, p.Group.Dir())
	}
	files = append(files, p.Files...)
	if files[0], err = ordersFile(o); err != nil {
		return nil, nil, err
	}
	defer func() { _ = files[0].Close() }()
	if said, files[2], err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	defer func() { _ = files[2].Close() }()
	cmd := &exec.Cmd{
		// Also after the file of this program was replaced.
		Path: "/proc/self/exe", Args: []string{commandName, h.dir},
		Dir: "/", Env: supervisorEnv(), ExtraFiles: files,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	crash.At("supervisor.fork")
	if err := cmd.Start(); err != nil {
		return nil, nil, errors.Join(err, said.Close())
	}
	return cmd.Process, said, nil
}

// supervisorEnv has nothing of the server's environment, in which there may be secrets.
func supervisorEnv() []string {
	env := []string{"GOMAXPROCS=1", "GOTRACEBACK=single"}
	if crash.On {
		for _, name := range []string{"CLEW_CRASH_AT", "CLEW_CRASH_LOG"} {
			env = append(env, name+"="+os.Getenv(name))
		}
	}
	return env
}

// ordersFile writes all that a supervisor needs before there is one, so that it does
// not depend on a server that may be killed.
func ordersFile(o orders) (*os.File, error) {
	b, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("clew", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "orders")
	if _, err = f.Write(b); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// awaitReady waits for the supervisor's word: none if all is well, else what is wrong.
func awaitReady(ctx context.Context, said *os.File) error {
	_ = said.SetReadDeadline(time.Now().Add(startLimit))
	stop := context.AfterFunc(ctx, func() { _ = said.SetReadDeadline(time.Now()) })
	defer stop()
	b, err := io.ReadAll(io.LimitReader(said, 64<<10))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("the program was not started in time: %w", err)
	case string(b) == ready:
		return nil
	case len(b) == 0:
		return errors.New("the supervisor was killed before the program ran")
	}
	return fmt.Errorf("the program could not be started: %s", b)
}

// abandon ends a supervisor whose program nobody gets.
func (h *Held) abandon(started *os.Process) {
	_ = started.Kill()
	_, _ = started.Wait()
	shell.EndMarked(Mark(h.dir))
	_ = os.Remove(filepath.Join(h.dir, "control"))
}

func (h *Held) dial(ctx context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: answerLimit}
	return d.DialContext(ctx, "unix", filepath.Join(h.dir, "control"))
}

// Find holds the program of a directory: it runs, or Ended says how it ended. The error
// is ErrNone if there was none, ErrHeld if another server has it.
func Find(ctx context.Context, dir string) (*Held, error) {
	if err := private(dir); errors.Is(err, os.ErrNotExist) {
		return nil, ErrNone
	} else if err != nil {
		return nil, err
	}
	h, err := hold(dir)
	if err != nil {
		return nil, err
	}
	if err := h.attach(ctx); err != nil {
		h.Release()
		return nil, err
	}
	return h, nil
}

// attach connects to the supervisor, or finds out how the program ended.
func (h *Held) attach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		if !supervised(h.dir) {
			close(h.read)
			h.conclude()
			return nil
		}
		// The server that started it may have been killed before the supervisor listened,
		// and one that has just ended listens no more.
		conn, err := h.dial(ctx)
		if err == nil {
			err = h.join(conn)
		}
		if err == nil {
			return nil
		}
		t := time.NewTimer(5 * time.Millisecond)
		select {
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("the supervisor of %s does not answer: %w", h.dir, errors.Join(ctx.Err(), err))
		case <-t.C:
		}
	}
}
