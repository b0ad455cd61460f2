package feed

import (
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
)

// marksOf says how the tasks stand that others were told to do: steps of a plan
// and subtasks.
func marksOf(r *client.Replica) map[clew.TaskID]mark {
	marks := map[clew.TaskID]mark{}
	for i := range r.Tasks {
		if r.Tasks[i].Status == clew.TaskStatusCompleted {
			marks[r.Tasks[i].TaskID] = markDone
		}
	}
	for i := range r.Todos {
		if t := &r.Todos[i]; t.TaskID != "" {
			marks[t.TaskID] = stepMark(t.Status)
		}
	}
	return marks
}

// stepMark is the mark that the plan has.
func stepMark(status clew.TodoStatus) mark {
	switch status {
	case clew.TodoInProgress:
		return markRun
	case clew.TodoCompleted:
		return markDone
	case clew.TodoFailed:
		return markFail
	case clew.TodoSkipped:
		return markLeft
	}
	return markPast
}

// A note says that the session was taken elsewhere in its history.
type note struct {
	seq  uint64
	text string
}

// moved notes a move, unless the session was opened with it.
func (f *Feed) moved(to *clew.LastMove) {
	known := f.move
	if f.move = to; to == nil || !f.began || known != nil && known.MessageID == to.MessageID {
		return
	}
	n := note{}
	n.seq, _ = to.MessageID.Seq()
	switch {
	case to.Failed != "":
		n.text = "the rewind failed, everything is as it was: " + to.Failed
	case to.Kind == clew.KindUndo:
		n.text = fmt.Sprintf("undone: %s back", term.Count(to.Restored, "message"))
	case to.Kind == clew.KindFiles:
		return // the transcript is as it was
	default:
		n.text = fmt.Sprintf("taken back: %s", term.Count(to.Removed, "message"))
	}
	f.notes, f.dirty = append(f.notes, n), true
}
