package main

import (
	"fmt"
	"time"
)

// A comparison is a server that sends messages to many clients.
type comparison struct {
	name   string
	child  *child
	where  address
	path   string
	hello  string
	settle int64
	run    publishing
}

// fanSize is the size of a message on the wire, about that of a short record.
const fanSize = 512

// fanWindow is how far the slowest client may be behind.
const fanWindow = 512

// fanOut measures deliveries per second to n clients for each rival, in rounds
// that take turns, and gives each rival's median.
func (b *bench) fanOut(rivals []*comparison, n, messages, rounds int) (map[string]float64, error) {
	rates := map[string][]float64{}
	clients := map[string]*child{}
	for _, r := range rivals {
		c, err := startRole("clients")
		if err != nil {
			return nil, err
		}
		defer c.stop()
		clients[r.name] = c
		how := connecting{Addr: r.where.Addr, Progress: r.where.Progress, Path: r.path, Hello: r.hello, Settle: r.settle, Count: n}
		if err := c.ask("connect", how, nil); err != nil {
			return nil, fmt.Errorf("%d clients of %s: %w", n, r.name, err)
		}
	}
	for _, r := range rivals { // warm up
		if _, err := fanRound(r, clients[r.name], max(messages/10, 1)); err != nil {
			return nil, err
		}
	}
	for range b.rounds(rounds, 0.3) {
		for _, r := range rivals {
			took, err := fanRound(r, clients[r.name], messages)
			if err != nil {
				return nil, err
			}
			rates[r.name] = append(rates[r.name], float64(messages)*float64(n)/took.Seconds())
		}
	}
	out := map[string]float64{}
	for name, list := range rates {
		out[name] = median(list)
		b.logf("  %-12s %9.0f deliveries/s to %d clients", name, out[name], n)
	}
	return out, nil
}

// fanRound publishes to clients that are connected and waits until all have
// everything.
func fanRound(r *comparison, clients *child, count int) (time.Duration, error) {
	if err := clients.ask("arm", nil, nil); err != nil {
		return 0, err
	}
	run := r.run
	run.Count, run.Size, run.Window = count, fanSize, fanWindow
	start := time.Now()
	if err := clients.send("await", count); err != nil {
		return 0, err
	}
	if err := r.child.send("publish", run); err != nil {
		return 0, err
	}
	if err := clients.receive(nil); err != nil {
		return 0, fmt.Errorf("%s: %w", r.name, err)
	}
	took := time.Since(start)
	return took, r.child.receive(nil)
}
