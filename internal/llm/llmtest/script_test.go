package llmtest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/llm"
)

// Every mistake is named with its line, and with what would be right.
func TestScriptMistakes(t *testing.T) {
	for _, tc := range []struct{ name, script, want string }{
		{"empty", ``, `line 1: the script is empty`},
		{"no steps", `[]`, `line 1: the script has no steps`},
		{"no list", `steps: 3`, `line 1: a script is a list, not a mapping`},
		{"bad yaml", "- reply: [\n", "line 1: did not find expected node content"},
		{"two documents", "- reply:\n  - text: a\n---\n- 3\n", `line 3: a script is one document`},
		{"unknown field of a step", "- replies:\n  - text: a\n", "line 1: unknown field \"replies\" in a step; there are: name, when, times, reply\nline 1: a step needs a reply"},
		{"unknown condition", "- when:\n    user: x\n  reply:\n  - text: a\n", `line 2: unknown field "user" in when; there are: last_user, system, model, tool_result, has_tool, call, turn, times`},
		{"unknown item", "- reply:\n  - txt: a\n", "line 2: unknown field \"txt\" in an item of a reply; there are: thinking, text, tool, delay, slow, wait, usage, stop, ping, status, error, cut, malformed, stall, pieces, retry_after, type, message, body\nline 2: an item of a reply has exactly one of: thinking, text, tool, delay, slow, wait, usage, stop, ping, status, error, cut, malformed, stall"},
		{"two items in one", "- reply:\n  - text: a\n    thinking: b\n", `line 2: an item of a reply has exactly one of: thinking, text, tool, delay, slow, wait, usage, stop, ping, status, error, cut, malformed, stall`},
		{"field of another item", "- reply:\n  - text: a\n    retry_after: 1s\n", `line 2: field "retry_after" does not go with "text"`},
		{"a field twice", "- reply:\n  - text: a\n    text: b\n", `line 3: field "text" stands twice in an item of a reply`},
		{"bad duration", "- reply:\n  - delay: 5\n", `line 2: delay is a time such as 50ms or 2s`},
		{"bad regexp", "- when:\n    last_user: {regexp: \"(\"}\n  reply:\n  - text: a\n", "line 2: regexp: error parsing regexp: missing closing ): `(`"},
		{"bad template", "- reply:\n  - text: \"{{nobody}}\"\n", `line 2: text: bad template: text:1: function "nobody" not defined`},
		{"not a function", "- reply:\n  - text: \"{{if call}}a{{end}}\"\n", `line 2: text: bad template: {{if call}}a{{end}} is not a function with its argument`},
		{"without its argument", "- reply:\n  - text: \"{{match}}\"\n", `line 2: text: bad template: {{match}} is not a function with its argument`},
		{"with an argument too many", "- reply:\n  - text: '{{tool_result \"x\" 2}}'\n", `line 2: text: bad template: {{tool_result "x" 2}} is not a function with its argument`},
		{"definition", "- reply:\n  - text: '{{define \"x\"}}a{{end}}b'\n", `line 2: text: bad template: it defines another one`},
		{"bad template in an input", "- reply:\n  - tool:\n      name: x\n      input:\n        a: [\"{{\"]\n", `line 5: input: bad template: text:1: unclosed action`},
		{"tool without a name", "- reply:\n  - tool: {input: {}}\n", `line 2: a tool needs a name`},
		{"input and raw", "- reply:\n  - tool: {name: x, input: {}, raw: x}\n", `line 2: a tool has input or raw, not both`},
		{"input of another kind", "- reply:\n  - tool: {name: x, input: [1]}\n", `line 2: input is a mapping, not a list`},
		{"no JSON number", "- reply:\n  - tool: {name: x, input: {a: .nan}}\n", `line 2: input holds a number that JSON has no form for`},
		{"bad stop", "- reply:\n  - stop: end_turn\n", `line 2: stop is one of: end, tool_use, max_tokens, refusal`},
		{"no error status", "- reply:\n  - status: 200\n", `line 2: status is a whole number from 400 on`},
		{"late status", "- reply:\n  - text: a\n  - status: 429\n", `line 3: status comes too late: a part of the answer is sent already`},
		{"after the end", "- reply:\n  - cut: true\n  - text: a\n", `line 2: nothing can come after "cut"`},
		{"flag that is false", "- reply:\n  - stall: false\n", `line 2: stall is true or left out`},
		{"negative count", "- reply:\n  - usage: {input: -1}\n", `line 2: input is a whole number from 0 on`},
		{"several mistakes", "- times: x\n  reply:\n  - delay: x\n- reply: 1\n", "line 1: times is a whole number from 0 on\nline 3: delay is a time such as 50ms or 2s\nline 4: reply is a list, not a number\nline 4: a step needs a reply"},
		{"an endless alias", "- reply:\n  - tool: {name: x, input: &a {a: *a}}\n", `line 2: the script is too large`},
		{"a bomb", bomb(), `line 5: the script is too large`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse([]byte(tc.script))
			if err == nil {
				t.Fatal("the script was taken")
			}
			if err.Error() != tc.want {
				t.Errorf("got:\n%v\nwant:\n%s", err, tc.want)
			}
		})
	}
}

// bomb is a script whose aliases stand for 10^8 values.
func bomb() string {
	var b strings.Builder
	b.WriteString("- reply:\n  - tool:\n      name: x\n      input:\n        a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n")
	for i := 1; i < 8; i++ {
		prev := "*a" + string(rune('0'+i-1))
		b.WriteString("        a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.TrimSuffix(strings.Repeat(prev+",", 10), ",") + "]\n")
	}
	return b.String()
}

func TestScriptFields(t *testing.T) {
	s := MustParse(`
- name: first
  when:
    last_user: {regexp: "fix (.*)"}
    system: architect
    model: {equals: m1}
    tool_result: {tool: read_file, contains: x, is_error: true}
    has_tool: [a, b]
    call: 2
    turn: 3
  times: 0
  reply:
  - thinking: hm
    pieces: 3
  - slow: {per_token: 10ms}
  - tool: {name: a, id: c1, input: {n: 1, f: 1.5, on: true, none: null, day: 2026-01-02, list: [x]}}
  - usage: {input: 1, output: 2, cache_read: 3, cache_write: 4}
  - stop: max_tokens
- when: {tool_result: shell, times: 2}
  reply:
  - status: 429
    retry_after: 1500ms
    body: no
`)
	one, two := s.Steps[0], s.Steps[1]
	if one.Name != "first" || one.Line != 2 || one.Times != 0 || two.Times != 2 || two.When.ToolResult.Tool != "shell" {
		t.Errorf("steps: %+v\n%+v", one, two)
	}
	w := one.When
	if w.LastUser.Regexp.String() != "fix (.*)" || w.System.Contains != "architect" || *w.Model.Equals != "m1" ||
		!*w.ToolResult.IsError || w.ToolResult.Text.Contains != "x" || len(w.HasTool) != 2 || w.Call != 2 || w.Turn != 3 {
		t.Errorf("when: %+v", w)
	}
	if it := one.Reply[0]; it.Kind != ItemThinking || it.Text.Raw != "hm" || it.Pieces != 3 {
		t.Errorf("thinking: %+v", it)
	}
	if it := one.Reply[1]; it.Kind != ItemSlow || it.Delay != 10*time.Millisecond {
		t.Errorf("slow: %+v", it)
	}
	input, err := scene{req: &Request{}}.input(one.Reply[2].Tool)
	if want := `{"day":"2026-01-02","f":1.5,"list":["x"],"n":1,"none":null,"on":true}`; err != nil || input != want {
		t.Errorf("input: %s, %v; want %s", input, err, want)
	}
	if it := one.Reply[3]; it.Usage != (Usage{1, 2, 3, 4}) {
		t.Errorf("usage: %+v", it.Usage)
	}
	if it := one.Reply[4]; it.Stop != llm.StopMaxTokens {
		t.Errorf("stop: %+v", it.Stop)
	}
	if st := two.Reply[0].Status; st.Code != 429 || st.RetryAfter != 1500*time.Millisecond || *st.Body != "no" {
		t.Errorf("status: %+v", st)
	}
}

func TestPieces(t *testing.T) {
	for _, s := range []string{"", "a", " a  b\nc ", "ä ö", "日本語 text", strings.Repeat("word ", 50)} {
		for n := range 9 {
			for what, pieces := range map[string][]string{"text": textPieces(s, n), "input": inputPieces(s, n)} {
				if strings.Join(pieces, "") != s {
					t.Errorf("%s of %q in %d pieces: %q", what, s, n, pieces)
				}
				for _, p := range pieces {
					if p == "" || !json.Valid([]byte(`"`+strings.ReplaceAll(p, "\n", " ")+`"`)) {
						t.Errorf("%s of %q in %d pieces has the piece %q", what, s, n, p)
					}
				}
			}
		}
	}
	if got := cutInto("abcdef", 3); strings.Join(got, "|") != "ab|cd|ef" {
		t.Errorf("cutInto: %q", got)
	}
	if got := words("one two  three"); strings.Join(got, "|") != "one |two  |three" {
		t.Errorf("words: %q", got)
	}
}

// FuzzScript: no input breaks the parser, and what it takes can be played.
func FuzzScript(f *testing.F) {
	f.Add("- reply:\n  - text: a\n")
	f.Add("- when: {last_user: {regexp: '(a)'}, tool_result: x}\n  times: 0\n  reply:\n  - tool: {name: x, input: {a: '{{match 1}}'}}\n  - cut: true\n")
	f.Add("- &a\n  reply:\n  - status: 429\n    retry_after: 1s\n- *a\n")
	f.Add("- reply:\n  - malformed: !!binary AAEC\n  - usage: {input: 1}\n  - stop: end\n")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse([]byte(text))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if line == "" {
					t.Errorf("an empty line in the error %q", err)
				}
			}
			return
		}
		if strings.Contains(text, "{{") {
			return // a template may ask for what this request does not have
		}
		req := &Request{Vendor: OpenAI, Call: 1}
		for i := range script.Steps {
			if _, err := newReply(&script.Steps[i], scene{req: req}); err != nil {
				t.Errorf("a step without templates cannot be played: %v", err)
			}
			newConversation(len(script.Steps)).pick(script, req)
		}
	})
}
