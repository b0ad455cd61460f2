package view

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// answer marks the end of a question. One that was withdrawn is no place to go
// back to: what it was about was over.
func (m *timelineBuilder) answer(d *clew.HitlResolvedData) Mark {
	q := m.asked[d.RequestID]
	mark := Mark{
		Kind: MarkAnswer, RequestID: d.RequestID, TaskID: d.TaskID, Target: core.IsAnswer(d),
		What: string(d.Action), Subject: q.text, Asked: q.asked, Words: d.Comment, ByTimeout: d.ByTimeout,
	}
	if mark.Words == "" {
		mark.Words = clew.ValueText(d.Value)
	}
	mark.Label = mark.What
	if mark.ByTimeout {
		mark.Label = "nobody answered in time: " + mark.Label
	}
	if mark.Words != "" {
		mark.Label += ": " + mark.Words
	}
	return mark
}

// checkpoint marks saved files. What the server saves by itself has no message.
func (m *timelineBuilder) checkpoint(d *clew.CheckpointSavedData) Mark {
	mark := Mark{Kind: MarkCheckpoint, Label: d.Reason, Checkpoint: d.ToHash, TaskID: d.TaskID}
	cause, tool := core.CauseOf(d.Reason)
	by, asked := m.saved[d.MessageID]
	switch {
	case asked:
		mark.What, mark.Subject = string(core.CausePerson), string(by)
		if d.Reason != core.SavedByPrefix+string(by) {
			mark.Words = d.Reason
		}
	case cause != "":
		mark.What, mark.Subject = string(cause), tool
	default:
		mark.Words = d.Reason
	}
	return mark
}

// plainMark marks what stands for itself.
func plainMark(data any) Mark {
	switch d := data.(type) {
	case *clew.ErrorData:
		return Mark{Kind: MarkError, Label: d.Message, RequestID: d.Context.RequestID, TaskID: d.Context.TaskID}
	case *clew.HistoryRewoundData:
		return rewindMark(d)
	case *clew.RewindUndoneData:
		return Mark{
			Kind: MarkRewind, What: "undone", Label: "the rewind was undone", Subject: string(d.FromMessageID),
			Checkpoint: d.CheckpointID, Removed: d.RemovedCount, Restored: d.RestoredCount,
		}
	case *clew.SessionForkedData:
		return Mark{Kind: MarkFork, Label: "forked to " + string(d.SessionID), Session: d.SessionID}
	}
	return runMark(data)
}

func rewindMark(d *clew.HistoryRewoundData) Mark {
	what := "before"
	if d.KeepTarget {
		what = "after"
	}
	return Mark{
		Kind: MarkRewind, What: what, Label: "back to " + what + " " + string(d.FromMessageID), Subject: string(d.FromMessageID),
		Checkpoint: d.CheckpointID, Removed: d.RemovedCount, Restored: d.RestoredCount,
	}
}

// runMark marks the turning points of a run; other tasks have none.
func runMark(data any) Mark {
	switch d := data.(type) {
	case *clew.TaskCreatedData:
		if d.RunID != "" && d.TodoID == "" {
			return Mark{Kind: MarkRun, What: "began", Label: "began: " + d.Task, Subject: d.Task, TaskID: d.TaskID}
		}
	case *clew.PlanApprovedData:
		if d.RunID != "" {
			return Mark{Kind: MarkRun, What: "approved", Label: "the plan was approved"}
		}
	case *clew.CompleteData:
		if d.RunID != "" {
			return Mark{Kind: MarkRun, What: "completed", Label: "completed", TaskID: d.TaskID}
		}
	case *clew.FailedData:
		if d.RunID != "" {
			return Mark{Kind: MarkRun, What: "failed", Label: "failed"}
		}
	case *clew.CancelledData:
		if d.RunID != "" {
			return Mark{Kind: MarkRun, What: "cancelled", Label: "cancelled"}
		}
	}
	return Mark{}
}

// Sample leaves out marks evenly until there are no more than most of them: first
// of those that nobody goes back to.
func Sample(marks []Mark, most int) []Mark {
	if len(marks) <= most {
		return append([]Mark{}, marks...)
	}
	weighty := 0
	for _, m := range marks {
		if m.isImportant() {
			weighty++
		}
	}
	first, rest := min(weighty, most), max(0, most-weighty)
	out := make([]Mark, 0, most)
	nthFirst, nthRest := 0, 0
	for _, m := range marks {
		if m.isImportant() {
			if isSampled(nthFirst, first, weighty) {
				out = append(out, m)
			}
			nthFirst++
			continue
		}
		if isSampled(nthRest, rest, len(marks)-weighty) {
			out = append(out, m)
		}
		nthRest++
	}
	return out
}

func (m Mark) isImportant() bool {
	return slices.Contains([]MarkKind{MarkUser, MarkQuestion, MarkAnswer, MarkCheckpoint, MarkRewind}, m.Kind)
}

// isSampled reports whether the i-th of n is among k that are spread evenly, with
// the first and the last, or with the last alone.
func isSampled(i, k, n int) bool {
	switch {
	case k == 0:
		return false
	case k == 1 || n == 1:
		return i == n-1
	}
	return i == 0 || i*(k-1)/(n-1) > (i-1)*(k-1)/(n-1)
}
