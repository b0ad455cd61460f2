package limit

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// refusedHere are calls that other machines have not.
var refusedHere = []uint32{unix.SYS_IOPERM, unix.SYS_IOPL}
