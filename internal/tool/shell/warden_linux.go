package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/tool/limit"
)

// wardenName is the first argument under which this program is a warden.
const wardenName = "clew-warden"

// A command without a sandbox runs below a warden: this same program, started
// again. The kernel gives the warden every process that loses its parent down
// there, so a daemon that forks twice and leaves session and process group is
// still found. The warden ends them all when the command ends, and when the
// server lets go of a pipe, which it also does by being killed.
func init() {
	if len(os.Args) > 2 && os.Args[0] == wardenName {
		os.Exit(warden(os.Args[1], os.Args[2:])) //nolint:forbidigo // this process is not the server, and main must not run
	}
}

// Descriptors that a warden finds open.
const (
	aliveFD = 3 // the pipe that the server holds
	groupFD = 4 // the control group that the command is started in, if there is one
)

// orders are what a warden has to know.
type orders struct {
	Limits limit.Limits
	Held   limit.Held // by the control group
	Group  bool       // there is one
}

func (p plan) launchBare(g limit.Group) (*launch, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	told, err := json.Marshal(orders{Limits: p.opts.Limits, Held: p.heldByGroup(), Group: g != nil})
	if err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	cmd := &exec.Cmd{
		Path:        "/proc/self/exe",
		Args:        append([]string{wardenName, string(told)}, p.argv...),
		Dir:         p.dir,
		Env:         environ(p.env),
		ExtraFiles:  []*os.File{r},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if g != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, g.Dir())
	}
	return &launch{cmd: cmd, held: held{alive: w}, files: []*os.File{r}}, nil
}

// warden runs on the main thread, which lives as long as the process: so the
// command's parent, in the kernel's eyes, is this process. It takes the command's
// limits upon itself, for the command to inherit.
func warden(told string, argv []string) int {
	syscall.CloseOnExec(aliveFD)
	syscall.CloseOnExec(groupFD)
	// Caught and dropped, not ignored: what is ignored would be so below too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "clew: no subreaper:", err)
		return 126
	}
	var o orders
	err := json.Unmarshal([]byte(told), &o)
	if err == nil {
		err = limit.Apply(0, o.Limits, o.Held, false)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clew: the command's limits could not be set:", err)
		return 126
	}
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL, UseCgroupFD: o.Group, CgroupFD: groupFD},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "clew:", err)
		return 127
	}
	released := make(chan struct{})
	go func() {
		defer close(released)
		_, _ = os.NewFile(aliveFD, "alive").Read(make([]byte, 1))
	}()
	status, none := reap(pid)
	code := 128 + int(syscall.SIGKILL)
	select {
	case code = <-status:
	case <-released:
	case <-end:
	}
	killAll(none)
	select {
	case code = <-status:
	default:
	}
	return code
}

// reap collects every child. Status gets the command's exit code; none is
// closed when no process is left below.
func reap(command int) (status chan int, none chan struct{}) {
	status, none = make(chan int, 1), make(chan struct{})
	go func() {
		defer close(none)
		for {
			var ws syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &ws, 0, nil)
			switch {
			case errors.Is(err, syscall.EINTR):
			case err != nil:
				return
			case pid != command:
			case ws.Signaled():
				status <- 128 + int(ws.Signal())
			default:
				status <- ws.ExitStatus()
			}
		}
	}()
	return status, none
}

func killAll(none <-chan struct{}) {
	for !planted.Bug("hidden process left") {
		signalBelow(os.Getpid(), 0, syscall.SIGKILL)
		if within(none, 5*time.Millisecond) {
			return
		}
	}
}
