package transfer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/transfer"
)

func decoded[V any](t *testing.T, files map[string]string, name string) V {
	t.Helper()
	var v V
	text, ok := files[name]
	if !ok {
		t.Fatalf("no file %s", name)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// The folder of a task has the names and fields of the source program.
//
// Covers: HIS-02, HIS-03, TSK-01, TSK-02, TSK-03, C-58
func TestTaskFolder(t *testing.T) {
	s := newServer(t.TempDir())
	w := newScribe("sess_1")
	w.ask("task_1", "안녕 <b>")
	w.tools("task_1", "a")
	w.add(&clew.ModelMessageData{TaskID: "task_1", Hides: 3, Message: clew.ModelMessage{
		Role: clew.SpeakerUser, IsSummary: true, CondenseID: "c1", TS: w.ts(), Content: clew.List[clew.Part]{textPart("so far")},
	}})
	w.say(clew.Message{Say: clew.SayCondenseContext, Role: clew.SpeakerSystem, TaskID: "task_1", ContextCondense: &clew.ContextCondense{CondenseID: "c1"}})
	w.answer("task_1", "an answer")
	w.usage("task_1")
	w.complete("task_1", "done")
	s.has(t, w)
	files, order := unpacked(t, s.export(t, transfer.What{Session: "sess_1", Format: transfer.TaskFolder}))
	if !slices.Equal(order, []string{"session.json", "task_history.json", "tasks/task_1/metadata.json", "tasks/task_1/ui_messages.json", "tasks/task_1/api_conversation.json"}) {
		t.Errorf("files %v", order)
	}
	item := decoded[map[string]any](t, files, "tasks/task_1/metadata.json")
	for key, want := range map[string]any{
		"id": "task_1", "number": 1.0, "task": "안녕 <b>", "tokensIn": 1000.0, "tokensOut": 500.0, "cacheReads": 3.0, "totalCost": 0.25,
		"workspace": "/w", "status": "completed", "completionResultSummary": "done",
	} {
		if item[key] != want {
			t.Errorf("%s is %v", key, item[key])
		}
	}
	if list := decoded[[]map[string]any](t, files, "task_history.json"); len(list) != 1 || fmt.Sprint(list[0]) != fmt.Sprint(item) {
		t.Errorf("list %v", list)
	}
	about := decoded[map[string]any](t, files, "session.json")
	if about["owner"] != "ada" || about["createdAt"] != 1_700_000_000_007.0 || fmt.Sprint(about["threadIds"]) != "map[main-monitor-0:task_1]" {
		t.Errorf("session %v", about)
	}
	ui := decoded[[]map[string]any](t, files, "tasks/task_1/ui_messages.json")
	if ui[0]["say"] != "user_feedback" || ui[0]["type"] != "say" || ui[0]["text"] != "안녕 <b>" || ui[0]["ts"] != 1_700_000_000_014.0 {
		t.Errorf("first message %v", ui[0])
	}
	if !strings.Contains(files["tasks/task_1/ui_messages.json"], "\n    \"text\": \"안녕 <b>\"") {
		t.Error("not indented by two, or escaped")
	}
	api := decoded[[]map[string]any](t, files, "tasks/task_1/api_conversation.json")
	if len(api) != 5 || api[0]["condenseParent"] != "c1" || api[2]["condenseParent"] != "c1" || api[3]["isSummary"] != true || api[3]["condenseId"] != "c1" ||
		api[4]["role"] != "assistant" || api[4]["condenseParent"] != nil {
		t.Errorf("model history %v", api)
	}
	want := `[map[id:a input:map[path:a] name:read_file type:tool_use]] [map[content:text of a tool_use_id:a type:tool_result]]`
	if got := fmt.Sprint(api[1]["content"], " ", api[2]["content"]); got != want {
		t.Errorf("call and result %s", got)
	}
}

// What a rewind took away is in none of the forms; what an undo brought back is.
func TestHiddenIsLeftOut(t *testing.T) {
	s := newServer(t.TempDir())
	w := newScribe("sess_1")
	w.ask("task_1", "first")
	w.answer("task_1", "answer one")
	before := w.head.Seq
	second := w.say(clew.Message{Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "second", TaskID: "task_1"})
	w.tell("task_1", clew.SpeakerUser, textPart("second"))
	w.answer("task_1", "answer two")
	top := w.head.Seq
	w.add(&clew.HistoryRewoundData{Return: clew.Return{To: clew.MessageIDOf(before)}, FromMessageID: second})
	w.answer("task_1", "another way")
	s.has(t, w)
	has := func(want ...string) {
		t.Helper()
		for _, format := range []transfer.Format{transfer.TaskFolder, transfer.SessionLog, transfer.MessageStore} {
			file := string(s.export(t, transfer.What{Session: "sess_1", Format: format}))
			for _, text := range []string{"first", "answer one", "second", "answer two", "another way"} {
				if strings.Contains(file, text) != slices.Contains(want, text) {
					t.Errorf("%s has %q: %v", format, text, !slices.Contains(want, text))
				}
			}
		}
	}
	has("first", "answer one", "another way")
	n := len(w.records)
	w.add(&clew.RewindUndoneData{Return: clew.Return{To: clew.MessageIDOf(top)}, FromMessageID: second})
	if err := s.append(t.Context(), "sess_1", w.records[n:]...); err != nil {
		t.Fatal(err)
	}
	has("first", "answer one", "second", "answer two")
}

// The log names agents and windows, and can be had for one agent.
//
// Covers: STO-10, STO-12, STO-13
func TestSessionLog(t *testing.T) {
	s := newServer(t.TempDir())
	w := newScribe("ses-1739000000000-abc1234")
	w.ask("task_1", "Hello")
	w.answer("task_1", "Hi!")
	w.say(clew.Message{Say: clew.SayAPIReqFinished, Role: clew.SpeakerSystem, TaskID: "task_1", APIProtocol: clew.ProtocolAnthropic})
	w.say(clew.Message{Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "Click Save", TaskID: "task_1", AgentID: "window-settings", WindowID: "settings"})
	s.has(t, w)
	const folder = "session_logs/ses-1739000000000-abc1234/"
	what := transfer.What{Session: w.id, Format: transfer.SessionLog}
	files, _ := unpacked(t, s.export(t, what))
	want := `{"type":"user","content":"Hello","agentId":"main-monitor-0","source":"main","timestamp":1700000000014}
{"type":"assistant","content":"Hi!","agentId":"main-monitor-0","source":"main","timestamp":1700000000049}
{"type":"user","content":"Click Save","agentId":"window-settings","source":{"window":"settings"},"timestamp":1700000000077}
`
	if files[folder+"messages.jsonl"] != want {
		t.Errorf("log\n%s", files[folder+"messages.jsonl"])
	}
	if meta := decoded[map[string]any](t, files, folder+"metadata.json"); fmt.Sprint(meta) != "map[provider:anthropic threadIds:map[main-monitor-0:task_1]]" {
		t.Errorf("%v", meta)
	}
	what.Agent = "window-settings"
	files, _ = unpacked(t, s.export(t, what))
	if lines := strings.Count(files[folder+"messages.jsonl"], "\n"); lines != 1 {
		t.Errorf("%d lines of one agent", lines)
	}
}

// The log of another program makes a session that can be talked to: its words
// are in the model history too.
//
// Covers: STO-12
func TestImportForeignLog(t *testing.T) {
	s := newServer(t.TempDir())
	got := s.take(t, packed(t,
		"session_logs/ses-1739000000000-abc1234/metadata.json", `{"provider":"claude","threadIds":{"main-msg-1":"thread_1"}}`,
		"session_logs/ses-1739000000000-abc1234/messages.jsonl", `{"type":"user","content":"Hello","agentId":"main-msg-1","source":"main"}
{"type":"assistant","content":"Hi!","agentId":"main-msg-1","source":"main"}
{"type":"user","content":"Click Save","agentId":"window-settings","source":{"window":"settings"}}
`), transfer.Upload{})
	if got.SessionID != "ses-1739000000000-abc1234" || got.Format != transfer.SessionLog {
		t.Errorf("%+v", got)
	}
	state := s.state(t, got.SessionID)
	thread := state.Task("thread_1")
	if thread == nil || len(thread.History) != 2 || thread.AgentID != "main-msg-1" || state.Busy() || state.AtWork() || len(state.Tasks) != 2 {
		t.Fatalf("%+v", state.Tasks)
	}
	if m := state.Messages.Tail()[2]; m.WindowID != "settings" || m.AgentID != "" || m.Text != "Click Save" {
		t.Errorf("%+v", m)
	}
}

func (s *server) state(t *testing.T, id clew.SessionID) *core.State {
	t.Helper()
	f := core.Folder{State: &core.State{ID: id}}
	for r, err := range s.node.Read(t.Context(), id, 1, s.heads[id].Seq) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return f.State
}

// A task of the source program, with its legacy file, comes to rest here with
// all its calls answered.
//
// Covers: STO-02, STO-03
func TestImportLegacyTask(t *testing.T) {
	s := newServer(t.TempDir())
	got := s.take(t, packed(t,
		"store/tasks/1739000000000/claude_messages.json", `[
  {"role": "user", "content": "do it"},
  {"role": "assistant", "content": [{"type": "text", "text": "I look"}, {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}},
    {"type": "tool_use", "id": "t2", "name": "read", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "text of a"}]},
    {"type": "text", "text": "and hurry"}]}
]`,
		"store/tasks/1739000000000/ui_messages.json", `[{"ts":1739000000000,"type":"say","say":"text","text":"do it"},
{"ts":1739000000500,"type":"ask","ask":"tool","text":"{}"},{"ts":1739000000400,"type":"say","say":"a_new_kind","text":"later"}]`,
		"store/tasks/1739000000000/checkpoints/.git/HEAD", "ref",
	), transfer.Upload{Title: "Old work"})
	if got.Format != transfer.TaskFolder || !strings.HasPrefix(string(got.SessionID), "sess_") || got.From != "" {
		t.Errorf("%+v", got)
	}
	state := s.state(t, got.SessionID)
	task := state.Task("1739000000000")
	if task == nil || task.Turn != nil || len(task.Calls) != 0 || state.Main().Current != "1739000000000" || state.Busy() {
		t.Fatalf("%+v", task)
	}
	var lines []string
	for _, m := range task.History {
		for _, p := range m.Content {
			lines = append(lines, fmt.Sprintf("%s %s %s%s", m.Role, p.Type, p.ToolCallID, p.Text))
		}
	}
	want := []string{"user text do it", "assistant text I look", "assistant tool_use t1", "assistant tool_use t2",
		"user text and hurry", "user tool_result t1text of a", "user tool_result t2This call was not run: the turn was over."}
	if !slices.Equal(lines, want) {
		t.Errorf("history %q", lines)
	}
	if len(state.Messages.Tail()) != 3 || state.Messages.Tail()[0].TS != 1739000000000 || state.Messages.Tail()[2].TS <= state.Messages.Tail()[1].TS || state.Messages.Tail()[2].Say != clew.SayText {
		t.Errorf("messages %+v", state.Messages.Tail())
	}
	empty := s.take(t, packed(t, "task_history.json", "[]"), transfer.Upload{})
	if state := s.state(t, empty.SessionID); len(state.Tasks) != 0 {
		t.Errorf("%+v", state)
	}
}

// A tree of tasks keeps its shape.
//
// Covers: TSK-04, TSK-05
func TestTaskTree(t *testing.T) {
	s := newServer(t.TempDir())
	w := newScribe("sess_1")
	w.ask("task_1", "root")
	child := clew.TaskRef{TaskID: "task_2", ParentTaskID: "task_1", RootTaskID: "task_1", MonitorID: clew.MainMonitor}
	w.add(&clew.TaskCreatedData{TaskRef: child, Task: "child", AgentID: "task-2"})
	w.add(&clew.TaskSpawnedData{TaskRef: ref("task_1"), ChildTaskID: "task_2"})
	s.has(t, w)
	files, _ := unpacked(t, s.export(t, transfer.What{Session: "sess_1", Format: transfer.TaskFolder}))
	root := decoded[map[string]any](t, files, "tasks/task_1/metadata.json")
	if root["status"] != "delegated" || root["awaitingChildId"] != "task_2" || root["delegatedToId"] != "task_2" || fmt.Sprint(root["childIds"]) != "[task_2]" {
		t.Errorf("while it waits: %v", root)
	}
	n := len(w.records)
	w.tell("task_2", clew.SpeakerUser, textPart("child"))
	w.say(clew.Message{Say: clew.SayText, Text: "I am done", TaskID: "task_2"})
	w.add(&clew.TaskCompletedData{TaskRef: child, ToolUsage: map[string]clew.ToolUsage{}, ResultSummary: "found"})
	w.answer("task_1", "all done")
	if err := s.append(t.Context(), "sess_1", w.records[n:]...); err != nil {
		t.Fatal(err)
	}
	file := s.export(t, transfer.What{Session: "sess_1", Format: transfer.TaskFolder})
	files, _ = unpacked(t, file)
	root, leaf := decoded[map[string]any](t, files, "tasks/task_1/metadata.json"), decoded[map[string]any](t, files, "tasks/task_2/metadata.json")
	if root["status"] != "active" || root["completedByChildId"] != "task_2" || root["awaitingChildId"] != nil || root["parentTaskId"] != nil {
		t.Errorf("root %v", root)
	}
	if leaf["status"] != "completed" || leaf["rootTaskId"] != "task_1" || leaf["parentTaskId"] != "task_1" || leaf["completionResultSummary"] != "found" {
		t.Errorf("child %v", leaf)
	}
	second := newServer(t.TempDir())
	second.take(t, file, transfer.Upload{Workspace: "/w"})
	compare(t, transfer.TaskFolder, file, second.export(t, transfer.What{Session: "sess_1", Format: transfer.TaskFolder}))
}

// The message store's file has the newest 200 entries unless all are wanted.
//
// Covers: STO-20, STO-21, STO-22, STO-23, STO-24, STO-25, STO-26, STO-40, C-07, C-48, C-49
func TestMessageStore(t *testing.T) {
	s := newServer(t.TempDir())
	w := newScribe("sess_1")
	w.ask("task_1", "Hello")
	for range 250 {
		w.answer("task_1", "Hi!")
	}
	w.add(&clew.ErrorData{Code: clew.ExecutionFailed, Message: "it broke"})
	w.tools("task_1", "a", "b")
	w.add(&clew.ToolProgressData{ToolCallID: "c", Tool: "Bash", Status: clew.ToolRunning, Summary: "plain words"})
	w.add(&clew.ToolProgressData{ToolCallID: "d", Tool: "list", Status: clew.ToolRunning})
	w.complete("task_1", "done")
	s.has(t, w)
	type file struct {
		SessionID string           `json:"sessionId"`
		Messages  []map[string]any `json:"messages"`
		UpdatedAt int64            `json:"updatedAt"`
	}
	var got file
	if err := json.Unmarshal(s.export(t, transfer.What{Session: "sess_1", Format: transfer.MessageStore}), &got); err != nil {
		t.Fatal(err)
	}
	if got.SessionID != "sess_1" || len(got.Messages) != 200 || got.UpdatedAt < 1_700_000_000_000 {
		t.Errorf("%s, %d messages, %d", got.SessionID, len(got.Messages), got.UpdatedAt)
	}
	var lines []string
	for _, m := range got.Messages[193:] {
		if m["timestamp"] == nil {
			t.Error("no timestamp")
		}
		delete(m, "timestamp")
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	want := []string{
		`{"content":"it broke","role":"system","type":"error"}`,
		`{"error":"no such file","output":"text","role":"assistant","success":false,"toolCallId":"a","toolInput":{"path":"a"},"toolName":"read_file","type":"tool_complete"}`,
		`{"error":null,"output":"text","role":"assistant","success":true,"toolCallId":"b","toolInput":{"path":"b"},"toolName":"read_file","type":"tool_complete"}`,
		`{"role":"assistant","toolCallId":"c","toolInput":"plain words","toolName":"Bash","type":"tool_start"}`,
		`{"role":"assistant","toolCallId":"d","toolInput":{},"toolName":"list","type":"tool_start"}`,
		`{"content":"done","role":"assistant","type":"text"}`,
		`{"duration":12.5,"inputTokens":1000,"outputTokens":500,"role":"system","type":"result"}`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
	got = file{}
	if err := json.Unmarshal(s.export(t, transfer.What{Session: "sess_1", Format: transfer.MessageStore, All: true}), &got); err != nil || len(got.Messages) != 258 || got.Messages[0]["content"] != "Hello" {
		t.Errorf("%d messages, %v", len(got.Messages), err)
	}
}

// A bad file says where it is bad.
func TestBadFiles(t *testing.T) {
	for _, tt := range []struct {
		name string
		body []byte
		want string
	}{
		{"ui", packed(t, "tasks/t/ui_messages.json", "[\n {\"ts\":1,\"type\":\"say\",\"say\":\"text\"},\n\n {\"ts\":1,\"type\":\"shout\"}]"), "tasks/t/ui_messages.json, line 4: type is \"shout\""},
		{"ui syntax", packed(t, "tasks/t/ui_messages.json", "[\n {\"ts\":1,\n \"type\" \"say\"}]"), "tasks/t/ui_messages.json, line 2: "},
		{"ui cut", packed(t, "tasks/t/ui_messages.json", "[\n {\"ts\":1,"), "line 2: the file ends too early"},
		{"ui no list", packed(t, "tasks/t/ui_messages.json", "\n{}"), "line 2: not a list"},
		{"ui image", packed(t, "tasks/t/ui_messages.json", "[\n{\"ts\":1,\"type\":\"say\",\"say\":\"text\",\"images\":[\"data:image/png;base64,AAAA\"]}]"), "line 2: an image is a PNG"},
		{"api", packed(t, "tasks/t/api_conversation.json", "[{\"role\":\"user\",\"content\":\"x\"},\n{\"role\":\"system\",\"content\":\"x\"}]"), "line 2: role is \"system\""},
		{"api part", packed(t, "tasks/t/api_conversation.json", "[{\"role\":\"user\",\"content\":[{\"type\":\"video\"}]}]"), "line 1: a part of type \"video\""},
		{"items", packed(t, "tasks/t/ui_messages.json", "[]", "task_history.json", "[\n\n7]"), "task_history.json, line 3: "},
		{"log", packed(t, "session_logs/ses-1-a/messages.jsonl", "{\"type\":\"user\",\"content\":\"a\"}\n{\"type\":\"user\"}\n"), "messages.jsonl, line 2: there is no content"},
		{"log syntax", packed(t, "session_logs/ses-1-a/messages.jsonl", "{}x\n"), "messages.jsonl, line 1: "},
		{"store", []byte("{\"messages\":[\n{\"type\":\"text\",\"role\":\"user\"},\n{\"type\":\"song\"}]}"), "the file, line 3: type \"song\""},
		{"store syntax", []byte("{\"messages\":[\n{\"type\"}]}"), "the file, line 2: "},
		{"store cut", []byte("{\"messages\":[\n"), "the file ends too early"},
	} {
		s := newServer(t.TempDir())
		_, err := s.importer().Import(t.Context(), bytes.NewReader(tt.body), transfer.Upload{By: ada})
		if clew.CodeOf(err) != clew.InvalidMessage || !strings.Contains(clew.AsError(err).Message, tt.want) || len(s.heads) > 0 {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
