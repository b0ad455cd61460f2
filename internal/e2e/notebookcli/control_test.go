package notebookcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// Somebody in a terminal interrupts a cell, restarts the kernel and shuts it down, of the
// notebook that is named or of the only one with a kernel.
func TestControlInTerminal(t *testing.T) {
	h := newHouse(t)
	began := filepath.Join(h.work, "began")
	file := h.write("a.ipynb", "import pathlib, time\npathlib.Path('began').touch()\ntime.sleep(600)", "print('never')")
	n := h.open(file)
	id := string(n.SessionID)
	kernel := func(state string) {
		t.Helper()
		out, _ := h.clew(0, "notebook", "ls", id)
		h.sees(out, "a.ipynb", state)
	}
	begin := func() {
		t.Helper()
		n.run()
		h.until("the first cell", func() bool { _, err := os.Stat(began); return err == nil })
		if err := os.Remove(began); err != nil {
			t.Fatal(err)
		}
	}
	_, said := h.clew(1, "notebook", "interrupt", id)
	h.sees(said, "nothing runs in the kernel")
	begin()
	out, _ := h.clew(0, "notebook", "interrupt", file)
	if out != "Interrupted.\n" {
		t.Errorf("it says %q", out)
	}
	kernel("idle")
	begin()
	out, _ = h.clew(0, "notebook", "restart", id, "--json")
	h.sees(out, `"state":"idle"`, `"session_id":"`+id+`"`)
	kernel("idle")
	begin()
	out, _ = h.clew(0, "notebook", "shutdown", id)
	if out != "The kernel was shut down.\n" {
		t.Errorf("it says %q", out)
	}
	kernel("stopped")
	h.noKernels()
	if _, said = h.clew(1, "notebook", "shutdown", id); !strings.Contains(said, "no kernel runs") {
		t.Errorf("nothing runs: %q", said)
	}
	transcript, _ := h.clew(0, "show", id)
	if strings.Contains(transcript, "never") {
		t.Errorf("a cell ran after the interrupt:\n%s", transcript)
	}
}

// A cell that catches interrupts is told of in time, a kernel that does not start each time,
// and of several notebooks one is named.
func TestControlThatFails(t *testing.T) {
	jupyter := t.TempDir()
	broken := filepath.Join(jupyter, "kernels", "broken")
	if err := os.MkdirAll(broken, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "kernel.json"), []byte(`{"argv": ["/bin/false"], "display_name": "Broken", "language": "none"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JUPYTER_PATH", jupyter)
	h := newHouse(t)
	t.Chdir(h.work)
	stubborn := `import pathlib, time
pathlib.Path("began").touch()
while True:
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        pathlib.Path("caught").open("a").write("x")`
	caught := func() string { b, _ := os.ReadFile("caught"); return string(b) }
	h.write("a.ipynb", stubborn)
	n := h.open("a.ipynb")
	n.run()
	h.until("the cell", func() bool { _, err := os.Stat("began"); return err == nil })
	for range 2 { // of which the kernel hears each time
		before := len(caught())
		_, said := h.clew(1, "notebook", "interrupt")
		h.sees(said, "the cell runs on; clew notebook restart ends it")
		if len(caught()) <= before {
			t.Errorf("the cell caught %q", caught())
		}
	}
	h.write("b.ipynb", "1")
	_, said := h.clew(1, "notebook", "restart", "b.ipynb")
	h.sees(said, "b.ipynb is not open in the sessions of this directory", "notebook b.ipynb opens it")
	h.clew(0, "notebook", "b.ipynb", "--kernel", "broken", "--no-open")
	for range 2 { // the same reason is told again
		_, said = h.clew(1, "notebook", "restart", "b.ipynb")
		h.sees(said, "the kernel has ended: exit code 1")
	}
	if err := os.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*clew.NotebookOpenData{{Path: "sub/c.ipynb", New: true}, {New: true}} {
		if _, err := n.api.Command(t.Context(), n.SessionID, "", clew.CommandNotebookOpen, d); err != nil {
			t.Fatal(err)
		}
	}
	h.clew(0, "notebook", "restart", filepath.Join("sub", "c.ipynb"))
	_, said = h.clew(2, "notebook", "restart", string(n.SessionID))
	h.sees(said, "name one by its id", n.NotebookID+" (a.ipynb)", "(sub/c.ipynb)")
	h.clew(0, "notebook", "restart", n.NotebookID)
	h.clew(0, "notebook", "shutdown", n.NotebookID)
	h.clew(0, "notebook", "shutdown") // the only one that is left
	h.noKernels()
}
