package faults

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// A node is the program, and the network in front of it.
type node struct {
	*proc.Proc
	t    testing.TB
	net  *proxy
	http *http.Client // that goes through it
	pid  atomic.Int64 // of the newest life
	// saidCalm is how much it had said before anything was broken.
	saidCalm int
	token    func() (string, error) // once and for all: it must outlive every fault
}

// Token gives the owner's token, also while its disk is away.
func (n *node) Token() (string, error) { return n.token() }

// Start starts it, with further variables for this life alone.
func (n *node) Start(env ...string) error {
	err := n.Proc.Start(env...)
	if err == nil {
		n.pid.Store(int64(n.Pid()))
	}
	return err
}

// replace ends a node and starts another program in its place. An older one may give
// up while the engine elects a leader: then it is started again, as a supervisor does.
func (n *node) replace(program string) {
	n.t.Helper()
	proc.Must(n.t, n.Stop())
	n.Become(program)
	err := n.Start()
	for try := 0; err != nil && try < 5; try++ {
		err = n.Start()
	}
	proc.Must(n.t, err)
}

func newNode(t testing.TB, p *proc.Proc) *node {
	n := &node{Proc: p, t: t, net: startProxy(t, strings.TrimPrefix(p.URL(), "http://"))}
	dialer := &net.Dialer{}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", n.net.address())
		},
		MaxIdleConnsPerHost: 8,
	}
	n.http = &http.Client{Transport: transport}
	n.token = sync.OnceValues(p.Token)
	t.Cleanup(transport.CloseIdleConnections)
	return n
}
