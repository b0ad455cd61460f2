package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/shell"
)

// This program is a supervisor if it was started under that name.
func init() {
	if len(os.Args) == 2 && os.Args[0] == commandName {
		os.Exit(supervise()) //nolint:forbidigo // this process is not the server, and main must not run
	}
}

// Descriptors that a supervisor finds open.
const (
	ordersFD = 3 // 4 is alive, which it never uses: the lock is what counts
	readyFD  = 5 // where it says that the program runs, or what is wrong
	restFD   = 6 // and from here what the orders name
)

// ready is what a supervisor says when the program runs.
const ready = "ready"

// supervise runs on the main thread, which lives as long as the process: so the
// program's parent, in the kernel's eyes, is this process.
func supervise() int {
	// Caught and dropped, not ignored: what is ignored would be so below too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE)
	// The program gets what it is handed and nothing else.
	_ = unix.CloseRange(ordersFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	said := os.NewFile(readyFD, "ready")
	crash.At("supervise.begun")
	s, err := begin()
	if err != nil {
		_, _ = said.WriteString(err.Error())
		return 1
	}
	crash.At("supervise.state")
	_, _ = said.WriteString(ready) // the server may be gone
	_ = said.Close()
	crash.At("supervise.ready")
	s.run()
	return 0
}

// A supervisor is the process beside a program. Its fields belong to the goroutine
// that calls run; all others send to its channels.
type supervisor struct {
	orders orders
	state  state
	listen net.Listener
	inside *shell.Inside // the sandbox; nil without one
	group  limit.Group   // nil without one
	tail   *tail
	conns  map[net.Conn]bool

	endRecording func()

	exited   chan syscall.WaitStatus // of the program
	none     chan struct{}           // closed when no process is left below
	alone    chan struct{}           // no server holds the lock
	watch    chan struct{}           // wait for that lock again
	requests chan request
	gone     chan net.Conn
	term     chan os.Signal

	watching bool        // for the lock
	again    bool        // a server came meanwhile: what the watch says next may be of before
	orphan   *time.Timer // runs while no server holds the program
	ending   Why         // why it is ended; "" while it runs
	hard     <-chan time.Time
}

// begin reads the orders, listens and starts the program.
func begin() (*supervisor, error) {
	s := &supervisor{
		conns: map[net.Conn]bool{}, exited: make(chan syscall.WaitStatus, 1), none: make(chan struct{}), alone: make(chan struct{}),
		watch: make(chan struct{}, 1), requests: make(chan request), gone: make(chan net.Conn), term: make(chan os.Signal, 1),
	}
	signal.Notify(s.term, syscall.SIGTERM)
	f := os.NewFile(ordersFD, "orders")
	err := json.NewDecoder(f).Decode(&s.orders)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("no subreaper: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(s.orders.DirOf, "lock"), os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if s.listen, err = net.Listen("unix", filepath.Join(s.orders.DirOf, "control")); err != nil {
		return nil, err
	}
	crash.At("supervise.listening")
	if err := s.launch(); err != nil {
		return nil, err
	}
	s.state.ID, s.state.About, s.state.Orphan, s.state.Supervisor, s.state.Started = s.orders.ID, s.orders.About, s.orders.Orphan, os.Getpid(), time.Now().UTC()
	if err := writeJSON(filepath.Join(s.orders.DirOf, "state.json"), s.state); err != nil {
		s.killAll()
		return nil, err
	}
	s.startRecording()
	go watchLock(lock, s.watch, s.alone)
	go s.accept()
	s.lookForServer()
	return s, nil
}

// startRecording has what the program publishes written down. endRecording waits for the
// last of it.
func (s *supervisor) startRecording() {
	r := s.orders.Record
	if r == nil {
		s.endRecording = func() {}
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.record(ctx)
	}()
	s.endRecording = func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(lastWordsWithin):
		}
	}
}

// watchLock says each time that it is told to watch when no server holds the lock any
// more. It has the lock for a moment only.
func watchLock(lock *os.File, watch <-chan struct{}, alone chan<- struct{}) {
	for range watch {
		if flock(lock, unix.LOCK_EX) != nil {
			return
		}
		_ = flock(lock, unix.LOCK_UN)
		alone <- struct{}{}
	}
}

// lookForServer has the lock watched, and stops the time that the program is alone.
func (s *supervisor) lookForServer() {
	if s.orphan != nil {
		s.orphan.Stop()
		s.orphan = nil
	}
	s.state.Held, s.state.AloneSince = true, time.Time{}
	if s.again = s.watching; !s.watching {
		s.watching = true
		s.watch <- struct{}{}
	}
}

// leftAlone begins the time after which the program is ended.
func (s *supervisor) leftAlone() {
	if s.watching = false; s.again {
		s.lookForServer()
		return
	}
	s.state.Held, s.state.AloneSince = false, time.Now().UTC()
	s.orphan = time.NewTimer(s.orders.Orphan)
}

// run stays until the program is gone and its end is on record.
func (s *supervisor) run() {
	for {
		var orphan <-chan time.Time
		if s.orphan != nil {
			orphan = s.orphan.C
		}
		select {
		case status := <-s.exited:
			s.conclude(status)
			return
		case <-s.alone:
			s.leftAlone()
		case <-orphan:
			s.orphan = nil
			s.end(WhyOrphan)
		case <-s.term:
			s.end(WhyKilled)
		case <-s.hard:
			s.killAll()
		case r := <-s.requests:
			s.answer(r)
		case c := <-s.gone:
			delete(s.conns, c)
		}
	}
}

// grace is how long a program has between being asked to end and being ended.
const grace = 2 * time.Second

// end asks the program to end, and ends it if it does not.
func (s *supervisor) end(why Why) {
	if s.ending != "" {
		return
	}
	s.ending = why
	_ = s.signal(syscall.SIGTERM)
	s.hard = time.After(grace)
}

// conclude ends what the program left behind, writes down how it ended and lets the
// server know.
func (s *supervisor) conclude(status syscall.WaitStatus) {
	s.killAll()
	ended := Ended{Why: s.ending, Code: status.ExitStatus(), At: time.Now().UTC(), Stderr: s.tail.String()}
	if ended.Why == "" {
		ended.Why = WhyExited
	}
	if status.Signaled() {
		ended.Code = 128 + int(status.Signal())
	}
	ended.Signal = shell.SignalName(ended.Code)
	if s.group != nil {
		ended.Reached = s.group.Reached()
		s.group.Close(killLimit)
	}
	s.endRecording() // whoever finds how it ended finds its last words too
	crash.At("supervise.ended")
	_ = writeJSON(filepath.Join(s.orders.DirOf, "ended.json"), ended) // without it the end is WhyLost
	crash.At("supervise.recorded")
	_ = s.listen.Close() // which removes the socket
	for c := range s.conns {
		_ = c.Close()
	}
}
