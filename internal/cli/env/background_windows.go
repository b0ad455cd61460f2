package env

import (
	"context"
	"syscall"
	"time"
)

// On Windows clew is a client only: no server is started.

func ownSession() *syscall.SysProcAttr { return nil }

func lockFile(context.Context, string, time.Duration) (unlock func(), err error) {
	return nil, errClientOnly
}

func terminate(int) error { return errClientOnly }

func foreignRoot(string, string) bool { return true }
