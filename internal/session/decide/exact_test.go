package decide

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A question repeats its input as a text exactly where a double would show
// another number than the tool gets.
func TestExactText(t *testing.T) {
	for _, plain := range []string{
		``, `{}`, `null`, `{"n":1}`, `{"n":-1.50}`, `{"n":0.1}`, `{"n":1e2}`, `{"n":100E-2}`, `{"n":9007199254740992}`, `{"n":0.000}`, `{"n":-0}`, `{"n":0e999999999999}`,
		`{"n":1e21}`, `{"n":5e-324}`, `{"n":1.7976931348623157e308}`, `{"n":1000000000000000000000}`, `{"n":"9007199254740993"}`, `{"9007199254740993":1}`, `{"n":[1,2,{"m":3.25}]}`, `not JSON`,
	} {
		if got := core.ExactText(json.RawMessage(plain)); got != "" {
			t.Errorf("%s: %q", plain, got)
		}
	}
	for input, want := range map[string]string{
		`{"id":9007199254740993}`:              "{\n  \"id\": 9007199254740993\n}",
		`{"id":-9007199254740993}`:             "{\n  \"id\": -9007199254740993\n}",
		`[1,{"m":0.12345678901234567890}]`:     "[\n  1,\n  {\n    \"m\": 0.12345678901234567890\n  }\n]",
		`{"n":1e400}`:                          "{\n  \"n\": 1e400\n}",
		`{"n":1e-400}`:                         "{\n  \"n\": 1e-400\n}",
		`{"n":1e99999999999999999999}`:         "{\n  \"n\": 1e99999999999999999999\n}",
		`{"n":1e-99999999999999999999}`:        "{\n  \"n\": 1e-99999999999999999999\n}",
		`1152921504606846977`:                  `1152921504606846977`,
		`{"a":"<b>","n":18446744073709551615}`: "{\n  \"a\": \"<b>\",\n  \"n\": 18446744073709551615\n}",
	} {
		if got := core.ExactText(json.RawMessage(input)); got != want {
			t.Errorf("%s: %q", input, got)
		}
	}
	deep := strings.Repeat("[", 5000) + "9007199254740993" + strings.Repeat("]", 5000)
	if got := core.ExactText(json.RawMessage(deep)); got != deep {
		t.Errorf("deeply nested, it has %d bytes", len(got))
	}
	if got := core.ExactText(json.RawMessage(`{"a":"` + strings.Repeat("x", core.ExactMax) + `","n":9007199254740993}`)); got != "" {
		t.Errorf("a large one has %d bytes", len(got))
	}
}

func TestAskKeepsExactNumbers(t *testing.T) {
	s, task := &core.State{ID: "s"}, &core.Task{}
	for input, want := range map[string]string{`{"id":9007199254740993}`: "{\n  \"id\": 9007199254740993\n}", `{"id":1}`: ""} {
		q := newApproval(NewTx(s, 1), s, task, clew.HitlApprovalRequestData{Ask: clew.AskTool, Tool: "pay", Input: json.RawMessage(input)})
		if q.InputText != want || string(q.Input) != input {
			t.Errorf("%s: %q", input, q.InputText)
		}
	}
}
