//go:build linux && (amd64 || arm64)

package limit

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// What the filter answers to a call, by its architecture, number and arguments.
// That the kernel does so too, the tests of the sandbox show.
func TestFilter(t *testing.T) {
	vm, err := bpf.NewVM(instructions())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(arch, number uint32, args ...uint32) uint32 {
		t.Helper()
		call := make([]byte, 64)
		binary.BigEndian.PutUint32(call[callNumber:], number)
		binary.BigEndian.PutUint32(call[callArch:], arch)
		for i, a := range args {
			binary.BigEndian.PutUint32(call[int(callFirstArg)+8*i:], a)
		}
		answer, err := vm.Run(call)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(answer)
	}
	const eperm, enosys, family = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM), unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS), unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
	for _, c := range []struct {
		what string
		arch uint32
		call []uint32
		want uint32
	}{
		{"a call", auditArch, []uint32{unix.SYS_READ}, allow},
		{"of a 32-bit program", unix.AUDIT_ARCH_I386, []uint32{unix.SYS_READ}, kill},
		{"of an ARM program", unix.AUDIT_ARCH_ARM, []uint32{unix.SYS_READ}, kill},
		{"of x32", auditArch, []uint32{x32Calls | unix.SYS_READ}, kill},
		{"of what there is not yet", auditArch, []uint32{2000}, allow},
		{"clone3", auditArch, []uint32{unix.SYS_CLONE3}, enosys},
		{"a thread", auditArch, []uint32{unix.SYS_CLONE, unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SETTLS}, allow},
		{"a namespace of users", auditArch, []uint32{unix.SYS_CLONE, unix.CLONE_NEWUSER}, eperm},
		{"a namespace of mounts beside much else", auditArch, []uint32{unix.SYS_CLONE, unix.CLONE_NEWNS | unix.CLONE_VM | unix.CLONE_VFORK}, eperm},
		{"TIOCSTI", auditArch, []uint32{unix.SYS_IOCTL, 0, unix.TIOCSTI}, eperm},
		{"TIOCLINUX", auditArch, []uint32{unix.SYS_IOCTL, 0, tioclinux}, eperm},
		{"TIOCGWINSZ", auditArch, []uint32{unix.SYS_IOCTL, 0, unix.TIOCGWINSZ}, allow},
		{"raw", auditArch, []uint32{unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_RAW | unix.SOCK_NONBLOCK}, eperm},
		{"packet by type", auditArch, []uint32{unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_PACKET}, eperm},
		{"route", auditArch, []uint32{unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, allow},
		{"audit", auditArch, []uint32{unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, family},
		{"bluetooth", auditArch, []uint32{unix.SYS_SOCKET, unix.AF_BLUETOOTH, unix.SOCK_STREAM}, family},
		{"tcp", auditArch, []uint32{unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow},
	} {
		if got := ask(c.arch, c.call[0], c.call[1:]...); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.what, got, c.want)
		}
	}
	for _, call := range refused {
		if got := ask(auditArch, call); got != eperm {
			t.Errorf("call %d: %#x", call, got)
		}
	}
	if n := len(Filter()); n == 0 || n%8 != 0 || n/8 > 4096 {
		t.Errorf("a filter of %d bytes", n)
	}
}
