package faults

import (
	"context"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
)

var engineKinds = []kind{
	{no: 19, group: "engine", name: "follower killed", shape: together, how: "SIGKILL of a server of the engine that does not lead, started again", fault: func(w *world) {
		w.events++
		follower := (w.leader() + 1 + w.random.IntN(2)) % 3
		w.cluster.Kill(follower)
		w.live()
		w.load(20)
		w.cluster.Start(follower)
		w.wholeAgain()
	}},
	{no: 20, group: "engine", name: "leader killed", shape: together, how: "SIGKILL of the server of the engine that leads, started again", fault: func(w *world) {
		w.events++
		leader := w.leader()
		w.cluster.Kill(leader)
		w.live()
		w.load(20)
		w.cluster.Start(leader)
		w.wholeAgain()
	}},
	{no: 21, group: "engine", name: "leader steps down", shape: together, how: "$JS.API.STREAM.LEADER.STEPDOWN", fault: func(w *world) {
		for range 3 {
			w.events++
			if err := w.cluster.StepDown(records); err != nil {
				w.t.Errorf("step down: %v", err)
			}
			w.live()
			w.hold(200 * time.Millisecond)
		}
	}},
	// A connection that a cut has left hanging is given up after three pings.
	{no: 22, group: "engine", name: "minority cut off", shape: namespaces, how: "one machine of three, with a node and a server of the engine: packets to and from the other two vanish, then only its own, then only theirs", fault: func(w *world) {
		i := w.random.IntN(clusterNodes)
		others := []int{(i + 1) % 3, (i + 2) % 3}
		for _, cut := range []func(){
			func() { w.network.cutOff(i) },
			func() { w.network.mute(i, others...) },
			func() { w.network.deafen(i, others...) },
		} {
			w.events++
			cut()
			w.load(15)
			w.refuses(2*time.Second, w.nodes[i])
			w.network.mend()
			w.live()
		}
	}},
	{no: 23, group: "engine", name: "quorum lost", shape: namespaces, how: "no machine of three hears another one; a node is started again meanwhile", fault: func(w *world) {
		w.events++
		for i := range 3 {
			w.network.cutOff(i)
		}
		w.nodes[0].Kill()
		ready, err := w.nodes[0].Spawn()
		proc.Must(w.t, err)
		w.refuses(3*time.Second, w.nodes...)
		w.holds(liveAgain, w.unready(w.nodes[1], 20*time.Second), "a node that cannot append says that it is ready")
		w.network.mend()
		w.live()
		select {
		case <-ready:
			w.nodes[0].pid.Store(int64(w.nodes[0].Pid()))
		case <-w.nodes[0].Exited():
			w.broke(liveAgain, "a node that was started without a majority gave up")
			proc.Must(w.t, w.nodes[0].Start())
		case <-time.After(30 * time.Second):
			w.broke(liveAgain, "a node that was started without a majority is not ready 30 s after there is one")
		}
	}},
	{no: 24, group: "engine", name: "server wiped", shape: together, how: "a server of the engine is killed and starts again without its files; then another one is killed, so that it counts", fault: func(w *world) {
		i := w.random.IntN(3)
		w.events++
		w.cluster.Wipe(i)
		w.live()
		w.cluster.Start(i)
		w.wholeAgain()
		w.events++
		other := (i + 1 + w.random.IntN(2)) % 3
		w.cluster.Kill(other)
		w.live()
		w.load(10)
		w.cluster.Start(other)
		w.wholeAgain()
	}},
	{no: 25, group: "engine", name: "mixed versions", shape: together, how: "one node after the other is replaced by an older program (CLEW_UPGRADE_OLD), and so are servers of the engine (CLEW_ENGINE_OLD)", missing: func() string {
		if oldNode()+oldEngine() == "" {
			return "CLEW_UPGRADE_OLD names no older program, nor CLEW_ENGINE_OLD an older engine"
		}
		return ""
	}, fault: func(w *world) {
		if oldEngine() != "" {
			w.otherEngine(oldEngine())
		}
		if oldNode() != "" {
			w.otherNodes(oldNode())
		}
	}},
	{no: 3, group: "process", name: "owner stopped and taken over", shape: together, brief: true, how: "SIGSTOP of one node of two until the other one serves its sessions, SIGCONT", fault: func(w *world) { w.stopOwners(2) }},
}

// stopOwners stops a node, lets the other one take over, and lets it go on, some times.
func (w *world) stopOwners(times int) {
	for range times {
		w.events++
		pid := w.nodes[w.random.IntN(clusterNodes)].Pid()
		proc.Must(w.t, syscall.Kill(pid, syscall.SIGSTOP))
		w.load(20)
		proc.Must(w.t, syscall.Kill(pid, syscall.SIGCONT))
		w.live()
	}
}

// unready waits until a node says that it cannot append.
func (w *world) unready(n *node, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.URL()+"/readyz", nil)
	proc.Must(w.t, err)
	for pause(ctx, 100*time.Millisecond) {
		resp, err := n.http.Do(req)
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusServiceUnavailable {
			return true
		}
	}
	return false
}

// oldNode is an older program, oldEngine an older server of the engine.
func oldNode() string   { return os.Getenv("CLEW_UPGRADE_OLD") }
func oldEngine() string { return os.Getenv("CLEW_ENGINE_OLD") }

// otherEngine has a server of the engine be of another version for a while.
func (w *world) otherEngine(program string) {
	w.t.Helper()
	i := w.random.IntN(3)
	for _, program := range []string{program, ""} {
		w.events++
		w.cluster.Kill(i)
		w.cluster.Replace(i, program)
		w.cluster.Start(i)
		w.wholeAgain()
		w.load(20)
	}
}

// otherNodes has one node after the other be of another version for a while.
func (w *world) otherNodes(program string) {
	w.t.Helper()
	for _, n := range w.nodes {
		usual := n.Path()
		w.events += 2
		n.replace(program)
		w.load(20)
		n.replace(usual)
		w.load(10)
	}
}
