//go:build !linux

package ipc

import "net"

// checkPeer leaves it to the file's mode who may come in.
func checkPeer(*net.UnixConn) error { return nil }
