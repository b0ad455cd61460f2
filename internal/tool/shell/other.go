//go:build !linux

package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/clew-run/clew/internal/tool/limit"
)

// Elsewhere than on Linux there is no sandbox, so a person is always asked
// under auto, and processes are ended by their group: one that leaves the group
// is not found.

func openTerminal() (master, tty *os.File, err error) { return pty.Open() }

func closeInherited() {}

func (p plan) launchBare(limit.Group) (*launch, error) {
	return &launch{cmd: &exec.Cmd{
		Path: p.argv[0], Args: p.argv, Dir: p.dir, Env: environ(p.env),
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}}, nil
}

func (p plan) launchBwrap() (*launch, error) { return nil, errors.New("there is no bubblewrap here") }

func fileIdentity(string) string { return "" }

func signalBelow(root, _ int, sig syscall.Signal) { _ = syscall.Kill(-root, sig) }

func below(int, int) []int { return nil }

func written([]int) int64 { return 0 }

func killMarked(func(string) bool) []int { return nil }

type inner struct{ pid int }

func readInner(*os.File) *inner { return nil }

func (*inner) End(time.Duration) bool { return true }

// Probe finds out which sandbox there is, and why.
func Probe() (kind, reason string) { return SandboxNone, "the sandbox needs Linux" }

// Sweep ends the processes that an earlier server left behind: on Linux.
func Sweep(context.Context, string) (int, error) { return 0, nil }
