package notebookcli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// Somebody in a terminal takes a notebook's session back: the rewind asks what happens to
// the kernel, and which cell had a different result when it ran again is in the list of
// notebooks and in the transcript.
func TestRewindInTerminal(t *testing.T) {
	h := newHouse(t)
	file := h.write("a.ipynb", "print('one')", "import time; now = time.time_ns()", "print('three')")
	open := h.open(file)
	open.run()
	id, api := string(open.SessionID), open.api
	three := clew.MessageID("")
	h.until("three cells", func() bool {
		page, err := api.Messages(t.Context(), open.SessionID, client.PageOf{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Messages {
			if m.Text == "three\n" && !m.Partial {
				three = m.MessageID
			}
		}
		return three != ""
	})
	list := func() string {
		out, _ := h.clew(0, "notebook", "ls", id)
		return out
	}
	h.until("the kernel", func() bool { return strings.Contains(list(), "idle") })
	out, _ := h.clew(0, "rewind", id, string(three), "--files=false", "--yes")
	_, answer, found := strings.Cut(out, "Say what happens to it: ")
	if !found {
		t.Fatalf("nothing is said of the kernel:\n%s", out)
	}
	answer, _, _ = strings.Cut(answer, "\n")
	request := answer[strings.LastIndex(answer, " ")+1:]
	h.sees(answer, "answer req_")
	h.sees(list(), "a.ipynb", "(kernel is ahead)")
	h.clew(0, "answer", request, "1")
	h.until("the rerun", func() bool { return strings.Contains(list(), "(different result: cell 2)") })
	out, _ = h.clew(0, "show", id)
	h.sees(out, "a.ipynb: all 2 cells ran again in a fresh kernel. Cell 2 (now) had a different result.")
	h.clew(0, "delete", id, "--yes")
	h.noKernels()
}

// An openNotebook is one that clew notebook opened.
type openNotebook struct {
	testing.TB `json:"-"`
	api        *client.API
	SessionID  clew.SessionID `json:"session_id"`
	NotebookID string         `json:"notebook_id"`
}

func (h *house) open(file string) *openNotebook {
	h.Helper()
	n := &openNotebook{TB: h.TB}
	out, _ := h.clew(0, "notebook", file, "--no-open", "--json")
	if err := json.Unmarshal([]byte(out), n); err != nil {
		h.Fatal(err)
	}
	token, err := h.srv.Token()
	if err != nil {
		h.Fatal(err)
	}
	n.api = client.NewAPI(h.srv.URL(), token)
	return n
}

// run has all cells run.
func (n *openNotebook) run() {
	n.Helper()
	if _, err := n.api.Command(n.Context(), n.SessionID, "", clew.CommandNotebookRun, &clew.NotebookRunData{NotebookID: n.NotebookID, All: true}); err != nil {
		n.Fatal(err)
	}
}

// until waits until something is so.
func (h *house) until(what string, is func() bool) {
	h.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(within); !is(); <-tick.C {
		if time.Now().After(end) {
			h.Fatalf("%s: not in time\n%s", what, h.srv.Out.Tail(30))
		}
	}
}
