package shell

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/tool"
)

func (b *bench) background(command string) (id string, r tool.Result) {
	b.t.Helper()
	r = b.use(executeCommand{b.shell}, map[string]any{"command": command, "background": true})
	rest, ok := strings.CutPrefix(r.Text, "Started in the background as ")
	id, _, _ = strings.Cut(rest, ".")
	if !ok {
		b.t.Fatalf("%+v", r)
	}
	return id, r
}

func (b *bench) read(id string) string {
	b.t.Helper()
	return b.use(readOutput{b.shell}, map[string]any{"id": id}).Text
}

// jobs lists the background commands of the bench's session.
func (b *bench) jobs() []*job {
	b.shell.mu.Lock()
	js := b.shell.jobs[clew.SessionID(b.t.Name())]
	b.shell.mu.Unlock()
	if js == nil {
		return nil
	}
	return js.list()
}

func TestBackground(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		id, r := b.background("echo one; while ! test -e go; do sleep 0.01; done; echo two; while ! test -e end; do sleep 0.01; done; echo three; exit 4")
		if !strings.Contains(r.Text, "\n\none\n\n["+id+" still runs") || r.IsError {
			t.Errorf("%+v", r)
		}
		if text := b.read(id); !strings.HasPrefix(text, "(no output)\n\n["+id+" still runs") {
			t.Errorf("%q", text)
		}
		write(t, b.ws.Dir+"/go", "")
		poll.Until(t, "the second output", func() bool { return strings.HasPrefix(b.read(id), "two\n") })
		write(t, b.ws.Dir+"/end", "")
		var all string
		poll.Until(t, "its end", func() bool { all += b.read(id); return strings.Contains(all, "exit code 4]") })
		if !strings.Contains(all, "three\n") {
			t.Errorf("%q", all)
		}
		if text := b.read(id); !strings.HasPrefix(text, "(no output)\n\n[ended after ") {
			t.Errorf("%q", text)
		}
		if r := b.use(stopCommand{b.shell}, map[string]any{"id": id}); !strings.Contains(r.Text, "[ended after ") || r.IsError {
			t.Errorf("stopping what has ended: %+v", r)
		}
	})
}

func TestBackgroundStops(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b, word := newBench(t, opts), secret()
		id, _ := b.background(daemon(word) + "echo started; sleep " + word)
		for range 2 { // it is repeatable
			r := b.use(stopCommand{b.shell}, map[string]any{"id": id})
			if !strings.Contains(r.Text, stoppedByTool) || r.IsError {
				t.Errorf("%+v", r)
			}
		}
		if left := alive(word); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestBackgroundTimeLimit(t *testing.T) {
	b := newBench(t, Options{Sandbox: SandboxNone, Marker: "test"})
	r := b.use(executeCommand{b.shell}, map[string]any{"command": "echo a; sleep 1000", "background": true, "timeout_sec": 1})
	if r.IsError {
		t.Fatalf("%+v", r)
	}
	poll.Until(t, "the time limit", func() bool { return strings.Contains(b.read("cmd_1"), stoppedByLimit) })
}

// A command that ends at once is told as such.
func TestBackgroundThatEnds(t *testing.T) {
	b := newBench(t, Options{Sandbox: SandboxNone, Marker: "test"})
	_, r := b.background("exit 9")
	if !strings.Contains(r.Text, "exit code 9]") || !r.IsError {
		t.Errorf("%+v", r)
	}
}

func TestBackgroundFloodIsBounded(t *testing.T) {
	b := newBench(t, Options{Sandbox: SandboxNone, Marker: "test"})
	id, _ := b.background("yes | head -c 5000000; echo over")
	poll.Until(t, "the flood's end", func() bool { return b.shell.findJob(clew.SessionID(t.Name()), id).ended() })
	if text := b.read(id); len(text) > keepBackground+1000 || !strings.Contains(text, "over\n") || !strings.Contains(text, "left out") {
		t.Errorf("%d bytes", len(text))
	}
}

func TestBackgroundLimitAndSessions(t *testing.T) {
	b, word := newBench(t, Options{Sandbox: SandboxNone, Marker: "test"}), secret()
	for range maxJobs {
		b.background("echo a; sleep " + word)
	}
	a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{"command": "true", "background": true}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context(), newCapture()); clew.AsError(err).Code != clew.ToolExecutionFailed {
		t.Errorf("one too many: %v", err)
	}
	other := b.call(map[string]any{"id": "cmd_1"})
	other.SessionID = "another"
	for _, tl := range []tool.Tool{readOutput{b.shell}, stopCommand{b.shell}} {
		if _, err := tl.Prepare(t.Context(), other); err == nil {
			t.Errorf("%s reaches into another session", tl.Spec().Name)
		}
	}
	poll.Until(t, "all to run", func() bool { return len(alive(word)) == maxJobs })
	b.shell.EndSession(clew.SessionID(t.Name()))
	if left := alive(word); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	b.background("true") // there is room again
}

func TestBackgroundForgetsTheOldest(t *testing.T) {
	b := newBench(t, Options{Sandbox: SandboxNone, Marker: "test"})
	for range maxEnded + 5 {
		b.background("true")
		js := b.jobs()
		<-js[len(js)-1].done
	}
	if n := len(b.jobs()); n > maxEnded+1 {
		t.Errorf("%d are remembered", n)
	}
	b.read(fmt.Sprintf("cmd_%d", maxEnded+5))
}

func TestBackgroundEndsByItself(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b, word := newBench(t, opts), secret()
		if b.shell.longest != 4*time.Hour {
			t.Errorf("the limit is %s", b.shell.longest)
		}
		b.shell.longest = 50 * time.Millisecond
		id, _ := b.background(daemon(word) + "sleep " + word)
		<-b.jobs()[0].done
		if text := b.read(id); !strings.Contains(text, "[stopped after ") || !strings.Contains(text, stoppedByLimit) {
			t.Errorf("%q", text)
		}
		if left := alive(word); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

// What ended long ago is forgotten, and so is a session without commands.
func TestBackgroundForgetsSessions(t *testing.T) {
	b := newBench(t, Options{Sandbox: SandboxNone, Marker: "test"})
	first, _ := b.background("true")
	old := b.jobs()[0]
	<-old.done
	old.took -= maxAge + time.Minute // as if it had ended that long ago

	js, err := b.shell.reserveJob("another")
	if err != nil {
		t.Fatal(err)
	}
	if b.jobs() != nil || len(b.shell.jobs) != 1 {
		t.Errorf("%d sessions are remembered", len(b.shell.jobs))
	}
	if b.shell.settleJob("another", js, nil); len(b.shell.jobs) != 0 {
		t.Error("a session is remembered for a command that did not start")
	}
	if id, _ := b.background("true"); id == first {
		t.Errorf("%s is given twice", id)
	}
}
