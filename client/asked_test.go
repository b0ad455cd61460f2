package client_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// raw is a value as a question carries it.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// Whatever a tool would be called with is there to be seen, once.
func TestAskedInput(t *testing.T) {
	long := strings.Repeat("x", 5000)
	whole := "index 0..1\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+(one)\n"
	field := func(name, text string) client.AskedField { return client.AskedField{Name: name, Text: text} }
	for name, c := range map[string]struct {
		d    clew.HitlApprovalRequestData
		want []client.AskedField
	}{
		"nothing": {clew.HitlApprovalRequestData{}, nil},
		"a tool server's, whatever the summary has": {
			clew.HitlApprovalRequestData{
				Input:  raw(map[string]any{"path": "a", "body": long, "n": map[string]any{"k": 1.0}}),
				Effect: &clew.Effect{Server: "files", Summary: "files: write a", Paths: []string{"a"}},
			},
			[]client.AskedField{field("body", `"`+long+`"`), field("n", "{\n  \"k\": 1\n}"), field("path", `"a"`)},
		},
		"a command": {
			clew.HitlApprovalRequestData{Input: raw(map[string]any{"command": "ls", "background": true}), Effect: &clew.Effect{Command: "ls"}},
			[]client.AskedField{field("background", "true")},
		},
		"another command than the effect's": {
			clew.HitlApprovalRequestData{Input: raw(map[string]any{"command": "rm"}), Effect: &clew.Effect{Command: "ls"}},
			[]client.AskedField{field("command", `"rm"`)},
		},
		"a change that is there": {
			clew.HitlApprovalRequestData{Input: raw(map[string]any{"path": "a.txt", "content": "(one)\n"}), Effect: &clew.Effect{Diff: whole}}, nil,
		},
		"a change that is cut": {
			clew.HitlApprovalRequestData{Input: raw(map[string]any{"content": "one\ntwo\n"}), Effect: &clew.Effect{Diff: whole, DiffCut: true}},
			[]client.AskedField{{Name: "content", Text: "one\ntwo\n", Lines: true}},
		},
		"a file that is read": {
			clew.HitlApprovalRequestData{Input: raw(map[string]any{"path": "a.txt", "offset": 3.0}), Effect: &clew.Effect{Summary: "Read a.txt", Paths: []string{"a.txt"}}},
			[]client.AskedField{field("offset", "3")},
		},
		"a file by another name": {
			clew.HitlApprovalRequestData{Input: raw(map[string]any{"path": "link"}), Effect: &clew.Effect{Summary: "Read a.txt", Paths: []string{"a.txt"}}},
			[]client.AskedField{field("path", `"link"`)},
		},
		"a name that deceives": {
			clew.HitlApprovalRequestData{Input: raw(map[string]any{"a: 1\nb": "<x>"})},
			[]client.AskedField{field(`"a: 1\nb"`, `"<x>"`)},
		},
		"no object": {clew.HitlApprovalRequestData{Input: raw([]any{"a"})}, []client.AskedField{field("", "[\n  \"a\"\n]")}},
		"no input":  {clew.HitlApprovalRequestData{Input: json.RawMessage("null")}, nil},
		"numbers that no float64 holds": {
			clew.HitlApprovalRequestData{Input: json.RawMessage(`{"amount":9007199254740993,"all":[1e400,0.10]}`)},
			[]client.AskedField{field("all", "[\n  1e400,\n  0.10\n]"), field("amount", "9007199254740993")},
		},
	} {
		if got := client.AskedInput(&c.d); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
