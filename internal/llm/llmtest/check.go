package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
)

// A refusal is an answer with an error status, before any streaming.
type refusal struct {
	status  int
	failure Failure
}

func badRequest(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, Failure{Message: fmt.Sprintf(format, args...)}}
}

// checkKey wants a key, and if one is expected, that one.
func checkKey(got, want string) *refusal {
	switch {
	case got == "":
		return &refusal{http.StatusUnauthorized, Failure{Message: "the request has no key"}}
	case want != "" && got != want:
		return &refusal{http.StatusUnauthorized, Failure{Message: "the key is not valid"}}
	}
	return nil
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkTool checks what a request says of a tool.
func checkTool(path, name string, schema json.RawMessage) *refusal {
	if !toolName.MatchString(name) {
		return badRequest("%s.name: %q is no valid name", path, name)
	}
	var s struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(schema, &s) != nil || s.Type != "object" {
		return badRequest("%s: the schema of %q is not of type object", path, name)
	}
	return nil
}

func isObject(data json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(data, &object) == nil && object != nil
}

// A ledger follows tool calls and their results through a history. Each call
// must be answered once, in the message right after it.
type ledger struct {
	open []string // calls of the message before, without a result so far
	seen map[string]bool
}

func (l *ledger) call(path, id string) *refusal {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	if id == "" {
		return badRequest("%s: the call has no id", path)
	}
	if l.seen[id] {
		return badRequest("%s: tool call ids must be unique, %q stands twice", path, id)
	}
	l.seen[id] = true
	l.open = append(l.open, id)
	return nil
}

func (l *ledger) result(path, id string) *refusal {
	for i, open := range l.open {
		if open == id {
			l.open = append(l.open[:i:i], l.open[i+1:]...)
			return nil
		}
	}
	return badRequest("%s: the tool result %q belongs to no call of the message before", path, id)
}

// settled is asked where all calls must have their results.
func (l *ledger) settled(path string) *refusal {
	if len(l.open) == 0 {
		return nil
	}
	return badRequest("%s: the tool calls %q have no results in the message after them", path, l.open)
}
