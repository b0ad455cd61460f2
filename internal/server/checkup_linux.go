package server

import "golang.org/x/sys/unix"

// distant names filesystems on which locks and flushes may not hold what they
// promise, and those that forget.
var distant = map[uint32]string{
	0x6969:     "NFS",
	0xff534d42: "a Windows share (CIFS)",
	0xfe534d42: "a Windows share (SMB)",
	0x01021994: "tmpfs, which is gone after a restart",
	0x01021997: "a share of the host (9p)",
}

// filesystem names the filesystem of a directory if it is no good place for a
// store, else "".
func filesystem(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return ""
	}
	return distant[uint32(s.Type)] //nolint:gosec // magic numbers have 32 bits
}
