//go:build linux && (amd64 || arm64)

package limit

import (
	"encoding/binary"
	"sync"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are calls that no build needs and that holes in the kernel were found
// behind. They fail with EPERM, so that a program can go on without. Mkfifo is
// made of mknod, so that one stays: devices need rights that nobody has inside.
var refused = append([]uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
}, refusedHere...)

// What a filter answers.
const (
	allow = unix.SECCOMP_RET_ALLOW
	kill  = unix.SECCOMP_RET_KILL_PROCESS
)

func fail(errno unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

// Where the kernel shows a call's number, architecture and arguments; of the
// arguments the lower halves, which is all that these calls look at.
const (
	callNumber   = bpf4(0)
	callArch     = bpf4(4)
	callFirstArg = bpf4(16)
	callSecond   = bpf4(24)
	callThird    = bpf4(32)
)

type bpf4 uint32

func (at bpf4) load() bpf.Instruction { return bpf.LoadAbsolute{Off: uint32(at), Size: 4} }

const (
	x32Calls      = 0x40000000 // on amd64: calls with 32-bit pointers have numbers from here on
	newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	tioclinux     = 0x541c
)

// instructions are the filter. Programs of another architecture, whose calls have
// other numbers, are ended.
func instructions() []bpf.Instruction {
	p := []bpf.Instruction{
		callArch.load(),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		callNumber.load(),
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32Calls, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
	}
	for _, call := range refused {
		p = append(p, on(call, fail(unix.EPERM))...)
	}
	// Its flags are in memory, where a filter sees nothing. Libraries take clone instead.
	p = append(p, on(unix.SYS_CLONE3, fail(unix.ENOSYS))...)
	p = append(p, on(unix.SYS_CLONE,
		callFirstArg.load(),
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: newNamespaces, SkipTrue: 1},
		fail(unix.EPERM),
		bpf.RetConstant{Val: allow})...)
	p = append(p, on(unix.SYS_IOCTL, // typing into a terminal
		callSecond.load(),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: tioclinux, SkipTrue: 1},
		fail(unix.EPERM),
		bpf.RetConstant{Val: allow})...)
	p = append(p, on(unix.SYS_SOCKET, sockets()...)...)
	return append(p, bpf.RetConstant{Val: allow})
}

// on does something about one call. What it does ends with an answer.
func on(call uint32, do ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: uint8(len(do))}}, do...) //nolint:gosec // a few
}

// sockets lets unix sockets, TCP, UDP and the list of network interfaces through.
func sockets() []bpf.Instruction {
	return []bpf.Instruction{
		callFirstArg.load(),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX, SkipTrue: 6},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 5},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 2},
		callThird.load(),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 6},
		fail(unix.EAFNOSUPPORT),
		callSecond.load(), // unix and internet: the type
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_RAW, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SOCK_PACKET, SkipTrue: 1},
		fail(unix.EPERM),
		bpf.RetConstant{Val: allow},
	}
}

// Filter gives the filter as the kernel reads it, "" on a machine that none was
// written for.
var Filter = sync.OnceValue(func() string {
	raw, err := bpf.Assemble(instructions())
	if err != nil {
		panic("limit: the filter is wrong: " + err.Error())
	}
	var b []byte
	for _, i := range raw {
		b = binary.NativeEndian.AppendUint16(b, i.Op)
		b = append(b, i.Jt, i.Jf)
		b = binary.NativeEndian.AppendUint32(b, i.K)
	}
	return string(b)
})
