package notebook_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/notebook"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// A kernel publishes much more than its socket holds by default while the server does not
// read: all of it arrives once the server does. Without the kernel's settings it is dropped,
// and nothing says so.
func TestOutputWaitsForTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, client := startKernel(t, process.Start{ID: "kn_flood", Owner: "ann", SessionID: "sess_flood"}, dir)
	const displays = 3000 // of 20 KB: 8 MiB of them wait here, the rest in the kernel
	code := "from IPython.display import display\nfor i in range(3000): display({'text/plain': f'{i} ' + 'x' * 20_000}, raw=True)\nopen('done', 'w').close()"
	if err := client.Execute(t.Context(), kernel.Execute{MsgID: "flood", Code: code}); err != nil {
		t.Fatal(err)
	}
	poll(t, "the end of the cell", func() bool { _, err := os.Stat(filepath.Join(dir, "done")); return err == nil })
	got, idle, replied := 0, false, false
	late := time.After(patience)
	for !replied || !idle {
		var m kernel.Message
		select {
		case m = <-client.Messages():
		case <-late:
			t.Fatalf("%d of %d displays arrived, and no end", got, displays)
		}
		switch {
		case m.ParentID != "flood":
		case m.Type == "display_data":
			got++
		case m.Type == "status":
			idle = idle || string(m.Content) == `{"execution_state": "idle"}`
		case m.Type == "execute_reply":
			replied = true
		}
	}
	if got != displays {
		t.Errorf("%d of %d displays arrived", got, displays)
	}
}

// startKernel starts a kernel that no notebook has, and joins it.
func startKernel(t *testing.T, st process.Start, dir string) (notebook.Process, *kernel.Client) {
	t.Helper()
	m := realMachine(t)
	place, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = workspace.Close(place) })
	st.Workspace, st.Spec = place, m.Specs(t.Context(), dir)[0]
	k, err := m.Start(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	at, err := kernel.ReadConnection(k.ConnectionFile())
	if err != nil {
		t.Fatal(err)
	}
	client, err := kernel.Dial(t.Context(), at, kernel.Options{Starting: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return k, client
}
