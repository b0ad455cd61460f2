package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
)

const pythonHead = `"""Types of the protocol: events, commands and entities.

Made by internal/gen from the catalogue. Do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    # Type checkers know it in every version of Python; nothing asks for it when it runs.
    from typing_extensions import NotRequired

`

// pythonFile makes the Python types. What is left out on the wire is NotRequired.
func pythonFile([]byte) ([]byte, error) {
	m := newModel()
	var b strings.Builder
	b.WriteString(pythonHead)
	for _, d := range m.defs {
		if d.union == nil { // which is made of classes, and so comes after them
			d.python(&b)
		}
	}
	for _, d := range m.defs {
		if d.union != nil {
			d.pythonUnion(&b, m)
		}
	}
	m.pythonEnvelopes(&b)
	return []byte(strings.TrimRight(b.String(), "\n") + "\n"), nil
}

func (d *def) python(b *strings.Builder) {
	if d.values != nil {
		fmt.Fprintf(b, "%s = Literal[\n", d.name)
		for _, v := range d.values {
			fmt.Fprintf(b, "    %s,\n", strconv.Quote(v))
		}
		b.WriteString("]\n\n")
		return
	}
	if slices.ContainsFunc(d.fields, func(f field) bool { return slices.Contains(pythonKeywords, f.name) }) {
		d.pythonByCall(b)
		return
	}
	fmt.Fprintf(b, "\nclass %s(TypedDict):\n", d.name)
	if d.doc != "" {
		fmt.Fprintf(b, "    \"\"\"%s\"\"\"\n\n", d.doc)
	}
	for _, f := range d.fields {
		fmt.Fprintf(b, "    %s: %s\n", f.name, f.python())
	}
	if len(d.fields) == 0 && d.doc == "" {
		b.WriteString("    pass\n")
	}
	b.WriteString("\n")
}

// pythonKeywords cannot be written as fields of a class.
var pythonKeywords = strings.Fields("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

// pythonByCall writes a type one of whose fields has the name of a keyword.
func (d *def) pythonByCall(b *strings.Builder) {
	if d.doc != "" {
		fmt.Fprintf(b, "# %s\n", d.doc)
	}
	fmt.Fprintf(b, "%s = TypedDict(\n    %q,\n    {\n", d.name, d.name)
	for _, f := range d.fields {
		fmt.Fprintf(b, "        %q: %q,\n", f.name, f.python())
	}
	b.WriteString("    },\n)\n\n")
}

// pythonUnion writes a union that is told apart by type.
func (d *def) pythonUnion(b *strings.Builder, m *model) {
	var names []string
	for _, t := range d.union {
		info, _ := clew.EventInfoOf(t)
		data := m.of(info.Data).name
		name := strings.TrimSuffix(data, "Data") + d.name
		fmt.Fprintf(b, "\nclass %s(%s):\n    type: Literal[%q]\n\n", name, data, t)
		names = append(names, name)
	}
	fmt.Fprintf(b, "\n# %s\n", d.doc)
	pythonAlternatives(b, d.name, names)
}

func pythonAlternatives(b *strings.Builder, name string, of []string) {
	fmt.Fprintf(b, "%s = Union[\n", name)
	for _, one := range of {
		fmt.Fprintf(b, "    %s,\n", one)
	}
	b.WriteString("]\n\n")
}

func (f field) python() string {
	if f.optional {
		return "NotRequired[" + f.kind.python() + "]"
	}
	return f.kind.python()
}

func (k kind) python() string {
	s := map[string]string{"any": "Any", "integer": "int", "number": "float", "boolean": "bool", "string": "str"}[k.base]
	switch k.base {
	case "any":
		return s
	case "list":
		s = "list[" + k.elem.python() + "]"
	case "map":
		s = "dict[str, " + k.elem.python() + "]"
	case "ref":
		s = k.ref.name
	}
	if k.values != nil {
		quoted := make([]string, len(k.values))
		for i, v := range k.values {
			quoted[i] = "'" + v + "'" // double quotes may be around it
		}
		s = "Literal[" + strings.Join(quoted, ", ") + "]"
	}
	if k.null {
		s += " | None"
	}
	return s
}

// pythonEnvelopes writes the envelopes of events, and their union.
func (m *model) pythonEnvelopes(b *strings.Builder) {
	b.WriteString(`
class Envelope(TypedDict):
    """The fields that every envelope of a server has."""

    session_id: NotRequired[str]
    # msg_… for a record, absent for most answers and for streamed text
    message_id: NotRequired[str]
    # on a record: what the client called the command that led to it
    client_message_id: NotRequired[str]
    # RFC 3339 in UTC with milliseconds
    timestamp: NotRequired[str]

`)
	var names []string
	for _, e := range clew.Events {
		name := pascal(string(e.Type)) + "Event"
		data := m.of(e.Data)
		typ := data.name
		if len(data.fields) == 0 {
			typ = "NotRequired[" + typ + "]"
		}
		fmt.Fprintf(b, "\nclass %s(Envelope):\n    \"\"\"%s\"\"\"\n\n    type: Literal[%q]\n    data: %s\n\n", name, e.Doc, e.Type, typ)
		names = append(names, name)
	}
	b.WriteString("\n# What a server sends, told apart by type.\n")
	pythonAlternatives(b, "ServerEnvelope", names)
}

// pascal writes a wire name as the name of a class.
func pascal(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
