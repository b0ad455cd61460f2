package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// listenMetrics serves the figures on an address of their own, if one is given.
// Nobody is asked for credentials there: who may reach it is up to the operator.
func (s *Server) listenMetrics(figures http.Handler) error {
	if s.cfg.MetricsListen == "" {
		return nil
	}
	listener, err := net.Listen("tcp", s.cfg.MetricsListen)
	if err != nil {
		return fmt.Errorf("cannot listen on metrics_listen %s: %w", s.cfg.MetricsListen, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", figures)
	s.figures = &http.Server{
		Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.figuresAt = listener.Addr()
	s.work.Go(func() {
		if err := s.figures.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("metrics", "err", err)
		}
	})
	return nil
}

// metrics serves the node's counters in Prometheus' form.
func (s *Server) metrics() http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, get func() float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "clew", Name: name, Help: help}, get))
	}
	counter := func(name, help string, n *atomic.Int64) {
		reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "clew", Name: name, Help: help},
			func() float64 { return float64(n.Load()) }))
	}
	gauge("sandbox", "1 if commands of agents run in a sandbox, 0 if not.", func() float64 {
		if ok, _ := s.shop.sandboxed(); ok {
			return 1
		}
		return 0
	})
	gauge("storage_writable", "1 if the store takes records, 0 while it is read-only.", func() float64 {
		if s.journal.Writable() != nil {
			return 0
		}
		return 1
	})
	gauge("storage_heals", "How often the store came back from being read-only since the start.", func() float64 {
		storage, _ := s.journal.Storage()
		return float64(storage.Heals)
	})
	gauge("disk_free_bytes", "Room that is left on the data directory's disk.", func() float64 {
		free, _, _ := s.reserve.Look()
		return float64(free)
	})
	gauge("disk_reserve_bytes", "Room below which nothing new is begun.", func() float64 {
		_, reserve, _ := s.reserve.Look()
		return float64(reserve)
	})
	gauge("command_groups", "1 if control groups hold memory and processes of commands, 0 if only the limits of a process do.", func() float64 {
		if s.cfg.Groups != nil {
			return 1
		}
		return 0
	})
	gauge("sessions_loaded", "Sessions in memory.", func() float64 { return float64(s.host.Loaded()) })
	c := &s.gateway.Counters
	gauge("connections", "Open WebSocket connections.", func() float64 { return float64(c.Connections.Load()) })
	gauge("connections_waiting", "Connections not yet authenticated.", func() float64 { return float64(c.Waiting.Load()) })
	gauge("local_clients", "Clients of the local socket.", func() float64 {
		if socket := s.socket.Load(); socket != nil {
			return float64(socket.Clients())
		}
		return 0
	})
	counter("connections_accepted_total", "Connections accepted.", &c.Accepted)
	counter("connections_turned_away_total", "Connections that were closed because there were too many.", &s.connections.turnedAway)
	counter("connections_refused_total", "Connections turned away before the upgrade.", &c.Refused)
	counter("frames_in_total", "Frames received.", &c.FramesIn)
	counter("frames_out_total", "Frames sent.", &c.FramesOut)
	counter("bytes_in_total", "Bytes received.", &c.BytesIn)
	counter("bytes_out_total", "Bytes sent.", &c.BytesOut)
	counter("replayed_total", "Records sent again after a reconnect.", &c.Replayed)
	counter("caught_up_total", "Records read from the journal for a reader that fell out of memory.", &c.CaughtUp)
	counter("reattached_total", "Connections that followed their session to another owner.", &c.Reattached)
	counter("slow_closed_total", "Connections closed because the client was too slow.", &c.SlowClosed)
	counter("rate_limited_total", "Messages refused by a rate limit.", &c.RateLimited)
	counter("panics_total", "Handlers that panicked.", &c.Panics)
	counter("push_sent_total", "Messages that push services took.", &s.push.Counters.Sent)
	counter("push_retried_total", "Messages to push services that are tried again.", &s.push.Counters.Retried)
	counter("push_given_up_total", "Messages that push services did not take.", &s.push.Counters.GivenUp)
	counter("push_gone_total", "Subscriptions of browsers that had ended.", &s.push.Counters.Gone)
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
}
