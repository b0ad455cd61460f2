package decide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// endRerun puts the end of a rerun on record, and tells people in the transcript how it
// went: they need not have the notebook in front of them.
func endRerun(tx *Tx, n *core.Notebook, d clew.KernelRerunFinishedData) {
	d.NotebookID, d.RerunID, d.Reason = n.ID, n.Rerun.ID, clew.Clip(d.Reason, problemRunes)
	tx.Add(&d)
	tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayKernelStatus, Role: clew.SpeakerSystem, MonitorID: clew.MainMonitor, Text: rerunText(n, &d),
	})
}

// rerunText says how a rerun went.
func rerunText(n *core.Notebook, d *clew.KernelRerunFinishedData) string {
	x := n.Rerun
	different := x.Differences
	if at := stoppedBy(x); at >= 0 && d.Reason == whyStopped(n) { // that names it
		different = slices.Delete(slices.Clone(different), at, at+1)
	}
	said := []string{cmp.Or(n.Path, "The notebook") + ": " + ranAgain(x, d.Status)}
	if d.Reason != "" {
		said = append(said, asSentence(d.Reason))
	}
	if text := differentText(n, different); text != "" {
		said = append(said, text)
	}
	return strings.Join(said, " ")
}

// ranAgain says how many runs there were again.
func ranAgain(x *core.Rerun, status clew.RerunStatus) string {
	switch {
	case x.Done == 0 && status == clew.RerunStopped:
		return "no cell ran again."
	case x.Total == 0:
		return "the kernel is a fresh one. No cell had run before this point."
	case x.Done < x.Total:
		return fmt.Sprintf("only %d of %d cells ran again.", x.Done, x.Total)
	case status == clew.RerunStopped:
		return fmt.Sprintf("%d of %d cells ran again.", x.Done, x.Total)
	case x.Total == 1:
		return "1 cell ran again in a fresh kernel."
	}
	return fmt.Sprintf("all %d cells ran again in a fresh kernel.", x.Total)
}

// stoppedBy is the place of the difference because of which the rest did not run, -1 if
// something else was the reason.
func stoppedBy(x *core.Rerun) int {
	for i := len(x.Differences) - 1; i >= 0; i-- {
		if d := &x.Differences[i]; !d.State && d.Is != clew.CellOK {
			return i
		}
	}
	return -1
}

// whyStopped says why not all runs of a rerun happened again.
func whyStopped(n *core.Notebook) string {
	at := stoppedBy(n.Rerun)
	if at < 0 {
		return "It was stopped before its end."
	}
	d := &n.Rerun.Differences[at]
	name := "A cell that is gone"
	if i := n.CellIndex(d.CellID); i >= 0 {
		name = fmt.Sprintf("Cell %d", i+1)
	}
	switch {
	case d.Is == clew.CellAborted:
		return name + " was stopped."
	case d.Is == clew.CellInDoubt:
		return name + " may not have completed."
	case d.Was == clew.CellOK:
		return name + " failed, which it did not at first."
	}
	return name + " failed, and ended otherwise at first."
}

// differentMax is how many cells are named that had a different result.
const differentMax = 8

// differentText names the cells that had a different result, and variables that show it, ""
// if there are none.
func differentText(n *core.Notebook, list []clew.RunDifference) string {
	variables := map[int][]string{} // by place
	gone := false
	for _, d := range list {
		if i := n.CellIndex(d.CellID); i >= 0 {
			variables[i+1] = append(variables[i+1], d.Variables...)
		} else {
			gone = true
		}
	}
	var names []string
	for _, place := range slices.Sorted(maps.Keys(variables)) {
		names = append(names, fmt.Sprint(place)+inBrackets(variables[place]))
	}
	if more := len(names) - differentMax; more > 0 {
		names = append(names[:differentMax], fmt.Sprintf("%d more", more))
	}
	switch last := len(names) - 1; {
	case last < 0 && gone:
		return "A cell that is gone had a different result."
	case last < 0:
		return ""
	case last == 0:
		return "Cell " + names[0] + " had a different result."
	default:
		return "Cells " + strings.Join(names[:last], ", ") + " and " + names[last] + " had different results."
	}
}

// variablesShown is how many variables of a cell are named.
const variablesShown = 3

func inBrackets(variables []string) string {
	if len(variables) == 0 {
		return ""
	}
	slices.Sort(variables)
	variables = slices.Compact(variables)
	if more := len(variables) - variablesShown; more > 0 {
		variables = append(variables[:variablesShown], fmt.Sprintf("%d more", more))
	}
	return " (" + strings.Join(variables, ", ") + ")"
}

// asSentence begins a reason with a capital and ends it with a full stop.
func asSentence(reason string) string {
	reason = strings.TrimRight(reason, ". ") + "."
	if c := reason[0]; 'a' <= c && c <= 'z' {
		reason = strings.ToUpper(reason[:1]) + reason[1:]
	}
	return reason
}
