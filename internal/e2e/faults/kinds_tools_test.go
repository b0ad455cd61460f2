package faults

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

var toolKinds = []kind{
	{no: 55, group: "outside", name: "a tool server dies", peer: true, how: "SIGKILL of the tool server in the middle of a call, after its effect", fault: func(w *world) {
		for i := range 3 { // it is started again after one, two and four seconds
			w.events++
			key := fmt.Sprintf("died-%d", i)
			w.askPeer(key)
			w.answerPeer(clew.ChoiceApprove)
			w.peer.wait(w.t, "the call arrives", func() bool { return w.peer.ledger()[key] > 0 })
			w.peer.kill(w.t)
			w.settled(key, 1)
		}
		w.askPeer("afterwards") // it is there again
		w.answerPeer(clew.ChoiceApprove)
		w.settled("afterwards", 1)
	}},
	{no: 56, group: "outside", name: "a tool changes under an approval", peer: true, how: "the tool server gives its tool another schema while a call waits for an answer", fault: func(w *world) {
		for i := range 3 {
			w.events++
			key := fmt.Sprintf("changed-%d", i)
			w.askPeer(key)
			w.peer.set(w.t, "version", fmt.Sprint("another ", i))
			w.peer.wait(w.t, "the change is known", func() bool { return strings.Contains(w.peerTools(), fmt.Sprint("another ", i)) })
			w.answerPeer(clew.ChoiceApprove)
			w.settled(key, 0)
		}
	}},
}

// askPeer has an agent call the tool, and waits until that is asked about.
func (w *world) askPeer(key string) {
	w.t.Helper()
	if w.peer.session == "" {
		w.peer.session = w.create("caller")
	}
	w.peer.wait(w.t, "the tool server is there", func() bool { return w.peerTools() != "" })
	if _, err := w.command(w.t.Context(), w.peer.session, "note-"+key, clew.CommandUserMessage, clew.UserMessageData{Text: "note " + key}); err != nil {
		w.t.Fatal(err)
	}
	w.peer.wait(w.t, "the call is asked about", func() bool { return w.peerQuestion() != "" })
}

// peerQuestion is the question about a call of the tool, "" if there is none.
func (w *world) peerQuestion() clew.RequestID {
	in, err := w.api(w.nodes[0]).Inbox(w.t.Context(), "", 0)
	for _, item := range in.Items {
		if err == nil && item.SessionID == w.peer.session {
			return item.Question.RequestID()
		}
	}
	return ""
}

func (w *world) answerPeer(action clew.Choice) {
	w.t.Helper()
	_, err := w.api(w.nodes[0]).AnswerQuestion(w.t.Context(), w.peerQuestion(), client.InboxAnswer{Action: action})
	proc.Must(w.t, err)
}

// settled waits until a turn is over. A call that changed since it was asked about is
// asked about once more, as it is now; then it is rejected. The effect must be there
// so often.
func (w *world) settled(key string, times int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	for pause(ctx, 10*time.Millisecond) {
		if w.peerQuestion() != "" {
			w.answerPeer(clew.ChoiceReject)
		}
		s, err := w.api(w.nodes[0]).GetSession(ctx, w.peer.session)
		if err == nil && s.Status == clew.StatusIdle {
			break
		}
	}
	w.holds(liveAgain, ctx.Err() == nil, "the turn with %s never came to an end", key)
	n := w.peer.ledger()[key]
	w.holds(noSecondStart, n <= max(times, 1), "%s was noted %d times", key, n)
	w.holds(startsOnRecord, n == times, "%s was noted %d times, %d times were allowed", key, n, times)
}

// peerTools is what the server says of the tool.
func (w *world) peerTools() string {
	var all struct {
		Servers []clew.McpServer `json:"mcp_servers"`
	}
	if err := w.api(w.nodes[0]).Call(w.t.Context(), http.MethodGet, "/mcp", nil, nil, &all); err != nil || len(all.Servers) == 0 ||
		all.Servers[0].Status != "connected" || len(all.Servers[0].Tools) == 0 {
		return ""
	}
	return all.Servers[0].Tools[0].Description
}

// A peer is a tool server, as seen from the test: a directory with what it did.
type peer struct {
	dir     string
	session clew.SessionID // in which its tool is called
}

func newPeer(t testing.TB) *peer { return &peer{dir: t.TempDir()} }

// settings name the program: this test, with a variable.
func (p *peer) settings() map[string]any {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return map[string]any{"command": self, "env": map[string]string{peerVariable: p.dir}}
}

func (p *peer) set(t testing.TB, name, text string) {
	t.Helper()
	next := filepath.Join(p.dir, name+".new")
	proc.Must(t, os.WriteFile(next, []byte(text), 0o600))
	proc.Must(t, os.Rename(next, filepath.Join(p.dir, name)))
}

func (p *peer) kill(t testing.TB) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, "pid"))
	proc.Must(t, err)
	pid, err := strconv.Atoi(string(b))
	proc.Must(t, err)
	proc.Must(t, syscall.Kill(pid, syscall.SIGKILL))
}

func (p *peer) wait(t testing.TB, what string, ok func() bool) {
	t.Helper()
	proc.Eventually(t, what, 30*time.Second, ok)
}

// ledger says how often each key was noted.
func (p *peer) ledger() map[string]int {
	b, _ := os.ReadFile(filepath.Join(p.dir, "ledger"))
	count := map[string]int{}
	for line := range strings.Lines(string(b)) {
		count[strings.TrimSpace(line)]++
	}
	return count
}
