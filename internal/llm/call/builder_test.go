package call

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

func TestToolInput(t *testing.T) {
	deep := strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth)
	for input, want := range map[string]string{
		"":                       "{}",
		"  ":                     "{}",
		` { "a" : [1, "}{" ] }`:  `{"a":[1,"}{"]}`,
		deep:                     deep,
		`{"a":` + deep + `}`:     "",
		strings.Repeat("[", 1e6): "",
		`[1]`:                    "",
		`"x"`:                    "",
		`null`:                   "",
		`{"a":1`:                 "",
		`{"a":1}{"b":2}`:         "",
		`{"a":[{"b":1e400}]}`:    "",
		`{"a":9007199254740993}`: `{"a":9007199254740993}`,
	} {
		b := NewBuilder(llm.Request{}, nil)
		p, err := b.OpenTool("id", "tool")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Append(input); err != nil {
			t.Fatal(err)
		}
		a, err := b.Done(llm.StopToolUse)
		if (err == nil) != (want != "") || err == nil && string(a.Parts[0].Input) != want {
			t.Errorf("%.40q gives %v %v", input, a.Parts, err)
		}
	}
}

func TestCutCallOfALimitedAnswer(t *testing.T) {
	b := NewBuilder(llm.Request{}, nil)
	for _, input := range []string{`{"a":1}`, `{"a":`} {
		p, _ := b.OpenTool("", "tool")
		_ = p.Append(input)
	}
	a, err := b.Done(llm.StopMaxTokens)
	if err != nil || len(a.Parts) != 1 || a.Stop != llm.StopMaxTokens {
		t.Errorf("got %v %v", a, err)
	}
	if _, err := b.Done(llm.StopEnd); err == nil {
		t.Error("half a call passed as whole")
	}
}

func TestToolCallIDs(t *testing.T) {
	history := []clew.ModelMessage{{Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: clew.PartToolUse, ToolCallID: "a"}}}}
	b := NewBuilder(llm.Request{Messages: history}, nil)
	for _, id := range []string{"a", "b", "b", "", ""} {
		if _, err := b.OpenTool(id, "tool"); err != nil {
			t.Fatal(err)
		}
	}
	a, err := b.Done(llm.StopEnd)
	if err != nil || a.Stop != llm.StopToolUse {
		t.Fatal(a.Stop, err)
	}
	seen := map[string]bool{"a": true}
	for _, p := range a.Parts {
		if p.ToolCallID == "" || seen[p.ToolCallID] {
			t.Errorf("id %q is missing or not new", p.ToolCallID)
		}
		seen[p.ToolCallID] = true
	}
	if !seen["b"] {
		t.Error("a good id was replaced")
	}
	for _, id := range []string{"", "functions.read:0", strings.Repeat("x", 41), "日本", "--"} {
		got := ToolCallID(id)
		if got == id || got != ToolCallID(id) || len(got) > 40 {
			t.Errorf("%q becomes %q", id, got)
		}
	}
	if ToolCallID("toolu_01-x") != "toolu_01-x" {
		t.Error("a good id was changed on the way out")
	}
}

func TestBounds(t *testing.T) {
	b := NewBuilder(llm.Request{}, nil)
	p, _ := b.Open(clew.PartText)
	big := strings.Repeat("x", maxAnswer/4)
	for range 4 {
		if err := p.Append(big); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Append("x"); err == nil {
		t.Error("an answer without end was taken")
	}
	b = NewBuilder(llm.Request{}, nil)
	var err error
	for range MaxTools + 1 {
		_, err = b.OpenTool("", "tool")
	}
	if err == nil {
		t.Error("tool calls without end were taken")
	}
	b = NewBuilder(llm.Request{}, nil)
	for range maxParts + 1 {
		_, err = b.Open(clew.PartText)
	}
	if err == nil {
		t.Error("parts without end were taken")
	}
}

func TestImages(t *testing.T) {
	blob := func(_ context.Context, address string) (string, []byte, error) {
		if address != "blob:1" {
			return "", nil, errors.New("no such blob")
		}
		data, err := base64.StdEncoding.DecodeString(png)
		return "text/html", data, err
	}
	for name, c := range map[string]struct {
		address string
		ok      bool
	}{
		"data URL":         {"data:image/png;base64," + png, true},
		"wrongly labelled": {"data:image/jpeg;base64," + png, true},
		"blob":             {"blob:1", true},
		"missing blob":     {"blob:2", false},
		"web address":      {"https://example.org/x.png", false},
		"no base64":        {"data:image/png,abc", false},
		"damaged":          {"data:image/png;base64,!!!", false},
		"script":           {"data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("<svg onload=x>")), false},
		"huge":             {"data:image/png;base64," + strings.Repeat("A", maxImage*2), false},
		"no data":          {"data:", false},
	} {
		image, err := LoadImage(t.Context(), llm.Request{Image: blob}, c.address)
		if err != nil || image.Readable() != c.ok || c.ok && image.URL() != "data:image/png;base64,"+png {
			t.Errorf("%s: %v %v", name, image, err)
		}
	}
	if image, err := LoadImage(t.Context(), llm.Request{}, "blob:1"); err != nil || image.Readable() {
		t.Errorf("nobody loads images: %v %v", image, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LoadImage(ended, llm.Request{Image: blob}, "blob:2"); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was stopped: %v", err)
	}
}

func TestKey(t *testing.T) {
	read := func(key string, err error) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return key, err }
	}
	for name, c := range map[string]struct {
		read   func(context.Context) (string, error)
		needed bool
		want   string
		ok     bool
	}{
		"plain":             {read("k1", nil), true, "k1", true},
		"with a newline":    {read("k1\n", nil), true, "k1", true},
		"missing":           {read("", nil), true, "", false},
		"missing, not used": {read("", nil), false, "", true},
		"no reader":         {nil, true, "", false},
		"two lines":         {read("k1\r\nX-Evil: 1", nil), true, "", false},
		"locked":            {read("", errors.New("keyring is locked")), false, "", false},
	} {
		got, err := Key(t.Context(), c.read, c.needed)
		if got != c.want || (err == nil) != c.ok || err != nil && llm.AsError(err).Kind != llm.KindAuth {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

func TestSchema(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","b":1,"a":2}`: `{"type":"object","b":1,"a":2}`,
		`{"properties":{}}`:             `{"properties":{},"type":"object"}`,
		`{"type":"string"}`:             "",
		`[]`:                            "",
		`null`:                          "",
		``:                              "",
	} {
		got, err := Schema(llm.Tool{Name: "t", Schema: []byte(schema)})
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s %v", schema, got, err)
		}
	}
}
