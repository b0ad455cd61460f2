package ask

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// Number reads a text that is nothing but a number from 1 to most.
func Number(text string, most int) (n int, ok bool) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil && n >= 1 && n <= most
}

// Chosen is the choice that a text names by its number or by its very words.
func Chosen(q clew.Question, text string) (label string, value any, ok bool) {
	labels, values := client.Choices(q)
	text = strings.TrimSpace(text)
	if n, ok := Number(text, len(labels)); ok {
		return labels[n-1], values[n-1], true
	}
	for i, l := range labels {
		if text != "" && strings.EqualFold(strings.TrimSpace(l), text) {
			return l, values[i], true
		}
	}
	return "", nil, false
}

// ParseValue reads what was typed as what the question asks for. The number of a
// choice stands for it.
func ParseValue(q clew.Question, text string) (any, error) {
	text = strings.TrimSpace(text)
	if _, value, ok := Chosen(q, text); ok {
		return value, nil
	}
	d, input := q.Data.(*clew.HitlInputRequestData)
	switch {
	case text == "" && input && d.DefaultValue != nil:
		return d.DefaultValue, nil
	case text == "" && (!input || d.Required):
		return nil, fmt.Errorf("an answer is needed")
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
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return n, nil
	case clew.InputBoolean:
		switch strings.ToLower(text) {
		case "y", "yes", "true", "t", "1":
			return true, nil
		case "n", "no", "false", "f", "0":
			return false, nil
		}
		return nil, fmt.Errorf("%q is neither yes nor no", text)
	}
	for _, o := range d.Options { // as a program would say it
		if o.Value == text {
			return o.Value, nil
		}
	}
	if d.Strict && len(d.Options) > 0 {
		return nil, fmt.Errorf("%q is none of the choices", text)
	}
	return text, nil
}
