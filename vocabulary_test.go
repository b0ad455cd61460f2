package clew

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var snake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Covers: C-02, C-03
func TestCatalogueIsConsistent(t *testing.T) {
	seen := map[string]bool{}
	check := func(direction, typ, doc string, data any) {
		if seen[direction+typ] {
			t.Errorf("%s %s is listed twice", direction, typ)
		}
		seen[direction+typ] = true
		if !snake.MatchString(typ) {
			t.Errorf("%s %s is not snake_case", direction, typ)
		}
		if !strings.HasSuffix(doc, ".") || strings.Contains(doc, "\n") {
			t.Errorf("%s %s: doc line %q", direction, typ, doc)
		}
		checkNames(t, reflect.TypeOf(data), map[reflect.Type]bool{})
	}
	for _, e := range Events {
		check("event ", string(e.Type), e.Doc, e.Data)
		if ev := NewEvent(e.New()); ev.Type != e.Type {
			t.Errorf("data of %s makes a %s", e.Type, ev.Type)
		}
		if !slices.Contains(e.Kind.Values(), string(e.Kind)) {
			t.Errorf("%s has kind %q", e.Type, e.Kind)
		}
	}
	for _, c := range Commands {
		check("command ", string(c.Type), c.Doc, c.Data)
		if cmd := NewCommand(Principal{}, c.New()); cmd.Type != c.Type {
			t.Errorf("data of %s makes a %s", c.Type, cmd.Type)
		}
	}
	for _, f := range Frames {
		check("frame ", string(f.Type), f.Doc, f.Data)
	}
}

// checkNames wants each field on the wire to have a snake_case name.
func checkNames(t *testing.T, typ reflect.Type, done map[reflect.Type]bool) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || done[typ] || typ == reflect.TypeFor[Question]() {
		return
	}
	done[typ] = true
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && !snake.MatchString(name) {
			t.Errorf("%s.%s has the wire name %q", typ.Name(), f.Name, name)
		}
		checkNames(t, f.Type, done)
	}
}

// On the wire a task is a node of the tree of tasks, named by a TaskID. The word alone is
// a text: what a todo, or the task itself, is about. What waits in a queue has neither name.
//
// Covers: C-73
func TestTaskIsOneWord(t *testing.T) {
	texts := map[string]bool{}
	done := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || done[typ] {
			return
		}
		done[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case name == "task" && f.Type == reflect.TypeFor[[]TaskInfo](): // the nodes themselves
			case name == "task":
				if texts[typ.Name()] = true; f.Type.Kind() != reflect.String {
					t.Errorf("%s.task is a %s", typ.Name(), f.Type)
				}
			case strings.HasSuffix(name, "task_id") && f.Type != reflect.TypeFor[TaskID]():
				t.Errorf("%s.%s is a %s", typ.Name(), name, f.Type)
			case name == "todo_id" && f.Type == reflect.TypeFor[TaskID](), strings.HasPrefix(name, "job"):
				t.Errorf("%s.%s mixes the words", typ.Name(), name)
			}
			walk(f.Type)
		}
	}
	for _, e := range Events {
		walk(reflect.TypeOf(e.Data))
	}
	for _, c := range Commands {
		walk(reflect.TypeOf(c.Data))
	}
	if !texts["Todo"] || !done[reflect.TypeFor[QueuedMessage]()] {
		t.Errorf("texts of tasks are in %v", texts)
	}
	delete(texts, "Todo")
	for name := range texts {
		// What a task or a todo is about, and edits of that.
		if !slices.Contains([]string{"TaskCreatedData", "HistoryItem", "PlanChange", "PlanEdit"}, name) && !strings.Contains(name, "Todo") {
			t.Errorf("%s has a task that is neither a task nor a todo", name)
		}
	}
}

func TestNewEventRefusesOtherData(t *testing.T) {
	for _, data := range []any{nil, PingData{}, &struct{}{}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T makes an event", data)
				}
			}()
			NewEvent(data)
		}()
	}
}

// Covers: WS-111, WS-112, WS-113
func TestRights(t *testing.T) {
	tests := []struct {
		cmd                           CommandType
		none, viewer, approver, admin bool
	}{
		{CommandAuth, true, true, true, true},
		{CommandPong, false, true, true, true},
		{CommandGetMessages, false, true, true, true},
		{CommandSubscribeMonitor, false, true, true, true},
		{CommandHitlPlanResponse, false, false, true, false},
		{CommandAskResponse, false, false, true, false},
		{CommandUserMessage, false, false, false, false},
		{CommandSetAccess, false, false, false, false},
		{CommandForgetRule, false, false, false, false},
		{CommandCheckpointDiff, false, false, false, false},
	}
	for _, tt := range tests {
		info, _ := CommandInfoOf(tt.cmd)
		got := []bool{info.Allows(RoleNone), info.Allows(RoleViewer), info.Allows(RoleApprover), info.Allows(RoleAdmin), info.Allows(RoleOwner)}
		if want := []bool{tt.none, tt.viewer, tt.approver, tt.admin, true}; !slices.Equal(got, want) {
			t.Errorf("%s: none, viewer, approver, admin, owner = %v, want %v", tt.cmd, got, want)
		}
	}
	for _, c := range Commands {
		answers := strings.HasSuffix(string(c.Type), "_response") && c.Type != CommandAppProtocolResponse
		if c.Hitl != answers || c.Hitl != (c.Right == RoleApprover) {
			t.Errorf("%s: hitl %v, right %s", c.Type, c.Hitl, c.Right)
		}
	}
}

// Covers: MSG-10, MSG-11, MSG-12, MSG-15, MSG-24, C-12, C-18
func TestAskClasses(t *testing.T) {
	classes := map[AskClass][]string{
		ClassIdle:        {"completion_result", "api_req_failed", "resume_completed_task", "mistake_limit_reached", "auto_approval_max_req_reached"},
		ClassResumable:   {"resume_task"},
		ClassInteractive: {"followup", "command", "tool", "browser_action_launch", "use_mcp_server"},
		ClassNonBlocking: {"command_output"},
	}
	states := map[AskClass]TaskState{
		ClassIdle: TaskStateIdle, ClassResumable: TaskStateResumable,
		ClassInteractive: TaskStateInteractive, ClassNonBlocking: TaskStateRunning,
	}
	count := 0
	for class, asks := range classes {
		for _, name := range asks {
			count++
			a := Ask(name)
			if !slices.Contains(a.Values(), name) || a.Class() != class || a.State() != states[class] {
				t.Errorf("%s: class %q, state %q", a, a.Class(), a.State())
			}
			got := []bool{a.IsIdle(), a.IsResumable(), a.IsInteractive(), a.IsNonBlocking()}
			want := []bool{class == ClassIdle, class == ClassResumable, class == ClassInteractive, class == ClassNonBlocking}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", a, got, want)
			}
		}
	}
	if count != 12 || len(Ask("").Values()) != 12 {
		t.Errorf("%d asks in classes, %d in all, want 12", count, len(Ask("").Values()))
	}
	if Ask("").State() != TaskStateRunning || Ask("nonsense").Class() != "" {
		t.Error("no ask must leave the task running, an unknown one has no class")
	}
}

// Covers: MSG-16, MSG-20, MSG-21
func TestSays(t *testing.T) {
	want := strings.Fields(`
		api_req_started api_req_finished api_req_retried api_req_retry_delayed api_req_deleted
		error text image reasoning
		completion_result user_feedback user_feedback_diff command_output subtask_result
		browser_action browser_action_result browser_session_status
		mcp_server_request_started mcp_server_response
		condense_context condense_context_error sliding_window_truncation
		checkpoint_saved shell_integration_warning rooignore_error diff_error codebase_search_result user_edit_todos
		cell_executed kernel_status
		model_fallback instructions_read files_attached git`) // the last four are clew's own
	got := Say("").Values()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(got) != 34 {
		t.Errorf("%d says: %v", len(got), got)
	}
}

// Covers: C-19, MSG-29, G-03
func TestStatuses(t *testing.T) {
	tests := []struct {
		got  []string
		want string
	}{
		{SessionStatus("").Values(), "idle planning awaiting_input executing paused completed failed cancelled"},
		{TaskState("").Values(), "running interactive resumable idle"},
		{TaskStatus("").Values(), "active completed delegated aborted"},
		{TodoStatus("").Values(), "pending in_progress completed failed skipped"},
		{AskResponse("").Values(), "yes_button_clicked no_button_clicked message_response object_response"},
		{InputType("").Values(), "text choice number boolean date"},
		{ResponseFormat("").Values(), "text markdown mixed json"},
		{AttachmentType("").Values(), "chart image table file"},
	}
	for _, tt := range tests {
		if got := strings.Join(tt.got, " "); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// Covers: MSG-02, MSG-03
func TestMessageCheck(t *testing.T) {
	good := Message{Type: TypeSay, Say: SayText, Role: SpeakerAssistant}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]Message{
		"nothing":          {},
		"an unknown type":  {Type: "shout", Say: SayText, Role: SpeakerAssistant},
		"an unknown say":   {Type: TypeSay, Say: "nonsense", Role: SpeakerAssistant},
		"an unknown ask":   {Type: TypeAsk, Ask: "nonsense", Role: SpeakerAssistant},
		"a say that asks":  {Type: TypeSay, Ask: AskTool, Role: SpeakerAssistant},
		"both":             {Type: TypeAsk, Ask: AskTool, Say: SayText, Role: SpeakerAssistant},
		"an unknown voice": {Type: TypeSay, Say: SayText, Role: "robot"},
	} {
		if err := m.Check(); CodeOf(err) != InvalidMessage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Covers: WS-020, WS-014
func TestSessionStateKeepsItsNames(t *testing.T) {
	b, err := MarshalData(SessionState{Status: StatusIdle})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"current_layer", "plan", "hitl_pending", "last_message_id"} {
		if v, ok := got[name]; !ok || v != nil {
			t.Errorf("%s is %v, want null", name, v)
		}
	}
	for _, name := range []string{"todos", "messages", "open_messages", "hitl_queue", "runs", "monitors", "windows", "notices"} {
		if v, ok := got[name].([]any); !ok || len(v) != 0 {
			t.Errorf("%s is %v, want []", name, got[name])
		}
	}
	var back SessionState
	if err := json.Unmarshal(b, &back); err != nil || back.Status != StatusIdle || back.LastMessageID != "" {
		t.Errorf("read back %+v, %v", back, err)
	}
}

// Covers: RUN-24
func TestQuestionKeepsItsType(t *testing.T) {
	q := Question{Type: EventHitlInputRequest, Data: &HitlInputRequestData{Asking: Asking{RequestID: "hitl_1"}, Question: "Which?", InputType: InputText}}
	b, err := MarshalData(q)
	if err != nil {
		t.Fatal(err)
	}
	var back Question
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(q, back) || back.RequestID() != "hitl_1" {
		t.Errorf("%s became %+v, %v", b, back, err)
	}
	if err := json.Unmarshal([]byte(`{"type":"ping"}`), &back); err == nil {
		t.Error("a ping is taken for a question")
	}
}

// Covers: WS-039, WS-100, WS-101, WS-102, WS-105, WS-106
func TestErrorData(t *testing.T) {
	cause := errors.New("password is swordfish")
	d := NewErrorData(WrapError(ToolTimeout, cause, "the collector took too long"), ErrorContext{TodoID: "todo_1", Tool: "collector"})
	b, err := MarshalData(d)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"code":"TOOL_TIMEOUT","number":4003,"message":"the collector took too long","recoverable":true,"suggested_action":"retry","context":{"todo_id":"todo_1","tool":"collector"}}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if d := NewErrorData(cause, ErrorContext{}); d.Code != Internal || strings.Contains(d.Message, "swordfish") {
		t.Errorf("a foreign error became %+v", d)
	}
	numbers := map[Code]int{
		"CONNECTION_FAILED": 1001, "CONNECTION_TIMEOUT": 1002, "INVALID_MESSAGE": 1003, "RATE_LIMITED": 1004, "MESSAGE_TOO_LARGE": 1005,
		"AUTH_REQUIRED": 2001, "AUTH_FAILED": 2002, "TOKEN_EXPIRED": 2003, "FORBIDDEN": 2004,
		"SESSION_NOT_FOUND": 3001, "SESSION_EXPIRED": 3002, "SESSION_INVALID_STATE": 3003, "MESSAGE_NOT_FOUND": 3004, "TASK_NOT_FOUND": 3005,
		"EXECUTION_FAILED": 4001, "TODO_FAILED": 4002, "TOOL_TIMEOUT": 4003, "TOOL_EXECUTION_FAILED": 4004,
		"QUEUE_FULL": 4005, "AGENT_LIMIT": 4006, "BUDGET_EXCEEDED": 4007, "PROVIDER_ERROR": 4008,
		"HITL_TIMEOUT": 5001, "HITL_INVALID_RESPONSE": 5002, "HITL_REQUEST_EXPIRED": 5003,
		"STORAGE_FAILED": 6001, "CHECKPOINT_FAILED": 6002, "SETTINGS_INVALID": 6003,
	}
	for code, number := range numbers {
		if code.Number() != number {
			t.Errorf("%s has number %d, want %d", code, code.Number(), number)
		}
	}
}

// Covers: IPC-07
func TestTaskCommands(t *testing.T) {
	for _, name := range TaskCommandName("").Values() {
		if name == string(TaskCommandFollow) { // about the connection, not about a task
			continue
		}
		if _, ok := CommandInfoOf(TaskCommandName(name).Command()); !ok {
			t.Errorf("%s stands for no command", name)
		}
	}
}
