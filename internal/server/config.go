// Package server puts the parts together: it builds, starts and stops them, and
// tells one what another has noticed.
package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/gateway"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/limit"
)

// Config is everything that can be set from outside, by file, environment or
// flag.
type Config struct {
	Listen string `koanf:"listen"` // address of HTTP and WebSocket
	Data   string `koanf:"data"`   // directory of everything that is kept
	Engine string `koanf:"engine"` // embedded, or nats:// URLs of a cluster

	// Socket is the path of the local socket for programs on this machine, or off;
	// "" is clew.sock in the data directory.
	Socket string `koanf:"socket"`

	// Settings is the file with the settings of agents and tools; see
	// docs/settings.md. They can be changed while the server runs, which wins.
	Settings string `koanf:"settings"`

	// Workspaces lists directories below which everybody may have sessions work.
	// Administrators may choose any; a session without one has its own below
	// the data directory.
	Workspaces []string `koanf:"workspaces"`

	// DiskReserve is the room on the data directory's disk below which nothing new
	// is begun: a share such as 5%, an amount such as 10GB, or 0.
	DiskReserve string `koanf:"disk_reserve"`

	// ReportFont is a TTF file for what the built-in fonts of PDF reports lack,
	// such as Korean.
	ReportFont string `koanf:"report_font"`

	Auth    Auth    `koanf:"auth"`
	Journal Journal `koanf:"journal"`
	Limits  Limits  `koanf:"limits"`
	Log     Log     `koanf:"log"`

	Origins []string `koanf:"origins"` // further origins whose pages may connect
	Hosts   []string `koanf:"hosts"`   // further names this server is reached by
	Proxies []string `koanf:"proxies"` // addresses of reverse proxies whose X-Forwarded-* counts

	TLSCert string `koanf:"tls_cert"`
	TLSKey  string `koanf:"tls_key"`

	// MetricsListen is an address of its own for /metrics, which needs no
	// credentials there; "" leaves it to administrators, at Listen.
	MetricsListen string `koanf:"metrics_listen"`
	// OTLPEndpoint turns traces on: the URL of an OTLP/HTTP collector.
	OTLPEndpoint string `koanf:"otlp_endpoint"`
	// IdleAfter is how long a session that nobody uses stays in memory.
	IdleAfter time.Duration `koanf:"idle_after"`
	// IdleExit is how long a server in the background stays that nobody needs; 0 is
	// for as long as the machine runs.
	IdleExit time.Duration `koanf:"idle_exit"`
	// StopAfter bounds a graceful stop.
	StopAfter time.Duration `koanf:"stop_after"`

	// Background says that the server was started for somebody, in the background: it
	// ends when it is idle, and takes another port if the usual one is in use.
	Background bool `koanf:"-"`
	// Environ is where settings and secrets of the environment are looked for;
	// nil is the process's own.
	Environ []string `koanf:"-"`
	// kernelEnviron, if set, is where kernels of notebooks are looked for in place of Environ.
	kernelEnviron []string `koanf:"-"`
	// furnish, if set, makes the directory of a session that was made without one.
	furnish func(dir string) error
	// loginShell is asked for PATH and variables when a session did not begin in a
	// terminal; "" asks nobody. Run sets it.
	loginShell string
	// Providers are further model providers by name, for programs that embed a
	// server. A profile uses one by naming it.
	Providers map[string]llm.Provider `koanf:"-"`
	// Ready, if it is given, is called once the server takes connections, with an
	// address that opens the web UI signed in as the owner, once. It should return
	// soon.
	Ready func(ctx context.Context, page string) `koanf:"-"`
	// Groups hold the commands of agents; without any they are limited process by
	// process. Run divides the control group that the program was given.
	Groups limit.Groups `koanf:"-"`
	// Clock tells the time; nil is the machine's.
	Clock clock.Clock `koanf:"-"`
	// Redactor keeps secrets out of the log that the server was given.
	Redactor *settings.Redactor `koanf:"-"`
}

// Auth says who may come in.
type Auth struct {
	Mode           string `koanf:"mode"`            // on, or off (loopback only)
	QueryToken     bool   `koanf:"query_token"`     // take ?token= too; for development
	FirstMessage   bool   `koanf:"first_message"`   // take `auth` as the first message
	CreateSessions bool   `koanf:"create_sessions"` // connecting to an unknown session makes it; always with mode off
	HMACSecretFile string `koanf:"hmac_secret_file"`
	JWKSURL        string `koanf:"jwks_url"`
	JWKSFile       string `koanf:"jwks_file"`
	Issuer         string `koanf:"issuer"`
	Audience       string `koanf:"audience"`
	RoleClaim      string `koanf:"role_claim"`
	AllowAdmin     bool   `koanf:"allow_admin"`
}

// Journal says how records are kept.
type Journal struct {
	Archive      string        `koanf:"archive"`       // blob store URL; "" = in the data directory
	Prefix       string        `koanf:"prefix"`        // of streams and subjects
	Partitions   int           `koanf:"partitions"`    // streams, fixed when first made
	Replicas     int           `koanf:"replicas"`      // copies in a cluster
	SyncInterval time.Duration `koanf:"sync_interval"` // 0 = before every acknowledgement
	NodeTTL      time.Duration `koanf:"node_ttl"`      // a silent node loses its sessions
	SealAfter    time.Duration `koanf:"seal_after"`    // records move to the archive
	Credentials  string        `koanf:"credentials"`   // NATS credentials file
	EngineListen string        `koanf:"engine_listen"` // opens the embedded engine; "" = no port
}

// Limits bounds what clients may take. 0 switches a rate off.
type Limits struct {
	Connections            int           `koanf:"connections"`             // that are no WebSockets
	ConnectionsPerAddress  int           `koanf:"connections_per_address"` // but for proxies and this machine
	ConnectsPerMinute      int           `koanf:"connects_per_minute"`
	LocalConnectsPerMinute int           `koanf:"local_connects_per_minute"`
	MessagesPerMinute      int           `koanf:"messages_per_minute"`
	HitlPerMinute          int           `koanf:"hitl_per_minute"`
	RequestsPerMinute      int           `koanf:"requests_per_minute"`
	Queue                  int           `koanf:"queue"`
	Frame                  int           `koanf:"frame"`
	PingEvery              time.Duration `koanf:"ping_every"`
	PongLimit              time.Duration `koanf:"pong_limit"`
	WriteTimeout           time.Duration `koanf:"write_timeout"`
}

// Log says what is logged and how.
type Log struct {
	Level  string `koanf:"level"`
	Format string `koanf:"format"` // auto, short, text or json
}

// DefaultConfig is what a server does unless told otherwise.
func DefaultConfig() Config {
	l := gateway.DefaultLimits()
	return Config{
		Listen: "127.0.0.1:8000",
		Engine: "embedded",
		Auth:   Auth{Mode: "on", FirstMessage: true},
		Limits: Limits{
			Connections: 4096, ConnectionsPerAddress: 512,
			ConnectsPerMinute: l.ConnectsPerMinute, LocalConnectsPerMinute: l.LocalConnectsPerMinute,
			MessagesPerMinute: l.MessagesPerMinute, HitlPerMinute: l.HitlPerMinute, RequestsPerMinute: 600,
			Queue: l.Queue, Frame: l.Frame, PingEvery: l.PingEvery, PongLimit: l.PongLimit, WriteTimeout: l.WriteTimeout,
		},
		Log:         Log{Level: "info", Format: "auto"},
		DiskReserve: "5%",
		IdleAfter:   5 * time.Minute,
		IdleExit:    30 * time.Minute,
		StopAfter:   10 * time.Second,
	}
}

// Absolute makes the paths of the data directory and of the socket such that hold
// everywhere: git, for instance, runs in directories of its own. Whoever loads a
// configuration calls it.
func (c *Config) Absolute() (err error) {
	if c.Socket != "" && c.Socket != "off" {
		if c.Socket, err = filepath.Abs(c.Socket); err != nil {
			return fmt.Errorf("the local socket: %w", err)
		}
	}
	if c.Data == "" {
		return nil
	}
	if c.Data, err = filepath.Abs(c.Data); err != nil {
		return fmt.Errorf("the data directory: %w", err)
	}
	return nil
}

func (c Config) environ() []string {
	if c.Environ != nil {
		return c.Environ
	}
	return os.Environ()
}

func (c Config) journal() journal.Config {
	return journal.Config{
		Clock: c.Clock, Dir: c.Data, Engine: c.Engine, Credentials: c.Journal.Credentials, Listen: c.Journal.EngineListen,
		Archive: c.Journal.Archive, Prefix: c.Journal.Prefix, Partitions: c.Journal.Partitions,
		Replicas: c.Journal.Replicas, SyncInterval: c.Journal.SyncInterval, NodeTTL: c.Journal.NodeTTL,
		SealAfter: c.Journal.SealAfter,
	}
}

func (l Limits) gateway() gateway.Limits {
	g := gateway.DefaultLimits()
	g.ConnectsPerMinute, g.LocalConnectsPerMinute = l.ConnectsPerMinute, l.LocalConnectsPerMinute
	g.MessagesPerMinute, g.HitlPerMinute = l.MessagesPerMinute, l.HitlPerMinute
	g.Queue, g.Frame, g.PingEvery, g.PongLimit, g.WriteTimeout = l.Queue, l.Frame, l.PingEvery, l.PongLimit, l.WriteTimeout
	return g
}

// perMinute turns the configuration's "0 = off" into the API's.
func perMinute(n int) int {
	if n == 0 {
		return -1
	}
	return n
}
