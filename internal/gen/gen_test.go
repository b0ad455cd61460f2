package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/clew-run/clew"
)

const root = "../.."

// What is checked in is what the catalogue says now.
func TestFilesAreFresh(t *testing.T) {
	if err := run(root, true); err != nil {
		t.Error(err)
	}
}

func TestStaleFilesAreFound(t *testing.T) {
	dir := t.TempDir()
	prose, err := os.ReadFile(filepath.Join(root, "PROTOCOL.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "PROTOCOL.md"), prose, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, true); err == nil {
		t.Error("missing files pass the check")
	}
	if err := run(dir, false); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, true); err != nil {
		t.Errorf("after writing: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "docs/asyncapi.json"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, true); err == nil {
		t.Error("a changed file passes the check")
	}
}

func compile(t *testing.T, def string) *jsonschema.Schema {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "docs/schema/clew.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(schemaID, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(schemaID + "#/$defs/" + def)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "wire/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		out = append(out, s.Text())
	}
	return out
}

func validate(t *testing.T, s *jsonschema.Schema, frame string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(frame))
	if err != nil {
		t.Fatalf("%v in %s", err, frame)
	}
	return s.Validate(v)
}

// The samples of the codec fit the schema, so codec and schema agree.
//
// Covers: WS-008, MSG-32
func TestSamplesFitSchema(t *testing.T) {
	server, client := compile(t, "ServerEnvelope"), compile(t, "ClientEnvelope")
	for _, frame := range lines(t, "events.jsonl") {
		if err := validate(t, server, frame); err != nil {
			t.Errorf("%s\n%v", frame, err)
		}
	}
	for _, frame := range lines(t, "commands.jsonl") {
		if err := validate(t, client, frame); err != nil {
			t.Errorf("%s\n%v", frame, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	server, client := compile(t, "ServerEnvelope"), compile(t, "ClientEnvelope")
	for _, frame := range []string{
		`{"type":"user_message"}`,
		`{"type":"user_message","data":{}}`,
		`{"type":"user_message","data":{"text":1}}`,
		`{"type":"user_message","data":{"text":"a","colour":"red"}}`,
		`{"type":"hitl_plan_response","data":{"request_id":"h","action":"skip"}}`,
		`{"type":"nonsense"}`,
		`{"data":{}}`,
	} {
		if validate(t, client, frame) == nil {
			t.Errorf("the schema takes %s", frame)
		}
	}
	for _, frame := range []string{
		`{"type":"ping","session_id":"s"}`,
		`{"type":"ping","session_id":"s","timestamp":"yesterday"}`,
		`{"type":"session_renamed","session_id":"s","timestamp":"2026-11-15T09:00:00.000Z","data":{"title":"t"}}`,
		`{"type":"sync_complete","session_id":"s","timestamp":"2026-11-15T09:00:00.000Z","data":{"replayed":0}}`,
	} {
		if validate(t, server, frame) == nil {
			t.Errorf("the schema takes %s", frame)
		}
	}
}

// Every reference in the AsyncAPI document leads somewhere, and each type of
// the catalogue has its message.
func TestAsyncAPI(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "docs/asyncapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if doc["asyncapi"] != "3.0.0" {
		t.Errorf("version %v", doc["asyncapi"])
	}
	followRefs(t, doc, doc)
	messages := doc["components"].(map[string]any)["messages"].(map[string]any)
	if len(messages) != len(clew.Events)+len(clew.Commands) {
		t.Errorf("%d messages for %d events and %d commands", len(messages), len(clew.Events), len(clew.Commands))
	}
}

func followRefs(t *testing.T, doc map[string]any, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			followRefs(t, doc, e)
		}
	case map[string]any:
		if to, ok := v["$ref"].(string); ok && !leads(doc, to) {
			t.Errorf("%s leads nowhere", to)
		}
		for _, e := range v {
			followRefs(t, doc, e)
		}
	}
}

func leads(doc map[string]any, to string) bool {
	var at any = doc
	for _, part := range strings.Split(strings.TrimPrefix(to, "#/"), "/") {
		m, ok := at.(map[string]any)
		if !ok || m[part] == nil {
			return false
		}
		at = m[part]
	}
	return true
}

// Names in the schema are unique although they come from Go types of two
// directions.
func TestNamesAreUnique(t *testing.T) {
	var names []string
	for _, d := range newModel().defs {
		if slices.Contains(names, d.name) {
			t.Errorf("two types are called %s", d.name)
		}
		names = append(names, d.name)
	}
}

// The TypeScript compiler, where there is one, takes the types and tells
// envelopes apart by type.
func TestTypeScriptCompiles(t *testing.T) {
	tsc, err := filepath.Abs(filepath.Join(root, "sdk/typescript/node_modules/.bin/tsc"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tsc); err != nil {
		t.Skip("no tsc: make sdk/typescript/node_modules installs it")
	}
	dir := t.TempDir()
	types, err := os.ReadFile(filepath.Join(root, "sdk/typescript/src/types.gen.ts"))
	if err != nil {
		t.Fatal(err)
	}
	use := `import type { ServerEnvelope, ClientEnvelope } from "./types.gen";
export function title(e: ServerEnvelope): string {
  return e.type === "session_renamed" ? e.data.title : "";
}
export const ok: ClientEnvelope = { type: "user_message", data: { text: "hi" } };
// @ts-expect-error text is missing
export const bad: ClientEnvelope = { type: "user_message", data: {} };
`
	for name, content := range map[string][]byte{"types.gen.ts": types, "use.ts": []byte(use)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tsc, "--noEmit", "--strict", "use.ts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
