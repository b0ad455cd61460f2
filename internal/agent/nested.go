package agent

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/tool"
)

// told are the nested instructions that results of the calls under way bring along.
type told struct {
	mu   sync.Mutex
	sums map[string]bool
}

func (t *told) first(sum string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sums[sum] {
		return false
	}
	if t.sums == nil {
		t.sums = map[string]bool{}
	}
	t.sums[sum] = true
	return true
}

// nested gives the instructions of the directories that a file tool worked in, as
// far as this model has not heard them: what it has heard stands in its history.
func (w *worker) nested(v session.View, p *preparedCall, t *told) string {
	if w.values.ProjectWords == "off" || w.workspace == nil || p.spec.Server != "" || p.spec.Group != tool.GroupRead && p.spec.Group != tool.GroupEdit {
		return ""
	}
	var in struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(p.call.Input, &in) != nil || in.Path == "" {
		return ""
	}
	name := strings.TrimPrefix(in.Path, w.workspace.Dir+"/")
	dir := false
	if info, err := w.workspace.Root.Stat(name); err == nil {
		dir = info.IsDir()
	}
	var b strings.Builder
	for _, f := range project.Nested(w.workspace, name, dir) {
		if block := instructionBlock(f); !heard(v, f.SHA256) && t.first(f.SHA256) {
			b.WriteString("\n\n" + strings.TrimSpace(block))
		}
	}
	return b.String()
}

// heard reports whether a text with this sum is part of the task's history.
func heard(v session.View, sum string) bool {
	mark := `sha256="` + sum + `"`
	for _, m := range v.Task.History {
		for _, p := range m.Content {
			if strings.Contains(p.Text, mark) {
				return true
			}
		}
	}
	return false
}
