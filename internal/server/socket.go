package server

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api/ipc"
	"github.com/clew-run/clew/internal/auth"
)

// socketFile is the local socket's name in the data directory. Programs look for
// it there.
const socketFile = "clew.sock"

// openSocket opens the local socket. One that nobody asked for and that this
// system cannot have is left out.
func (s *Server) openSocket() error {
	path := s.cfg.Socket
	asked := path != ""
	if !asked && s.cfg.Data != "" {
		path = filepath.Join(s.cfg.Data, socketFile)
	}
	if path == "" || path == "off" {
		return nil
	}
	by := clew.Principal{User: auth.OwnerUser, Role: clew.RoleAdmin}
	if s.cfg.Auth.Mode == "off" {
		by.User = auth.LocalUser
	}
	socket, err := ipc.Listen(ipc.Options{
		Path: path, Host: ipc.HostOf(s.host), By: by, URL: s.localURL(), Version: Version,
		Frame: s.cfg.Limits.Frame, WriteTimeout: s.cfg.Limits.WriteTimeout, Log: s.log,
		Connected: func(id clew.ClientID) {
			s.touch()
			s.log.Debug("local socket: connected", "client_id", id)
		},
		Disconnected: func(id clew.ClientID) { s.log.Debug("local socket: disconnected", "client_id", id) },
	})
	var long *ipc.TooLongError
	if err != nil && !asked && (errors.As(err, &long) || runtime.GOOS == "windows") {
		s.log.Warn("there is no local socket", "err", err)
		return nil
	}
	if err != nil {
		return err
	}
	s.socket.Store(socket)
	return nil
}

// hidden is what commands of agents must not reach in their sandbox: who opens the
// socket acts as the owner.
func (c Config) hidden() []string {
	if c.Socket == "" || c.Socket == "off" {
		return []string{c.Data}
	}
	return []string{c.Data, c.Socket}
}

// tellSocket passes on that a session has new records. Those that come before
// the socket is open have no listener.
func (s *Server) tellSocket(id clew.SessionID, first uint64) {
	if socket := s.socket.Load(); socket != nil {
		socket.Moved(id, first)
	}
}

// localURL is where programs on this machine reach the server.
func (s *Server) localURL() string {
	return strings.Replace(s.URL(), "//0.0.0.0:", "//127.0.0.1:", 1)
}
