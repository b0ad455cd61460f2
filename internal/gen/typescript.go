package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
)

// typescriptFile makes the TypeScript types.
func typescriptFile([]byte) ([]byte, error) {
	m := newModel()
	var b strings.Builder
	b.WriteString("// Made by internal/gen from the catalogue. Do not edit.\n\n")
	for _, d := range m.defs {
		d.typescript(&b, m)
	}
	m.envelopes(&b)
	return []byte(b.String()), nil
}

func (d *def) typescript(b *strings.Builder, m *model) {
	if d.doc != "" {
		fmt.Fprintf(b, "/** %s */\n", d.doc)
	}
	switch {
	case d.union != nil:
		fmt.Fprintf(b, "export type %s =", d.name)
		for _, t := range d.union {
			info, _ := clew.EventInfoOf(t)
			fmt.Fprintf(b, "\n  | ({ type: %q } & %s)", t, m.of(info.Data).name)
		}
		b.WriteString(";\n\n")
	case d.values != nil:
		fmt.Fprintf(b, "export type %s =%s;\n\n", d.name, union(d.values, "\n  | "))
	case len(d.fields) == 0:
		fmt.Fprintf(b, "export type %s = Record<string, never>;\n\n", d.name)
	default:
		fmt.Fprintf(b, "export interface %s {\n", d.name)
		for _, f := range d.fields {
			mark := ""
			if f.optional {
				mark = "?"
			}
			fmt.Fprintf(b, "  %s%s: %s;\n", f.name, mark, f.kind.typescript())
		}
		b.WriteString("}\n\n")
	}
}

func (k kind) typescript() string {
	var s string
	switch k.base {
	case "any":
		return "unknown"
	case "integer", "number":
		s = "number"
	case "list":
		s = k.elem.typescript() + "[]"
		if strings.Contains(k.elem.typescript(), "|") {
			s = "(" + k.elem.typescript() + ")[]"
		}
	case "map":
		s = "Record<string, " + k.elem.typescript() + ">"
	case "ref":
		s = k.ref.name
	default:
		s = k.base
	}
	if k.values != nil {
		s = strings.TrimPrefix(union(k.values, " | "), " | ")
	}
	if k.null {
		s += " | null"
	}
	return s
}

func union(values []string, separator string) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(separator + strconv.Quote(v))
	}
	return b.String()
}

// envelopes writes the two unions that a client switches on by type.
func (m *model) envelopes(b *strings.Builder) {
	b.WriteString(`/** The fields that every envelope of a server has. */
export interface ServerEnvelopeBase {
  session_id: string;
  /** "msg_…" for a record, absent for most answers and for streamed text. */
  message_id?: string;
  /** On a record: what the client called the command that led to it. */
  client_message_id?: string;
  /** RFC 3339 in UTC with milliseconds. */
  timestamp: string;
}

/** The fields that every envelope of a client may have. */
export interface ClientEnvelopeBase {
  session_id?: string;
  /** The client's own name for the message; a repeat has no second effect. */
  message_id?: string;
  timestamp?: string;
}

`)
	b.WriteString("/** The data of each event, by type. */\nexport interface EventData {\n")
	for _, e := range clew.Events {
		fmt.Fprintf(b, "  /** %s */\n  %s: %s;\n", e.Doc, e.Type, m.of(e.Data).name)
	}
	b.WriteString("}\n\n/** The data of each command, by type. */\nexport interface CommandData {\n")
	for _, c := range clew.Commands {
		fmt.Fprintf(b, "  /** %s */\n  %s: %s;\n", c.Doc, c.Type, m.of(c.Data).name)
	}
	b.WriteString("}\n\n/** What a server sends, told apart by type. */\nexport type ServerEnvelope =")
	for _, e := range clew.Events {
		mark := ""
		if len(m.of(e.Data).fields) == 0 {
			mark = "?"
		}
		fmt.Fprintf(b, "\n  | (ServerEnvelopeBase & { type: %q; data%s: %s })", e.Type, mark, m.of(e.Data).name)
	}
	b.WriteString(";\n\n/** What a client sends, told apart by type. */\nexport type ClientEnvelope =")
	for _, c := range clew.Commands {
		mark := "?"
		for _, f := range m.of(c.Data).fields {
			if !f.optional {
				mark = ""
			}
		}
		fmt.Fprintf(b, "\n  | (ClientEnvelopeBase & { type: %q; data%s: %s })", c.Type, mark, m.of(c.Data).name)
	}
	b.WriteString(`;

/** Every event type, to tell known ones from those of a newer server. */
export const eventTypes: readonly (keyof EventData)[] = [
`)
	for _, e := range clew.Events {
		fmt.Fprintf(b, "  %q,\n", e.Type)
	}
	b.WriteString("];\n")
	for _, list := range []struct {
		name, doc string
		phrases   []string
	}{
		{"plainYes", "What people type who mean nothing but yes: words with one space between them, the longer of two that begin alike first.", clew.PlainYes},
		{"plainNo", "What people type who mean nothing but no.", clew.PlainNo},
		{"plainCourtesy", "What may stand beside a plain yes or no.", clew.PlainCourtesy},
	} {
		fmt.Fprintf(b, "\n/** %s */\nexport const %s: readonly string[] = [\n", list.doc, list.name)
		for _, p := range list.phrases {
			fmt.Fprintf(b, "  %q,\n", p)
		}
		b.WriteString("];\n")
	}
}
