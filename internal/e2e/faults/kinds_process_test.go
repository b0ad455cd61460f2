package faults

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/poll"
)

var processKinds = []kind{
	{no: 1, group: "process", name: "killed at random", brief: true, how: "SIGKILL, started again", fault: func(w *world) {
		for range 3 {
			w.hold(100 * time.Millisecond)
			w.kill()
			w.load(20)
		}
	}},
	{no: 2, group: "process", name: "killed at named points", brief: true, how: "a program with named points kills itself at one of them", tags: "crashpoints", fault: func(w *world) {
		for _, i := range w.random.Perm(len(places))[:4] {
			w.dieAt(places[i])
		}
	}},
	{no: 3, group: "process", name: "stopped and continued", how: "SIGSTOP, SIGCONT", fault: func(w *world) {
		for range 2 {
			w.events++
			proc.Must(w.t, syscall.Kill(w.nodes[0].Pid(), syscall.SIGSTOP))
			w.hold(time.Second)
			proc.Must(w.t, syscall.Kill(w.nodes[0].Pid(), syscall.SIGCONT))
			w.load(20)
		}
	}},
	{no: 4, group: "process", name: "out of memory", how: "a control group with less memory than the server has: the kernel kills it", fault: func(w *world) {
		w.events++
		w.starve()
		proc.Must(w.t, w.nodes[0].Start())
	}},
	{no: 5, group: "process", savesFail: true, name: "out of descriptors", how: "prlimit --nofile on the running server", fault: func(w *world) {
		w.events++
		pid := strconv.Itoa(w.nodes[0].Pid())
		usual := strings.TrimSpace(w.run("prlimit", "--pid", pid, "--nofile", "--output", "SOFT", "--noheadings"))
		w.run("prlimit", "--pid", pid, fmt.Sprintf("--nofile=%d:", openFiles(w.nodes[0].Pid())+2))
		w.nodes[0].net.reset() // everybody comes back at once
		w.hold(2 * time.Second)
		w.run("prlimit", "--pid", pid, "--nofile="+usual+":")
	}},
	{no: 6, group: "process", savesFail: true, name: "panic", how: "a program with named points panics at one of them; some panics are caught, others end the server", tags: "crashpoints", fault: func(w *world) {
		w.nodes[0].MayPanic()
		for _, i := range w.random.Perm(len(places))[:4] {
			w.dieAt(places[i], "CLEW_CRASH_HOW=panic")
		}
	}},
	{no: 7, group: "process", name: "a stop that takes too long", how: "SIGTERM while the model says nothing, with one second to stop", env: map[string]string{"CLEW_STOP_AFTER": "1s"}, fault: func(w *world) {
		for range 2 {
			w.events++
			w.modelNet.set(rules{down: way{hold: true}})
			w.load(25) // somebody talks to the model by now
			began := time.Now()
			_ = w.nodes[0].Stop() // the code says that it was cut short
			nightly.Promise(w.t, "a stop", time.Since(began), 10*time.Second)
			w.modelNet.set(rules{})
			proc.Must(w.t, w.nodes[0].Start())
			w.load(20)
		}
	}},
	{no: 8, group: "process", name: "two servers on one directory", brief: true, how: "the program is started again on the directory of a running server", fault: func(w *world) {
		for range 2 {
			w.events++
			second := proc.New(w.t, w.nodes[0].Path(), w.data, w.environment())
			err := second.Start()
			w.holds(oneOwner, err != nil && strings.Contains(err.Error(), "in use"), "a second server on the same directory: %v", err)
			w.load(20)
		}
	}},
}

// places are where the program can be killed in the course of what people do here.
var places = []string{
	"tool.intent", "tool.done", "tool.result", "tool.running", "model.intent", "model.delta", "model.answered", "model.recorded",
	"files.before", "files.after", "checkpoint.scanned", "checkpoint.sealed", "checkpoint.packed", "checkpoint.named",
	"checkpoint.before", "checkpoint.intended", "checkpoint.applied", "checkpoint.restored", "checkpoint.written",
}

// dieAt has the next life of the server end at a place, if it comes there. A panic
// there may be caught: then that life goes on for a while.
func (w *world) dieAt(place string, how ...string) {
	w.t.Helper()
	w.nodes[0].Kill()
	at := fmt.Sprintf("%s:%d", place, 1+w.random.IntN(3))
	log := filepath.Join(w.t.TempDir(), "passed")
	passed := func() bool {
		said, _ := os.ReadFile(log)
		return bytes.Contains(said, []byte(at+"\n"))
	}
	err := w.nodes[0].Start(append(how, "CLEW_CRASH_AT="+at, "CLEW_CRASH_LOG="+log)...)
	if err != nil && passed() { // work that was under way went on before the server was ready
		w.events++
		proc.Must(w.t, w.nodes[0].Start())
		w.load(10)
		return
	}
	proc.Must(w.t, err)
	if poll.Within(4*time.Second, passed) { // not every life comes there
		w.events++
	}
	select {
	case <-w.nodes[0].Exited():
	case <-time.After(500 * time.Millisecond): // it was not there, or went on
		w.load(10)
		w.nodes[0].Kill()
	}
	proc.Must(w.t, w.nodes[0].Start())
	w.load(10)
}

// kill kills the server and starts it again.
func (w *world) kill() {
	w.t.Helper()
	w.events++
	w.nodes[0].Kill()
	proc.Must(w.t, w.nodes[0].Start())
}

// starve takes memory away until the kernel kills the server.
func (w *world) starve() {
	w.t.Helper()
	group := fmt.Sprintf("/sys/fs/cgroup/memory/clew-faults-%d-%d", os.Getpid(), w.seed)
	if err := os.Mkdir(group, 0o755); err != nil {
		w.t.Skipf("not run: no control group for memory: %v", err)
	}
	w.t.Cleanup(func() { _ = os.Remove(group) })
	pid := w.nodes[0].Pid()
	proc.Must(w.t, os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600))
	// What it has already is not counted here: only what it takes from now on is.
	proc.Must(w.t, os.WriteFile(filepath.Join(group, "memory.limit_in_bytes"), []byte(strconv.Itoa(512<<10)), 0o600))
	select {
	case <-w.nodes[0].Exited():
	case <-time.After(20 * time.Second):
		w.t.Skip("not run: the kernel let the server live")
	}
}

// run runs a tool of the system.
func (w *world) run(name string, args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
