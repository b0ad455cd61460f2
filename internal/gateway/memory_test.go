package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	idleEnv  = "CLEW_TEST_IDLE_CLIENTS" // "address count"
	drainEnv = "CLEW_TEST_DRAIN"        // set: they read what comes
	// budget is what an idle connection may cost the server, in bytes.
	budget = 20 << 10
)

// runIdleClients makes the test binary a crowd of idle clients, so that their
// memory is not counted with the server's. It ends with its standard input.
func runIdleClients() bool {
	addr, count, ok := strings.Cut(os.Getenv(idleEnv), " ")
	if !ok {
		return false
	}
	n, _ := strconv.Atoi(count)
	conns := make([]net.Conn, 0, n)
	for i := range n {
		c, err := idleClient(addr, i)
		if err != nil {
			fmt.Println(err)
			return true
		}
		conns = append(conns, c)
	}
	if os.Getenv(drainEnv) != "" {
		for _, c := range conns {
			go func() { _, _ = io.CopyBuffer(io.Discard, struct{ io.Reader }{c}, make([]byte, 64<<10)) }()
		}
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, c := range conns {
		_ = c.Close()
	}
	return true
}

// idleClient connects and reads up to sync_complete.
func idleClient(addr string, i int) (net.Conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(c, "GET /ws/s1?client_id=c%d-%d HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer ann\r\nUpgrade: websocket\r\n"+
		"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", os.Getpid(), i, addr)
	if err != nil {
		return nil, err
	}
	br := bufio.NewReader(c)
	resp, err := http.ReadResponse(br, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("no upgrade: %w", err)
	}
	p := &peer{conn: c, r: br}
	for {
		m, err := p.next()
		if err != nil || m.Type == "sync_complete" {
			return c, err
		}
	}
}

// Idle connections must be cheap: this is what lets one node hold thousands.
func TestIdleConnectionMemory(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("measures memory")
	}
	n := 2000
	if s := os.Getenv("CLEW_TEST_CONNECTIONS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	s.append(100)
	stop := crowd(t, r.addr, 50) // whatever is allocated once
	before := measure()
	more := crowd(t, r.addr, n)
	heap, stack, rss := measure().since(before, n)
	t.Logf("%d connections: %.1f KiB each (heap %.1f, stacks %.1f), resident %.1f KiB each", n, heap+stack, heap, stack, rss)
	if (heap+stack)*1024 > budget {
		t.Errorf("an idle connection costs %.1f KiB, more than %d", heap+stack, budget>>10)
	}
	s.append(3) // woken once, they must go back to being small
	waitFor(t, func() bool { return r.g.Counters.FramesOut.Load() >= int64(n+50)*5 })
	heap, stack, rss = measure().since(before, n)
	t.Logf("after 3 records: %.1f KiB each (heap %.1f, stacks %.1f), resident %.1f KiB each", heap+stack, heap, stack, rss)
	more()
	stop()
}

type usage struct{ heap, stack, rss float64 }

func (u usage) since(b usage, n int) (heap, stack, rss float64) {
	per := 1024 * float64(n)
	return (u.heap - b.heap) / per, (u.stack - b.stack) / per, (u.rss - b.rss) / per
}

func measure() usage {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var size, resident float64
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		_, _ = fmt.Sscan(string(b), &size, &resident)
	}
	return usage{float64(m.HeapInuse), float64(m.StackInuse), resident * float64(os.Getpagesize())}
}

// crowd starts n idle clients in a process of their own.
func crowd(t testing.TB, addr string, n int, env ...string) (stop func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), env...), fmt.Sprintf("%s=%s %d", idleEnv, addr, n))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "ready\n" {
		t.Fatalf("clients: %q, %v", line, err)
	}
	return func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
}

// waitFor polls for what another process brings about.
func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatal("did not happen in time")
		}
		runtime.Gosched()
	}
}

// BenchmarkFanout sends records of one session to many connections. The
// clients are a process of their own.
func BenchmarkFanout(b *testing.B) {
	for _, clients := range []int64{100, 1000} {
		b.Run(strconv.FormatInt(clients, 10), func(b *testing.B) {
			r := newRig(b, nil)
			s := r.host.add("s1", "ann")
			stop := crowd(b, r.addr, int(clients), drainEnv+"=1")
			defer stop()
			sent := func() int64 { return r.g.Counters.FramesOut.Load() - 2*clients }
			const batch, ahead = 10, 400
			b.ResetTimer()
			for n := int64(0); n < int64(b.N); n += batch {
				for n*clients-sent() > ahead*clients {
					time.Sleep(100 * time.Microsecond) // the producer's pace, not a wait for a result
				}
				s.append(batch)
			}
			total := (int64(b.N) + batch - 1) / batch * batch * clients
			waitFor(b, func() bool { return sent() >= total })
			b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "deliveries/s")
			b.ReportMetric(float64(r.g.Counters.CaughtUp.Load()), "caught-up")
		})
	}
}
