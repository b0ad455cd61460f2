package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

const canary = "canary-4711-secret"

// A fixture is a Manager with settings that a test changes.
type fixture struct {
	*Manager
	t       *testing.T
	changes chan struct{}
	starts  string
	log     *lockedBuffer

	mu   sync.Mutex
	conf map[string]settings.McpServer
}

func newFixture(t *testing.T, conf map[string]settings.McpServer) *fixture {
	t.Helper()
	f := &fixture{t: t, conf: conf, changes: make(chan struct{}, 1), log: &lockedBuffer{}}
	f.starts = filepath.Join(t.TempDir(), "starts")
	f.Manager = New(Options{
		Servers: f.servers, Version: "test", Log: slog.New(slog.NewTextHandler(f.log, nil)),
		Secret: func(_ context.Context, name string) (string, error) {
			if name == "key" {
				return canary, nil
			}
			return "", errors.New("no")
		},
	})
	f.time = timing{
		connect: deadline, wait: deadline, call: deadline, fresh: time.Hour, steady: time.Hour,
		backoff: time.Millisecond, backoffMax: 4 * time.Millisecond, attempts: 4, grace: deadline,
	}
	f.OnChange(func() {
		select {
		case f.changes <- struct{}{}:
		default:
		}
	})
	t.Cleanup(func() {
		f.Close()
		for _, pid := range f.pids() {
			gone(t, pid)
		}
		if strings.Contains(f.log.String()+fmt.Sprint(f.List()), canary) {
			t.Error("a secret was told")
		}
	})
	return f
}

func (f *fixture) servers() map[string]settings.McpServer {
	f.mu.Lock()
	defer f.mu.Unlock()
	conf := map[string]settings.McpServer{}
	for name, c := range f.conf {
		if c.Command != "" {
			env := map[string]string{"STARTS": f.starts}
			for k, v := range c.Env {
				env[k] = v
			}
			c.Env = env
		}
		conf[name] = c
	}
	return conf
}

// change edits the settings of a server.
func (f *fixture) change(name string, edit func(*settings.McpServer)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.conf[name]
	edit(&c)
	f.conf[name] = c
}

// stdio is the settings of this test binary as a server.
func stdio(kind string) settings.McpServer {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return settings.McpServer{Command: self, Env: map[string]string{peerVar: kind, "KEY": "$SECRET:key"}}
}

func one(kind string) map[string]settings.McpServer {
	return map[string]settings.McpServer{"peer": stdio(kind)}
}

// await waits until the list fits.
func (f *fixture) await(fits func(clew.McpServer) bool) clew.McpServer {
	f.t.Helper()
	limit := time.After(deadline)
	for {
		list := f.List()
		if len(list) > 0 && fits(list[0]) {
			return list[0]
		}
		select {
		case <-f.changes:
		case <-limit:
			f.t.Fatalf("never came: %+v", list)
		}
	}
}

func hasStatus(status string) func(clew.McpServer) bool {
	return func(s clew.McpServer) bool { return s.Status == status }
}

// tool gives a tool by its name for models.
func (f *fixture) tool(name string) tool.Tool {
	f.t.Helper()
	for _, t := range f.Tools(f.t.Context()) {
		if t.Spec().Name == name {
			return t
		}
	}
	f.t.Fatalf("no tool %s: %+v", name, f.List())
	return nil
}

func prepare(t *testing.T, tl tool.Tool, input string) *tool.Action {
	t.Helper()
	a, err := tl.Prepare(t.Context(), tool.Call{ID: "c1", SessionID: "s1", Input: json.RawMessage(input)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// call prepares and runs.
func (f *fixture) call(name, input string, out *output) (tool.Result, error) {
	f.t.Helper()
	if out == nil {
		out = &output{}
	}
	return prepare(f.t, f.tool("mcp__peer__"+name), input).Run(f.t.Context(), out)
}

// output hears a tool and answers its questions.
type output struct {
	mu       sync.Mutex
	asked    []clew.HitlInputRequestData
	progress []clew.ProgressStatus
	answer   func(q clew.HitlInputRequestData) clew.HitlResolvedData
}

func (o *output) Write(p []byte) (int, error) { return len(p), nil }

func (o *output) Progress(p clew.ProgressStatus) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.progress = append(o.progress, p)
}

func (o *output) Ask(_ context.Context, q clew.HitlInputRequestData) (clew.HitlResolvedData, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, q)
	if o.answer == nil {
		return clew.HitlResolvedData{}, errors.New("nobody is there")
	}
	return o.answer(q), nil
}

func value(v any) clew.HitlResolvedData {
	return clew.HitlResolvedData{Action: clew.ResolvedAnswer, Value: v}
}

// pids lists the processes that noted their start.
func (f *fixture) pids() []int {
	b, err := os.ReadFile(f.starts)
	if err != nil {
		return nil
	}
	var list []int
	for s := range strings.FieldsSeq(string(b)) {
		if pid, err := strconv.Atoi(s); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// gone waits until a process is no more, or only waits to be reaped by another.
func gone(t *testing.T, pid int) {
	t.Helper()
	poll.Until(t, fmt.Sprintf("the end of process %d", pid), func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || bytes.Contains(b, []byte(") Z ")) || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
