package shell

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileIdentity tells a file from all others, also from one that has its number after it
// was removed: that one was born later. It is "" if the file is not there.
func fileIdentity(name string) string {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &st) != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d %d %d.%09d", st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec)
}
