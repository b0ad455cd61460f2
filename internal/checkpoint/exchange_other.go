//go:build !linux

package checkpoint

import "golang.org/x/sys/unix"

func exchange(int, string, string) error { return unix.ENOTSUP }

func renameNew(int, string, string) error { return unix.ENOTSUP }
