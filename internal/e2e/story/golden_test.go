package story

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file of testdata. Only the first vendor writes
// the file with -update; the other one must then give the same.
func golden(t *testing.T, vendor llmtest.Vendor, name, got string) {
	t.Helper()
	if vendor == llmtest.Gemini {
		return // it counts otherwise what it caches, and no text of a thought goes back to it
	}
	path := filepath.Join("testdata", name)
	if *update && vendor == llmtest.Anthropic {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs:\n%s", name, diff(string(want), got))
	}
}

// diff shows the first lines that differ.
func diff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out strings.Builder
	shown := 0
	for i := 0; i < max(len(a), len(b)) && shown < 5; i++ {
		x, y := at(a, i), at(b, i)
		if x != y {
			shown++
			fmt.Fprintf(&out, "line %d\n- %s\n+ %s\n", i+1, x, y)
		}
	}
	return out.String()
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// A plain makes what differs from run to run the same: times, ids, paths, and
// the names of the provider.
type plain struct {
	names map[string]string // ids in the order they turn up
	count map[string]int
	paths *strings.Replacer
}

func newPlain(s *stage) *plain {
	return &plain{names: map[string]string{}, count: map[string]int{}, paths: strings.NewReplacer(s.Work, "$WORKSPACE")}
}

var (
	idPattern   = regexp.MustCompile(`(task|req|msg)_[0-9a-f]{8,}|cp_[a-z2-7]{26}|\b[0-9a-f]{64}\b`)
	tookPattern = regexp.MustCompile(`ended after [0-9.]+m?s`)
)

// name gives an id its number among those of its kind.
func (p *plain) name(id string) string {
	kind, _, named := strings.Cut(id, "_")
	if !named {
		kind = "hash"
	}
	if p.names[id] == "" {
		p.count[kind]++
		p.names[id] = fmt.Sprintf("%s_%d", kind, p.count[kind])
	}
	return p.names[id]
}

func (p *plain) text(s string) string {
	s = tookPattern.ReplaceAllString(p.paths.Replace(s), "ended after $$TIME")
	return idPattern.ReplaceAllStringFunc(s, p.name)
}

// fixed holds what stands for values that are no part of the story.
var fixed = map[string]any{
	"ts": 0, "created_ms": 0, "since_ms": 0, "execution_time_ms": 0, "duration_ms": nil, "digest": "$DIGEST", "environment": "$ENVIRONMENT",
	"reserved": "$RESERVED", "api_protocol": "$PROVIDER", "provider": "$PROVIDER", "signature": nil, "encrypted_content": nil, "argv": "$ARGV",
}

// value rewrites a decoded JSON value.
func (p *plain) value(v any) any {
	switch v := v.(type) {
	case string:
		return p.text(v)
	case []any:
		for i := range v {
			v[i] = p.value(v[i])
		}
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if f, ok := fixed[k]; !ok {
				out[p.text(k)] = p.value(x)
			} else if f != nil && x != nil {
				out[k] = f
			}
		}
		return out
	}
	return v
}

// line writes a value as one line.
func (p *plain) line(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	var decoded any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&decoded); err != nil {
		return err.Error()
	}
	b, err = json.Marshal(p.value(decoded))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// snapshot reports whether a record is growing text, saved on the way: whether
// there is one depends on the clock.
func snapshot(r record) bool {
	d, ok := r.Event.Data.(*clew.MessageUpdatedData)
	return ok && d.Message.Partial
}

// journal writes the records in order, each with its type and data.
func (p *plain) journal(list []record) string {
	var b strings.Builder
	for _, r := range list {
		if snapshot(r) {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s\n", p.name(r.Env.MessageID), r.Env.Type, p.line(r.Env.Data))
	}
	return b.String()
}

// transcript writes the messages as people read them.
func (p *plain) transcript(messages []clew.Message) string {
	var b strings.Builder
	for _, m := range messages {
		kind := string(m.Say)
		if m.Type == clew.TypeAsk {
			kind = "ask " + string(m.Ask)
			if m.IsAnswered {
				kind += " (answered)"
			}
		}
		text := m.Text + m.Reasoning
		if m.Usage != nil {
			text += p.line(m.Usage)
		}
		fmt.Fprintf(&b, "%s %s, %s: %q\n", p.name(string(m.TaskID)), m.Role, kind, p.text(text))
	}
	return b.String()
}

// requests writes what the model got, call by call: of each call's history only
// what the call before it in the same conversation did not have.
func (p *plain) requests(list []llmtest.Request) string {
	var b strings.Builder
	seen, names := map[string]int{}, map[string]string{}
	for _, r := range list {
		if names[r.Conversation] == "" {
			names[r.Conversation] = fmt.Sprintf("conversation %d", len(names)+1)
		}
		fmt.Fprintf(&b, "%s, call %d: model %s, thinking %t, %d tools, %d messages\n",
			names[r.Conversation], r.Call, r.Model, r.Thinking, len(r.Tools), len(r.Messages))
		for i, m := range r.Messages {
			if i < seen[r.Conversation] {
				continue
			}
			for _, part := range m.Content {
				if part.IsError { // one wire has no other mark for it
					part.Text = strings.TrimPrefix(part.Text, "Error: ")
				}
				fmt.Fprintf(&b, "  %s %s\n", m.Role, p.line(part))
			}
		}
		seen[r.Conversation] = len(r.Messages)
	}
	return b.String()
}

func decode(t testing.TB, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}
