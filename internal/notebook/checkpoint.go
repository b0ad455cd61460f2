package notebook

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/notebook/kernel"
)

//go:embed variables.py
var variablesPy string

const (
	checkpointWithin = 2 * time.Second
	maxVariables     = 200
	maxVariablesJSON = 256 << 10
)

// A variable is one that the kernel knows.
type variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []int  `json:"shape,omitempty"`
	Value string `json:"value,omitempty"`
}

// variables asks the kernel what it knows, beside its cells where it can. None if it does
// not speak Python, or takes too long.
func (k *attached) variables(ctx context.Context, msgID string, within time.Duration) ([]variable, bool) {
	if k.info.Language.Name != "python" {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	const key = "variables"
	r, ok := k.evaluate(ctx, msgID, map[string]string{key: expression(variablesPy)})
	if !ok {
		return nil, false
	}
	var list []variable
	if text := r[key]; len(text) > maxVariablesJSON || json.Unmarshal([]byte(text), &list) != nil || len(list) > maxVariables {
		return nil, false
	}
	return list, true
}

// expression calls a function of Python in a way that leaves nothing behind in what the
// kernel knows.
func expression(function string) string {
	source, _ := json.Marshal(function) // a string of JSON is one of Python
	return `(lambda d: (exec(` + string(source) + `, d), d["clew"](get_ipython()))[1])({})`
}

// stateHash is the hash of what the kernel knows: the first 8 hex digits.
func stateHash(list []variable) string {
	b, _ := json.Marshal(list)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4])
}

// differing names the variables that are not the same in both lists, in order.
func differing(a, b []variable) (names []string) {
	values := map[string]variable{}
	for _, v := range a {
		values[v.Name] = v
	}
	for _, v := range b {
		if was, ok := values[v.Name]; !ok || was.Type != v.Type || was.Value != v.Value || !slices.Equal(was.Shape, v.Shape) {
			names = append(names, v.Name)
		}
		delete(values, v.Name)
	}
	names = slices.AppendSeq(names, maps.Keys(values))
	slices.Sort(names)
	return names
}

// evaluate asks for the values of expressions, as text. It waits until ctx ends.
func (k *attached) evaluate(ctx context.Context, msgID string, expressions map[string]string) (map[string]string, bool) {
	hear, stop := k.hear(msgID)
	defer stop()
	err := k.client.Execute(ctx, kernel.Execute{MsgID: msgID, Silent: true, UserExpressions: expressions, Subshell: k.within(ctx)})
	if err != nil {
		return nil, false
	}
	for {
		select {
		case m, ok := <-hear:
			if !ok {
				return nil, false
			}
			if m.Type == "execute_reply" {
				return values(m.Content)
			}
		case <-ctx.Done():
			return nil, false
		}
	}
}

func values(content json.RawMessage) (map[string]string, bool) {
	var r struct {
		Status      string `json:"status"`
		Expressions map[string]struct {
			Status string            `json:"status"`
			Data   map[string]string `json:"data"`
		} `json:"user_expressions"`
	}
	if json.Unmarshal(content, &r) != nil || r.Status != "ok" {
		return nil, false
	}
	out := map[string]string{}
	for name, e := range r.Expressions {
		if e.Status == "ok" {
			out[name] = strings.TrimSpace(e.Data["text/plain"])
		}
	}
	return out, true
}
