package failover

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// The model writes a file, and reads it when it is asked to.
const writesAndReads = `
- when: {last_user: Write, tool_result: {id: c1}}
  times: 0
  reply: [{text: Written.}]
- when: {last_user: Write}
  times: 0
  reply: [{tool: {name: write_file, id: c1, input: {path: work.txt, content: "seven apples"}}}]
- when: {last_user: {regexp: "Read|Continue"}, tool_result: {id: c2}}
  times: 0
  reply: [{text: 'It says: {{tool_result "c2"}}'}]
- when: {last_user: {regexp: "Read|Continue"}}
  times: 0
  reply: [{tool: {name: read_file, id: c2, input: {path: work.txt}}}]
`

// twoNodes are two nodes with one model.
type twoNodes struct {
	*testing.T
	a, b  *node
	model *llmtest.Server
	api   *client.API // by way of b
}

func newTwoNodes(t *testing.T) *twoNodes {
	t.Helper()
	if testing.Short() {
		t.Skip("starts five processes")
	}
	cluster := journaltest.StartCluster(t)
	env := map[string]string{
		"CLEW_ENGINE": cluster.URL(), "CLEW_JOURNAL_ARCHIVE": "file://" + t.TempDir(), "CLEW_JOURNAL_PARTITIONS": "1",
	}
	s := proc.NewStage(t, proc.Setup{Script: writesAndReads, Model: llmtest.Options{Fast: true}, Settings: proc.AllowFiles(), Env: env})
	s.Start()
	env["CLEW_SETTINGS"], env["CLEW_SECRET_TEST_KEY"] = filepath.Join(s.Dir, "settings.json"), "sk-test-0123456789"
	w := &twoNodes{T: t, a: &node{s.Srv, t}, b: &node{proc.New(t, s.Srv.Path(), t.TempDir(), env), t}, model: s.Model}
	w.b.start()
	w.api = w.b.api()
	return w
}

func (w *twoNodes) say(api *client.API, id clew.SessionID, text string) {
	w.Helper()
	_, err := api.Command(w.Context(), id, clew.NewClientMessageID(), clew.CommandUserMessage, clew.UserMessageData{Text: text})
	proc.Must(w, err)
}

// said waits until a session's transcript has a text.
func (w *twoNodes) said(id clew.SessionID, text string) {
	w.Helper()
	proc.Eventually(w, fmt.Sprintf("%s says %q", id, text), 30*time.Second, func() bool { return strings.Contains(w.transcript(id), text) })
}

func (w *twoNodes) transcript(id clew.SessionID) string {
	page, err := w.api.Messages(context.Background(), id, client.PageOf{})
	if err != nil {
		return ""
	}
	var all strings.Builder
	for _, m := range page.Messages {
		fmt.Fprintln(&all, m.Text)
	}
	return all.String()
}

// question waits until a session's question about its files is in the inbox.
func (w *twoNodes) question(id clew.SessionID) (q *clew.HitlInputRequestData) {
	w.Helper()
	proc.Eventually(w, "a person is asked about "+string(id), 30*time.Second, func() bool {
		q = w.asked(id)
		return q != nil
	})
	return q
}

func (w *twoNodes) asked(id clew.SessionID) *clew.HitlInputRequestData {
	box, err := w.api.Inbox(w.Context(), "", 0)
	if err != nil {
		return nil
	}
	for _, item := range box.Items {
		if d, ok := item.Question.Data.(*clew.HitlInputRequestData); ok && item.SessionID == id {
			return d
		}
	}
	return nil
}

// workspaceOf is a session's directory on a node, if it has one there.
func workspaceOf(n *node, id clew.SessionID) string {
	dir := filepath.Join(n.Dir, "workspaces", string(id))
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// The files of a session are on the node that wrote them. When that node is
// killed, no agent works in an empty directory elsewhere: a person decides. One
// session continues without its files, one waits, and one has no answer when the
// node is back; these two go back to their files by themselves.
//
// Covers: C-09
func TestWorkspaceOnAnotherNode(t *testing.T) {
	w := newTwoNodes(t)
	goesOn, waits, silent := clew.SessionID("sess_goes_on"), clew.SessionID("sess_waits"), clew.SessionID("sess_silent")
	all := []clew.SessionID{goesOn, waits, silent}
	first := w.a.api()
	for _, id := range all {
		_, err := first.CreateSession(t.Context(), client.NewSession{SessionID: id})
		proc.Must(t, err)
		w.say(first, id, "Write")
		w.said(id, "Written.")
	}
	w.a.Kill()
	calls := len(w.model.Requests())
	for _, id := range all {
		w.say(w.api, id, "Read the file")
	}
	for _, id := range all {
		q := w.question(id)
		if m := q.MissingWorkspace; m == nil || !strings.Contains(q.Question, m.Node) || m.Node == m.Here || len(q.Options) != 2 {
			t.Errorf("session %s asks: %+v", id, q)
		}
		if dir := workspaceOf(w.b, id); dir != "" {
			t.Errorf("session %s has an empty directory: %s", id, dir)
		}
	}
	if n := len(w.model.Requests()); n != calls {
		t.Errorf("the model was asked %d times before a person decided", n-calls)
	}

	_, err := w.api.AnswerQuestion(t.Context(), w.question(goesOn).RequestID, client.InboxAnswer{Value: clew.WorkspaceContinue})
	proc.Must(t, err)
	w.said(goesOn, "It says: ")
	if text := w.transcript(goesOn); !strings.Contains(text, "Continue without the files") || !strings.Contains(text, "It says: work.txt does not exist") {
		t.Errorf("without its files the session says:\n%s", text)
	}
	w.cli("inbox")
	w.cli("answer", string(w.question(waits).RequestID), "1")
	w.said(waits, "Waiting for node")

	calls = len(w.model.Requests())
	w.a.start()
	back := time.Now()
	for _, id := range []clew.SessionID{waits, silent} {
		w.said(id, "It says: ")
		t.Logf("%s goes on %s after its node is back", id, time.Since(back).Round(100*time.Millisecond))
		if text := w.transcript(id); strings.Count(text, "seven apples") != 2 { // written, and read
			t.Errorf("session %s has not read its file:\n%s", id, text)
		}
		if q := w.asked(id); q != nil {
			t.Errorf("session %s still asks: %+v", id, q)
		}
	}
	if n := len(w.model.Requests()); n != calls+4 {
		t.Errorf("the model was asked %d times for two answers", n-calls)
	}
	if workspaceOf(w.b, goesOn) == "" {
		t.Error("the session that continued has no directory on its new node")
	}
}

// cli runs a command of the program, and shows what it says.
func (w *twoNodes) cli(args ...string) {
	w.Helper()
	out, errs, code, err := w.b.Run(w.Context(), append(args, "--data", w.b.Dir)...)
	if err != nil || code != 0 {
		w.Fatalf("clew %v: exit %d, %v\n%s", args, code, err, errs)
	}
	w.Logf("clew %v\n%s", args, out)
}
