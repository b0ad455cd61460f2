package notebookcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	other := h.write("b.ipynb", "1")
	_, said = h.clew(1, "notebook", "restart", other)
	h.sees(said, "b.ipynb is not open in any session")
	transcript, _ := h.clew(0, "show", id)
	if strings.Contains(transcript, "never") {
		t.Errorf("a cell ran after the interrupt:\n%s", transcript)
	}
}
