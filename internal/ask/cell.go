package ask

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// colourCodes are what kernels colour tracebacks with. Where text has no colours they
// would be read as text.
var colourCodes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// CellText is what a kernel put out, as text: of a picture its address, and of what has
// no form as text the names of the forms that it has. It is "" for what says nothing,
// such as that the kernel is busy.
func CellText(m *clew.Message) string {
	if m.Cell == nil || m.Cell.Cleared || m.Cell.Output == clew.OutputStatus {
		return ""
	}
	text := strings.TrimRight(colourCodes.ReplaceAllString(m.Text, ""), "\n")
	lines := []string{}
	if text != "" {
		lines = append(lines, text)
	}
	for _, at := range m.Images {
		lines = append(lines, image(at))
	}
	if len(lines) == 0 {
		if forms := forms(m); forms != "" {
			lines = append(lines, "["+forms+"]")
		}
	}
	return strings.Join(lines, "\n")
}

// image names a picture: by its address, if it has one.
func image(at string) string {
	if strings.HasPrefix(at, "data:") {
		return "[image]"
	}
	return "[image " + at + "]"
}

// forms names the forms that an output has.
func forms(m *clew.Message) string {
	data, _ := m.Metadata["data"].(map[string]any)
	return strings.Join(slices.Sorted(maps.Keys(data)), ", ")
}

// CellName is what a cell is called where its source is not shown: by its place, which
// counts from 1, and the kernel's number of its last run.
func CellName(n *clew.NotebookInfo, c *clew.CellInfo) string {
	at := slices.Index(n.Cells, c.CellID) + 1
	if c.ExecutionCount == 0 {
		return fmt.Sprintf("cell %d", at)
	}
	return fmt.Sprintf("cell %d [%d]", at, c.ExecutionCount)
}

// CellStatus says what became of a cell, "" if it ran to its end or never ran.
func CellStatus(c *clew.CellInfo) string {
	switch c.Status {
	case clew.CellQueued:
		return "waiting"
	case clew.CellRunning:
		return "running"
	case clew.CellError:
		return "failed"
	case clew.CellAborted:
		return "stopped"
	case clew.CellInDoubt:
		return "in doubt: may not have completed"
	case clew.CellOK:
	}
	return ""
}

// KernelWork says what the busiest kernel does, "" if none does anything.
func KernelWork(list []clew.NotebookInfo) string {
	for i := range list {
		n := &list[i]
		switch {
		case n.Rerun != nil && !n.Rerun.Status.Over():
			return "kernel " + rerunning(n.Rerun, "runs cells again")
		case n.Kernel.State == clew.KernelBusy && n.Run != nil && n.Run.CellID != "":
			return fmt.Sprintf("kernel runs cell %d of %d", slices.Index(n.Cells, n.Run.CellID)+1, len(n.Cells))
		case n.Kernel.State == clew.KernelBusy:
			return "kernel busy"
		case n.Kernel.State == clew.KernelStarting:
			return "kernel starts"
		case n.Kernel.State == clew.KernelRestarting:
			return "kernel restarts"
		}
	}
	return ""
}

// rerunning says how far a rerun is, behind words for what happens.
func rerunning(r *clew.RerunInfo, what string) string {
	if r.Total == 0 { // what ran is being looked up
		return what
	}
	return fmt.Sprintf("%s: %d of %d", what, r.Done, r.Total)
}

// KernelNote says in what a kernel is not where its notebook is, or may not be: after a
// rewind, or after cells ran again. It is "" for most.
func KernelNote(n *clew.NotebookInfo) string {
	r := n.Rerun
	switch {
	case r != nil && !r.Status.Over():
		return rerunning(r, "cells run again")
	case n.Kernel.Ahead:
		return "kernel is ahead"
	case r == nil || r.Status == clew.RerunOK:
		return ""
	case r.Status == clew.RerunStopped:
		return fmt.Sprintf("%d of %d cells ran again", r.Done, r.Total)
	}
	var places []int
	for _, d := range r.Differences {
		if at := slices.Index(n.Cells, d.CellID); at >= 0 {
			places = append(places, at+1)
		}
	}
	slices.Sort(places)
	switch places = slices.Compact(places); len(places) {
	case 0:
		return "different result: a cell that is gone"
	case 1:
		return fmt.Sprintf("different result: cell %d", places[0])
	}
	return "different results: cells " + strings.Trim(strings.ReplaceAll(fmt.Sprint(places), " ", ", "), "[]")
}
