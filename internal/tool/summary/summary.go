// Package summary makes the short forms of a tool's input and output that the
// transcript shows. Journal and model history keep the whole.
package summary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The constants of the message store, which the views of a session keep to.
const (
	MessagesDir           = "./messages"
	MaxMessagesPerSession = 200
	SaveDebounceMS        = 2000
	MaxOutputLength       = 500 // characters
	MaxInputLength        = 300 // characters
)

// keep says which fields of a tool's input are shown. A tool that is not listed
// shows all, each cut.
var keep = map[string][]string{
	"Read":         {"file_path", "notebook_path"},
	"Edit":         {"file_path", "notebook_path"},
	"Write":        {"file_path", "notebook_path"},
	"NotebookEdit": {"file_path", "notebook_path"},
	"Bash":         {"description", "command"},
	"Glob":         {"pattern", "path"},
	"Grep":         {"pattern", "path"},

	"read_file":       {"path"},
	"edit":            {"path"},
	"write_file":      {"path"},
	"execute_command": {"description", "command"},
	"list_files":      {"pattern", "path"},
	"search_files":    {"pattern", "path"},
	"notebook_read":   {"path", "cells"},
	"notebook_edit":   {"path"},
	"run_cell":        {"path", "cell_ids", "code"},
	"kernel":          {"path", "action"},
}

// firstLine says of which field of a tool only the first line is shown.
var firstLine = map[string]string{"Bash": "command", "execute_command": "command", "run_cell": "code"}

// Input gives the short form of a call's input: a JSON object with the fields
// that say what the call is about. Input that is no object is shown cut.
func Input(tool string, input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil || fields == nil {
		return cut(strings.ToValidUTF8(string(input), "\uFFFD"), MaxInputLength)
	}
	if names, ok := keep[tool]; ok {
		kept := make(map[string]json.RawMessage, len(names))
		for _, name := range names {
			if v, ok := fields[name]; ok {
				kept[name] = v
			}
		}
		fields = kept
	}
	short := make(map[string]any, len(fields))
	for name, value := range fields {
		short[cut(name, MaxInputLength)] = shorten(value, firstLine[tool] == name)
	}
	return encode(short)
}

// shorten gives a value as it is if it is short, else the beginning of its text.
func shorten(value json.RawMessage, oneLine bool) any {
	var s string
	if !bytes.HasPrefix(value, []byte(`"`)) || json.Unmarshal(value, &s) != nil {
		if utf8.RuneCount(value) <= MaxInputLength {
			return value
		}
		return cut(string(value), MaxInputLength)
	}
	if oneLine {
		s, _, _ = strings.Cut(strings.TrimLeft(s, "\r\n"), "\n")
		s = strings.TrimSuffix(s, "\r")
	}
	return cut(s, MaxInputLength)
}

func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "{}"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Output gives the short form of an output or an error: its first 500
// characters, and how many there are in all.
func Output(text string) string {
	head, more := split(text, MaxOutputLength)
	if !more {
		return text
	}
	return fmt.Sprintf("%s... (%d characters in all)", head, utf8.RuneCountInString(text))
}

func cut(s string, limit int) string {
	head, more := split(s, limit)
	if more {
		return head + "..."
	}
	return s
}

// split gives the first characters of s, never a part of one.
func split(s string, limit int) (head string, more bool) {
	if len(s) <= limit {
		return s, false
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i], true
		}
		n++
	}
	return s, false
}
