package notebook_test

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

func playedWorld(t *testing.T, o kerneltest.Options) (*world, *played) {
	t.Helper()
	p := &played{t: t, options: o}
	w := newWorld(t, p)
	w.begin()
	return w, p
}

// Each kind of output becomes its message, in the order in which it was published.
//
// Covers: JUP-01, JUP-05, JUP-06, JUP-07, JUP-08, JUP-09, JUP-10, JUP-11, MSG-08, MSG-23
func TestOutputsBecomeMessages(t *testing.T) {
	w, p := playedWorld(t, kerneltest.Options{})
	d := w.run("print one\nprint two\nwarn three\nimage\nshow d first\nupdate d second\norphan\n7\nfail ValueError no")
	if d.Status != clew.CellError || d.ErrorName != "ValueError" || d.ErrorValue != "no" || d.ExecutionCount != 1 {
		t.Errorf("it ended with %+v", d)
	}
	var got []string
	for _, m := range w.shown(d.RunID) {
		got = append(got, string(m.Say)+" "+string(m.Cell.Output)+" "+strings.ReplaceAll(m.Text, "\n", "|"))
		if m.Partial {
			t.Errorf("%s is open", m.MessageID)
		}
		switch m.Cell.Output {
		case clew.OutputStream:
			if m.Metadata["stream"] == nil {
				t.Errorf("a stream without its name: %v", m.Metadata)
			}
		case clew.OutputResult:
			if m.Metadata["execution_count"] != float64(1) || m.Metadata["data"].(map[string]any)["text/plain"] != "7" {
				t.Errorf("the result has %v", m.Metadata)
			}
		case clew.OutputError:
			if m.Metadata["ename"] != "ValueError" || m.Metadata["evalue"] != "no" {
				t.Errorf("the error has %v", m.Metadata)
			}
		case clew.OutputDisplay, clew.OutputStatus:
		}
	}
	want := []string{
		"command_output stream one|two|", "command_output stream three|", "text display_data <a picture>", "text display_data second",
		"cell_executed execute_result 7", "error error \x1b[31mValueError\x1b[0m|no",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	picture := w.shown(d.RunID)[2]
	if len(picture.Images) != 1 {
		t.Fatalf("the picture has %v", picture.Images)
	}
	if b, err := w.blobs.Blob(t.Context(), picture.Images[0]); err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
		t.Errorf("the picture's blob: %q, %v", b, err)
	}
	status := 0
	for _, m := range w.message {
		if m.Say == clew.SayKernelStatus && m.Cell.RunID == d.RunID {
			if status++; m.Text != "idle" {
				t.Errorf("the status is %q", m.Text)
			}
		}
	}
	if status != 1 {
		t.Errorf("%d status messages", status)
	}
	if n := len(p.only().Executions()); n != 1 && n != 2 { // the checkpoint may have been asked for
		t.Errorf("%d requests", n)
	}
}
