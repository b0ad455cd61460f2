package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// A Scale is what a node holds, and what it costs.
type Scale struct {
	Sessions int `json:"sessions"`
	// CreateSeconds and SealSeconds: making the cold sessions. The store is
	// flushed once a minute meanwhile, since that is not what is measured.
	CreateSeconds float64 `json:"create_seconds"`
	SealSeconds   float64 `json:"seal_seconds"`
	// ColdMiB: memory of a server with these sessions, all sealed, beyond that
	// of an empty server; target below 100. ColdMiBRestarted is the same after
	// a restart.
	ColdMiB          float64 `json:"cold_mib"`
	ColdMiBRestarted float64 `json:"cold_mib_restarted"`
	RestartSeconds   float64 `json:"restart_seconds"`
	// As in Figures, at full size.
	OpenManySessions float64 `json:"open_many_sessions"`
	Records          int     `json:"records"`
	RecordsSeconds   float64 `json:"records_seconds"`
	OpenLongSession  float64 `json:"open_long_session"`
	PageLongSession  float64 `json:"page_long_session"`
	// ConnectionKiB: memory of the server for each of Connections idle clients
	// of 100 sessions; target at most 20. The other one has a session for each.
	Connections            int     `json:"connections"`
	ConnectionKiB          float64 `json:"connection_kib"`
	ConnectionOwnKiB       float64 `json:"connection_own_session_kib"`
	ConnectSeconds         float64 `json:"connect_seconds"`
	ConnectOwnSecondsTotal float64 `json:"connect_own_session_seconds"`

	Detail map[string]any `json:"detail"`
}

// scale fills a node up to what it must carry, and prints what that costs.
func scale(o options) error {
	b := &bench{size: fullSize, started: time.Now(), figures: Figures{Detail: map[string]any{}}}
	s := Scale{Connections: 10_000}
	if o.smoke {
		b.size, s.Connections = smokeSize, 200
	}
	if o.sessions > 0 {
		b.size.largeSessions = o.sessions
	}
	if o.records > 0 {
		b.size.longRecords = o.records
	}
	clean, err := b.makeDir(o)
	if err != nil {
		return err
	}
	defer clean()
	defer b.stop(false)
	s.Sessions, s.Records = b.size.largeSessions, b.size.longRecords
	for _, step := range []func(*Scale) error{b.scaleConnections, b.scaleSessions, b.scaleRecords, b.scaleRestart} {
		if err := step(&s); err != nil {
			return err
		}
	}
	s.Detail = b.figures.Detail
	out := json.NewEncoder(o.out)
	if !o.asJSON {
		out.SetIndent("", "  ")
	}
	return out.Encode(s)
}

// fillPart is how many sessions are in memory at once while they are made, which
// is what a busy server may have.
const fillPart = 2500

// scaleSessions fills one server with cold sessions and another with few.
func (b *bench) scaleSessions(s *Scale) error {
	dir := filepath.Join(b.dir, "large")
	var err error
	if b.large, err = startRole("clew", "-lazy", "-dir", dir); err != nil {
		return err
	}
	empty, err := memory(b.large)
	if err != nil {
		return err
	}
	for from := 0; from < s.Sessions; from += fillPart {
		start := time.Now()
		if err := b.large.ask("create", fill{Set: "many", From: from, To: min(from+fillPart, s.Sessions)}, nil); err != nil {
			return err
		}
		s.CreateSeconds += time.Since(start).Seconds()
		start = time.Now()
		if err := b.large.ask("seal", nil, nil); err != nil {
			return err
		}
		s.SealSeconds += time.Since(start).Seconds()
		b.logf("%d sessions, created in %.0f s, sealed in %.0f s", min(from+fillPart, s.Sessions), s.CreateSeconds, s.SealSeconds)
	}
	s.CreateSeconds, s.SealSeconds = round(s.CreateSeconds), round(s.SealSeconds)
	if s.ColdMiB, err = beyond(b.large, empty); err != nil {
		return err
	}
	b.logf("memory beyond an empty server: %.1f MiB", s.ColdMiB)
	return nil
}

// scaleRestart looks at the large store's memory in a fresh process.
func (b *bench) scaleRestart(s *Scale) error {
	b.large.stop()
	b.large = nil
	server, err := startRole("clew", "-lazy", "-dir", filepath.Join(b.dir, "fresh"))
	if err != nil {
		return err
	}
	empty, err := memory(server)
	server.stop()
	if err != nil {
		return err
	}
	start := time.Now()
	if b.large, err = startRole("clew", "-dir", filepath.Join(b.dir, "large")); err != nil {
		return err
	}
	if err := b.large.ask("where", nil, nil); err != nil {
		return err
	}
	s.RestartSeconds = round(time.Since(start).Seconds())
	s.ColdMiBRestarted, err = beyond(b.large, empty)
	b.logf("after a restart: %.1f MiB", s.ColdMiBRestarted)
	return err
}

// scaleRecords fills a long session and compares opening, in many sessions and
// in a long one.
func (b *bench) scaleRecords(s *Scale) error {
	var err error
	if b.small, err = startRole("clew", "-lazy", "-dir", filepath.Join(b.dir, "small")); err != nil {
		return err
	}
	start := time.Now()
	if err := b.fillSmall(); err != nil {
		return err
	}
	s.RecordsSeconds = round(time.Since(start).Seconds())
	b.logf("%d records in %.0f s", s.Records, s.RecordsSeconds)
	if err := b.openMany(); err != nil {
		return err
	}
	if err := b.openLong(); err != nil {
		return err
	}
	s.OpenManySessions, s.OpenLongSession = b.figures.OpenManySessions, b.figures.OpenLongSession
	if d, ok := b.figures.Detail["open_long_session"].(map[string]any); ok {
		s.PageLongSession, _ = d["page_long_session"].(float64)
	}
	return nil
}

// scaleConnections opens idle connections and looks at the server's memory.
func (b *bench) scaleConnections(s *Scale) error {
	var err error
	s.ConnectionKiB, s.ConnectSeconds, err = b.connections(s.Connections, 100)
	if err != nil {
		return err
	}
	b.logf("%d connections to 100 sessions: %.1f KiB each", s.Connections, s.ConnectionKiB)
	s.ConnectionOwnKiB, s.ConnectOwnSecondsTotal, err = b.connections(s.Connections, s.Connections)
	b.logf("%d connections to a session each: %.1f KiB each", s.Connections, s.ConnectionOwnKiB)
	return err
}

// connections gives the server's memory for each of count idle connections
// spread over some sessions, and how long they took to come in.
func (b *bench) connections(count, sessions int) (kib, seconds float64, err error) {
	server, err := startRole("clew", "-dir", filepath.Join(b.dir, fmt.Sprintf("idle-%d", sessions)))
	if err != nil {
		return 0, 0, err
	}
	defer server.stop()
	clients, err := startRole("clients")
	if err != nil {
		return 0, 0, err
	}
	defer clients.stop()
	var where address
	if err := server.ask("where", nil, &where); err != nil {
		return 0, 0, err
	}
	how := connecting{Addr: where.Addr, Path: "/ws/sess_idle_%05d", Settle: greeting, Sessions: sessions, Count: min(200, count)}
	if err := clients.ask("connect", how, nil); err != nil { // what the first clients need stays
		return 0, 0, err
	}
	if err := clients.ask("close", nil, nil); err != nil {
		return 0, 0, err
	}
	before, err := memory(server)
	if err != nil {
		return 0, 0, err
	}
	how.Count = count
	start := time.Now()
	if err := clients.ask("connect", how, nil); err != nil {
		return 0, 0, err
	}
	seconds = round(time.Since(start).Seconds())
	after, err := memory(server)
	if err != nil {
		return 0, 0, err
	}
	var alive int
	if err := clients.ask("alive", nil, &alive); err != nil {
		return 0, 0, err
	}
	if alive != count {
		return 0, 0, fmt.Errorf("%d of %d connections are left", alive, count)
	}
	return round(float64(after-before) / float64(count)), seconds, nil
}

// memory gives a child's memory in KiB, once it has settled.
func memory(c *child) (kib int, err error) {
	for range 3 {
		if err := c.ask("rss", nil, &kib); err != nil {
			return 0, err
		}
	}
	return kib, nil
}

// beyond gives in MiB what a child takes more than an empty one.
func beyond(c *child, empty int) (float64, error) {
	kib, err := memory(c)
	return round(float64(kib-empty) / 1024), err
}
