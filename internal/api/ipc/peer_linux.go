package ipc

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// checkPeer refuses a process of another user. The file's mode does that
// already; this holds when somebody has changed the mode.
func checkPeer(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var cred *syscall.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if credErr != nil {
		return credErr
	}
	return checkUser(int(cred.Uid), os.Geteuid())
}

// checkUser lets in the server's own user, and the one who may do everything.
func checkUser(uid, own int) error {
	if uid != own && uid != 0 {
		return fmt.Errorf("user %d is not the server's user %d", uid, own)
	}
	return nil
}
