package kernel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/notebook/kernel"
)

// TestRealKernel holds the client against ipykernel, one for all parts, since a
// start takes seconds.
func TestRealKernel(t *testing.T) {
	at, process := startReal(t)
	began := time.Now()
	c := dial(t, at, kernel.Options{Identity: "clew-1", Starting: true})
	t.Cleanup(func() { _ = c.Close() }) // the last of those that took over
	t.Logf("joined after %v", time.Since(began).Round(time.Millisecond))

	t.Run("info", func(t *testing.T) { realInfo(t, c) })
	t.Run("result", func(t *testing.T) { realResult(t, c) })
	t.Run("output", func(t *testing.T) { realOutput(t, c) })
	t.Run("display", func(t *testing.T) { realDisplay(t, c) })
	t.Run("input", func(t *testing.T) { realInput(t, c) })
	t.Run("interrupt", func(t *testing.T) { realInterrupt(t, c) })
	t.Run("ask", func(t *testing.T) { realAsk(t, c) })
	t.Run("subshell", func(t *testing.T) { realSubshell(t, c) })
	t.Run("take over", func(t *testing.T) { c = realTakeOver(t, at, c) })
	t.Run("take over a question", func(t *testing.T) { c = realTakeOverInput(t, at, c) })
	t.Run("two at a time", func(t *testing.T) { realTwo(t, at, c) })
	t.Run("kill", func(t *testing.T) {
		execute(t, c, "killed", "import time; time.sleep(30)")
		until(t, c, "killed", func(m kernel.Message) bool { return isStatus(m, "busy") })
		killed := time.Now()
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		waitEnd(t, c)
		t.Logf("seen %v after the kill: %v", time.Since(killed).Round(time.Microsecond), c.Err())
		if err := c.Execute(within(t), kernel.Execute{MsgID: "late", Code: "1"}); err == nil {
			t.Error("code was sent to a dead kernel")
		}
		if err := c.Heartbeat(within(t)); err == nil {
			t.Error("a dead kernel's heart beats")
		}
	})
}

// waitEnd reads what is left and waits for the end.
func waitEnd(t *testing.T, c *kernel.Client) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, ok := <-c.Messages():
			if !ok {
				if c.Err() == nil {
					t.Error("the client has ended without an error")
				}
				return
			}
		case <-deadline:
			t.Fatal("the end was not seen")
		}
	}
}

func realInfo(t *testing.T, c *kernel.Client) {
	info, err := c.Info(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if info.Language.Name != "python" || info.Implementation != "ipython" || !strings.HasPrefix(info.Protocol, "5.") {
		t.Errorf("info: %+v", info)
	}
	if !info.Subshells() {
		t.Errorf("features: %v", info.Features)
	}
	began := time.Now()
	for range 3 {
		if err := c.Heartbeat(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("three heartbeats: %v", time.Since(began).Round(time.Microsecond))
}

func realResult(t *testing.T, c *kernel.Client) {
	var took []time.Duration
	for i := range 5 {
		began := time.Now()
		all := run(t, c, fmt.Sprintf("one-%d", i), "1")
		took = append(took, time.Since(began).Round(100*time.Microsecond))
		results := only(all, "execute_result")
		if len(results) != 1 || field(results[0], "data.text/plain") != "1" {
			t.Fatalf("results: %v", results)
		}
		if field(all[len(all)-1], "status")+field(all[len(all)-2], "status") == "" {
			t.Errorf("no reply: %v", all)
		}
	}
	t.Logf("a cell `1`, request to idle and reply: %v", took)
}

func realOutput(t *testing.T, c *kernel.Client) {
	all := run(t, c, "print", "import sys\nprint('näher €')\nprint('bad', file=sys.stderr)")
	if out, bad := printed(all, "stdout"), printed(all, "stderr"); out != "näher €\n" || bad != "bad\n" {
		t.Errorf("printed %q and %q", out, bad)
	}
	all = run(t, c, "error", "def f(): 1/0\nf()")
	errs := only(all, "error")
	if len(errs) != 1 || field(errs[0], "ename") != "ZeroDivisionError" || !strings.Contains(field(errs[0], "traceback"), "f()") {
		t.Errorf("errors: %v", errs)
	}
	if r := only(all, "execute_reply"); len(r) != 1 || field(r[0], "status") != "error" {
		t.Errorf("reply: %v", r)
	}
	all = run(t, c, "much", "for i in range(200): print('x' * 100_000)")
	if got := len(printed(all, "stdout")); got != 200*100_001 {
		t.Errorf("%d bytes of 20 MB were printed", got)
	}
	all = run(t, c, "large", "from IPython.display import display\ndisplay({'text/plain': 'x' * 30_000_000}, raw=True)")
	if d := only(all, "display_data"); len(d) != 1 || len(d[0].Content) < 30_000_000 {
		t.Errorf("%d displays", len(d))
	}
	execute(t, c, "too large", "display({'text/plain': 'x' * 70_000_000}, raw=True)\nprint('after')")
	var left kernel.Message
	var said []kernel.Message
	for m := next(t, c); m.ParentID != "too large" || !isStatus(m, "idle"); m = next(t, c) {
		said = append(said, m)
		if m.Problem != "" {
			left = m
		}
	}
	if out := printed(said, "stdout"); out != "after\n" {
		t.Errorf("printed %q", out)
	}
	if left.Channel != kernel.IOPub || !strings.Contains(left.Problem, "over the limit") {
		t.Errorf("the display over the limit was not told: %+v", left)
	}
}

func realDisplay(t *testing.T, c *kernel.Client) {
	const n = 5000
	began := time.Now()
	all := run(t, c, "displays", fmt.Sprintf("from IPython.display import display\nfor i in range(%d): display({'text/plain': str(i)}, raw=True)", n))
	shown := only(all, "display_data")
	if len(shown) != n {
		t.Fatalf("%d of %d displays came", len(shown), n)
	}
	for i, m := range shown {
		if field(m, "data.text/plain") != fmt.Sprint(i) {
			t.Fatalf("display %d: %s", i, m.Content)
		}
	}
	t.Logf("%d displays: %v", n, time.Since(began).Round(time.Millisecond))

	all = run(t, c, "update", "h = display('a', display_id='d1')\nh.update('b')")
	updates := only(all, "update_display_data")
	if len(updates) != 1 || field(updates[0], "transient.display_id") != "d1" || field(updates[0], "data.text/plain") != "'b'" {
		t.Errorf("updates: %v", updates)
	}
}

func realInput(t *testing.T, c *kernel.Client) {
	execute(t, c, "input", "print('<' + input('name? ') + '>')")
	asked := until(t, c, "input", isType("input_request"))
	question := asked[len(asked)-1]
	if question.Channel != kernel.Stdin || field(question, "prompt") != "name? " {
		t.Errorf("question: %+v", question)
	}
	if err := c.Reply(within(t), question, []byte("Kim é")); err != nil {
		t.Fatal(err)
	}
	if out := printed(toEnd(t, c, "input"), "stdout"); out != "<Kim é>\n" {
		t.Errorf("printed %q", out)
	}
}

func realInterrupt(t *testing.T, c *kernel.Client) {
	execute(t, c, "sleep", "print('sleeps', flush=True)\nimport time; time.sleep(30)")
	until(t, c, "sleep", isType("stream"))
	if err := c.Interrupt(within(t)); err != nil {
		t.Fatal(err)
	}
	errs := only(toEnd(t, c, "sleep"), "error")
	if len(errs) != 1 || field(errs[0], "ename") != "KeyboardInterrupt" {
		t.Errorf("errors: %v", errs)
	}
}

func realAsk(t *testing.T, c *kernel.Client) {
	run(t, c, "names", "get_ipython().Completer.use_jedi = False\nalphabet = 1\nalpine = 2\ndef known():\n    'what it does'\n")
	could, err := c.Complete(within(t), "é = alp", 7)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(could.Matches, "alphabet") || !slices.Contains(could.Matches, "alpine") || could.Start != 4 || could.End != 7 {
		t.Errorf("completion: %+v", could)
	}
	found, err := c.Inspect(within(t), "known", 3, 0)
	if err != nil || !found.Found || !strings.Contains(string(found.Data["text/plain"]), "what it does") {
		t.Errorf("inspection: %+v, %v", found, err)
	}
	if found, err = c.Inspect(within(t), "unknown_name", 3, 0); err != nil || found.Found {
		t.Errorf("inspection: %+v, %v", found, err)
	}
}

func realSubshell(t *testing.T, c *kernel.Client) {
	id, err := c.OpenSubshell(within(t))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, c, "main", "input('wait')") // lasts until it is answered
	question := until(t, c, "main", isType("input_request"))
	e := kernel.Execute{MsgID: "beside", Silent: true, UserExpressions: map[string]string{"n": "6*7"}, Subshell: id}
	if err := c.Execute(within(t), e); err != nil {
		t.Fatal(err)
	}
	reply := until(t, c, "beside", isType("execute_reply"))
	if got := field(reply[len(reply)-1], "user_expressions.n.data.text/plain"); got != "42" {
		t.Errorf("beside a running cell: %q", got)
	}
	if err := c.Reply(within(t), question[len(question)-1], nil); err != nil {
		t.Fatal(err)
	}
	toEnd(t, c, "main")
	if err := c.CloseSubshell(within(t), id); err != nil {
		t.Error(err)
	}
	if err := c.CloseSubshell(within(t), id); err == nil {
		t.Error("a subshell that is gone was closed")
	}
}
