package agent

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
)

// uniqueCalls names every call of an answer, each with a name that no call before it
// in the history has: vendors refuse a history with the same name twice, and every
// further try with it.
func uniqueCalls(list []clew.ModelMessage, parts []clew.Part) []clew.Part {
	taken := map[string]bool{}
	for _, m := range list {
		for _, p := range m.ToolCalls() {
			taken[p.ToolCallID] = true
		}
	}
	out := slices.Clone(parts)
	for i := range out {
		if p := &out[i]; p.Type == clew.PartToolUse {
			p.ToolCallID = freeName(taken, p.ToolCallID, i)
		}
	}
	return out
}

// freeName gives a call its name, another one if that is empty or taken, and takes it.
func freeName(taken map[string]bool, name string, i int) string {
	for n := 1; name == "" || taken[name]; n++ {
		name = fmt.Sprintf("call_%d_%d", i, n)
	}
	taken[name] = true
	return name
}

// distinctCalls renames calls whose name came before, with their results. Only
// histories of earlier versions have such calls; they stay on record as they are.
func distinctCalls(list []clew.ModelMessage) []clew.ModelMessage {
	taken, now := map[string]bool{}, map[string]string{}
	out := slices.Clone(list)
	for i := range out {
		copied := false
		for j, p := range out[i].Content {
			name := now[p.ToolCallID]
			if p.Type == clew.PartToolUse {
				name = freeName(taken, p.ToolCallID, j)
				now[p.ToolCallID] = name
			}
			if name == "" || name == p.ToolCallID {
				continue
			}
			if !copied {
				out[i].Content, copied = slices.Clone(out[i].Content), true
			}
			out[i].Content[j].ToolCallID = name
		}
	}
	return out
}
