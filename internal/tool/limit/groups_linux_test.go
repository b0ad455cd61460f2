package limit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/limit/limittest"
)

func TestMain(m *testing.M) {
	if os.Getenv("CLEW_TEST_DIVIDE") != "" {
		os.Exit(divide())
	}
	os.Exit(m.Run())
}

// divide is a server that divides the group it was started in, and says what it
// sees.
func divide() int {
	looked := limit.LookForGroups()
	g, err := limit.OpenGroups()
	if err != nil {
		fmt.Println(looked, "|", err)
		return 1
	}
	again, err := limit.OpenGroups() // as a server does that is started in the same place
	if err != nil || again.Held() != g.Held() {
		fmt.Println("again:", err)
		return 1
	}
	c, err := g.New(limit.Share{User: "ann", Call: "c.1", Command: limit.Limits{Memory: 1 << 26, Processes: 10, CPUWeight: 20}, Total: limit.Limits{Memory: 1 << 27, CPUWeight: 40}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	own, _ := os.ReadFile("/proc/self/cgroup")
	fmt.Printf("%+v %s", g.Held(), own[strings.LastIndexByte(string(own), '/'):])
	for _, file := range []string{"memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.weight", "../memory.max", "../pids.max", "../cpu.weight", "../../cpu.weight"} {
		b, err := os.ReadFile(filepath.Join(c.Dir().Name(), file))
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%s %s", file, b)
	}
	fmt.Println("closed", c.Close(time.Second))
	left, _ := os.ReadDir(filepath.Dir(filepath.Dir(c.Dir().Name())))
	for _, e := range left {
		if e.IsDir() {
			fmt.Println("left:", e.Name())
		}
	}
	return 0
}

// A server that was given a control group moves into a part of it and makes others
// for commands.
func TestOpenGroups(t *testing.T) {
	dir, err := limittest.Dir(t)
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	run := func() (string, error) {
		t.Helper()
		f, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
		cmd.Env = append(os.Environ(), "CLEW_TEST_DIVIDE=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err == nil || strings.Count(out, "was not delegated") != 2 {
		t.Errorf("a group that is another program's: %v %s", err, out)
	}
	if err := unix.Setxattr(dir, "user.delegate", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	const want = `{Memory:true Processes:true CPU:true} /server
memory.max 67108864
memory.swap.max 0
memory.oom.group 1
pids.max 10
cpu.weight 20
../memory.max 134217728
../pids.max max
../cpu.weight 40
../../cpu.weight 40
closed true
`
	if out, err := run(); err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
}
