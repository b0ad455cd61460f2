package follow

import (
	"strconv"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// ValueFor reads what was typed as what the question asks for. The number of a
// choice stands for it.
func ValueFor(q clew.Question, text string) (any, error) {
	labels, values := client.Choices(q)
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(values) {
		return values[n-1], nil
	}
	for i, label := range labels {
		if strings.EqualFold(label, text) {
			return values[i], nil
		}
	}
	d, input := q.Data.(*clew.HitlInputRequestData)
	switch {
	case text == "" && input && d.DefaultValue != nil:
		return d.DefaultValue, nil
	case text == "" && (!input || d.Required):
		return nil, env.Usagef("an answer is needed")
	case !input:
		return text, nil
	}
	return inputValue(d, text)
}

func inputValue(d *clew.HitlInputRequestData, text string) (any, error) {
	switch d.InputType {
	case clew.InputNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, env.Usagef("%q is not a number", text)
		}
		return n, nil
	case clew.InputBoolean:
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			return true, nil
		case "n", "no", "false":
			return false, nil
		}
		return nil, env.Usagef("%q is neither yes nor no", text)
	}
	if d.Strict && len(d.Options) > 0 {
		return nil, env.Usagef("%q is none of the choices", text)
	}
	return text, nil
}

// valueAnswer is the answer that carries a value.
func valueAnswer(q clew.Question, value any) any {
	if d, ok := q.Data.(*clew.HitlInputRequestData); ok {
		return clew.HitlInputResponseData{RequestID: d.RequestID, Field: d.Field, Value: value}
	}
	return clew.HitlClarificationResponseData{RequestID: q.RequestID(), Value: value}
}
