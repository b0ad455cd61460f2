package mcp

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/nightly"
)

func TestNames(t *testing.T) {
	n := newNames()
	for _, c := range []struct{ server, tool, want string }{
		{"weather", "forecast", "mcp__weather__forecast"},
		{"a", "b__c", "mcp__a__b__c"},
		{"a__b", "c", "mcp__a__b__c_"},
		{"a", "_b", "mcp__a___b"},
		{"a_", "b", "mcp__a___b_"},
		{"weather", "a/b", "mcp__weather__a_b_"},
		{"weather", "a.b", "mcp__weather__a_b_"},
		{"wetter", "größe", "mcp__wetter__gr_e_"},
	} {
		got := n.pick(c.server, c.tool)
		if suffix, ok := strings.CutPrefix(got, c.want); !ok || suffix != "" && len(suffix) != 8 || strings.HasSuffix(c.want, "_") != (suffix != "") {
			t.Errorf("%s %s: %s", c.server, c.tool, got)
		}
	}
}

func TestNamesAreSafeAndDifferent(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		pairs := rapid.SliceOfDistinct(rapid.Custom(func(t *rapid.T) [2]string {
			alphabet := rapid.StringOf(rapid.RuneFrom([]rune{'a', '_', '/', '-', 'ü', '\u202e'}))
			return [2]string{alphabet.Draw(t, "server"), alphabet.Draw(t, "tool")}
		}), func(p [2]string) [2]string { return p }).Draw(t, "pairs")
		n, seen := newNames(), map[string]bool{}
		for _, p := range pairs {
			name := n.pick(p[0], p[1])
			if !safeName.MatchString(name) || len(name) > maxName || seen[name] {
				t.Fatalf("%q of %q", name, p)
			}
			seen[name] = true
		}
	})
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":                "plain\n\ttext",
		"\x1b[31mred\x1b[0m":           "red",
		"\x1b]0;title\x07x":            "x",
		"\x1b]8;;http://a\x1b\\link":   "link",
		"a\rb\x00c\x7fd\u0085e":        "abcde",
		"\u202eabc\u202c\u2066d\u2069": "abcd",
		"z\u200be\u2060r\ufeffo":       "zero",
		"tag\U000E0041\U000E0042":      "tag",
		"bad \xff byte":                "bad \ufffd byte",
		"👩\u200d🔬 नमस्ते می\u200cخواهم": "👩\u200d🔬 नमस्ते می\u200cخواهم",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := cut("äöü", 5); got != "ä…" {
		t.Errorf("cut %q", got)
	}
}

func TestTailNeverShowsAPieceOfASecret(t *testing.T) {
	r := &redactor{}
	r.add(canary)
	nightly.Check(t, func(t *rapid.T) {
		tail := &tail{}
		for _, n := range rapid.SliceOf(rapid.IntRange(0, keep)).Draw(t, "lengths") {
			_, _ = tail.Write([]byte(strings.Repeat(".", n) + canary))
		}
		got := tail.text(r)
		if len(got) > maxTail || strings.Contains(got, "ary-") || strings.Contains(got, canary[len(canary)-4:]) && !strings.Contains(got, "[secret]") {
			t.Fatalf("%q", got)
		}
	})
}

func TestHashIsOfEverything(t *testing.T) {
	base := Hash("a", "b", json.RawMessage(`{}`))
	for _, other := range []string{
		Hash("x", "b", json.RawMessage(`{}`)), Hash("a", "x", json.RawMessage(`{}`)),
		Hash("a", "b", json.RawMessage(`{"a":1}`)), Hash("ab", "", json.RawMessage(`{}`)), Hash("a", "b", json.RawMessage(`x`)),
	} {
		if other == base {
			t.Error("another tool, the same hash")
		}
	}
	one := define(&sdk.Tool{Name: "a", InputSchema: map[string]any{"type": "object", "x": 1, "y": 2}})
	two := define(&sdk.Tool{Name: "a", InputSchema: map[string]any{"y": 2, "x": 1, "type": "object"}})
	if one.hash != two.hash || one.problem != "" {
		t.Error("the order of keys counts", one.problem)
	}
}

func TestSchemas(t *testing.T) {
	for schema, ok := range map[string]bool{
		`{"type":"object"}`: true,
		`{"type":"string"}`: false,
		`true`:              false,
		`{}`:                false,
		`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}`:           true,
		`{"type":"object","$schema":"http://127.0.0.1:1/other"}`:                          false,
		`{"type":"object","properties":{"a":{"$ref":"#"}}}`:                               true,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{}}}`: true,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`:                    false,
		`{"type":"object","properties":{"a":{"$dynamicRef":"#x"}}}`:                       false,
		`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`:              false,
		`{"type":"object","properties":{"a":12}}`:                                         false,
		`{"type":"object","$comment":"` + strings.Repeat("x", maxSchema) + `"}`:           false,
		string(bomb()): false,
	} {
		var doc any
		if err := json.Unmarshal([]byte(schema), &doc); err != nil {
			t.Fatal(err)
		}
		d := define(&sdk.Tool{Name: "a", InputSchema: doc})
		if (d.problem == "") != ok {
			t.Errorf("%.120s: %q", schema, d.problem)
		}
	}
}

// A schema that refers to itself for ever on the same value ends.
func TestEndlessSchemaEnds(t *testing.T) {
	d := define(&sdk.Tool{Name: "a", InputSchema: map[string]any{"type": "object", "allOf": []any{map[string]any{"$ref": "#"}}}})
	if d.problem == "" {
		if _, err := checkInput(d.input, json.RawMessage(`{}`)); err == nil {
			t.Error("an endless schema fits")
		}
	}
}

// What a server gets is what was checked, and what people are shown.
func TestInputIsWrittenAnew(t *testing.T) {
	d := define(&sdk.Tool{Name: "a", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"maximum": 5}}}})
	got, err := checkInput(d.input, json.RawMessage(`{"n":9, "n":1, "big":12345678901234567890}`))
	if err != nil || string(got) != `{"big":12345678901234567890,"n":1}` {
		t.Errorf("%s %v", got, err)
	}
	if _, err := checkInput(d.input, json.RawMessage(`{"n":1,"n":9}`)); err == nil {
		t.Error("the second of two was not checked")
	}
}

func TestFrames(t *testing.T) {
	stray := &tail{}
	in := "hello\n\n{\"a\":1}\r\n[1]\n{broken\n{\"last\":true}"
	got, err := io.ReadAll(newFrames(strings.NewReader(in), 100, stray))
	if err != nil || string(got) != "{\"a\":1}\n[1]\n{\"last\":true}\n" {
		t.Errorf("%q %v", got, err)
	}
	if stray.text(nil) != "hello\n{broken" {
		t.Errorf("stray %q", stray.text(nil))
	}
	if _, err := io.ReadAll(newFrames(strings.NewReader(strings.Repeat("x", 200)), 100, stray)); err == nil {
		t.Error("a frame without end")
	}
}

func TestMultipleChoice(t *testing.T) {
	fields, err := readFields(json.RawMessage(`{"properties":{"x":{"type":"array","items":{"type":"string","enum":["a","b"]}},
		"d":{"type":"string","format":"date"},"y":{"type":"string","oneOf":[{"const":"1","title":"One"}]}}}`))
	if err != nil || len(fields) != 3 {
		t.Fatal(err)
	}
	if q := fields[0].question("i"); q.InputType != "date" {
		t.Errorf("%+v", q)
	}
	if v, err := fields[1].value("a, b"); err != nil || len(v.([]any)) != 2 {
		t.Errorf("%v %v", v, err)
	}
	if _, err := fields[1].value("c"); err == nil {
		t.Error("not one of them")
	}
	if q := fields[2].question("i"); q.InputType != "choice" || q.Options[0].Label != "One" {
		t.Errorf("%+v", q)
	}
}
