// Package notebookcli runs the commands of notebooks with the real program and a real kernel.
package notebookcli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

const within = 3 * time.Minute

// A house is a server with a kernel, and a workspace.
type house struct {
	testing.TB
	srv  *proc.Proc
	work string
}

func newHouse(t testing.TB) *house {
	t.Helper()
	python := jupytertest.Python(t)
	dir := t.TempDir()
	h := &house{TB: t, work: filepath.Join(dir, "work")}
	if err := os.Mkdir(h.work, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proc.EndKernels(t, filepath.Join(dir, "data")) }) // after the server
	h.srv = proc.New(t, proc.Program(t, ""), filepath.Join(dir, "data"), map[string]string{
		"PATH": filepath.Dir(python) + ":" + os.Getenv("PATH"), "CLEW_SET_SUPERVISOR_ORPHAN_SEC": "10", "CLEW_DATA": filepath.Join(dir, "data"),
	})
	if err := h.srv.Start(); err != nil {
		t.Fatal(err)
	}
	return h
}

// write writes a notebook with these cells and gives its path.
func (h *house) write(name string, cells ...string) string {
	h.Helper()
	type cell struct {
		ID       string         `json:"id"`
		Type     string         `json:"cell_type"`
		Metadata map[string]any `json:"metadata"`
		Source   string         `json:"source"`
		Outputs  []any          `json:"outputs"`
		Count    *int           `json:"execution_count"`
	}
	list := []cell{}
	for i, source := range cells {
		list = append(list, cell{ID: string(rune('a' + i)), Type: "code", Metadata: map[string]any{}, Source: source, Outputs: []any{}})
	}
	b, err := json.Marshal(map[string]any{"cells": list, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5})
	if err != nil {
		h.Fatal(err)
	}
	path := filepath.Join(h.work, name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		h.Fatal(err)
	}
	return path
}

// clew runs the program and wants an exit code.
func (h *house) clew(code int, args ...string) (stdout, stderr string) {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), within)
	defer cancel()
	stdout, stderr, got, err := h.srv.Run(ctx, args...)
	if err != nil || got != code {
		h.Fatalf("clew %s: exit code %d, want %d: %v\n%s%s\n%s", strings.Join(args, " "), got, code, err, stdout, stderr, h.srv.Out.Tail(30))
	}
	return stdout, stderr
}

func (h *house) sees(text string, parts ...string) {
	h.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			h.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// A notebook runs without a browser: outputs are text, the file stays as it is unless it
// is to be saved, and the exit code says how it went.
func TestRunWithoutBrowser(t *testing.T) {
	h := newHouse(t)
	file := h.write("a.ipynb", "x = 20\nprint('one')", "x + 22", "import sys; print('to stderr', file=sys.stderr)")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, progress := h.clew(0, "notebook", "run", file)
	h.sees(out, "one\n", "42\n", "to stderr\n")
	h.sees(progress, "[1/3] x = 20", "[3/3] done", "3 cells ran.")
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was written: %v\n%s", err, after)
	}
	h.clew(0, "notebook", "run", file, "--save")
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h.sees(string(after), `"execution_count": 2`, `"42"`)

	broken := h.write("b.ipynb", "print('before')", "1/0", "print('never')")
	out, progress = h.clew(1, "notebook", "run", broken)
	h.sees(out, "before\n", "ZeroDivisionError")
	h.sees(progress, "[2/3] failed", "cell 2 did not run to its end; 1 cell did not run")
	if strings.Contains(out, "never") {
		t.Error("a cell behind the failure ran")
	}
	var ran struct {
		Status string `json:"status"`
		Cells  []struct {
			Cell   int    `json:"cell"`
			Status string `json:"status"`
			Text   string `json:"text"`
		} `json:"cells"`
	}
	out, _ = h.clew(0, "notebook", "run", broken, "--from", "3", "--json")
	if err := json.Unmarshal([]byte(out), &ran); err != nil || ran.Status != "ok" || len(ran.Cells) != 1 || ran.Cells[0].Cell != 3 || ran.Cells[0].Text != "never\n" {
		t.Errorf("from the third cell: %v\n%s", err, out)
	}
	slow := h.write("c.ipynb", "import time; time.sleep(600)", "print('never')")
	_, progress = h.clew(6, "notebook", "run", slow, "--timeout", "15s")
	h.sees(progress, "longer than 15s")
	asks := h.write("d.ipynb", "input('Your name? ')")
	_, progress = h.clew(4, "notebook", "run", asks)
	h.sees(progress, "Your name?", "clew attach")
	id, _, _ := strings.Cut(progress, "\n")
	h.clew(0, "delete", id, "--yes")
	h.noKernels()
	_, progress = h.clew(2, "notebook", "run", file, "--from", "9")
	h.sees(progress, "has 3 cells")
	h.clew(2, "notebook", "run", filepath.Join(h.work, "none.ipynb"))
}

// What cells print, ask and raise to command a terminal is shown as text.
func TestCellsCommandNoTerminal(t *testing.T) {
	h := newHouse(t)
	b, err := json.Marshal(kerneltest.Escapes) // as Python reads it, too
	if err != nil {
		t.Fatal(err)
	}
	evil := string(b)
	file := h.write("a.ipynb", "# "+kerneltest.Escapes+"\nimport sys; sys.stdout.write("+evil+"); sys.stdout.flush(); sys.stderr.write("+evil+")", "type("+evil+", (Exception,), {})")
	out, progress := h.clew(0, "notebook", "run", file)
	asks := h.write("b.ipynb", "input("+evil+")")
	_, asked := h.clew(4, "notebook", "run", asks)
	fails := h.write("c.ipynb", "raise type("+evil+", (Exception,), {})("+evil+")")
	failed, why := h.clew(1, "notebook", "run", fails)
	for _, text := range []string{out, progress, asked, failed, why} {
		if strings.ContainsAny(text, "\x1b\x07\u009b\u009c\u009d\u202e") {
			t.Errorf("a terminal would be told %q", text)
		}
	}
	h.sees(out, "␛]52;c;")
	h.sees(failed, "␛]52;c;")
	h.sees(asked, "]52;c;")
	id, _, _ := strings.Cut(asked, "\n")
	h.clew(0, "delete", id, "--yes")
	h.noKernels()
}

// clew notebook opens a file once, and lists it with its kernel.
func TestOpenAndList(t *testing.T) {
	h := newHouse(t)
	file := h.write("a.ipynb", "1")
	var first, second struct {
		SessionID  string `json:"session_id"`
		NotebookID string `json:"notebook_id"`
		URL        string `json:"url"`
	}
	out, _ := h.clew(0, "notebook", file, "--no-open", "--json")
	if err := json.Unmarshal([]byte(out), &first); err != nil || !strings.Contains(first.URL, "/s/"+first.SessionID+"/notebook/"+first.NotebookID) {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, other := range []string{"1", "2", "3", "4", "5", "6"} { // which are newer
		h.clew(0, "notebook", h.write(other+".ipynb", "1"), "--no-open")
	}
	out, _ = h.clew(0, "notebook", file, "--no-open", "--json")
	if err := json.Unmarshal([]byte(out), &second); err != nil || second.NotebookID != first.NotebookID || second.SessionID != first.SessionID {
		t.Errorf("opened twice: %v\n%s", err, out)
	}
	out, _ = h.clew(0, "notebook", "ls", first.SessionID)
	h.sees(out, "a.ipynb", "none")
	out, _ = h.clew(0, "notebook", "kernels", "--data", h.srv.Dir)
	h.sees(out, "python3")
	_, wrong := h.clew(1, "notebook", h.writeText("broken.ipynb", "{"), "--no-open")
	h.sees(wrong, "broken.ipynb cannot be opened")
}

// noKernels waits until no kernel runs: those of notebooks that ran are ended with them,
// and those of a session with it.
func (h *house) noKernels() {
	h.Helper()
	for until := time.Now().Add(within); ; {
		var found struct {
			Running []any `json:"running"`
		}
		out, _ := h.clew(0, "notebook", "kernels", "--json")
		if err := json.Unmarshal([]byte(out), &found); err != nil {
			h.Fatal(err)
		}
		if len(found.Running) == 0 {
			return
		}
		if time.Now().After(until) {
			h.Fatalf("kernels are left: %s", out)
		}
	}
}

func (h *house) writeText(name, text string) string {
	h.Helper()
	path := filepath.Join(h.work, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		h.Fatal(err)
	}
	return path
}
