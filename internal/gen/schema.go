package main

import (
	"bytes"
	"encoding/json"

	"github.com/clew-run/clew"
)

const schemaID = "https://clew.run/schema/clew.schema.json"

type object = map[string]any

// schemaFile makes the JSON Schema of all envelopes.
func schemaFile([]byte) ([]byte, error) {
	m := newModel()
	defs := m.schemas("#/$defs/")
	var server, client, local []any
	for _, e := range clew.Events {
		server = append(server, m.eventEnvelope("#/$defs/", e))
	}
	for _, c := range clew.Commands {
		client = append(client, m.commandEnvelope("#/$defs/", c))
	}
	for _, f := range clew.Frames {
		local = append(local, frame("#/$defs/", f, m.of(f.Data)))
	}
	defs["ServerEnvelope"] = object{"description": "What a server sends.", "oneOf": server}
	defs["ClientEnvelope"] = object{"description": "What a client sends.", "oneOf": client}
	defs["LocalFrame"] = object{"description": "A frame of the local socket.", "oneOf": local}
	return pretty(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     schemaID,
		"title":   "clew",
		"anyOf":   []any{ref("#/$defs/", "ServerEnvelope"), ref("#/$defs/", "ClientEnvelope")},
		"$defs":   defs,
	})
}

// schemas gives the schema of each def by name; prefix is where refs point.
func (m *model) schemas(prefix string) object {
	out := object{}
	for _, d := range m.defs {
		out[d.name] = d.schema(m, prefix)
	}
	return out
}

func (d *def) schema(m *model, prefix string) object {
	out := object{}
	if d.doc != "" {
		out["description"] = d.doc
	}
	switch {
	case d.union != nil:
		var list []any
		for _, t := range d.union {
			info, _ := clew.EventInfoOf(t)
			list = append(list, object{"allOf": []any{
				ref(prefix, m.of(info.Data).name),
				object{"properties": object{"type": object{"const": string(t)}}, "required": []string{"type"}},
			}})
		}
		out["oneOf"] = list
	case d.values != nil:
		out["type"] = "string"
		out["enum"] = d.values
	default:
		props, required := object{}, []string{}
		for _, f := range d.fields {
			props[f.name] = f.kind.schema(prefix)
			if !f.optional {
				required = append(required, f.name)
			}
		}
		out["type"] = "object"
		if len(props) > 0 {
			out["properties"] = props
		}
		if len(required) > 0 {
			out["required"] = required
		}
		if d.closed {
			out["additionalProperties"] = false
		}
	}
	return out
}

func (k kind) schema(prefix string) any {
	out := object{}
	switch k.base {
	case "any":
		return object{}
	case "ref":
		out = ref(prefix, k.ref.name)
	case "list":
		out["type"] = "array"
		out["items"] = k.elem.schema(prefix)
	case "map":
		out["type"] = "object"
		out["additionalProperties"] = k.elem.schema(prefix)
	default:
		out["type"] = k.base
	}
	if k.values != nil {
		out["enum"] = k.values
	}
	if k.form != "" {
		out["pattern"] = k.form
	}
	if k.null {
		return object{"anyOf": []any{out, object{"type": "null"}}}
	}
	return out
}

func ref(prefix, name string) object { return object{"$ref": prefix + name} }

func (m *model) eventEnvelope(prefix string, e clew.EventInfo) object {
	required := []string{"type", "session_id", "timestamp"}
	if e.Kind == clew.KindRecord {
		required = append(required, "message_id")
	}
	d := m.of(e.Data)
	if len(d.fields) > 0 {
		required = append(required, "data")
	}
	return object{
		"description": e.Doc,
		"type":        "object",
		"properties": object{
			"type":              object{"const": string(e.Type)},
			"session_id":        object{"type": "string"},
			"message_id":        object{"type": "string"},
			"client_message_id": object{"type": "string", "maxLength": 128},
			"timestamp":         object{"type": "string", "format": "date-time"},
			"data":              ref(prefix, d.name),
		},
		"required": required,
	}
}

func (m *model) commandEnvelope(prefix string, c clew.CommandInfo) object {
	required := []string{"type"}
	d := m.of(c.Data)
	for _, f := range d.fields {
		if !f.optional {
			required = append(required, "data")
			break
		}
	}
	return object{
		"description": c.Doc,
		"type":        "object",
		"properties": object{
			"type":       object{"const": string(c.Type)},
			"session_id": object{"type": "string"},
			"message_id": object{"type": "string", "maxLength": 128},
			"timestamp":  object{"type": "string"},
			"data":       ref(prefix, d.name),
		},
		"required":             required,
		"additionalProperties": false,
	}
}

func frame(prefix string, f clew.FrameInfo, d *def) object {
	props := object{"type": object{"const": string(f.Type)}, "origin": object{"const": f.Origin}, "data": ref(prefix, d.name)}
	switch f.Type {
	case clew.FrameTaskCommand:
		props["client_id"] = object{"type": "string"}
	case clew.FrameTaskEvent:
		props["relay_client_id"] = object{"type": "string"}
	}
	return object{"description": d.doc, "type": "object", "properties": props, "required": []string{"type", "data"}}
}

func pretty(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t") // the program carries it
	err := enc.Encode(v)
	return b.Bytes(), err
}
