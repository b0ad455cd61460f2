package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// Covers: RUN-19, RUN-22, WS-064
func TestValuesAreStrict(t *testing.T) {
	options := []clew.InputOption{{Value: "red", Label: "Red"}, {Value: 3, Label: "Three"}, {Value: true, Label: "Yes"}}
	suggestions := clew.HitlInputRequestData{InputType: clew.InputChoice, Options: options, Ask: clew.AskFollowup}
	choice := suggestions
	choice.Strict = true
	text, number := clew.HitlInputRequestData{InputType: clew.InputText}, clew.HitlInputRequestData{InputType: clew.InputNumber}
	boolean, date := clew.HitlInputRequestData{InputType: clew.InputBoolean}, clew.HitlInputRequestData{InputType: clew.InputDate}
	tests := []struct {
		q     clew.HitlInputRequestData
		value any
		ok    bool
	}{
		{choice, "red", true},
		{choice, "Red", false}, // a label is no value
		{choice, 3.0, true},
		{choice, json.Number("3"), true},
		{choice, "3", false},
		{choice, true, true},
		{choice, "true", false},
		{choice, []any{"red"}, false},
		{suggestions, "something else", true},
		{suggestions, 4.0, false},
		{suggestions, map[string]any{"a": 1.0}, false},
		{text, "x", true},
		{text, 3.0, false},
		{text, true, false},
		{text, []any{"x"}, false},
		{clew.HitlInputRequestData{}, "x", true}, // text, if it is not said
		{clew.HitlInputRequestData{}, 3.0, false},
		{number, 3.0, true},
		{number, 0.0, true},
		{number, "3", false},
		{number, false, false},
		{number, []any{3.0}, false},
		{boolean, false, true},
		{boolean, 0.0, false},
		{boolean, "yes", false},
		{date, "2028-02-29", true},
		{date, "2027-02-29", false},
		{date, "2027-2-1", false},
		{date, "2027-02-01T00:00:00Z", false},
		{date, "tomorrow", false},
		{date, 2027.0, false},
	}
	for i, tt := range tests {
		for _, required := range []bool{false, true} {
			q := tt.q
			q.Required = required
			for v, ok := range map[any]bool{nil: !required, "": !required} {
				checkTaken(t, fmt.Sprint(i, " without a value"), clew.Question{Data: &q}, v, ok)
			}
			checkTaken(t, fmt.Sprint(i), clew.Question{Data: &q}, tt.value, tt.ok)
		}
	}
}

func checkTaken(t *testing.T, name string, q clew.Question, v any, ok bool) {
	t.Helper()
	err := decide.CheckValue(q, v)
	if ok != (err == nil) || !ok && clew.CodeOf(err) != clew.HitlInvalidResponse {
		t.Errorf("%s: %v gives %v", name, v, err)
	}
}

// Covers: RUN-22, WS-065
func TestClarifications(t *testing.T) {
	ask := func(typ clew.InputType, required bool) clew.Question {
		return clew.Question{Type: clew.EventHitlClarification, Data: &clew.HitlClarificationData{
			InputType: typ, Required: required, Suggestions: clew.List[string]{"this", "that"},
		}}
	}
	checkTaken(t, "required", ask(clew.InputText, true), "this", true)
	checkTaken(t, "required", ask(clew.InputText, true), "", false)
	checkTaken(t, "required", ask(clew.InputText, true), nil, false)
	checkTaken(t, "optional", ask(clew.InputText, false), nil, true)
	checkTaken(t, "text", ask(clew.InputText, true), 3.0, false)
	checkTaken(t, "choice", ask(clew.InputChoice, true), "neither", true) // they are suggestions
	checkTaken(t, "choice", ask(clew.InputChoice, true), 3.0, false)
	checkTaken(t, "number", ask(clew.InputNumber, true), 3.0, true)
	checkTaken(t, "number", ask(clew.InputNumber, true), "3", false)
	checkTaken(t, "date", ask(clew.InputDate, true), "soon", false)
}

func TestValueSize(t *testing.T) {
	text := strings.Repeat("x", decide.ValueMax-2) // the quotes count
	for _, q := range []clew.Question{
		{Data: &clew.HitlInputRequestData{InputType: clew.InputText}},
		{Data: &clew.HitlInputRequestData{InputType: clew.InputChoice, Ask: clew.AskFollowup}},
		{Data: &clew.HitlClarificationData{InputType: clew.InputText}},
	} {
		checkTaken(t, "just fits", q, text, true)
		checkTaken(t, "too long", q, text+"x", false)
	}
	b := newBench()
	b.timedInput(clew.HitlInputRequestData{InputType: clew.InputText})
	for _, data := range []any{
		&clew.HitlInputResponseData{Value: text + "x"},
		&clew.AskResponseData{AskResponse: clew.ObjectResponse, Value: text + "x"},
		&clew.AskResponseData{AskResponse: clew.MessageResponse, Text: text + "x"},
		&clew.UserMessageData{Text: text + "x"},
	} {
		if _, _, err := b.ann(data); clew.CodeOf(err) != clew.HitlInvalidResponse {
			t.Errorf("%T: %v", data, err)
		}
	}
	b.open()
	must(b.ann(&clew.HitlInputResponseData{Value: text}))
}

// Questions for a value are announced with all that a client needs to show them.
//
// Covers: RUN-19, WS-034, WS-035
func TestQuestionsOnTheWire(t *testing.T) {
	input := newBench()
	input.timedInput(clew.HitlInputRequestData{
		Field: "colour", InputType: clew.InputChoice, Required: true, DefaultValue: "red",
		Options: []clew.InputOption{{Value: "red", Label: "Red"}},
	})
	unclear := newBench()
	unclear.create()
	must(unclear.say("m1"))
	must(unclear.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.AskClarification(tx, s, t, clew.HitlClarificationData{
			Asking: clew.Asking{TimeoutSec: timeout}, OriginalInput: "it", Ambiguity: "what it is", Question: "which?",
			InputType: clew.InputText, Suggestions: clew.List[string]{"this"}, Required: true,
		})
	}))
	for b, want := range map[*bench][]string{
		input: {
			`"field":"colour"`, `"question":"which?"`, `"input_type":"choice"`, `"options":[{"value":"red","label":"Red"}]`,
			`"required":true`, `"default_value":"red"`, `"timeout_sec":300`, `"request_id":"req_`,
		},
		unclear: {
			`"original_input":"it"`, `"ambiguity":"what it is"`, `"question":"which?"`, `"input_type":"text"`,
			`"suggestions":["this"]`, `"required":true`, `"timeout_sec":300`, `"request_id":"req_`,
		},
	} {
		q := b.s.state.Questions[0]
		var data string
		for _, r := range b.records {
			if r.Type == q.Type {
				data = string(r.Data())
			}
		}
		for _, field := range append(want, fmt.Sprintf(`"deadline_ms":%d`, q.Asking().DeadlineMS)) {
			if !strings.Contains(data, field) {
				t.Errorf("%s has no %s: %s", q.Type, field, data)
			}
		}
	}
}
