package runs

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/wire"
)

// A demo is clew demo as a process.
type demo struct {
	t     *testing.T
	URL   string         `json:"url"`
	Story clew.SessionID `json:"session_id"`
	File  string         `json:"token_file"`
	Work  string         `json:"workspace"`
	token string
}

func startDemo(t *testing.T) *demo {
	t.Helper()
	cmd := exec.Command(proc.Program(t, ""), "demo", "--no-open", "--fast", "--json", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "demo"))
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "CLEW_") })
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("the demo ended with %v", err)
		}
	})
	ready, _ := bufio.NewReader(stdout).ReadString('\n')
	lines := bufio.NewReader(stderr)
	first, _ := lines.ReadString('\n') // where everything is
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, lines)
	}()
	d := &demo{t: t}
	if err := json.Unmarshal([]byte(first), d); err != nil || !strings.HasPrefix(ready, "clew: ready ") {
		t.Fatalf("the demo said %q and %q", ready, first)
	}
	token, err := os.ReadFile(d.File)
	if err != nil {
		t.Fatal(err)
	}
	d.token = strings.TrimSpace(string(token))
	return d
}

// The conversation of the source document, with the program as anybody runs it:
// a message that asks for a run, the plan's review, an approval, the end. It
// works in a session of one's own and in that of the demo's story, twice, and the
// story goes on beside it and ends as ever.
//
// Covers: WS-140, RUN-05
func TestWS140(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	d := startDemo(t)
	api := client.NewAPI(d.URL, d.token)
	own, err := api.CreateSession(ctx, client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []clew.SessionID{d.Story, own, d.Story} {
		d.converse(ctx, id)
	}
	for id, want := range map[clew.SessionID]clew.SessionStatus{d.Story: clew.StatusAwaitingInput, own: clew.StatusCompleted} {
		if info, err := api.GetSession(ctx, id); err != nil || !strings.Contains(string(info.Raw), `"status":"`+string(want)+`"`) {
			t.Errorf("%s is not %s: %s, %v", id, want, info.Raw, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(d.Work, "overview.md")); err != nil || !strings.Contains(string(b), "sales/monday.csv") {
		t.Errorf("the overview is %q, %v", b, err)
	}
	d.endStory(ctx)
}

// converse is the test of the source document, frame by frame.
func (d *demo) converse(ctx context.Context, id clew.SessionID) {
	d.t.Helper()
	ws, _, err := websocket.Dial(ctx, d.URL+"/ws/"+string(id), &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + d.token}}})
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(-1)
	send := func(frame string) {
		d.t.Helper()
		if err := ws.Write(ctx, websocket.MessageText, []byte(frame)); err != nil {
			d.t.Fatal(err)
		}
	}
	run := ""
	wait := func(typ clew.EventType) wire.Envelope {
		d.t.Helper()
		for {
			_, b, err := ws.Read(ctx)
			if err != nil {
				d.t.Fatalf("no %s: %v", typ, err)
			}
			var env wire.Envelope
			decode(d.t, b, &env)
			var of clew.Scope
			_ = json.Unmarshal(env.Data, &of) // not all data has one
			ours := of.RunID != "" && (run == "" || of.RunID == run)
			if ours && env.Type == string(clew.EventHitlApprovalRequest) {
				d.t.Fatalf("the run asks for more than the review: %s", b)
			}
			if ours && env.Type == string(typ) {
				run = of.RunID
				return env
			}
		}
	}
	send(`{"type":"user_message","data":{"text":"What is in this workspace?","mode":"run"}}`)
	review := wait(clew.EventHitlPlanReview)
	typed(d.t, review.Type, review.Data)
	var q clew.HitlPlanReviewData
	decode(d.t, review.Data, &q)
	if !slices.ContainsFunc(q.Plan.Todos, func(t clew.Todo) bool { return len(t.DependsOn) > 0 }) || len(q.Plan.Todos) < 2 {
		d.t.Errorf("the plan is %s", review.Data)
	}
	send(`{"type":"hitl_plan_response","data":{"request_id":"` + string(q.RequestID) + `","action":"approve"}}`)
	end := wait(clew.EventComplete)
	typed(d.t, end.Type, end.Data)
	var c clew.CompleteData
	decode(d.t, end.Data, &c)
	if c.Status != clew.ResultSuccess || c.Statistics.Completed != len(q.Plan.Todos) || len(c.ReportPaths) == 0 {
		d.t.Errorf("the end is %s", end.Data)
	}
	d.open(ctx, c.ReportPaths)
}

// open opens the reports.
func (d *demo) open(ctx context.Context, paths []string) {
	d.t.Helper()
	for _, path := range paths {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.URL+path, nil)
		if err != nil {
			d.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+d.token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			d.t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil || n == 0 || resp.StatusCode != http.StatusOK {
			d.t.Errorf("%s: status %d, %d bytes, %v", path, resp.StatusCode, n, err)
		}
	}
}

// endStory answers what the demo's story asks until it is over.
func (d *demo) endStory(ctx context.Context) {
	d.t.Helper()
	c, err := client.Dial(ctx, client.Options{URL: d.URL, Session: d.Story, Token: d.token, View: clew.ViewState})
	if err != nil {
		d.t.Fatal(err)
	}
	defer c.Close()
	var state client.Replica
	said := map[clew.RequestID]bool{}
	for env, err := range c.Follow(ctx) {
		if err != nil {
			d.t.Fatal(err)
		}
		if _, err := state.Take(env); err != nil {
			d.t.Fatal(err)
		}
		done := func(t clew.TaskInfo) bool { return t.Outcome != nil && strings.Contains(t.Result, "all 6 checks pass") }
		if slices.ContainsFunc(state.Tasks, done) {
			return
		}
		if len(state.Questions) == 0 || said[state.Questions[0].RequestID()] {
			continue
		}
		q := state.Questions[0]
		said[q.RequestID()] = true
		var answer any = clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: clew.ChoiceApprove}
		if q.Type == clew.EventHitlInputRequest {
			answer = clew.HitlInputResponseData{RequestID: q.RequestID(), Value: "Read it as 12.50"}
		}
		if _, err := c.Answer(ctx, answer); err != nil {
			d.t.Fatal(err)
		}
	}
}
