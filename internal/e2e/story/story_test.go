package story

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

var vendors = llmtest.Vendors()

const storyWithin = 60 * time.Second

// A task that thinks, reads, edits, fails, is refused by the provider for a
// moment, runs a command that a person allows, asks, delegates, is steered,
// keeps todos, changes its mode and completes; and one that is cancelled. What
// is on record, what people see, what the model hears, and what it costs are the
// same over all wires, and the same as in the golden files.
//
// Covers: HIS-01, HIS-02, HIS-05, MSG-16, EVT-01, EVT-02, EVT-03, EVT-04, EVT-05, EVT-06, EVT-07, EVT-08, EVT-09, EVT-10, EVT-11, EVT-12, EVT-13, EVT-14, EVT-15, TSK-05, TSK-06, TSK-07, TOOL-17, C-50, WS-049, WS-054, WS-079, WIN-11, C-54, MSG-03, MSG-04
func TestStory(t *testing.T) {
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) { tellStory(t, vendor) })
	}
}

func tellStory(t *testing.T, vendor llmtest.Vendor) {
	ctx, cancel := context.WithTimeout(t.Context(), storyWithin)
	defer cancel()
	var s *stage
	var interrupted atomic.Pointer[error]
	s = newStage(t, plot{
		vendor: vendor, bin: proc.Program(t, ""), script: "story.yaml",
		files: map[string]string{"list.txt": "apples\npears\ncherries\n", "notes.txt": "Fruit, and more fruit.\n"},
		model: llmtest.Options{Sleep: func(_ context.Context, d time.Duration) error {
			if err := s.interrupt(ctx, d); err != nil {
				interrupted.Store(&err)
			}
			return nil
		}},
	})
	if err := s.Srv.Start(); err != nil {
		t.Fatal(err)
	}
	p := &person{stage: s, says: clew.UserMessageData{Text: "Please bring the list up to date."}, value: "yes"}
	if err := p.play(ctx); err != nil {
		t.Fatal(err)
	}
	s.cancelled(ctx)
	if err := interrupted.Load(); err != nil {
		t.Error(*err)
	}
	s.Answered()
	list, state := s.replayed()
	told := newPlain(s)
	golden(t, vendor, "story.records.txt", told.journal(list))
	page, err := s.API().Messages(ctx, sessionID, client.PageOf{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, vendor, "story.transcript.txt", told.transcript(page.Messages))
	golden(t, vendor, "story.requests.txt", told.requests(s.Model.Requests()))
	golden(t, vendor, "story.state.txt", told.state(s, state))
	if got := s.File("list.txt"); got != "apples\nplums\ncherries\n" {
		t.Errorf("the list is %q", got)
	}
	if got := s.File("count.txt"); got != "1\n" {
		t.Errorf("the command left %q", got)
	}
	happened(t, list)
	sums(t, list)
	again(t, s, list)
}

// interrupt is what people do while the model pauses: they steer it, or cancel.
func (s *stage) interrupt(ctx context.Context, d time.Duration) error {
	if d == time.Hour {
		return s.Command(ctx, "steer", clew.CommandUserMessage, clew.UserMessageData{Text: "Also name the fruit."})
	}
	heard := func(env wire.Envelope) bool { // the text has come as far as it will
		return strings.Contains(string(env.Data), "I think about") && (env.Type == string(clew.EventAgentResponse) || env.Type == string(clew.EventSessionState))
	}
	if err := s.await(ctx, heard); err != nil {
		return err
	}
	return s.Command(ctx, "cancel", clew.CommandControlCancel, clew.ControlCancelData{Reason: "changed my mind"})
}

// cancelled starts a task that is cancelled while the model answers, asks for it
// to be taken up again, and declines.
func (s *stage) cancelled(ctx context.Context) {
	s.T.Helper()
	if err := s.Command(ctx, "second", clew.CommandNewTask, clew.NewTaskData{Text: "Think about it, or never mind."}); err != nil {
		s.T.Fatal(err)
	}
	var aborted clew.TaskID
	err := s.await(ctx, func(env wire.Envelope) bool {
		var d clew.TaskAbortedData
		if env.Type != string(clew.EventTaskAborted) || json.Unmarshal(env.Data, &d) != nil {
			return false
		}
		aborted = d.TaskID
		return true
	})
	if err != nil {
		s.T.Fatal(err)
	}
	if err := s.Command(ctx, "resume", clew.CommandResumeTask, clew.ResumeTaskData{TaskID: aborted}); err != nil {
		s.T.Fatal(err)
	}
	if err := s.Command(ctx, "decline", clew.CommandAskResponse, clew.AskResponseData{AskResponse: clew.NoButtonClicked}); err != nil {
		s.T.Fatal(err)
	}
}

// await waits for an envelope.
func (s *stage) await(ctx context.Context, want func(wire.Envelope) bool) error {
	c, err := client.Dial(ctx, client.Options{URL: s.Srv.URL(), Token: s.Token(), Session: sessionID, ResumeFrom: client.FromStart})
	if err != nil {
		return err
	}
	defer c.Close()
	for env, err := range c.Follow(ctx) {
		if err != nil {
			return err
		}
		if want(env) {
			return nil
		}
	}
	return errors.New("the stream ended")
}

// state writes how the session stands in the end: over the wire, over REST, and
// the task index with usage per task.
func (p *plain) state(s *stage, state clew.SessionState) string {
	var b strings.Builder
	fmt.Fprintf(&b, "status %s, %d messages, %d open, %d questions\n", state.Status, len(state.Messages), len(state.OpenMessages), len(state.HitlQueue))
	info, err := s.API().GetSession(context.Background(), sessionID)
	if err != nil {
		s.T.Fatal(err)
	}
	var rest struct {
		Status clew.SessionStatus `json:"status"`
		Usage  clew.Usage         `json:"usage"`
	}
	decode(s.T, info.Raw, &rest)
	fmt.Fprintf(&b, "rest %s usage %s\n", rest.Status, p.line(rest.Usage))
	for _, item := range s.index() {
		fmt.Fprintf(&b, "task %s\n", p.line(item))
	}
	return b.String()
}

// index asks for the task index.
func (s *stage) index() []clew.HistoryItem {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), storyWithin)
	defer cancel()
	c, err := client.Dial(ctx, client.Options{URL: s.Srv.URL(), Token: s.Token(), Session: sessionID, NoFollow: true})
	if err != nil {
		s.T.Fatal(err)
	}
	defer c.Close()
	env, err := c.Do(ctx, clew.CommandGetState, clew.GetStateData{Scope: clew.ScopeUI})
	if err != nil {
		s.T.Fatal(err)
	}
	var state clew.StateData
	decode(s.T, env.Data, &state)
	return state.TaskHistory
}

// taskEvents are those that a story shows, all that there are.
var taskEvents = []clew.EventType{
	clew.EventTaskCreated, clew.EventTaskStarted, clew.EventTaskCompleted, clew.EventTaskAborted, clew.EventTaskFocused, clew.EventTaskUnfocused,
	clew.EventTaskActive, clew.EventTaskInteractive, clew.EventTaskResumable, clew.EventTaskIdle, clew.EventTaskPaused, clew.EventTaskUnpaused,
	clew.EventTaskSpawned, clew.EventTaskModeSwitched, clew.EventTaskAskResponded, clew.EventTaskUserMessage, clew.EventTaskToolFailed,
	clew.EventTaskTokenUsageUpdated, clew.EventMessageCreated, clew.EventMessageUpdated,
}

// happened checks that every task event came, each with its task.
func happened(t *testing.T, list []record) {
	t.Helper()
	seen := map[clew.EventType]bool{}
	for _, r := range list {
		seen[r.Event.Type] = true
		var ref clew.TaskRef
		decode(t, r.Env.Data, &ref)
		if strings.HasPrefix(r.Env.Type, "task_") && (ref.TaskID == "" || ref.RootTaskID == "") {
			t.Errorf("%s names no task: %s", r.Env.Type, r.Env.Data)
		}
		asksOrSays(t, r)
	}
	for _, typ := range taskEvents {
		if !seen[typ] {
			t.Errorf("there was no %s", typ)
		}
	}
}

// asksOrSays checks that a message has a time and is an ask or a say, never both.
func asksOrSays(t *testing.T, r record) {
	t.Helper()
	var m clew.Message
	switch d := r.Event.Data.(type) {
	case *clew.MessageCreatedData:
		m = d.Message
	case *clew.MessageUpdatedData:
		m = d.Message
	default:
		return
	}
	asks, says := m.Type == clew.TypeAsk, m.Type == clew.TypeSay
	if m.TS == 0 || asks == says || asks != (m.Ask != "") || says != (m.Say != "") {
		t.Errorf("neither ask nor say, or both: %s", r.Env.Data)
	}
}

// sums adds up what the model calls used, and compares it with what is on record
// for each task and for the tree.
func sums(t *testing.T, list []record) {
	t.Helper()
	calls, tasks := map[clew.TaskID]clew.Usage{}, map[clew.TaskID]clew.Usage{}
	var tree clew.Usage
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.MessageCreatedData:
			if d.Message.Say == clew.SayAPIReqFinished {
				calls[d.Message.TaskID] = calls[d.Message.TaskID].Add(*d.Message.Usage)
				tree = tree.Add(*d.Message.Usage)
			}
		case *clew.TaskTokenUsageUpdatedData:
			tasks[d.TaskID] = d.TokenUsage
		case *clew.CompleteData:
			if d.Statistics.TokensUsed != tree.TokensIn+tree.TokensOut+tree.CacheReads+tree.CacheWrites || !near(d.Statistics.CostUSD, tree.CostUSD) {
				t.Errorf("the end says %+v, the calls used %+v", d.Statistics, tree)
			}
		}
	}
	for id, u := range calls {
		got := tasks[id]
		if !near(got.CostUSD, u.CostUSD) {
			t.Errorf("task %s cost %v, its calls %v", id, got.CostUSD, u.CostUSD)
		}
		got.CostUSD, u.CostUSD = 0, 0
		if got != u {
			t.Errorf("task %s used %+v, its calls %+v", id, got, u)
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// again replays the session, now and after a restart: not a byte differs.
func again(t *testing.T, s *stage, list []record) {
	t.Helper()
	if second, _ := s.replayed(); proc.Frames(second) != proc.Frames(list) {
		t.Error("a second replay differs")
	}
	if err := s.Srv.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Examine()
	if err := s.Srv.Start(); err != nil {
		t.Fatal(err)
	}
	if third, _ := s.replayed(); proc.Frames(third) != proc.Frames(list) {
		t.Error("the replay after a restart differs")
	}
}
