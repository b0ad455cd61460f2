package faults

import (
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
)

// A network is three machines, each a network namespace with one cable to a bridge.
// People stand at the bridge.
type network struct {
	t      testing.TB
	bridge string
	prefix string // of addresses
}

var networks atomic.Int32

// newNetwork lays the cables, or has the test left out where that is not allowed.
func newNetwork(t testing.TB) *network {
	t.Helper()
	id := os.Getpid()%4096*8 + int(networks.Add(1))%8
	n := &network{t: t, bridge: fmt.Sprintf("clewf%d", id), prefix: fmt.Sprintf("10.%d.%d.", 64+id/256, id%256)}
	if err := n.ip("link", "add", n.bridge, "type", "bridge"); err != nil {
		t.Skipf("not run: no network namespaces here: %v", err)
	}
	t.Cleanup(func() { _ = n.ip("link", "del", n.bridge) })
	n.must("addr", "add", n.gateway()+"/24", "dev", n.bridge)
	n.must("link", "set", n.bridge, "up")
	for i := range 3 {
		name, cable := n.name(i), n.name(i) // of the machine, and of its cable at the bridge
		n.must("netns", "add", name)
		t.Cleanup(func() { _ = n.ip("netns", "del", name) })
		n.must("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name)
		n.must("link", "set", cable, "master", n.bridge, "up")
		n.must("-n", name, "addr", "add", n.address(i)+"/24", "dev", "eth0")
		n.must("-n", name, "link", "set", "eth0", "up")
		n.must("-n", name, "link", "set", "lo", "up")
	}
	return n
}

func (n *network) name(i int) string    { return fmt.Sprintf("%s-%d", n.bridge, i) }
func (n *network) address(i int) string { return fmt.Sprint(n.prefix, i+1) }
func (n *network) gateway() string      { return n.prefix + "254" }

// inside are the words that start a program on a machine.
func (n *network) inside(i int) []string { return []string{"nsenter", "--net=/run/netns/" + n.name(i)} }

func (n *network) ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %v: %w: %s", args, err, out)
	}
	return nil
}

func (n *network) must(args ...string) {
	n.t.Helper()
	if err := n.ip(args...); err != nil {
		n.t.Fatal(err)
	}
}

// mute has what a machine says to others vanish: it is sent to a card that nobody
// has. What the others say still arrives.
func (n *network) mute(from int, to ...int) {
	n.t.Helper()
	for _, i := range to {
		n.must("-n", n.name(from), "neigh", "replace", n.address(i), "lladdr", nobody, "nud", "permanent", "dev", "eth0")
	}
}

// deafen has what others say to a machine vanish.
func (n *network) deafen(to int, from ...int) {
	n.t.Helper()
	for _, i := range from {
		n.mute(i, to)
	}
}

// cutOff has a machine and the others no longer hear each other. People still reach
// all of them.
func (n *network) cutOff(i int) {
	n.t.Helper()
	others := []int{(i + 1) % 3, (i + 2) % 3}
	n.mute(i, others...)
	n.deafen(i, others...)
}

// nobody is the address of a card that is not there.
const nobody = "02:00:00:00:00:99"

// unheard has what a machine says to people vanish.
func (n *network) unheard(i int) {
	n.t.Helper()
	n.must("-n", n.name(i), "neigh", "replace", n.gateway(), "lladdr", nobody, "nud", "permanent", "dev", "eth0")
}

// unreached has what people say to a machine vanish.
func (n *network) unreached(i int) {
	n.t.Helper()
	n.must("neigh", "replace", n.address(i), "lladdr", nobody, "nud", "permanent", "dev", n.bridge)
}

// narrow lets no more than a rate through a machine's cable, in each direction.
func (n *network) narrow(i int, rate string) (widen func()) {
	n.t.Helper()
	ends := [][]string{{"-n", n.name(i), "qdisc", "replace", "dev", "eth0"}, {"qdisc", "replace", "dev", n.name(i)}}
	for _, end := range ends {
		n.tc(append(end, "root", "tbf", "rate", rate, "burst", "16kb", "latency", "400ms")...)
	}
	return func() {
		n.tc("-n", n.name(i), "qdisc", "del", "dev", "eth0", "root")
		n.tc("qdisc", "del", "dev", n.name(i), "root")
	}
}

func (n *network) tc(args ...string) {
	n.t.Helper()
	if out, err := exec.Command("tc", args...).CombinedOutput(); err != nil {
		n.t.Fatalf("tc %v: %v: %s", args, err, out)
	}
}

// mend has everybody hear everybody again.
func (n *network) mend() {
	n.t.Helper()
	n.must("neigh", "flush", "dev", n.bridge, "nud", "permanent")
	for i := range 3 {
		n.must("-n", n.name(i), "neigh", "flush", "dev", "eth0", "nud", "permanent")
	}
}
