package faults

import "time"

var networkKinds = []kind{
	{no: 26, group: "network", name: "connections reset", brief: true, how: "a proxy sends RST on all", fault: func(w *world) {
		for range 5 {
			w.events++
			w.nodes[0].net.reset()
			w.load(10)
		}
	}},
	{no: 27, group: "network", name: "half-closed connections", how: "a proxy ends the client's direction", fault: func(w *world) {
		for range 5 {
			w.events++
			w.nodes[0].net.halfClose()
			w.load(10)
		}
	}},
	{no: 28, group: "network", name: "black hole", how: "a proxy drops both directions, connections stay open", fault: func(w *world) {
		w.between(rules{up: way{drop: true}, down: way{drop: true}}, 2*time.Second, true)
	}},
	{no: 29, group: "network", name: "one direction drops", shape: apart, how: "the server is in a network namespace; what it sends goes to a card that is not there, then what it is sent", fault: func(w *world) {
		for _, cut := range []func(int){w.network.unheard, w.network.unreached} {
			w.events++
			cut(0)
			w.hold(2 * time.Second)
			w.network.mend()
			w.load(10)
		}
	}},
	{no: 30, group: "network", name: "delay and jitter", how: "a proxy waits 50 to 150 ms before each piece", fault: func(w *world) {
		w.between(rules{up: way{delay: 50 * time.Millisecond, shake: 100 * time.Millisecond}, down: way{delay: 50 * time.Millisecond, shake: 100 * time.Millisecond}}, 3*time.Second, false)
	}},
	{no: 31, group: "network", name: "one byte at a time", how: "a proxy writes single bytes", fault: func(w *world) {
		w.between(rules{up: way{piece: 1}, down: way{piece: 1}}, 3*time.Second, false)
	}},
	{no: 32, group: "network", name: "little bandwidth", shape: apart, how: "the server is in a network namespace; its cable lets 128 kB/s through in each direction (tbf)", fault: func(w *world) {
		w.events++
		widen := w.network.narrow(0, "1mbit")
		w.load(20)
		w.hold(3 * time.Second)
		widen()
	}},
	{no: 33, group: "network", name: "an old connection delivers late", brief: true, how: "a proxy holds the bytes of open connections until their clients have said the same on new ones", fault: func(w *world) {
		for range 2 {
			w.events++
			old := w.nodes[0].net.open()
			for _, l := range old {
				l.held.Store(true)
			}
			w.load(15)
			for _, l := range old {
				l.held.Store(false)
			}
			w.load(15)
		}
	}},
	{no: 34, group: "network", name: "connections clogged one by one", how: "a proxy holds connections in random order and lets them go in another", fault: func(w *world) {
		for range 3 {
			w.events++
			list := w.nodes[0].net.open()
			for _, i := range w.random.Perm(len(list)) {
				list[i].held.Store(true)
				w.hold(50 * time.Millisecond)
			}
			for _, i := range w.random.Perm(len(list)) {
				list[i].held.Store(false)
				w.hold(20 * time.Millisecond)
			}
			w.load(10)
		}
	}},
}

// between lets the network be bad for a while. What was dropped is gone for good,
// so that those connections have to end.
func (w *world) between(r rules, d time.Duration, cut bool) {
	w.events++
	w.nodes[0].net.set(r)
	w.hold(d)
	w.nodes[0].net.set(rules{})
	if cut {
		w.nodes[0].net.reset()
	}
}
