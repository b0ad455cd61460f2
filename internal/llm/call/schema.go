package call

import (
	"encoding/json"

	"github.com/clew-run/clew/internal/llm"
)

// Schema gives the schema of a tool's input as it is written. The order of its
// fields stays: a prompt that differs is not found in a provider's cache, and
// models tend to fill in fields in the order they read them.
func Schema(t llm.Tool) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(t.Schema, &fields); err != nil || fields == nil {
		return nil, Refused(err, "the schema of the tool %s is no JSON object", t.Name)
	}
	switch string(fields["type"]) {
	case `"object"`:
		return t.Schema, nil
	case "": // some tool servers take it for granted, providers do not
		fields["type"] = json.RawMessage(`"object"`)
		return json.Marshal(fields)
	}
	return nil, Refused(nil, "the schema of the tool %s is not that of an object", t.Name)
}
