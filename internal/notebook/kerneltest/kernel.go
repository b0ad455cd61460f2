// Package kerneltest is a Jupyter kernel in Go for tests: on the same wire as a
// real one, there in a millisecond, and as slow or hostile as a test needs it.
//
// It runs a small language, one command in a line; see run. Honest commands are
// those of a notebook, hostile ones break the protocol at that point.
package kerneltest

import (
	"context"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/zmtp"
)

// Options say what kind of kernel it is.
type Options struct {
	// Old says no welcome to those who subscribe, as kernels before ipykernel 7.
	Old bool
	// Mute publishes nothing at all and answers nothing.
	Mute bool
	// OneThread answers on control only between two cells, as some kernels do.
	OneThread bool
	// Starts is closed when the kernel may start. It has sockets before, and says welcome;
	// of who connects to shell or control by then nothing is ever read, as with ipykernel 7.
	Starts <-chan struct{}
	// Overlooks reads each request on shell only when somebody else connects, as some
	// versions of ipykernel 7 may.
	Overlooks bool
	// TCP listens on this machine's address instead of Unix sockets.
	TCP bool
	// Slow waits before each command of a cell.
	Slow time.Duration
	// Greeting is said instead of ZeroMQ's, if there is one.
	Greeting string
	// Features are those that the kernel says it has. With "kernel subshells" it has them.
	Features []string
	// Expression gives the value of a user expression, "" if it fails. None has a
	// value if nil.
	Expression func(code string) string
	// Help gives the content of the answer to complete_request and inspect_request, nil
	// for none at all.
	Help func(kind string) any
}

// A Kernel is a running kernel. Its methods may be called by any goroutine.
type Kernel struct {
	options Options
	at      kernel.Connection
	ctx     context.Context // ends with the kernel
	end     context.CancelFunc
	serving sync.WaitGroup

	cells chan struct{} // holds a token when there may be a cell to run

	mu         sync.Mutex
	listeners  []net.Listener
	raw        map[net.Conn]bool // all that are connected
	routed     map[Socket]map[string]*zmtp.Conn
	subscribed map[*zmtp.Conn]net.Conn
	started    bool // it has said so
	overlooked []request
	queue      []request
	executed   map[string]int
	counts     map[string]int // by request
	order      []string
	count      int
	published  int
	interrupt  context.CancelFunc // of the cell that runs
	interrupts int
	answers    chan string
	answered   []string
	released   map[string]chan struct{}
}

// Socket names one of the kernel's sockets.
type Socket = kernel.Channel

const heart Socket = "heartbeat"

// Start runs a kernel until the test ends.
func Start(t testing.TB, o Options) (kernel.Connection, *Kernel) {
	t.Helper()
	dir, err := os.MkdirTemp("", "k") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	k := &Kernel{
		options: o,
		at: kernel.Connection{
			Transport: "ipc", IP: filepath.Join(dir, "k"), Key: "the key of " + dir,
			SignatureScheme: "hmac-sha256", KernelName: "test",
		},
		cells:      make(chan struct{}, 1),
		raw:        make(map[net.Conn]bool),
		routed:     map[Socket]map[string]*zmtp.Conn{kernel.Shell: {}, kernel.Stdin: {}, kernel.Control: {}},
		subscribed: make(map[*zmtp.Conn]net.Conn),
		executed:   make(map[string]int),
		counts:     make(map[string]int),
		answers:    make(chan string, 1),
		released:   make(map[string]chan struct{}),
	}
	k.ctx, k.end = context.WithCancel(context.Background())
	t.Cleanup(func() {
		k.Kill()
		k.serving.Wait()
		_ = os.RemoveAll(dir)
	})
	if err := k.listen(); err != nil {
		t.Fatal(err)
	}
	if o.Starts == nil {
		started := make(chan struct{})
		close(started)
		k.options.Starts = started
	}
	k.serving.Go(k.runCells)
	return k.at, k
}

func (k *Kernel) listen() error {
	for _, s := range []struct {
		socket Socket
		port   *int
	}{{kernel.Shell, &k.at.ShellPort}, {kernel.IOPub, &k.at.IOPubPort}, {kernel.Stdin, &k.at.StdinPort}, {kernel.Control, &k.at.ControlPort}, {heart, &k.at.HBPort}} {
		l, port, err := k.bind(len(k.listeners) + 1)
		if err != nil {
			return err
		}
		*s.port = port
		k.listeners = append(k.listeners, l)
	}
	if k.options.TCP {
		k.at.Transport, k.at.IP = "tcp", "127.0.0.1"
	}
	for i, socket := range []Socket{kernel.Shell, kernel.IOPub, kernel.Stdin, kernel.Control, heart} {
		l := k.listeners[i]
		k.serving.Go(func() { k.accept(l, socket) })
	}
	return nil
}

func (k *Kernel) bind(n int) (net.Listener, int, error) {
	if !k.options.TCP {
		l, err := net.Listen("unix", k.at.IP+"-"+strconv.Itoa(n))
		return l, n, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, 0, err
	}
	return l, l.Addr().(*net.TCPAddr).Port, nil
}

// Kill ends the kernel as SIGKILL would: all sockets are closed at once.
func (k *Kernel) Kill() {
	k.end()
	k.mu.Lock()
	for _, l := range k.listeners {
		_ = l.Close()
	}
	k.mu.Unlock()
	k.Disconnect()
}

// Disconnect closes all connections. The kernel lives and can be joined again.
func (k *Kernel) Disconnect() {
	k.mu.Lock()
	all := slices.Collect(maps.Keys(k.raw))
	k.mu.Unlock()
	for _, c := range all {
		_ = c.Close()
	}
}

// Done is closed when the kernel has ended.
func (k *Kernel) Done() <-chan struct{} { return k.ctx.Done() }

// Executed says how often the request with an id was executed.
func (k *Kernel) Executed(msgID string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.executed[msgID]
}

// Count is the number that a request had.
func (k *Kernel) Count(msgID string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.counts[msgID]
}

// Executions gives the ids of all requests that were executed, in order.
func (k *Kernel) Executions() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.order)
}

// Waiting says how many requests wait for their turn on shell.
func (k *Kernel) Waiting() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.queue)
}

// Published says how many messages were written to those who subscribed.
func (k *Kernel) Published() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.published
}

// Subscribers says to how many it publishes.
func (k *Kernel) Subscribers() int { return len(k.subscribers()) }

// Interrupts says how often the kernel was interrupted.
func (k *Kernel) Interrupts() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.interrupts
}

// Answers gives what was answered to the kernel's questions, in order.
func (k *Kernel) Answers() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.answered)
}

// Release lets every cell go on that waits for a name, now or later.
func (k *Kernel) Release(name string) {
	gate := k.gate(name)
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-gate:
	default:
		close(gate)
	}
}

func (k *Kernel) gate(name string) chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.released[name] == nil {
		k.released[name] = make(chan struct{})
	}
	return k.released[name]
}
