package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

// told writes messages as short lines: type and the part that matters.
func told(all []kernel.Message) []string {
	var lines []string
	for _, m := range all {
		part := ""
		for _, path := range []string{"execution_state", "text", "data.text/plain", "prompt", "ename", "status"} {
			if s := field(m, path); s != "null" {
				part = s
				break
			}
		}
		lines = append(lines, strings.TrimSpace(m.Type+" "+part))
	}
	return lines
}

func TestCells(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	for i, cell := range []struct {
		code string
		want []string
	}{
		{"print a b", []string{"stream a b"}},
		{"warn a\n\n# a note", []string{"stream a"}},
		{"7", []string{"execute_result 7"}},
		{"display 2", []string{"display_data 0", "display_data 1"}},
		{"show d1 old\nupdate d1 new", []string{"display_data old", "update_display_data new"}},
		{"image\nhtml <b>", []string{"display_data <a picture>", "display_data <some HTML>"}},
		{"clear", []string{"clear_output"}},
		{"sleep 1ms\nprint late", []string{"stream late"}},
	} {
		id := fmt.Sprintf("cell-%d", i)
		all := run(t, c, id, cell.code)
		var outputs []kernel.Message
		for _, m := range all {
			if m.Channel == kernel.IOPub && m.Type != "status" && m.Type != "execute_input" {
				outputs = append(outputs, m)
			}
		}
		if got := told(outputs); !slices.EqualFunc(got, cell.want, func(a, b string) bool { return strings.TrimSpace(a) == b }) {
			t.Errorf("%q: %q", cell.code, got)
		}
		if r := only(all, "execute_reply"); len(r) != 1 || field(r[0], "status") != "ok" || r[0].Channel != kernel.Shell {
			t.Errorf("%q: reply %v", cell.code, r)
		}
		if k.Executed(id) != 1 {
			t.Errorf("%q was executed %d times", cell.code, k.Executed(id))
		}
	}
}

func TestErrorStopsTheQueue(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	execute(t, c, "fails", "wait queued\nfail ValueError a bad value")
	execute(t, c, "second", "print never")
	ctx := within(t)
	for k.Waiting() != 1 {
		if err := c.Heartbeat(ctx); err != nil {
			t.Fatal(err)
		}
	}
	k.Release("queued")
	all := collect(t, c, "fails", "second")
	if e := only(of(all, "fails"), "error"); len(e) != 1 || field(e[0], "ename") != "ValueError" || field(e[0], "evalue") != "a bad value" {
		t.Errorf("errors: %v", e)
	}
	reply := only(of(all, "second"), "execute_reply")
	if len(reply) != 1 || field(reply[0], "status") != "aborted" || k.Executed("second") != 0 {
		t.Errorf("replies %v, executed %v", told(reply), k.Executions())
	}
}

func TestQuestion(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	for i, word := range []string{"ask", "secret"} {
		id := fmt.Sprint("question-", i)
		execute(t, c, id, word+" who?")
		asked := until(t, c, id, isType("input_request"))
		q := asked[len(asked)-1]
		if q.Channel != kernel.Stdin || field(q, "prompt") != "who?" || field(q, "password") != fmt.Sprint(word == "secret") {
			t.Errorf("question: %+v %s", q, q.Content)
		}
		if err := c.Reply(within(t), q, []byte("Kim")); err != nil {
			t.Fatal(err)
		}
		toEnd(t, c, id)
	}
	if got := k.Answers(); !slices.Equal(got, []string{"Kim", "Kim"}) {
		t.Errorf("answers: %q", got)
	}
	e := kernel.Execute{MsgID: "nobody", Code: "ask who?"}
	if err := c.Execute(within(t), e); err != nil {
		t.Fatal(err)
	}
	if e := only(toEnd(t, c, "nobody"), "error"); len(e) != 1 || field(e[0], "ename") != "StdinNotImplementedError" {
		t.Errorf("errors: %v", e)
	}
}

func TestInterrupt(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	for _, code := range []string{"sleep 1h", "wait nothing", "ask and wait"} {
		execute(t, c, code, code)
		until(t, c, code, isType("execute_input"))
		if err := c.Interrupt(within(t)); err != nil {
			t.Fatal(err)
		}
		if e := only(toEnd(t, c, code), "error"); len(e) != 1 || field(e[0], "ename") != "KeyboardInterrupt" {
			t.Errorf("%s: errors %v", code, e)
		}
	}
	if k.Interrupts() != 3 {
		t.Errorf("%d interrupts", k.Interrupts())
	}
}

func TestRequests(t *testing.T) {
	for name, o := range map[string]kerneltest.Options{"ipc": {}, "tcp": {TCP: true}, "old": {Old: true}} {
		t.Run(name, func(t *testing.T) {
			o.Features = []string{"debugger"}
			o.Expression = strings.ToUpper
			at, k := kerneltest.Start(t, o)
			c := dial(t, at, kernel.Options{})
			info, err := c.Info(within(t))
			if err != nil || info.Implementation != "kerneltest" || info.Language.Extension != ".txt" || info.Subshells() {
				t.Errorf("info: %+v, %v", info, err)
			}
			could, err := c.Complete(within(t), "pr", 2)
			if err != nil || !slices.Equal(could.Matches, []string{"print", "probe"}) || could.End != 2 {
				t.Errorf("completion: %+v, %v", could, err)
			}
			found, err := c.Inspect(within(t), "print", 2, 1)
			if err != nil || !found.Found || string(found.Data["text/plain"]) != `"of print"` {
				t.Errorf("inspection: %+v, %v", found, err)
			}
			if _, err := c.OpenSubshell(within(t)); clew.CodeOf(err) != clew.ExecutionFailed || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("subshell: %v", err)
			}
			if err := c.Heartbeat(within(t)); err != nil {
				t.Errorf("heartbeat: %v", err)
			}
			if err := c.Execute(within(t), kernel.Execute{MsgID: "x", Silent: true, UserExpressions: map[string]string{"n": "abc"}}); err != nil {
				t.Fatal(err)
			}
			if r := only(toEnd(t, c, "x"), "execute_reply"); field(r[0], "user_expressions.n.data.text/plain") != "ABC" {
				t.Errorf("reply: %s", r[0].Content)
			}
			if err := c.Shutdown(within(t), false); err != nil {
				t.Errorf("shutdown: %v", err)
			}
			waitEnd(t, c)
			<-k.Done()
		})
	}
}

// TestSubshell runs something beside a cell.
func TestSubshell(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{Features: []string{"kernel subshells"}})
	c := dial(t, at, kernel.Options{})
	if info, err := c.Info(within(t)); err != nil || !info.Subshells() {
		t.Errorf("info: %+v, %v", info, err)
	}
	id, err := c.OpenSubshell(within(t))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, c, "main", "wait beside")
	if err := c.Execute(within(t), kernel.Execute{MsgID: "beside", Code: "print beside", Subshell: id}); err != nil {
		t.Fatal(err)
	}
	first := collect(t, c, "beside")
	if out := printed(of(first, "beside"), "stdout"); out != "beside\n" || len(only(of(first, "main"), "execute_reply")) != 0 {
		t.Errorf("printed %q", out)
	}
	k.Release("beside")
	toEnd(t, c, "main")
	if err := c.CloseSubshell(within(t), id); err != nil {
		t.Error(err)
	}
}

// TestRequestWithoutReply asks on shell while a cell is in the way.
func TestRequestWithoutReply(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	execute(t, c, "busy", "wait late")
	soon, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Complete(soon, "p", 1); clew.CodeOf(err) != clew.ConnectionTimeout {
		t.Errorf("a reply that does not come: %v", err)
	}
	k.Release("late")
	for m := next(t, c); m.Type != "complete_reply"; m = next(t, c) { // nobody waits for it any more
		if m.Channel == kernel.Control {
			t.Errorf("came on control: %+v", m)
		}
	}

	execute(t, c, "dies", "wait asked\nexit")
	asked := make(chan error)
	go func() {
		_, err := c.Inspect(within(t), "p", 1, 0)
		asked <- err
	}()
	for ctx := within(t); k.Waiting() != 1; {
		if err := c.Heartbeat(ctx); err != nil {
			t.Fatal(err)
		}
	}
	k.Release("asked")
	if err := <-asked; clew.CodeOf(err) != clew.ConnectionFailed {
		t.Errorf("asked a kernel that died: %v", err)
	}
}

// Nothing is said to a kernel that was just started before it says that it starts: it would
// never be read.
func TestSaysStarting(t *testing.T) {
	starts := make(chan struct{})
	at, k := kerneltest.Start(t, kerneltest.Options{Starts: starts})
	type joined struct {
		c   *kernel.Client
		err error
	}
	dialed := make(chan joined, 1)
	go func() {
		c, err := kernel.Dial(within(t), at, kernel.Options{SaysStarting: true})
		dialed <- joined{c, err}
	}()
	for late := time.After(patience); k.Subscribers() == 0; {
		select {
		case <-time.After(time.Millisecond):
		case <-late:
			t.Fatal("nobody subscribed")
		}
	}
	time.Sleep(100 * time.Millisecond) // who does not wait connects meanwhile, and is never heard
	close(starts)
	d := <-dialed
	if d.err != nil {
		t.Fatal(d.err)
	}
	defer func() { _ = d.c.Close() }()
	if _, err := d.c.Info(within(t)); err != nil {
		t.Error(err)
	}
}

// A kernel that overlooks requests until somebody else connects has them all the same, and
// each once.
func TestOverlooked(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{Overlooks: true})
	c := dial(t, at, kernel.Options{})
	for i := range 2 {
		id := fmt.Sprint("cell-", i)
		run(t, c, id, "print a")
		if n := k.Executed(id); n != 1 {
			t.Errorf("%s ran %d times", id, n)
		}
	}
}

// TestReadsTimeOut waits through many time-outs of a read before output comes, also
// in the middle of a message's frames.
func TestReadsTimeOut(t *testing.T) {
	at, _ := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{ReadTimeout: time.Millisecond})
	all := run(t, c, "slow", "print first\nsleep 200ms\nprint second\nflood 20 100000\nsleep 50ms\nprint third")
	if out := printed(all, "stdout"); !strings.HasPrefix(out, "first\nsecond\n") || !strings.HasSuffix(out, "third\n") || len(out) != 20*100_001+len("first\nsecond\nthird\n") {
		t.Errorf("%d bytes were printed", len(out))
	}
	if c.Err() != nil {
		t.Errorf("the client has ended: %v", c.Err())
	}
}

// TestTakeOver breaks all connections while a cell runs. A client with the same
// identity has the rest; nothing runs twice.
func TestTakeOver(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{})
	first := dial(t, at, kernel.Options{Identity: "same"})
	execute(t, first, "long", "print before\ndrop\nwait joined\nprint after\nask still there?")
	waitEnd(t, first)
	if err := first.Execute(within(t), kernel.Execute{MsgID: "late", Code: "1"}); !errors.Is(err, kernel.ErrNotSent) {
		t.Errorf("sent over a broken connection: %v", err)
	}

	stranger := dial(t, at, kernel.Options{Identity: "another"})
	second := dial(t, at, kernel.Options{Identity: "same"})
	k.Release("joined")
	asked := until(t, second, "long", isType("input_request"))
	if err := second.Reply(within(t), kernel.Message{MsgID: asked[len(asked)-1].MsgID}, []byte("yes")); err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(asked, toEnd(t, second, "long"))
	if out := printed(all, "stdout"); out != "after\nanswer: yes\n" {
		t.Errorf("printed %q", out)
	}
	seen := until(t, stranger, "long", func(m kernel.Message) bool { return isStatus(m, "idle") })
	if r := only(seen, "execute_reply"); len(r) != 0 {
		t.Errorf("a stranger has the reply: %v", r)
	}
	if k.Executed("long") != 1 || k.Executed("late") != 0 {
		t.Errorf("executed: %v", k.Executions())
	}
}

// TestLastWords reads what a kernel said before it died only after its death.
func TestLastWords(t *testing.T) {
	at, k := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	execute(t, c, "dies", "display 500\nexit")
	<-k.Done()
	<-c.Done()
	n := 0
	for m := range c.Messages() {
		if m.Type == "display_data" {
			n++
		}
	}
	if n != 500 || clew.CodeOf(c.Err()) != clew.ConnectionFailed {
		t.Errorf("%d of 500 displays came, then: %v", n, c.Err())
	}
}

func TestRefused(t *testing.T) {
	at, _ := kerneltest.Start(t, kerneltest.Options{})
	c := dial(t, at, kernel.Options{})
	for _, id := range []string{"", strings.Repeat("i", 257)} {
		if err := c.Execute(within(t), kernel.Execute{MsgID: id}); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("the id %q: %v", id, err)
		}
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Execute(over, kernel.Execute{MsgID: "x", Code: "1"}); !errors.Is(err, kernel.ErrNotSent) {
		t.Errorf("after the context: %v", err)
	}
	if err := c.Heartbeat(over); clew.CodeOf(err) != clew.ConnectionTimeout {
		t.Errorf("after the context: %v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	if _, ok := <-c.Messages(); ok || !errors.Is(c.Err(), kernel.ErrClosed) {
		t.Errorf("closed: %v", c.Err())
	}
	if _, err := c.Info(within(t)); !errors.Is(err, kernel.ErrNotSent) {
		t.Errorf("after Close: %v", err)
	}
}
