package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// readLayer checks what a model handed over. The error is for the model: it
// says all that is wrong.
func readLayer(name string, input json.RawMessage) (in layerInput, mended []string, err error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(input))
	if err != nil {
		return in, nil, fmt.Errorf("the input is not JSON: %w", err)
	}
	if name == toolPlan {
		if value, mended, err = repairJSON(value); err != nil {
			return in, nil, err
		}
	}
	known(name, value)
	if value, err = countable(value); err != nil {
		return in, nil, err
	}
	if err := schemas()[name].Validate(value); err != nil {
		return in, nil, fmt.Errorf("the input does not fit the schema: %s", listed(misfits(err)))
	}
	b, err := json.Marshal(value)
	if err != nil {
		return in, nil, errors.New("the input is not JSON")
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return in, nil, errors.New("the input does not fit the schema")
	}
	if size := sizeOf(in.Data); size > dataBytes {
		return in, nil, fmt.Errorf("data has %d bytes, at most %d are allowed: put the rest into a file", size, dataBytes)
	}
	return in, mended, nil
}

// known takes from an input what its tool does not ask for. A null says nothing.
func known(name string, value any) {
	if top, ok := value.(map[string]any); ok {
		for key, x := range top {
			if x == nil || schemas()[name].Properties[key] == nil {
				delete(top, key)
			}
		}
	}
}

// dataBytes bounds the data of a todo's result: the run keeps them all.
const dataBytes = 8 << 10

// problemsMax is how many problems the model hears of at once.
const problemsMax = 50

// listed joins problems to one text that has an end.
func listed(problems []string) string {
	more := ""
	if n := len(problems) - problemsMax; n > 0 {
		problems, more = problems[:problemsMax], fmt.Sprintf("; and %d more", n)
	}
	return strings.Join(problems, "; ") + more
}

// misfits lists what a schema finds wrong, without the schema's address, which
// the first line has.
func misfits(err error) []string {
	lines := strings.Split(err.Error(), "\n")
	if len(lines) > 1 {
		lines = lines[1:]
	}
	var list []string
	for _, line := range lines {
		list = append(list, clipLine(strings.TrimPrefix(strings.TrimSpace(line), "- "), 300))
	}
	return list
}

// countable refuses numbers that nobody means: the checks calculate with all of
// their digits, and a short text can have a million. Whole numbers are written
// as such.
func countable(value any) (any, error) {
	var err error
	switch x := value.(type) {
	case json.Number:
		return plainNumber(x)
	case []any:
		for i := range x {
			if x[i], err = countable(x[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range x {
			if x[key], err = countable(x[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

func plainNumber(n json.Number) (json.Number, error) {
	_, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	e, bad := strconv.Atoi("0" + strings.TrimLeft(exponent, "+-0"))
	f, err := n.Float64()
	if err != nil || bad != nil || e > 400 || len(n) > 400 {
		return n, fmt.Errorf("the number %s is out of range", clipLine(string(n), 40))
	}
	if strings.ContainsAny(string(n), ".eE") && f == math.Trunc(f) && math.Abs(f) < 1e15 {
		n = json.Number(strconv.FormatInt(int64(f), 10))
	}
	return n, nil
}

// todoKeys are what a model may say of a step. What else it says, above all that
// a step is done already, does not count.
var todoKeys = []string{"id", "task", "tool", "priority", "depends_on", "estimated_duration_sec", "estimated_cost_usd", "mode", "profile"}

// todosRead is how many todos are looked at. No settings allow as many.
const todosRead = 5000

// repairJSON makes the mistakes of form good that models make with plans, where there
// is no doubt what was meant: a step that is only a text, a single dependency
// that is no list, numbers in quotes, null for what is left out.
func repairJSON(value any) (any, []string, error) {
	var mended []string
	top, ok := value.(map[string]any)
	if !ok {
		list, isList := value.([]any)
		if !isList {
			return value, nil, nil
		}
		top, mended = map[string]any{"todos": list}, append(mended, "took the list for the todos")
	}
	list, _ := top["todos"].([]any)
	if len(list) > todosRead {
		return nil, nil, fmt.Errorf("the plan has %d todos, which is far too many", len(list))
	}
	for i, item := range list {
		if text, ok := item.(string); ok {
			list[i], mended = map[string]any{"task": text}, append(mended, "made a step of a text")
			continue
		}
		todo, ok := item.(map[string]any)
		if !ok {
			continue
		}
		for key, x := range todo {
			if known := slices.Contains(todoKeys, key); !known || x == nil {
				delete(todo, key)
				if !known {
					mended = append(mended, "left out what is no part of a step")
				}
			}
		}
		mended = append(mended, mendNumbers(todo)...)
		mended = append(mended, mendTexts(todo)...)
	}
	return top, mended, nil
}

// mendNumbers takes numbers out of quotes.
func mendNumbers(todo map[string]any) (mended []string) {
	for _, key := range []string{"priority", "estimated_duration_sec", "estimated_cost_usd"} {
		if text, ok := todo[key].(string); ok && number(strings.TrimSpace(text)) {
			todo[key], mended = json.Number(strings.TrimSpace(text)), append(mended, "took "+key+" for a number")
		}
	}
	return mended
}

// number reports whether a text is a number of JSON, which has no infinities.
func number(text string) bool {
	return text != "" && strings.ContainsAny(text[:1], "-0123456789") && json.Valid([]byte(text))
}

func mendTexts(todo map[string]any) (mended []string) {
	if n, ok := todo["id"].(json.Number); ok {
		todo["id"], mended = n.String(), append(mended, "took an id for a text")
	}
	switch d := todo["depends_on"].(type) {
	case string:
		todo["depends_on"], mended = []any{d}, append(mended, "made a list of a dependency")
	case json.Number:
		todo["depends_on"], mended = []any{d.String()}, append(mended, "made a list of a dependency")
	case []any:
		for i, x := range d {
			if n, ok := x.(json.Number); ok {
				d[i] = n.String()
			}
		}
	}
	return mended
}
