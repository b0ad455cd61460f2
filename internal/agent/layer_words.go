package agent

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// adopt makes a call of an answer in words where a layer wants one: of the JSON
// in it, or of the words themselves where they are the answer. Otherwise the
// model hears what is wrong with the call. Like any call without a name it gets
// one from uniqueCalls.
func adopt(layer clew.Layer, parts []clew.Part) []clew.Part {
	if slices.ContainsFunc(parts, func(p clew.Part) bool { return p.Type == clew.PartToolUse }) {
		return parts
	}
	var name string
	var input json.RawMessage
	switch text := textOf(parts); layer {
	case clew.LayerCognitive:
		name, input = callIn(text, toolUnderstood, toolClarify)
	case clew.LayerPlanning:
		name, input = callIn(text, toolPlan)
	case clew.LayerResponse:
		name, input = toolRespond, responseIn(text)
	case clew.LayerExecution, "":
		return parts
	}
	return append(slices.Clip(parts), clew.Part{Type: clew.PartToolUse, Tool: name, Input: input})
}

// callIn finds the call that is written out in a text: the first value that fits
// one of the tools, else the longest, so that the model hears what is wrong with
// it.
func callIn(text string, tools ...string) (name string, input json.RawMessage) {
	name, input = tools[0], json.RawMessage(`{}`)
	for value := range valuesIn(text) {
		for _, t := range tools {
			if _, _, err := readLayer(t, value); err == nil {
				return t, value
			}
		}
		if len(value) > len(input) {
			input = value
		}
	}
	return name, input
}

// responseIn takes an answer that is nothing but the JSON of one for that, and
// any other for its words: an answer may well show some JSON.
func responseIn(text string) json.RawMessage {
	whole := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(whole, "```"); ok {
		if inner, ok = strings.CutSuffix(inner, "```"); ok {
			whole = strings.TrimSpace(strings.TrimPrefix(inner, "json"))
		}
	}
	if _, _, err := readLayer(toolRespond, json.RawMessage(whole)); err == nil {
		return json.RawMessage(whole)
	}
	b, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}

// The most that is done to find JSON in a text: it may be made to look like the
// beginning of one at every character.
const (
	valuesRead = 8 << 20 // bytes
	valuesMax  = 20
)

// valuesIn finds the JSON objects and lists in a text, in order. Those inside
// another are part of it.
func valuesIn(text string) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		read, found := 0, 0
		for at := next(text, 0); at >= 0 && read < valuesRead && found < valuesMax; {
			var raw json.RawMessage
			d := json.NewDecoder(strings.NewReader(text[at:]))
			err := d.Decode(&raw)
			var syntax *json.SyntaxError
			switch {
			case err == nil:
				read += len(raw)
				at = next(text, at+len(raw))
				if found++; len(raw) > 2 && !yield(raw) {
					return
				}
				continue
			case errors.As(err, &syntax):
				read += max(int(syntax.Offset), 512) // to begin costs as well
			default:
				read += len(text) - at
			}
			at = next(text, at+1)
		}
	}
}

// next finds where the next object or list may begin, -1 if nowhere.
func next(text string, from int) int {
	if i := strings.IndexAny(text[from:], "{["); i >= 0 {
		return from + i
	}
	return -1
}
