package faults

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
)

// A slowReader opens a session and reads nothing. It also watches what the server
// takes.
type slowReader struct {
	w  *world
	id clew.SessionID

	first, most int // memory in KiB
}

func newSlowReader(w *world) *slowReader { return &slowReader{w: w, id: w.writers[0].id} }

func (p *slowReader) live(ctx context.Context) {
	p.first = memory(p.w.nodes[0].pid.Load())
	for ctx.Err() == nil {
		ws := p.w.dialSlow(ctx, p.w.nodes[0], p.id)
		for i := 0; i < 40 && pause(ctx, 50*time.Millisecond); i++ {
			p.most = max(p.most, memory(p.w.nodes[0].pid.Load()))
		}
		if ws != nil {
			_ = ws.CloseNow()
		}
	}
}

// dialSlow opens a session for somebody who reads nothing and has room for nothing,
// so that the server notices soon.
func (w *world) dialSlow(ctx context.Context, n *node, id clew.SessionID) *websocket.Conn {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			// The server's side has room for a number of segments, which are as large
			// as the memory of a machine allows when both ends are on it.
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 536)
		})
	}}
	direct := &node{Proc: n.Proc, token: n.token, http: &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}}
	return w.dial(ctx, direct, id, url.Values{"client_id": {"slow"}, "resume_from": {"start"}})
}

// memory is what a process has in memory, in KiB; 0 if it is gone.
func memory(pid int64) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(b, []byte("VmRSS:"))
	line, _, _ := bytes.Cut(rest, []byte(" kB"))
	n, _ := strconv.Atoi(string(bytes.TrimSpace(line)))
	return n
}

// openFiles counts the descriptors of a process.
func openFiles(pid int) int {
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(list)
}
