package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/auth"
)

// openHTTP makes the HTTP server, which says that the node is not ready until it
// is. It gives the listener to serve it on.
func (s *Server) openHTTP(listener net.Listener) (net.Listener, error) {
	proxies, err := auth.NewProxies(s.cfg.Proxies)
	if err != nil {
		return listener, err
	}
	s.connections = newConnections(s.cfg.Limits.Connections, s.cfg.Limits.ConnectionsPerAddress, func(ip net.IP) bool {
		return ip.IsLoopback() || proxies.Has(ip)
	})
	s.http = &http.Server{
		Handler: http.HandlerFunc(s.answer), ConnState: s.connections.note, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	if s.cfg.TLSCert == "" {
		return listener, nil
	}
	cert, err := tls.LoadX509KeyPair(s.cfg.TLSCert, s.cfg.TLSKey)
	if err != nil {
		return listener, fmt.Errorf("TLS certificate: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}), nil
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if !s.idle.enter() {
		api.Starting(w, r)
		return
	}
	defer s.leaveRequest()
	if open := s.open.Load(); open != nil {
		(*open).ServeHTTP(w, r)
		return
	}
	api.Starting(w, r)
}

func (s *Server) serveHTTP(listener net.Listener) {
	s.work.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) { // it is closed if the start fails
			s.log.Error("http", "err", err)
		}
	})
}
