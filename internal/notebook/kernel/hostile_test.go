package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
	"github.com/clew-run/clew/internal/notebook/zmtp"
)

// heap is what is in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// taken is all that was ever set aside.
func taken() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// over is how much more is in use than before, 0 if less.
func over(before uint64) uint64 { return max(heap(), before) - before }

// TestBreaksTheProtocol ends the client with an error when no message that
// follows could be relied on.
func TestBreaksTheProtocol(t *testing.T) {
	for code, want := range map[string]error{
		"forge":                        kernel.ErrSignature,
		"bare":                         nil,
		"garbage":                      zmtp.ErrProtocol,
		"announce 4611686018427387904": zmtp.ErrProtocol,
	} {
		t.Run(code, func(t *testing.T) {
			at, _ := kerneltest.Start(t, kerneltest.Options{})
			c := dial(t, at, kernel.Options{ReadTimeout: 20 * time.Millisecond}) // the other sockets are read until one
			execute(t, c, "bad", code+"\nprint after")
			for m := range c.Messages() {
				if m.Type == "stream" {
					t.Errorf("a message came after what broke the protocol: %s", m.Content)
				}
			}
			if err := c.Err(); err == nil || (want != nil && !errors.Is(err, want)) {
				t.Errorf("the client has ended with %v", err)
			}
		})
	}
}

// TestBadMessages leaves out what cannot be used, says so, and goes on.
func TestBadMessages(t *testing.T) {
	at, _ := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	for _, bad := range []struct{ code, kind, problem string }{
		{"deep 64", "display_data", ""},
		{"deep 65", "display_data", "deeper than 64"},
		{"deep 1000000", "display_data", "deeper than 64"},
		{"broken", "display_data", "not a JSON object"},
		{"huge 209715200", "", "over the limit"},
	} {
		before, start := heap(), taken()
		execute(t, c, bad.code, bad.code+"\nprint after")
		all := collect(t, c, bad.code)
		at := slices.IndexFunc(all, func(m kernel.Message) bool { return m.Type == bad.kind })
		if at < 0 {
			t.Fatalf("%s: was not told", bad.code)
		}
		m := all[at]
		if !strings.Contains(m.Problem, bad.problem) || (bad.problem != "") != (m.Content == nil) {
			t.Errorf("%s: %q, %d bytes", bad.code, m.Problem, len(m.Content))
		}
		if bad.kind != "" && m.ParentID != bad.code {
			t.Errorf("%s: of %q", bad.code, m.ParentID)
		}
		if out := printed(all, "stdout"); out != "after\n" {
			t.Errorf("%s: then %q", bad.code, out)
		}
		set, grown := taken()-start, over(before)
		t.Logf("%s: %d KiB were set aside, %d KiB are still in use", bad.code, set>>10, grown>>10)
		if set > 64<<20 || grown > 8<<20 {
			t.Errorf("%s: %d MiB were set aside, %d are held", bad.code, set>>20, grown>>20)
		}
	}
}

// TestAnnounced lets a kernel announce a frame of 1 GiB of which nothing comes.
func TestAnnounced(t *testing.T) {
	before := heap()
	at, _ := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{ReadTimeout: 5 * time.Millisecond})
	execute(t, c, "announces", "announce 1073741824")
	until(t, c, "announces", isType("execute_reply"))
	if _, err := c.Info(within(t)); err != nil {
		t.Errorf("control is held up: %v", err)
	}
	grown := over(before)
	t.Logf("%d KiB more in use", grown>>10)
	if grown > 8<<20 {
		t.Errorf("%d MiB are held", grown>>20)
	}
	if c.Err() != nil {
		t.Errorf("the client has ended: %v", c.Err())
	}
}

// TestEndsThatLack has no end of a cell made up by the client.
func TestEndsThatLack(t *testing.T) {
	at, _ := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	for _, cell := range []struct {
		code           string
		replies, idles int
	}{
		{"noreply", 0, 1}, {"noidle", 1, 0}, {"hang", 0, 0}, {"twice", 2, 2}, {"orphan", 1, 1},
	} {
		execute(t, c, cell.code, cell.code)
		execute(t, c, "next "+cell.code, "print next")
		replies, idles, orphans := 0, 0, 0
		ended := map[kernel.Channel]bool{}
		for !ended[kernel.Shell] || !ended[kernel.IOPub] {
			m := next(t, c)
			last := m.Type == "execute_reply" || isStatus(m, "idle")
			switch {
			case m.ParentID == "next "+cell.code && last:
				ended[m.Channel] = true
			case m.ParentID == cell.code && m.Type == "execute_reply":
				replies++
			case m.ParentID == cell.code && last:
				idles++
			case m.ParentID == "nobody's":
				orphans++
			}
		}
		if replies != cell.replies || idles != cell.idles || (cell.code == "orphan") != (orphans == 2) {
			t.Errorf("%s: %d replies, %d times idle, %d of nobody", cell.code, replies, idles, orphans)
		}
	}
}

// TestFlood does not read while a kernel floods. It is held up, memory is not
// taken, and replies and requests on the other sockets get through. Then all is read, and
// nothing is missing.
func TestFlood(t *testing.T) {
	const lines, size = 20_000, 2000
	before := heap()
	at, k := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	execute(t, c, "flood", fmt.Sprintf("flood %d %d", lines, size))

	stalledAt := stalled(t, c, k)
	held := over(before)
	t.Logf("held up after %d of %d messages (%d MB), %d KiB more in use", stalledAt, lines, stalledAt*size/1_000_000, held>>10)
	if stalledAt >= lines {
		t.Error("the kernel was not held up")
	}
	if held > 24<<20 {
		t.Errorf("%d MiB are held", held>>20)
	}

	streams, peak := 0, uint64(0)
	for done := false; !done; {
		m := next(t, c)
		if m.Type == "stream" {
			if len(field(m, "text")) != size+1 {
				t.Fatalf("message %d: %d bytes", streams, len(m.Content))
			}
			if streams++; streams%5_000 == 0 {
				peak = max(peak, over(before))
			}
		}
		done = m.ParentID == "flood" && isStatus(m, "idle")
	}
	t.Logf("%d messages were read, at most %d KiB more in use", streams, peak>>10)
	if streams != lines || peak > 32<<20 {
		t.Errorf("%d of %d messages, %d MiB", streams, lines, peak>>20)
	}
}

// stalled waits until the kernel publishes no more while much else happens.
func stalled(t *testing.T, c *kernel.Client, k *kerneltest.Kernel) int {
	t.Helper()
	last, same, ctx := -1, 0, within(t)
	for range 100_000 {
		for range 200 {
			if err := c.Heartbeat(ctx); err != nil {
				t.Fatal(err)
			}
		}
		n := k.Published()
		if n != last || n < 100 {
			last, same = n, 0
		} else if same++; same == 10 {
			return n
		}
	}
	t.Fatal("the flood has no end")
	return 0
}

// TestCloseInAFlood leaves without having read anything.
func TestCloseInAFlood(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	execute(t, c, "flood", "flood 100000 2000")
	stalled(t, c, k)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestNobodyHome(t *testing.T) {
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	for name, c := range map[string]struct {
		options kerneltest.Options
		ctx     context.Context
		want    error
	}{
		"mute":             {kerneltest.Options{Mute: true}, soon(), context.DeadlineExceeded},
		"half a greeting":  {kerneltest.Options{Greeting: "\xff\x00"}, soon(), context.DeadlineExceeded},
		"another protocol": {kerneltest.Options{Greeting: "SSH-2.0-OpenSSH_9.9\r\n"}, within(t), zmtp.ErrProtocol},
		"a long greeting":  {kerneltest.Options{Greeting: strings.Repeat("x", 100_000)}, within(t), zmtp.ErrProtocol},
	} {
		at, _ := kerneltest.Start(t, c.options)
		if _, err := kernel.Dial(c.ctx, at, kernel.Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	at, k := kerneltest.Start(t, kerneltest.Options{})
	k.Kill()
	if _, err := kernel.Dial(within(t), at, kernel.Options{}); err == nil {
		t.Error("a dead kernel was joined")
	}
	if _, err := kernel.Dial(soon(), at, kernel.Options{Starting: true}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a kernel that never starts: %v", err)
	}
}

// TestAnotherKey joins a kernel whose key is not the one of the file.
func TestAnotherKey(t *testing.T) {
	at, _ := kerneltest.Start(t, kerneltest.Options{})
	at.Key = "another key"
	if _, err := kernel.Dial(within(t), at, kernel.Options{}); !errors.Is(err, kernel.ErrSignature) {
		t.Errorf("got %v", err)
	}
}

// A cell puts links to another kernel's sockets in the place of its own kernel's. The other
// kernel has another key: it does nothing of what it is asked, and is not believed.
func TestLinkedSockets(t *testing.T) {
	const shell, iopub = 0, 1
	for name, links := range map[string][]int{"all": {0, 1, 2, 3, 4}, "what it publishes": {iopub}, "what it is asked": {shell}} {
		t.Run(name, func(t *testing.T) {
			at, _ := kerneltest.Start(t, kerneltest.Options{})
			other, k := kerneltest.Start(t, kerneltest.Options{})
			for _, i := range links {
				path := at.Sockets()[i]
				if err := errors.Join(os.Remove(path), os.Symlink(other.Sockets()[i], path)); err != nil {
					t.Fatal(err)
				}
			}
			if c, err := kernel.Dial(within(t), at, kernel.Options{}); err == nil {
				execute(t, c, "stray", "print stray")
				defer func() { _ = c.Close() }()
			} else if !errors.Is(err, kernel.ErrSignature) {
				t.Errorf("got %v", err)
			}
			c := dial(t, other, kernel.Options{})
			execute(t, c, "own", "7")
			for m := range c.Messages() {
				if m.Type == "execute_reply" {
					break
				}
			}
			if got := k.Executions(); len(got) != 1 || got[0] != "own" {
				t.Errorf("it executed %v", got)
			}
		})
	}
}
