package shell

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A systemCall is one that a program in the sandbox tries.
type systemCall struct {
	number uintptr
	args   [5]uintptr
	want   unix.Errno // 0 is that it works
}

var (
	netlinkRaw = uintptr(unix.SOCK_RAW | unix.SOCK_CLOEXEC)
	// Numbers that no call has show that the filter answers, and not the kernel:
	// with these arguments it would say EFAULT, EBADF or EINVAL.
	nothing = [5]uintptr{^uintptr(0), ^uintptr(0), ^uintptr(0), ^uintptr(0), ^uintptr(0)}
)

var systemCalls = map[string]systemCall{
	"mount":             {unix.SYS_MOUNT, nothing, unix.EPERM},
	"umount":            {unix.SYS_UMOUNT2, nothing, unix.EPERM},
	"fsopen":            {unix.SYS_FSOPEN, nothing, unix.EPERM},
	"open_tree":         {unix.SYS_OPEN_TREE, nothing, unix.EPERM},
	"chroot":            {unix.SYS_CHROOT, nothing, unix.EPERM},
	"unshare nothing":   {unix.SYS_UNSHARE, [5]uintptr{0}, unix.EPERM},
	"setns":             {unix.SYS_SETNS, nothing, unix.EPERM},
	"clone user":        {unix.SYS_CLONE, [5]uintptr{unix.CLONE_NEWUSER | uintptr(unix.SIGCHLD)}, unix.EPERM},
	"clone net":         {unix.SYS_CLONE, [5]uintptr{unix.CLONE_NEWNET | uintptr(unix.SIGCHLD)}, unix.EPERM},
	"clone3":            {unix.SYS_CLONE3, nothing, unix.ENOSYS},
	"ptrace":            {unix.SYS_PTRACE, [5]uintptr{unix.PTRACE_ATTACH, 1}, unix.EPERM},
	"process_vm_readv":  {unix.SYS_PROCESS_VM_READV, nothing, unix.EPERM},
	"process_vm_writev": {unix.SYS_PROCESS_VM_WRITEV, nothing, unix.EPERM},
	"keyctl":            {unix.SYS_KEYCTL, [5]uintptr{0, 0, 1}, unix.EPERM},
	"add_key":           {unix.SYS_ADD_KEY, nothing, unix.EPERM},
	"bpf":               {unix.SYS_BPF, nothing, unix.EPERM},
	"perf_event_open":   {unix.SYS_PERF_EVENT_OPEN, nothing, unix.EPERM},
	"userfaultfd":       {unix.SYS_USERFAULTFD, nothing, unix.EPERM},
	"io_uring_setup":    {unix.SYS_IO_URING_SETUP, nothing, unix.EPERM},
	"name_to_handle_at": {unix.SYS_NAME_TO_HANDLE_AT, nothing, unix.EPERM},
	"reboot":            {unix.SYS_REBOOT, nothing, unix.EPERM},
	"kexec_load":        {unix.SYS_KEXEC_LOAD, nothing, unix.EPERM},
	"syslog":            {unix.SYS_SYSLOG, nothing, unix.EPERM},
	"sethostname":       {unix.SYS_SETHOSTNAME, nothing, unix.EPERM},
	"ioctl TIOCSTI":     {unix.SYS_IOCTL, [5]uintptr{^uintptr(0), unix.TIOCSTI}, unix.EPERM},
	"ioctl TCGETS":      {unix.SYS_IOCTL, [5]uintptr{^uintptr(0), unix.TCGETS}, unix.EBADF}, // it reaches the kernel
	"socket packet":     {unix.SYS_SOCKET, [5]uintptr{unix.AF_PACKET, unix.SOCK_RAW}, unix.EAFNOSUPPORT},
	"socket vsock":      {unix.SYS_SOCKET, [5]uintptr{unix.AF_VSOCK, unix.SOCK_STREAM}, unix.EAFNOSUPPORT},
	"socket alg":        {unix.SYS_SOCKET, [5]uintptr{unix.AF_ALG, unix.SOCK_SEQPACKET}, unix.EAFNOSUPPORT},
	"socket raw":        {unix.SYS_SOCKET, [5]uintptr{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP}, unix.EPERM},
	"socket raw flags":  {unix.SYS_SOCKET, [5]uintptr{unix.AF_INET6, netlinkRaw, unix.IPPROTO_ICMPV6}, unix.EPERM},
	"socket netfilter":  {unix.SYS_SOCKET, [5]uintptr{unix.AF_NETLINK, netlinkRaw, unix.NETLINK_NETFILTER}, unix.EAFNOSUPPORT},
	"socket route":      {unix.SYS_SOCKET, [5]uintptr{unix.AF_NETLINK, netlinkRaw, unix.NETLINK_ROUTE}, 0},
	"socket unix":       {unix.SYS_SOCKET, [5]uintptr{unix.AF_UNIX, unix.SOCK_STREAM}, 0},
	"socket tcp":        {unix.SYS_SOCKET, [5]uintptr{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, 0},
	"socket udp6":       {unix.SYS_SOCKET, [5]uintptr{unix.AF_INET6, unix.SOCK_DGRAM}, 0},
	"getpid":            {unix.SYS_GETPID, [5]uintptr{}, 0},
}

// tryCalls is the program in the sandbox: it says what came of each call.
func tryCalls(args []string) int {
	if len(args) == 1 && args[0] == "x32" {
		_, _, errno := unix.RawSyscall(0x40000000|unix.SYS_GETPID, 0, 0, 0)
		fmt.Println("it goes on:", errno)
		return 0
	}
	for _, name := range slices.Sorted(maps.Keys(systemCalls)) {
		c := systemCalls[name]
		result, _, errno := unix.RawSyscall6(c.number, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], 0)
		if c.number == unix.SYS_CLONE && errno == 0 {
			if result == 0 { // the child of a call that was to be refused
				unix.Exit(0)
			}
			fmt.Println(name, "made a process")
		}
		if errno != c.want {
			fmt.Printf("%s: %v, want %v\n", name, errno, c.want)
		}
	}
	fmt.Println("tried", len(systemCalls))
	return 0
}

// testProgram puts this program into the workspace, where a sandboxed command
// finds it.
func (b *bench) testProgram() {
	b.t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(filepath.Join(b.ws.Dir, "program"), os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		b.t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		b.t.Fatal(err)
	}
}

// What no build needs is refused in the sandbox, and what one needs is not.
func TestSandboxFiltersCalls(t *testing.T) {
	b := sandboxed(t, Options{Env: map[string]string{"CLEW_TEST_CALLS": "1"}})
	b.testProgram()
	if out, _ := b.run("./program"); out != fmt.Sprint("tried ", len(systemCalls)) {
		t.Errorf("%s", out)
	}
	if out, _ := b.run("grep ^Seccomp: /proc/self/status; mkfifo pipe && echo made"); out != "Seccomp:\t2\nmade" {
		t.Errorf("%s", out)
	}
	if out, _ := b.run("ls /proc/self/fd | tr '\\n' ' '"); strings.TrimSpace(out) != "0 1 2 3" { // 3 is what ls reads
		t.Errorf("a command has files open that are not its own: %s", out)
	}
	if runtime.GOARCH != "amd64" {
		return
	}
	if out, r := b.run("./program x32"); r.ExitCode == nil || *r.ExitCode != 128+int(unix.SIGSYS) {
		t.Errorf("a call of another architecture: %s", out)
	}
}
