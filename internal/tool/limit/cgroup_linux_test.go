package limit

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/poll"
)

// unlimited gives groups on a hierarchy of version 2 that need not have any
// controllers: processes are held together there all the same.
func unlimited(t *testing.T) *cgroups {
	t.Helper()
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err != nil {
			continue
		}
		dir, err := os.MkdirTemp(root, "clew-test-")
		if err != nil {
			t.Skipf("not run: %v", err)
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		return &cgroups{commands: dir}
	}
	t.Skip("not run: control groups of version 2 are not mounted")
	return nil
}

// Two processes that left their parent, one started in the group and one that was
// put there, end with it, and nothing of it is left.
func TestGroupEnds(t *testing.T) {
	groups := unlimited(t)
	g, err := groups.New(Share{User: "ann", Call: "c.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(time.Second)
	start := func(attr *syscall.SysProcAttr) *exec.Cmd {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "trap '' TERM; setsid sleep 60 & setsid sleep 60 & wait; wait")
		cmd.SysProcAttr = attr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	inside := start(&syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(g.Dir().Fd())})
	joined := exec.CommandContext(t.Context(), "sleep", "60")
	if err := joined.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.Join(joined.Process.Pid); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "four processes in the group", func() bool { return len(g.Processes()) >= 4 })
	if g.Reached() != "" {
		t.Errorf("it met %q", g.Reached())
	}
	if !g.Close(10 * time.Second) {
		t.Errorf("left are %v", g.Processes())
	}
	for _, cmd := range []*exec.Cmd{inside, joined} {
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Errorf("%v ended with %v", cmd.Args, err)
		}
	}
	if _, err := os.Stat(filepath.Join(groups.commands, "user-ann")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the user's group: %v", err)
	}
}
