package client

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// checkServer refuses a server of another user.
func checkServer(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var cred *syscall.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err != nil || credErr != nil {
		return errors.Join(err, credErr)
	}
	return mayServe(int(cred.Uid), os.Geteuid())
}

// longestName is what a socket address holds.
const longestName = 107

// shortName gives a name for path that fits into a socket address: if it is too
// long, one by way of its directory. done lets the directory go.
func shortName(path string) (name string, done func(), err error) {
	if len(path) <= longestName {
		return path, func() {}, nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	name = filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), filepath.Base(path))
	return name, func() { _ = dir.Close() }, nil
}
