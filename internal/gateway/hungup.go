package gateway

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// hungUp reports whether the client has closed its side of a socket already. A
// handshake that took long, while a session was loaded for instance, may be one
// that its client gave up and repeated: it must not take the place of the
// connection that the client has by now.
func hungUp(sock net.Conn) bool {
	if inner, ok := sock.(interface{ NetConn() net.Conn }); ok { // TLS
		sock = inner.NetConn()
	}
	sc, ok := sock.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		gone = err == nil && n == 0 || errors.Is(err, unix.ECONNRESET)
	})
	return gone && err == nil
}
