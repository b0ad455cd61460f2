package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/poll"
)

const asking clew.SessionID = "sess_asking"

// rest calls the API and gives the answer's body.
func (n *node) rest(method, path string, in, out any) int {
	n.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		n.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(n.t.Context(), method, n.URL()+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+n.token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(answer, out)
	}
	if err != nil {
		n.t.Fatalf("%s %s: %v\n%s", method, path, err, answer)
	}
	return resp.StatusCode
}

// inbox waits until there are so many questions in it, and gives them by session.
// Its rows follow the sessions.
func (n *node) inbox(want int) map[clew.SessionID]clew.RequestID {
	n.t.Helper()
	var open map[clew.SessionID]clew.RequestID
	poll.Until(n.t, fmt.Sprintf("%d questions", want), func() bool {
		var page struct {
			Items []struct {
				SessionID clew.SessionID `json:"session_id"`
				Question  struct {
					RequestID clew.RequestID `json:"request_id"`
					Question  string
				}
			}
		}
		n.rest("GET", "/inbox", nil, &page)
		open = map[clew.SessionID]clew.RequestID{}
		for _, i := range page.Items {
			if open[i.SessionID] = i.Question.RequestID; i.Question.Question != "Apples or pears?" {
				n.t.Errorf("asked is %q", i.Question.Question)
			}
		}
		return len(open) == want && len(page.Items) == want
	})
	return open
}

// answer answers from the inbox and waits until the agent has heard it.
func (n *node) answer(id clew.SessionID, q clew.RequestID) {
	n.t.Helper()
	var r client.Receipt
	if status := n.rest("POST", "/inbox/"+string(q), map[string]any{"value": "pears"}, &r); status != http.StatusOK || len(r.Records) == 0 {
		n.t.Fatalf("status %d, %+v", status, r)
	}
	n.until(id, r.Records[0], clew.EventTaskIdle)
	n.has(n.run(0, "show", string(id)), "So be it.")
}

// A question that was open when a session left is open where it arrives, in the
// inbox of whoever imported it, and each copy's is its own: an answer to one goes
// to that one, also where the original is.
func TestQuestionsMove(t *testing.T) {
	m := model(t)
	a, b := start(t, m), start(t, m)
	if _, err := a.api().CreateSession(t.Context(), client.NewSession{SessionID: asking, Title: "Fruit"}); err != nil {
		t.Fatal(err)
	}
	r, err := a.api().Command(t.Context(), asking, "", clew.CommandUserMessage, clew.UserMessageData{Text: "Which fruit"})
	if err != nil {
		t.Fatal(err)
	}
	a.until(asking, r.Records[0], clew.EventHitlInputRequest)
	original := a.inbox(1)[asking]
	file := filepath.Join(t.TempDir(), "asking.clew")
	a.run(0, "export", string(asking), "-o", file)
	b.run(0, "import", file)
	b.run(0, "import", file, "--new-id")
	a.run(0, "import", file, "--new-id", "--no-checkpoints")

	here, there := a.inbox(2), b.inbox(2)
	ids := []clew.RequestID{original}
	for _, node := range []struct {
		*node
		open map[clew.SessionID]clew.RequestID
	}{{a, here}, {b, there}} {
		for id, q := range node.open {
			if node.node == a && id == asking {
				continue
			}
			if slices.Contains(ids, q) {
				t.Errorf("%s has a question that another session has", id)
			}
			ids = append(ids, q)
			node.answer(id, q)
		}
	}
	b.inbox(0)
	if got := a.inbox(1)[asking]; got != original {
		t.Errorf("the original's question was %s and is %s", original, got)
	}
	a.answer(asking, original)
}
