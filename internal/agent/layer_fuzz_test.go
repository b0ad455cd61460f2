package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/tool"
)

// awkward are texts that are made to keep whoever looks for JSON in them busy,
// each about a MiB at night, less in CI.
func awkward() map[string]string {
	size := nightly.Size(1<<17, 1<<20)
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"lists":            fill("["),
		"lists and a text": strings.Repeat("[", 9000) + `"` + fill("x"),
		"objects":          fill(`{"a":`),
		"objects, a text":  strings.Repeat(`{"a":`, 9000) + `"` + fill("x"),
		"empty ones":       fill("{}"),
		"small ones":       fill("[1]"),
		"quotes":           fill(`{"`),
		"escapes":          `{"` + fill(`\u0000`),
		"numbers":          "[" + fill("1e400,") + "1]",
		"digits":           `{"todos":[{"task":"x","priority":` + fill("9") + `}]}`,
		"many steps":       `{"todos":[` + fill(`{"task":"x"},`) + `{"task":"y"}]}`,
		"many texts":       `[` + fill(`"x",`) + `"y"]`,
		"bad steps":        `{"todos":[` + fill(`{"task":7,"tool":[]},`) + `1]}`,
		"dependencies":     `{"todos":[{"task":"x","depends_on":[` + fill(`"x",`) + `"y"]}]}`,
		"keys":             `{"todos":[{"task":"x",` + fill(`"k":[],`) + `"z":1}]}`,
	}
}

// Whatever a model writes, it is read in a bounded time.
func TestAwkwardWords(t *testing.T) {
	for name, text := range awkward() {
		t.Run(name, func(t *testing.T) {
			plain := readPlainly(t, len(text))
			start := time.Now()
			for _, layer := range []clew.Layer{clew.LayerCognitive, clew.LayerPlanning, clew.LayerResponse} {
				adopted(t, layer, text)
			}
			// Far above what it takes, and far below what going over the text for
			// each of its brackets would.
			if took := time.Since(start); took > 1000*plain {
				t.Errorf("it took %s, and to read as much plain JSON takes %s", took, plain)
			}
		})
	}
}

// readPlainly says how long the machine takes now to read so much JSON.
func readPlainly(t *testing.T, size int) time.Duration {
	t.Helper()
	text := []byte("[" + strings.Repeat(`"x",`, size/4) + `"y"]`)
	start := time.Now()
	for range 10 {
		var list []string
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
	}
	return time.Since(start) / 10
}

// adopted checks what is made of an answer in words.
func adopted(t *testing.T, layer clew.Layer, text string) {
	t.Helper()
	words := []clew.Part{{Type: clew.PartText, Text: text}}
	parts := adopt(layer, words)
	if len(parts) != 2 || parts[0].Text != text || parts[1].Type != clew.PartToolUse || !json.Valid(parts[1].Input) {
		t.Fatalf("%s: %d parts, a call of %s", layer, len(parts), parts[len(parts)-1].Tool)
	}
	if !slices.ContainsFunc(ownTools(layer), func(s tool.Spec) bool { return s.Name == parts[1].Tool }) {
		t.Fatalf("%s: a call of %s", layer, parts[1].Tool)
	}
	if _, _, err := readLayer(parts[1].Tool, parts[1].Input); err != nil && len(err.Error()) > 20_000 {
		t.Fatalf("%s: %d bytes of problems", layer, len(err.Error()))
	}
}

// FuzzLayers reads anything as the input of each layer's tools and as an answer
// in words. What passes keeps the promises of the schemas.
func FuzzLayers(f *testing.F) {
	for _, text := range []string{
		`{"todos":[{"id":"a","task":"x","depends_on":["b"],"priority":"1e3"}]}`, `["x",{"task":"y","estimated_cost_usd":"NaN"}]`,
		"```json\n{\"text\":\"x\"}\n```", `{"domain":"d","category":"c","confidence":1e-400}`, `{"percentage":50.0}`, `[[[[`, `{"todos":{"__proto__":1}}`,
		`{"result":"x","data":{"a":[1,2,{"b":1e309}]}}`, "{\"question\":\"\u202e\",\"ambiguity\":\"\x00\"}", `{"todos":[1e999999999]}`, `null`, ``,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name := range layerTools {
			in, _, err := readLayer(name, json.RawMessage(text))
			if err != nil {
				if len(err.Error()) > 20_000 {
					t.Fatalf("%d bytes of problems", len(err.Error()))
				}
				continue
			}
			promised(t, name, in)
		}
		for _, layer := range []clew.Layer{clew.LayerCognitive, clew.LayerPlanning, clew.LayerResponse} {
			adopted(t, layer, text)
		}
	})
}

func promised(t *testing.T, name string, in layerInput) {
	t.Helper()
	switch name {
	case toolPlan:
		todos, _ := plan.Normalise(in.Todos)
		if err := plan.Check(todos, 500); err != nil {
			return
		}
		for _, td := range todos {
			if td.Status != clew.TodoPending || td.TaskID != "" || td.ResultSummary != nil || td.Task == "" {
				t.Fatalf("a todo that is none: %+v", td)
			}
		}
	case toolUnderstood:
		if in.Domain == "" || in.Confidence < 0 || in.Confidence > 1 {
			t.Fatalf("understood %+v", in)
		}
	case toolProgress:
		if in.Percentage < 0 || in.Percentage > 100 || in.ItemsProcessed < 0 || in.ItemsTotal < 0 {
			t.Fatalf("progress %+v", in)
		}
	case toolRespond:
		if in.Text == "" {
			t.Fatal("an empty answer")
		}
	case toolCompletion:
		if in.Result == "" || sizeOf(in.Data) > dataBytes {
			t.Fatalf("result %+v", in)
		}
	}
}
