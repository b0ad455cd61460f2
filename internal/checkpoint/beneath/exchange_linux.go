package beneath

import (
	"golang.org/x/sys/unix"
)

// Exchange has two names of a directory change places, at once.
func Exchange(dir int, a, b string) error {
	return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
}

// RenameNew gives something a name that nothing has.
func RenameNew(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}
