package notebookcli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/settings"
)

// The page says where settings, secrets and state live with notebooks, and it is so: the
// settings are there, a secret reaches neither the kernel nor the file, and what a cell
// came to, and which session it was in, stands in the metadata.
//
// Covers: JUP-21
func TestWhereThingsLive(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(proc.Root(), "docs", "notebooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := func(name string) []string {
		line := regexp.MustCompile(`(?m)^\| ` + name + ` \| .*$`).FindString(string(page))
		var words []string
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(line, -1) {
			words = append(words, m[1])
		}
		if len(words) == 0 {
			t.Fatalf("the page says nothing of %q", name)
		}
		return words
	}
	for _, name := range row("Settings") {
		if !slices.ContainsFunc(settings.Keys(), func(k *settings.Key) bool { return k.Name == name }) {
			t.Errorf("there is no setting %s", name)
		}
	}
	h := newHouse(t)
	const secret = "sk-notebook-0123456789"
	h.srv.Kill()
	if err := h.srv.Start("CLEW_SECRET_TEST_KEY="+secret, "ANTHROPIC_API_KEY="+secret); err != nil {
		t.Fatal(err)
	}
	file := h.write("a.ipynb", "import os; seen = sorted(os.environ.items()); print(seen)", "n = 41 + 1")
	out, _ := h.clew(0, "notebook", "run", file, "--save")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "PATH") || strings.Contains(out+string(b), secret) {
		t.Errorf("the kernel's environment is\n%s", out)
	}
	var saved struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
		Cells    []struct {
			Metadata map[string]map[string]any `json:"metadata"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(b, &saved); err != nil || len(saved.Cells) != 2 {
		t.Fatalf("%v\n%s", err, b)
	}
	words := row("The task")
	var agent map[string]any
	if err := json.Unmarshal(saved.Metadata[words[0]], &agent); err != nil {
		t.Errorf("the notebook's metadata have no %s: %v", words[0], err)
	}
	for _, field := range words[1:] {
		if _, ok := agent[field]; !ok {
			t.Errorf("the notebook's metadata have no %s: %v", field, agent)
		}
	}
	words = row("A checkpoint")
	note := saved.Cells[1].Metadata[words[0]]
	for _, field := range words[1:] {
		if _, ok := note[field]; !ok {
			t.Errorf("the cell's metadata have no %s: %v", field, saved.Cells[1].Metadata)
		}
	}
}
