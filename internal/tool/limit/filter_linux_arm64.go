package limit

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// refusedHere are calls that other machines have not.
var refusedHere []uint32
