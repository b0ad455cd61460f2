package client

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// An AskedField is a part of what a tool would be called with, as a person who
// is asked for approval should see it.
type AskedField struct {
	Name string // "" if the input has no fields; in quotes unless it is a plain word
	// Text is JSON, or, with Lines, a text of several lines as it is.
	Text  string
	Lines bool
}

// AskedInput is all that a tool would be called with, beyond what the effect of
// the call shows to the letter: its command, its file, its address, or a change
// that is there as a whole. A user interface draws it all before it takes a yes: the
// effect's summary is cut, and nobody should approve what they have not seen.
func AskedInput(d *clew.HitlApprovalRequestData) []AskedField {
	if len(d.Input) == 0 {
		return nil
	}
	input, err := exactly(d.Input)
	if err != nil {
		return []AskedField{{Text: string(d.Input)}}
	}
	fields, ok := input.(map[string]any)
	switch {
	case input == nil:
		return nil
	case !ok:
		return []AskedField{{Text: indented(input)}}
	}
	var list []AskedField
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if shownBy(d.Effect, name, fields[name]) {
			continue
		}
		f := AskedField{Name: name, Text: indented(fields[name])}
		if !plainName.MatchString(name) {
			f.Name = indented(name)
		}
		if text, ok := fields[name].(string); ok && strings.Contains(strings.TrimRight(text, "\n"), "\n") {
			f.Text, f.Lines = text, true
		}
		list = append(list, f)
	}
	return list
}

// exactly decodes JSON and leaves numbers as they are written: a float64 would
// show another number than a large one that the tool gets.
func exactly(b json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,60}$`)

// shownBy reports whether an effect shows a field already. What a tool server's
// tool is called with, no effect shows.
func shownBy(e *clew.Effect, name string, value any) bool {
	if e == nil || e.Server != "" {
		return false
	}
	text, _ := value.(string)
	switch {
	case e.Diff != "" && !e.DiffCut:
		return true
	case text == "":
		return false
	}
	return name == "command" && text == e.Command || name == "url" && text == e.URL ||
		name == "path" && slices.Contains(e.Paths, text) && strings.Contains(e.Summary, text)
}

// indented is JSON for people: nothing is escaped that need not be.
func indented(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return "(it cannot be shown)"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
