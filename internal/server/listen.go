package server

import (
	"net"
	"os"
	"path/filepath"
	"strings"
)

// listenFile remembers the address of a server in the background, so that links to it
// stay as they are.
const listenFile = "listen"

// listen opens the address of HTTP. A server in the background that was told no address
// takes the one that it had last, else the usual one, else any that is free.
func (c Config) listen() (net.Listener, error) {
	usual := DefaultConfig().Listen
	if !c.Background || c.Listen != usual {
		return net.Listen("tcp", c.Listen)
	}
	file := filepath.Join(c.Data, listenFile)
	last, _ := os.ReadFile(file) // the first time there is none
	var l net.Listener
	var err error
	for _, address := range []string{strings.TrimSpace(string(last)), usual, "127.0.0.1:0"} {
		if !loopbackAddress(address) { // the file is no way to open the server to others
			continue
		}
		if l, err = net.Listen("tcp", address); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if now := l.Addr().String(); now != strings.TrimSpace(string(last)) {
		if err := os.MkdirAll(c.Data, 0o700); err != nil {
			return l, nil //nolint:nilerr // the store says so better
		}
		_ = os.WriteFile(file, []byte(now+"\n"), 0o600) // the next start may get another port
	}
	return l, nil
}

func loopbackAddress(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}
