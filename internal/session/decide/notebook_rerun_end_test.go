package decide

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// How a rerun went is said with the places of cells, as people see them.
func TestRerunText(t *testing.T) {
	differs := func(cell string, was, is clew.CellStatus, state bool) clew.RunDifference {
		return clew.RunDifference{CellID: cell, Was: was, Is: is, State: state}
	}
	const ok, failed = clew.CellOK, clew.CellError
	for _, c := range []struct {
		path, reason string
		total, done  int
		differences  []clew.RunDifference
		status       clew.RerunStatus
		want         string
	}{
		{"a.ipynb", "", 3, 3, nil, clew.RerunOK, "a.ipynb: all 3 cells ran again in a fresh kernel."},
		{"", "", 1, 1, nil, clew.RerunOK, "The notebook: 1 cell ran again in a fresh kernel."},
		{"a.ipynb", "", 0, 0, nil, clew.RerunOK, "a.ipynb: the kernel is a fresh one. No cell had run before this point."},
		{"a.ipynb", "", 3, 3, []clew.RunDifference{differs("b", ok, ok, true)}, clew.RerunDiffers, "a.ipynb: all 3 cells ran again in a fresh kernel. Cell 2 had a different result."},
		{"a.ipynb", "", 4, 4, []clew.RunDifference{differs("c", failed, ok, false), differs("a", ok, ok, true), differs("c", ok, ok, true), differs("gone", ok, ok, true), differs("b", ok, ok, true)}, clew.RerunDiffers, "a.ipynb: all 4 cells ran again in a fresh kernel. Cells 1, 2 and 3 had different results."},
		{"a.ipynb", "", 2, 2, []clew.RunDifference{{CellID: "a", Was: ok, Is: ok, State: true, Variables: []string{"z", "now", "b", "a", "z"}}, {CellID: "c", Was: ok, Is: ok, State: true, Variables: []string{"y"}}}, clew.RerunDiffers, "a.ipynb: all 2 cells ran again in a fresh kernel. Cells 1 (a, b, now, 1 more) and 3 (y) had different results."},
		{"a.ipynb", "", 1, 1, []clew.RunDifference{differs("gone", ok, ok, true)}, clew.RerunDiffers, "a.ipynb: 1 cell ran again in a fresh kernel. A cell that is gone had a different result."},
		{"a.ipynb", "", 5, 3, []clew.RunDifference{differs("c", ok, failed, false)}, clew.RerunStopped, "a.ipynb: only 3 of 5 cells ran again. Cell 3 failed, which it did not at first."},
		{"a.ipynb", "", 5, 3, []clew.RunDifference{differs("a", ok, ok, true), differs("c", ok, clew.CellInDoubt, false)}, clew.RerunStopped, "a.ipynb: only 3 of 5 cells ran again. Cell 3 may not have completed. Cell 1 had a different result."},
		{"a.ipynb", "", 5, 2, []clew.RunDifference{differs("gone", clew.CellInDoubt, failed, false)}, clew.RerunStopped, "a.ipynb: only 2 of 5 cells ran again. A cell that is gone failed, and ended otherwise at first."},
		{"a.ipynb", "", 5, 2, []clew.RunDifference{differs("b", ok, clew.CellAborted, false)}, clew.RerunStopped, "a.ipynb: only 2 of 5 cells ran again. Cell 2 was stopped."},
		{"a.ipynb", "", 5, 2, nil, clew.RerunStopped, "a.ipynb: only 2 of 5 cells ran again. It was stopped before its end."},
		{"a.ipynb", "the kernel ended: killed", 2, 2, []clew.RunDifference{differs("b", ok, clew.CellInDoubt, false)}, clew.RerunStopped, "a.ipynb: 2 of 2 cells ran again. The kernel ended: killed. Cell 2 had a different result."},
		{"a.ipynb", "no python", 0, 0, nil, clew.RerunStopped, "a.ipynb: no cell ran again. No python."},
		{"a.ipynb", "the files could not be restored: disk full", 3, 3, nil, clew.RerunStopped, "a.ipynb: 3 of 3 cells ran again. The files could not be restored: disk full."},
	} {
		n := &core.Notebook{ID: "nb_1", Path: c.path, Rerun: &core.Rerun{ID: "rr_1", Status: clew.RerunRunning, Total: c.total, Done: c.done, Differences: c.differences}}
		for _, id := range []string{"a", "b", "c"} {
			n.Cells = append(n.Cells, &core.Cell{NotebookCell: clew.NotebookCell{CellID: id}})
		}
		tx := &Tx{}
		if _, err := (EndRerun{RerunID: "rr_1", Reason: c.reason}).decide(tx, nil, n); err != nil {
			t.Fatal(err)
		}
		d, _ := tx.Since(0)[0].Data.(*clew.KernelRerunFinishedData)
		said, _ := tx.Since(1)[0].Data.(*clew.MessageCreatedData)
		if d.Status != c.status || said.Message.Text != c.want {
			t.Errorf("%s, %q: got\n%s\nwant\n%s", d.Status, d.Reason, said.Message.Text, c.want)
		}
		if m := said.Message; m.Say != clew.SayKernelStatus || m.Role != clew.SpeakerSystem || m.Cell != nil || m.MonitorID != clew.MainMonitor {
			t.Errorf("it is said by %+v", m)
		}
	}
}

// Of many cells with different results a few are named.
func TestManyDifferences(t *testing.T) {
	n := &core.Notebook{}
	var list []clew.RunDifference
	for i := range 12 {
		id := string(rune('a' + i))
		n.Cells, list = append(n.Cells, &core.Cell{NotebookCell: clew.NotebookCell{CellID: id}}), append(list, clew.RunDifference{CellID: id})
	}
	if got, want := differentText(n, list), "Cells 1, 2, 3, 4, 5, 6, 7, 8 and 4 more had different results."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
