package kernel_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/notebook/kernel"
)

// again closes a client and joins its kernel with the same identity.
func again(t *testing.T, at kernel.Connection, old *kernel.Client) *kernel.Client {
	t.Helper()
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	c, err := kernel.Dial(within(t), at, kernel.Options{Identity: "clew-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("joined again after %v", time.Since(began).Round(time.Millisecond))
	return c // the caller hands it on to the next part, and ends it
}

// realTakeOver shows that a client which was there when a cell began can go: with
// the same identity the next one has the rest of the output and the reply.
func realTakeOver(t *testing.T, at kernel.Connection, old *kernel.Client) *kernel.Client {
	execute(t, old, "long", `
import time, os
print('first', flush=True)
while not os.path.exists('go'): time.sleep(0.01)
print('second', flush=True)
`)
	until(t, old, "long", isType("stream"))
	c := again(t, at, old)
	info, err := c.Info(within(t)) // answered although the cell runs
	if err != nil || info.Language.Name != "python" {
		t.Errorf("info: %+v, %v", info, err)
	}
	release(t, at)
	all := toEnd(t, c, "long")
	if out := printed(all, "stdout"); out != "second\n" {
		t.Errorf("printed after the change: %q", out)
	}
	if r := only(all, "execute_reply"); len(r) != 1 || field(r[0], "status") != "ok" {
		t.Errorf("reply: %v", r)
	}
	return c
}

func realTakeOverInput(t *testing.T, at kernel.Connection, old *kernel.Client) *kernel.Client {
	execute(t, old, "asks", "print('<' + input('q') + '>')")
	asked := until(t, old, "asks", isType("input_request"))
	c := again(t, at, old)
	question := kernel.Message{MsgID: asked[len(asked)-1].MsgID} // all that is left of it after a restart
	if err := c.Reply(within(t), question, []byte("yes")); err != nil {
		t.Fatal(err)
	}
	all := toEnd(t, c, "asks")
	if out := printed(all, "stdout"); out != "<yes>\n" {
		t.Errorf("printed %q", out)
	}
	return c
}

// realTwo joins a kernel that has a subscriber already, which it does not welcome.
func realTwo(t *testing.T, at kernel.Connection, c *kernel.Client) {
	began := time.Now()
	second, err := kernel.Dial(within(t), at, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	t.Logf("a second client joined after %v", time.Since(began).Round(time.Millisecond))
	execute(t, c, "shared", "print('both')")
	for _, client := range []*kernel.Client{c, second} {
		all := until(t, client, "shared", func(m kernel.Message) bool { return isStatus(m, "idle") })
		if out := printed(all, "stdout"); out != "both\n" {
			t.Errorf("printed %q", out)
		}
	}
}

// release lets the cell of realTakeOver end.
func release(t *testing.T, at kernel.Connection) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(at.IP), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
