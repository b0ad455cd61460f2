package env

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// find gives the address of the server that a command talks to: the one that is
// named, else the one whose local socket is in the data directory. socket is that
// one then: it vouched for the server, which may have the owner token.
//
// Whoever listens at the usual address while no server runs is a stranger, to whom
// nothing is shown but a token that the caller set for the purpose.
func (a *App) find(r Remote) (address, socket string, err error) {
	if named := FirstOf(r.Server, a.Getenv(EnvPrefix+"SERVER")); named != "" {
		return named, "", nil
	}
	path, err := a.socketFile(r)
	if err == nil && path != "" {
		ack, err := client.FindLocal(context.Background(), path)
		if err == nil && thisMachine(ack.URL) {
			a.tellVersion(ack.Version, r)
			return ack.URL, path, nil
		}
	}
	if a.Getenv(EnvPrefix+"TOKEN") != "" {
		return defaultServer, "", nil
	}
	why, ok := a.mayStart(r)
	if ok {
		return a.autostart(context.Background(), r)
	}
	dir, err := a.dataDir(r)
	if err != nil {
		return "", "", err
	}
	if why != "" {
		return "", "", clew.Errorf(clew.ConnectionFailed, "no server runs in %s, and none is started: %s. Start one: clew serve --detach", dir, why).Advised()
	}
	return "", "", clew.Errorf(clew.ConnectionFailed, "no server runs in %s. Start one: clew serve --detach. For one elsewhere set CLEW_SERVER and CLEW_TOKEN", dir).Advised()
}

// thisMachine reports whether an address is one of this machine's own.
func thisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if Loopback(u.Hostname()) {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	own, err := net.InterfaceAddrs()
	if ip == nil || err != nil {
		return false
	}
	for _, addr := range own {
		if n, ok := addr.(*net.IPNet); ok && n.IP.Equal(ip) {
			return true
		}
	}
	return false
}

// SocketOf names the local socket of the server of a data directory, whether or not it
// runs, and that directory.
func (a *App) SocketOf(r Remote) (socket, dir string, err error) {
	if dir, err = a.dataDir(r); err == nil {
		dir, err = filepath.Abs(dir)
	}
	socket = filepath.Join(dir, client.LocalSocket)
	if path := a.Getenv(EnvPrefix + "SOCKET"); path != "" && path != "off" && r.Data == "" {
		socket = path
	}
	return socket, dir, err
}

// socketFile is where the server's local socket would be, "" if there is none.
func (a *App) socketFile(r Remote) (string, error) {
	if path := a.Getenv(EnvPrefix + "SOCKET"); path == "off" {
		return "", nil
	} else if path != "" && r.Data == "" {
		return path, nil
	}
	dir, err := a.dataDir(r)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, client.LocalSocket)
	_, err = os.Lstat(path)
	return path, err
}
