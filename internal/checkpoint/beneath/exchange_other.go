//go:build !linux

package beneath

import "golang.org/x/sys/unix"

func Exchange(int, string, string) error { return unix.ENOTSUP }

func RenameNew(int, string, string) error { return unix.ENOTSUP }
