package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// address is how a server child says where it is.
type address struct {
	Addr     string `json:"addr"`     // WebSocket
	Progress string `json:"progress"` // where clients tell how far they are
}

// publishing is a fan-out run.
type publishing struct {
	Session string `json:"session"`
	Count   int    `json:"count"`
	Size    int    `json:"size"`
	Window  int    `json:"window"`
}

// fill is what a store is filled with.
type fill struct {
	Set      string `json:"set"`
	From, To int
	Records  int `json:"records"`
	Size     int `json:"size"`
}

// opening picks cold sessions to open.
type opening struct {
	Set   string `json:"set"`
	Pick  []int  `json:"pick"`
	From  uint64 `json:"from"` // records to read after opening, 0 = none
	To    uint64 `json:"to"`
	Clear bool   `json:"clear"` // unload before each
}

// roleClew is the process of a real clew server. Its agent is the usual one if
// there is a model for it.
func roleClew(o options) error {
	var sync time.Duration
	if o.lazy {
		sync = time.Minute
	}
	var agent session.Agent = streamer{}
	var environ []string
	if o.model != "" {
		agent, environ = nil, (&model{url: o.model}).environ()
	}
	var engine *baseline // beside the usual agent, to measure it against
	if o.model != "" {
		var err error
		if engine, err = startBare(o.dir+"-bare", true); err != nil {
			return err
		}
		defer engine.stop()
	}
	n, err := startNode(o.dir, agent, sync, environ...)
	if err != nil {
		return err
	}
	defer n.stop()
	meter, err := listenProgress()
	if err != nil {
		return err
	}
	defer profile("clew")()
	return answer(ops{
		"where":   op(func(struct{}) (any, error) { return address{n.addr(), meter.addr()}, nil }),
		"create":  op(func(f fill) (any, error) { return nil, n.createSessions(f.Set, f.From, f.To) }),
		"records": op(func(f fill) (any, error) { return nil, n.fillRecords(sessionName(f.Set, f.From), f.Records, f.Size) }),
		"seal":    op(func(struct{}) (any, error) { return nil, n.seal() }),
		"open":    op(func(o opening) (any, error) { return n.openMany(o) }),
		"publish": op(func(p publishing) (any, error) { return nil, n.publish(p, meter) }),
		"say": op(func(p publishing) (any, error) {
			_, err := n.host.Do(context.Background(), clew.SessionID(p.Session), clew.Command{
				Type: clew.CommandUserMessage, By: owner, Data: &clew.UserMessageData{Text: fmt.Sprintf("%d %d", p.Count, p.Size)},
			})
			return nil, err
		}),
		"talk":    op(func(f fill) (any, error) { return n.talk(sessionName(f.Set, f.From), f.Records, f.Size) }),
		"rewind":  op(func(r returning) (any, error) { return r.run(n) }),
		"bare":    op(func(r bareTurnOf) (any, error) { return r.replay(engine) }),
		"todos":   op(func(t todoRun) (any, error) { return t.run(n, engine) }),
		"instant": op(func(t instantTurn) (any, error) { return t.run(n, engine, o.dir) }),
		"usage":   op(func(struct{}) (any, error) { return usedSoFar() }),
		"rss":     op(func(struct{}) (any, error) { return residentSize() }),
	})
}

// openMany times opening cold sessions, and reading a range if one is given.
func (n *node) openMany(o opening) (samples, error) {
	var out samples
	for _, i := range o.Pick {
		if o.Clear {
			n.unload()
		}
		id := sessionName(o.Set, i)
		var d time.Duration
		err := insist(func() (err error) {
			if o.From > 0 {
				d, err = n.readRange(id, o.From, o.To)
			} else {
				d, err = n.open(id)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// publish appends records with many commands under way. The slowest client
// holds it back when it is more than a window behind.
func (n *node) publish(p publishing, meter *progress) error {
	meter.reset()
	id := clew.SessionID(p.Session)
	cmd := rename(p.Size)
	return many(p.Count, min(p.Window/2, 256), func(i int) error {
		if err := meter.await(int64(i - p.Window)); err != nil {
			return err
		}
		cmd := cmd
		cmd.ClientMessageID = ""
		_, err := n.host.Do(context.Background(), id, cmd)
		return err
	})
}

// progress is how far the slowest client is, as the clients tell it.
type progress struct {
	listener net.Listener
	at       atomic.Int64
}

func listenProgress() (*progress, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &progress{listener: l}
	go p.serve()
	return p, nil
}

func (p *progress) addr() string { return p.listener.Addr().String() }
func (p *progress) reset()       { p.at.Store(0) }

func (p *progress) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			var b [8]byte
			for {
				if _, err := readFull(conn, b[:]); err != nil {
					return
				}
				p.at.Store(int64(binary.LittleEndian.Uint64(b[:]))) //nolint:gosec // a count
			}
		}()
	}
}

// await waits until the slowest client has that many messages.
func (p *progress) await(count int64) error {
	deadline := time.Now().Add(30 * time.Second)
	for p.at.Load() < count {
		if time.Now().After(deadline) {
			return errors.New("the clients stand still")
		}
		time.Sleep(200 * time.Microsecond)
	}
	return nil
}

// consumed is what a process used since it began.
type consumed struct {
	CPUMS        float64 `json:"cpu_ms"`
	AllocatedKiB float64 `json:"allocated_kib"`
}

func usedSoFar() (consumed, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var r syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	cpu := time.Duration(r.Utime.Nano() + r.Stime.Nano())
	return consumed{ms(cpu), float64(m.TotalAlloc) / 1024}, err
}

// residentSize gives the process's memory in KiB after giving back what it
// does not use.
func residentSize() (int, error) {
	runtime.GC()
	debug.FreeOSMemory()
	profileHeap()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, errors.New("no VmRSS")
}
