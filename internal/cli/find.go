package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/clew-run/clew/client"
)

// find gives the address of the server that a command talks to: the one that is
// named, else the one whose local socket is in the data directory, else the usual
// one. local says that it is on this machine, whatever its address looks like.
func (a *app) find(r remote) (address string, local bool) {
	if named := firstOf(r.server, a.getenv(envPrefix+"SERVER")); named != "" {
		return named, false
	}
	if path, err := a.socketFile(r); err == nil && path != "" {
		if ack, err := client.FindLocal(context.Background(), path); err == nil && ack.URL != "" {
			return ack.URL, true
		}
	}
	return defaultServer, false
}

// socketFile is where the server's local socket would be, "" if there is none.
func (a *app) socketFile(r remote) (string, error) {
	if path := a.getenv(envPrefix + "SOCKET"); path == "off" {
		return "", nil
	} else if path != "" && r.data == "" {
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
