package ipc

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// The model asks once and is done with the answer.
const asks = `
- when: {tool_result: ask_followup}
  times: 0
  reply:
  - tool: {name: attempt_completion, id: c2, input: {result: "Green it is."}}
- when: {last_user: Choose a colour}
  times: 0
  reply:
  - text: "I need to know\e[2J one thing."
  - tool: {name: ask_followup, id: c1, input: {question: "Which colour?"}}
`

// Connect, ack, start a task, hear of it, answer, and hear that it is done; a
// second client hears the same.
//
// Covers: IPC-18, IPC-15, IPC-16, IPC-17, EVT-01, EVT-02, EVT-05, EVT-08, EVT-10, EVT-11, EVT-13, EVT-14, EVT-16, EVT-20, C-03, C-18
func TestSequence(t *testing.T) {
	s := newStage(t, asks, nil).start()
	early := client.NewLocal(s.socket())
	if err := early.SendTaskMessage("too early"); clew.CodeOf(err) != clew.ConnectionFailed {
		t.Errorf("before the ack: %v", err)
	}
	called := hearOnce(t, early)
	other := s.listen("")
	l := s.listen(clew.FollowOwn)
	ack, ok := l.Ack()
	if !ok || ack.URL != s.Srv.URL() || ack.PID != s.Srv.Pid() || ack.PPID != os.Getpid() || len(ack.ClientID) != 12 {
		t.Errorf("%+v", ack)
	}
	answer := l.do(clew.TaskCommandData{CommandName: clew.TaskCommandStartNewTask, Data: clew.StartNewTaskData{Text: "Choose a colour", Title: "Colours"}})
	created, _ := l.until(clew.EventTaskCreated)
	if answer.TaskID == "" || !strings.Contains(string(created.Data), string(answer.TaskID)) || created.SessionID != answer.SessionID {
		t.Errorf("%+v %s", answer, created.Data)
	}
	if _, seen := l.until(clew.EventTaskInteractive); !inOrder(seen, "task_started", "task_active", "task_user_message", "message_created", "task_token_usage_updated", "task_interactive") {
		t.Errorf("%s", seen)
	}
	if err := l.SendTaskMessage("green"); err != nil {
		t.Fatal(err)
	}
	completed, seen := l.until(clew.EventTaskCompleted)
	if !inOrder(seen, "task_ask_responded", "task_active", "message_created", "task_completed") || !strings.Contains(string(completed.Data), `"token_usage"`) {
		t.Errorf("%s", seen)
	}
	if heard, _ := other.until(clew.EventTaskCompleted); heard.SessionID != answer.SessionID || heard.MessageID != completed.MessageID {
		t.Errorf("the other heard %+v", heard)
	}
	title, err := s.api.GetSession(context.Background(), answer.SessionID)
	if err != nil || title.Title != "Colours" || title.Owner != "owner" {
		t.Errorf("%+v %v", title, err)
	}
	if err := s.Srv.Stop(); err != nil {
		t.Error(err)
	}
	if early.Close(); called.Load() != 1 {
		t.Errorf("a listener that removed itself was called %d times", called.Load())
	}
	if _, err := os.Lstat(s.socket()); !os.IsNotExist(err) {
		t.Errorf("after the end: %v", err)
	}
}

// hearOnce connects a client whose listener removes itself at the first event,
// twice, and counts its calls.
func hearOnce(t *testing.T, l *client.Local) *atomic.Int32 {
	t.Helper()
	var called atomic.Int32
	var off func()
	off = l.Events.On(func(client.LocalEvent) {
		called.Add(1)
		off()
		off()
	})
	if err := l.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return &called
}

// inOrder reports whether the words stand in the list in this order.
func inOrder(list []string, words ...string) bool {
	for _, w := range words {
		i := slices.Index(list, w)
		if i < 0 {
			return false
		}
		list = list[i+1:]
	}
	return true
}

// After kill -9 the file is there and nobody behind it: the next server takes its
// place. Beside a live one no second starts. The mode is the owner's, and the
// command line finds the server by it.
//
// Covers: C-78
func TestSocketFile(t *testing.T) {
	s := newStage(t, "", nil).start()
	info, err := os.Lstat(s.socket())
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	l := s.listen("")
	answer := l.do(clew.TaskCommandData{CommandName: clew.TaskCommandStartNewTask, Data: clew.StartNewTaskData{Text: "hello"}})
	out, errs, code, err := s.Srv.Run(context.Background(), "ls", "--data", s.Srv.Dir)
	if err != nil || code != 0 || !strings.Contains(out, string(answer.SessionID)) {
		t.Errorf("clew ls: %d %s%s %v", code, out, errs, err)
	}
	_, errs, code, err = s.Srv.Run(context.Background(), "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--socket", s.socket())
	if err != nil || code == 0 || !strings.Contains(errs, "a server runs already at the local socket") {
		t.Errorf("a second one: %d %s %v", code, errs, err)
	}
	s.Srv.Kill()
	if _, err := os.Lstat(s.socket()); err != nil {
		t.Error(err)
	}
	if _, err := client.FindLocal(context.Background(), s.socket()); clew.CodeOf(err) != clew.ConnectionFailed {
		t.Errorf("at a dead one: %v", err)
	}
	s.start()
	again := s.listen(clew.FollowOwn)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := again.Follow(ctx, answer.SessionID, clew.FollowData{ResumeFrom: string(answer.MessageID)}); err != nil {
		t.Fatal(err)
	}
	if _, seen := again.until(clew.EventTaskStarted); slices.Contains(seen, "session_created") {
		t.Errorf("%s", seen)
	}
	if err := s.Srv.Stop(); err != nil {
		t.Error(err)
	}
	if err := s.Srv.Start("CLEW_SOCKET=off"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(s.socket()); !os.IsNotExist(err) {
		t.Errorf("switched off: %v", err)
	}
}

// Of two servers that start at once with one socket, one gets it and answers
// there; the other one says so and ends, and leaves nothing behind.
func TestTwoServersOneSocket(t *testing.T) {
	one, two := newStage(t, "", nil), newStage(t, "", nil)
	path := filepath.Join(filepath.Dir(one.Srv.Dir), "shared.sock")
	for range 3 {
		errs := make(chan error, 2)
		for _, s := range []*stage{one, two} {
			go func() { errs <- s.Srv.Start("CLEW_SOCKET=" + path) }()
		}
		a, b := <-errs, <-errs
		failed := cmp.Or(a, b)
		if (a == nil) == (b == nil) || !strings.Contains(failed.Error(), "a server runs already at the local socket") {
			t.Fatalf("one must start, and one not:\n%v\n%v", a, b)
		}
		winner := one
		select {
		case <-one.Srv.Exited():
			winner = two
		default:
		}
		if ack, err := client.FindLocal(context.Background(), path); err != nil || ack.URL != winner.Srv.URL() {
			t.Errorf("%+v %v", ack, err)
		}
		if _, err := os.Lstat(filepath.Join(filepath.Dir(path), ".shared.sock.new")); !os.IsNotExist(err) {
			t.Errorf("what was made on the way: %v", err)
		}
		winner.Srv.Kill() // so the file is in the way next time
	}
}
