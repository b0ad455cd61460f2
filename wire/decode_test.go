package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// Covers: WS-012, WS-101, MSG-32
func TestDecodeCommandRefuses(t *testing.T) {
	deep := strings.Repeat("[", 62) + strings.Repeat("]", 62)
	tests := []struct{ name, frame, want string }{
		{"empty", ``, "frame is not a JSON object"},
		{"cut off", `{"type":`, "frame is not a JSON object"},
		{"not closed", `{"type":"pong"`, "frame is not a JSON object"},
		{"trailing", `{"type":"pong"}{}`, "frame is not a JSON object"},
		{"comma at the end", `{"type":"pong",}`, "frame is not a JSON object"},
		{"no comma", `{"type":"pong" "data":{}}`, "frame is not a JSON object"},
		{"no colon", `{"type" "pong"}`, "frame is not a JSON object"},
		{"bare name", `{type:"pong"}`, "frame is not a JSON object"},
		{"raw control", "{\"type\":\"po\nng\"}", "type must be a string"},
		{"bad escape", `{"type":"po\qng"}`, "type must be a string"},
		{"broken data", `{"type":"user_message","data":{"text":"a",}}`, "data is not JSON"},
		{"more after data", `{"type":"user_interaction","data":{"interactions":[]}{}}`, "data is not JSON"},
		{"mismatched", `{"type":"user_message","data":{"text":["a"}}`, "frame is not a JSON object"},
		{"not UTF-8", "{\"type\":\"pong\xff\"}", "frame is not UTF-8"},
		{"not an object", `["pong"]`, "frame is not a JSON object"},
		{"a string", `"pong"`, "frame is not a JSON object"},
		{"too deep", `{"type":"update_settings","data":{"settings":{"a":` + deep + `}}}`, "frame is nested deeper than 64"},
		{"no type", `{"data":{}}`, "type is missing"},
		{"empty type", `{"type":""}`, "type is missing"},
		{"type is a number", `{"type":7}`, "type must be a string"},
		{"type is null", `{"type":null}`, "type must be a string"},
		{"unknown type", `{"type":"USER_MESSAGE"}`, `type "USER_MESSAGE" is unknown`},
		{"an event", `{"type":"session_state"}`, `type "session_state" is unknown`},
		{"type twice", `{"type":"pong","type":"reset"}`, "type is given twice"},
		{"unknown envelope field", `{"type":"pong","sesion_id":"s"}`, "sesion_id is not a field of an envelope"},
		{"other session", `{"type":"pong","session_id":"other"}`, `session_id "other" is not this session`},
		{"session is a number", `{"type":"pong","session_id":1}`, "session_id must be a string"},
		{"long message_id", `{"type":"pong","message_id":"` + strings.Repeat("x", 129) + `"}`, "message_id is longer than 128 characters"},
		{"message_id with control", `{"type":"pong","message_id":"a\u0000"}`, "message_id has a character that cannot be printed"},
		{"message_id is a number", `{"type":"pong","message_id":1}`, "message_id must be a string"},
		{"timestamp is a number", `{"type":"pong","timestamp":1}`, "timestamp must be a string"},
		{"data is a list", `{"type":"pong","data":[]}`, "data must be an object"},
		{"data is a string", `{"type":"pong","data":"x"}`, "data must be an object"},
		{"data in ping-pong", `{"type":"pong","data":{"x":1}}`, "data.x is not a field of pong"},

		{"unknown field", `{"type":"user_message","data":{"text":"a","monitorId":"m"}}`, "data.monitorId is not a field of user_message"},
		{"other case", `{"type":"user_message","data":{"Text":"a"}}`, "data.Text is not a field of user_message"},
		{"field twice", `{"type":"user_message","data":{"text":"a","text":"b"}}`, "data.text is given twice"},
		{"missing", `{"type":"user_message","data":{}}`, "data.text is missing"},
		{"no data", `{"type":"user_message"}`, "data.text is missing"},
		{"null data", `{"type":"user_message","data":null}`, "data.text is missing"},
		{"null field", `{"type":"user_message","data":{"text":null}}`, "data.text is missing"},
		{"empty text", `{"type":"user_message","data":{"text":""}}`, "data.text is empty"},
		{"wrong kind", `{"type":"user_message","data":{"text":1}}`, "data.text must be a string, not number"},
		{"wrong kind in list", `{"type":"user_message","data":{"text":"a","images":[1]}}`, "data.images must be a string, not number"},
		{"wrong list", `{"type":"user_message","data":{"text":"a","images":"x"}}`, "data.images must be a list, not string"},
		{"empty in list", `{"type":"user_message","data":{"text":"a","images":[""]}}`, "data.images[0] is empty"},
		{"bad monitor", `{"type":"user_message","data":{"text":"a","monitor_id":"a/b"}}`, `data.monitor_id: "a/b" is not a valid id`},

		{"no credentials", `{"type":"auth","data":{}}`, "data.token is missing"},
		{"empty request id", `{"type":"hitl_plan_response","data":{"request_id":"","action":"approve"}}`, "data.request_id is empty"},
		{"no request id", `{"type":"hitl_plan_response","data":{"action":"approve"}}`, "data.request_id is missing"},
		{"modify without words", `{"type":"hitl_plan_response","data":{"request_id":"h","action":"modify"}}`, "data.instruction is missing: modify needs one, or data.modifications"},
		{"approve with a wish", `{"type":"hitl_plan_response","data":{"request_id":"h","action":"approve","instruction":"not b"}}`, "data.instruction and data.modifications go with modify: nothing would change"},
		{"an answer that may be one", `{"type":"user_message","data":{"text":"x","request_id":"h","may_answer":[]}}`, "data.request_id and data.may_answer exclude each other"},
		{"budget without a run", `{"type":"user_message","data":{"text":"x","budget":{"usd":1}}}`, "data.budget goes with mode run"},
		{"budget below nothing", `{"type":"user_message","data":{"text":"x","mode":"run","budget":{"usd":-1}}}`, "data.budget must not be negative"},
		{"no value", `{"type":"hitl_input_response","data":{"request_id":"h"}}`, "data.value is missing"},
		{"two times", `{"type":"delete_message","data":{"ts":1,"message_ts":2}}`, "data.ts and data.message_ts differ"},
		{"a time and an index", `{"type":"delete_message","data":{"message_ts":2,"index":1}}`, "data.message_id, data.ts and data.index exclude each other"},
		{"another answer's name", `{"type":"hitl_plan_response","data":{"request_id":"h","type":"input","action":"approve"}}`, `data.type: "input" is not one of plan`},
		{"object without value", `{"type":"ask_response","data":{"ask_response":"object_response"}}`, "data.value is missing: object_response needs one"},
		{"unknown scope", `{"type":"get_state","data":{"scope":"all"}}`, `data.scope: "all" is not one of session, ui`},
		{"page too large", `{"type":"get_messages","data":{"limit":1001}}`, "data.limit must be 0 to 1000"},
		{"negative page", `{"type":"get_messages","data":{"offset":-1}}`, "data.offset must not be negative"},
		{"fraction", `{"type":"get_messages","data":{"limit":1.5}}`, "data.limit must be a whole number, not number 1.5"},
		{"two ways", `{"type":"get_messages","data":{"offset":1,"before":"msg_000000000001"}}`, "data.offset and data.before exclude each other"},
		{"bad cursor", `{"type":"get_messages","data":{"before":"msg_1"}}`, `data.before: "msg_1" is not a valid id`},
		{"no target", `{"type":"rewind","data":{}}`, "data.message_id is missing: give message_id, ts or index"},
		{"two targets", `{"type":"rewind","data":{"ts":1,"index":0}}`, "data.message_id, data.ts and data.index exclude each other"},
		{"negative index", `{"type":"rewind","data":{"index":-1}}`, "data.index must not be negative"},
		{"target of a wrong kind", `{"type":"rewind","data":{"ts":"x"}}`, "data.ts must be a whole number, not string"},
		{"empty batch", `{"type":"user_interaction","data":{"interactions":[]}}`, "data.interactions is empty"},
		{"unknown interaction", `{"type":"user_interaction","data":{"interactions":[{"kind":"poke","window_id":"w"}]}}`, `data.interactions[0].kind: "poke" is not one of close, focus, move, resize, draw`},
		{"unknown inner field", `{"type":"user_interaction","data":{"interactions":[{"kind":"move","window_id":"w","speed":1}]}}`, `data: "speed" is not a field of user_interaction`},
		{"resize to nowhere", `{"type":"user_interaction","data":{"interactions":[{"kind":"resize","window_id":"w"}],"monitor_id":"monitor-1"}}`, "data.interactions[0].bounds is missing"},
		{"move to nowhere", `{"type":"user_interaction","data":{"interactions":[{"kind":"focus","window_id":"w"},{"kind":"move","window_id":"w"}]}}`, "data.interactions[1].bounds is missing"},
		{"window too far", `{"type":"user_interaction","data":{"interactions":[{"kind":"move","window_id":"w","bounds":{"x":10001,"y":0,"w":1,"h":1}}]}}`, "data.interactions[0].bounds: x and y are from -10000 to 10000, w and h from 1 to 10000"},
		{"window of no size", `{"type":"user_interaction","data":{"interactions":[{"kind":"move","window_id":"w","bounds":{"x":0,"y":0,"w":0,"h":1}}]}}`, "data.interactions[0].bounds: x and y are from -10000 to 10000, w and h from 1 to 10000"},
		{"huge batch", `{"type":"user_interaction","data":{"interactions":[` + strings.Repeat(`{"kind":"focus","window_id":"w"},`, 100) + `{"kind":"focus","window_id":"w"}]}}`, "data.interactions has more than 100"},
		{"main monitor stays", `{"type":"remove_monitor","data":{"monitor_id":"monitor-0"}}`, "data.monitor_id: monitor-0 cannot be removed"},
		{"owner cannot be given", `{"type":"set_access","data":{"user_id":"u","role":"owner"}}`, `data.role: "owner" is not one of , viewer, approver`},
		{"no role", `{"type":"set_access","data":{"user_id":"u"}}`, "data.role is missing"},
		{"bool missing", `{"type":"toggle_mcp_server","data":{"name":"x"}}`, "data.enabled is missing"},
		{"bool of a wrong kind", `{"type":"toggle_mcp_server","data":{"name":"x","enabled":"no"}}`, "data.enabled must be true or false, not string"},
		{"map of a wrong kind", `{"type":"update_settings","data":{"settings":[]}}`, "data.settings must be an object, not array"},
		{"long title", `{"type":"rename_session","data":{"title":"` + strings.Repeat("é", 201) + `"}}`, "data.title is longer than 200 characters"},
		{"restore both to nowhere", `{"type":"checkpoint_restore","data":{"commit_hash":"a","mode":"both"}}`, "data.message_id is missing: mode both needs message_id or ts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.frame, clew.InvalidMessage, tt.want) })
	}
}

// refused checks the code and the words with which a frame is refused.
func refused(t *testing.T, frame string, code clew.Code, words string) {
	t.Helper()
	_, err := DecodeCommand([]byte(frame), "sess_demo")
	var e *clew.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *clew.Error", err)
	}
	if e.Code != code || e.Message != words {
		t.Errorf("got  %s %s\nwant %s %s", e.Code, e.Message, code, words)
	}
}

// A choice that no question has is a wrong answer, not a malformed message.
//
// Covers: WS-105
func TestUnknownChoiceIsAWrongAnswer(t *testing.T) {
	tests := []struct{ name, frame, want string }{
		{"plan cannot be skipped", `{"type":"hitl_plan_response","data":{"request_id":"h","action":"skip"}}`, `data.action: "skip" is not one of approve, modify, reject`},
		{"approval cannot modify", `{"type":"hitl_approval_response","data":{"request_id":"h","action":"modify"}}`, `data.action: "modify" is not one of approve, skip, reject`},
		{"unknown answer", `{"type":"ask_response","data":{"ask_response":"yesButtonClicked"}}`, `data.ask_response: "yesButtonClicked" is not one of yes_button_clicked, no_button_clicked, message_response, object_response`},
		{"no choice at all", `{"type":"hitl_approval_response","data":{"request_id":"h","action":"maybe"}}`, `data.action: "maybe" is not one of approve, skip, reject`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.frame, clew.HitlInvalidResponse, tt.want) })
	}
}

// Covers: WS-011, C-04, C-01
func TestDecodeCommandAccepts(t *testing.T) {
	tests := []struct {
		name, frame string
		id          clew.ClientMessageID
	}{
		{"bare pong", `{"type":"pong"}`, ""},
		{"space everywhere", " {\n\t\"type\" : \"pong\" , \"data\" : { } }\r\n", ""},
		{"auth without session", `{"type":"auth","data":{"token":"t"}}`, ""},
		{"api key alone", `{"type":"auth","data":{"api_key":"k"}}`, ""},
		{"nulls are absent", `{"type":"pong","session_id":null,"message_id":null,"timestamp":null,"data":null}`, ""},
		{"any timestamp", `{"type":"pong","timestamp":"yesterday"}`, ""},
		{"message id", `{"type":"pong","message_id":"msg-ü 1"}`, "msg-ü 1"},
		{"escaped message id", `{"type":"pong","message_id":"a\u0062\"c"}`, `ab"c`},
		{"image alone", `{"type":"user_message","data":{"text":"","images":["x"]}}`, ""},
		{"null value is a value", `{"type":"hitl_input_response","data":{"request_id":"h","value":null}}`, ""},
		{"optional null", `{"type":"user_message","data":{"text":"a","mode":null}}`, ""},
		{"access taken back", `{"type":"set_access","data":{"user_id":"u","role":""}}`, ""},
		{"brackets in text", `{"type":"user_message","data":{"text":"` + strings.Repeat("[{", 100) + `\"]"}}`, ""},
		{"plan response that names itself", `{"type":"hitl_plan_response","session_id":"sess_demo","data":{"request_id":"h","type":"plan","action":"approve"}}`, ""},
		{"approval response that names itself", `{"type":"hitl_approval_response","data":{"request_id":"h","type":"approval","action":"approve"}}`, ""},
		{"input response that names itself", `{"type":"hitl_input_response","data":{"request_id":"h","type":"input","value":1}}`, ""},
		{"clarification response that names itself", `{"type":"hitl_clarification_response","data":{"request_id":"h","type":"clarification","value":"x"}}`, ""},
		{"the same time twice", `{"type":"delete_message","data":{"ts":1790000000123,"message_ts":1790000000123}}`, ""},
		{"deep but allowed", `{"type":"update_settings","data":{"settings":{"a":` + strings.Repeat("[", 61) + strings.Repeat("]", 61) + `}}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd, err := DecodeCommand([]byte(tt.frame), "sess_demo")
			if err != nil {
				t.Fatal(err)
			}
			if cmd.ClientMessageID != tt.id {
				t.Errorf("client message id %q, want %q", cmd.ClientMessageID, tt.id)
			}
			if cmd.Data == nil {
				t.Error("no data")
			}
		})
	}
}

// Covers: G-17
func TestCheckFrame(t *testing.T) {
	if err := DefaultLimits.CheckFrame(MaxFrame); err != nil {
		t.Error(err)
	}
	if err := DefaultLimits.CheckFrame(MaxFrame + 1); clew.CodeOf(err) != clew.MessageTooLarge {
		t.Errorf("got %v", err)
	}
	if err := (Limits{}).CheckFrame(MaxFrame + 1); err != nil {
		t.Errorf("a limit of 0 is on: %v", err)
	}
}

// The answer to a refused command can say what it is about.
func TestRefusedCommandIsNamed(t *testing.T) {
	cmd, err := DecodeCommand([]byte(`{"type":"user_message","message_id":"c-1","data":{}}`), "s")
	if err == nil || cmd.Type != clew.CommandUserMessage || cmd.ClientMessageID != "c-1" {
		t.Errorf("got %+v, %v", cmd, err)
	}
	if cmd, err := DecodeCommand([]byte(`{"type":"nonsense","message_id":"c-2"}`), "s"); err == nil || cmd.Type != "" || cmd.ClientMessageID != "c-2" {
		t.Errorf("got %+v, %v", cmd, err)
	}
	frame := EncodeError("s", 0, err, clew.ErrorContext{ClientMessageID: cmd.ClientMessageID, CommandType: cmd.Type})
	want := `{"type":"error","session_id":"s","timestamp":"1970-01-01T00:00:00.000Z","data":{"code":"INVALID_MESSAGE","number":1003,"message":"data.text is missing","recoverable":false,"suggested_action":"fix_request","context":{"client_message_id":"c-1","command_type":"user_message"}}}`
	if string(frame) != want {
		t.Errorf("got  %s\nwant %s", frame, want)
	}
}

func BenchmarkDecodeCommand(b *testing.B) {
	frame := []byte(`{"type":"user_message","session_id":"sess_0123456789abcdef0123456789abcdef","message_id":"c-000001","timestamp":"2026-11-15T09:00:00.000Z","data":{"text":"Please sort the reviews of the last three months by mood, and tell me what most of them say.","monitor_id":"monitor-0"}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		if _, err := DecodeCommand(frame, "sess_0123456789abcdef0123456789abcdef"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeAgentResponse(b *testing.B) {
	data := &clew.AgentResponseData{MessageID: "msg_000000000010", AgentID: "main-monitor-0", Offset: 1234, Delta: " and then"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encode(clew.EventAgentResponse, "sess_0123456789abcdef0123456789abcdef", "", 1790000000000, data); err != nil {
			b.Fatal(err)
		}
	}
}

// Words that may answer nothing are not words that may answer anything, also
// after another node has sent them on.
func TestNothingToAnswerIsNotAnything(t *testing.T) {
	for given, want := range map[string]string{
		`{"text":"a","may_answer":[]}`:     `{"text":"a","may_answer":[]}`,
		`{"text":"a","may_answer":["q1"]}`: `{"text":"a","may_answer":["q1"]}`,
		`{"text":"a","may_answer":null}`:   `{"text":"a"}`,
		`{"text":"a"}`:                     `{"text":"a"}`,
	} {
		cmd, err := DecodeCommand([]byte(`{"type":"user_message","data":`+given+`}`), "s")
		if err != nil {
			t.Fatalf("%s: %v", given, err)
		}
		again, err := clew.MarshalData(cmd.Data)
		if err != nil || string(again) != want {
			t.Errorf("%s became %s, %v", given, again, err)
		}
		d, ok := cmd.Data.(*clew.UserMessageData)
		if !ok || d.Answers("q1") == strings.HasSuffix(given, "[]}") || d.Answers("q2") == strings.Contains(given, "[") {
			t.Errorf("%s answers q1: %v, q2: %v", given, d.Answers("q1"), d.Answers("q2"))
		}
	}
}
