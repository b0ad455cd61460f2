package journal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/clock"
)

// Config says where the journal is.
type Config struct {
	// Clock tells the time; nil is the machine's. The engine has its own.
	Clock clock.Clock
	// Dir is this node's data directory. The embedded engine, the directory
	// archive, the witness and the node's name live in it.
	Dir string
	// Engine is "" or "embedded" for the server in this process, else the URLs
	// of a NATS cluster, separated by commas.
	Engine string
	// Credentials is a NATS credentials file for an outside engine.
	Credentials string
	// Listen opens the embedded engine to other programs; "" opens no port.
	Listen string
	// Archive is the blob store's URL; "" is a directory under Dir, for a node
	// with the embedded engine only.
	Archive string
	// Prefix starts every subject and stream name, so that one engine can serve
	// several installations.
	Prefix string
	// Partitions and Replicas shape the streams when they are first made.
	Partitions int
	Replicas   int
	// SyncInterval of the embedded engine: 0 flushes before every
	// acknowledgement. Anything else may lose acknowledged records when the
	// power fails.
	SyncInterval time.Duration
	// NodeTTL is how long a silent node keeps its shards.
	NodeTTL time.Duration
	// SealAfter is how long records stay in the stream before they are sealed.
	SealAfter time.Duration
	// Node is this node's name; "" takes the one kept in Dir.
	Node string

	// Patient has Open wait for an outside engine for as long as its context lasts,
	// and say for whom it waits.
	Patient bool

	moving bool // the partitions are about to change
	// restored is what a store that comes from a backup begins with.
	restored struct {
		on       bool
		epoch    string
		firstSeq uint64
	}
	version version // what this program can read; tests have others
}

// Embedded reports whether the engine runs in this process.
func (c Config) Embedded() bool { return c.Engine == "" || c.Engine == "embedded" }

// streamDir is where the engine in this process keeps a stream.
func (c Config) streamDir(name string) string {
	return filepath.Join(c.Dir, "engine", "jetstream", "$G", "streams", name)
}

const (
	defaultPrefix     = "clew"
	defaultNodeTTL    = 1500 * time.Millisecond
	defaultSealAfter  = 10 * time.Minute
	defaultPartitions = 16
	maxPayload        = 8 << 20
)

func (c Config) withDefaults() (Config, error) {
	if c.Dir == "" {
		return c, errors.New("journal: no data directory")
	}
	if c.Clock == nil {
		c.Clock = clock.System()
	}
	if c.Prefix == "" {
		c.Prefix = defaultPrefix
	}
	if c.Replicas == 0 {
		c.Replicas = 1
		if !c.Embedded() {
			c.Replicas = 3
		}
	}
	if c.Partitions == 0 {
		c.Partitions = defaultPartitions
	}
	if c.version == (version{}) {
		c.version = ownVersion
	}
	if c.NodeTTL == 0 {
		c.NodeTTL = defaultNodeTTL
	}
	if c.SealAfter == 0 {
		c.SealAfter = defaultSealAfter
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return c, err
	}
	if c.Archive == "" && !c.Embedded() {
		return c, errors.New("journal: nodes on a shared engine need a shared archive; set journal.archive")
	}
	if c.Archive == "" {
		dir, err := filepath.Abs(filepath.Join(c.Dir, "archive"))
		if err != nil {
			return c, err
		}
		c.Archive = "file://" + dir
	}
	if c.Node == "" {
		name, err := nodeName(c.Dir)
		if err != nil {
			return c, err
		}
		c.Node = name
	}
	return c, nil
}

// nodeName reads the node's name or makes one. It is kept, so that a node that
// restarts finds its own shards and need not wait for its own lease to end.
func nodeName(dir string) (string, error) {
	path := filepath.Join(dir, "node")
	b, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	var id [6]byte
	_, _ = rand.Read(id[:])
	name := "node_" + hex.EncodeToString(id[:])
	return name, os.WriteFile(path, []byte(name+"\n"), 0o600)
}

// ErrDirInUse says that another process serves the directory.
var ErrDirInUse = errors.New("the data directory is in use by another clew process")

// lockDir makes this process the only one on the directory. The kernel lets go
// of the lock when the process dies, however it dies.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w: %s", ErrDirInUse, dir)
		}
		return nil, err
	}
	return f, nil
}

func splitListen(addr string) (string, int, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return "", 0, fmt.Errorf("port of %q: %w", addr, err)
	}
	if n == 0 {
		n = -1 // the engine's word for any free port
	}
	return host, n, nil
}
