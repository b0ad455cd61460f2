package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// notedMax bounds how many problems and settled questions are remembered.
const notedMax = 20

// note keeps what people may have missed: errors that are on record, and what
// became of questions. settled is the question that the record answers.
func (s *State) note(r clew.Record, data any, settled *clew.Question) {
	switch d := data.(type) {
	case *clew.ErrorData:
		s.Problems = noted(s.Problems, clew.Problem{MessageID: r.MessageID(), TS: r.TS, ErrorData: *d})
	case *clew.HitlResolvedData:
		if settled != nil {
			s.Settled = noted(s.Settled, settledAs(*settled, r.TS, d))
		}
	case *clew.CheckpointRestoredData:
		s.LastMove = &clew.LastMove{Kind: clew.KindFiles, MessageID: r.MessageID(), RewindID: d.RewindID, Files: d.Files, By: r.By}
	case *clew.RewindFailedData:
		move := clew.LastMove{MessageID: r.MessageID(), RewindID: d.RewindID, Failed: d.Reason, By: r.By}
		if s.PendingRewind != nil {
			move.Kind, move.FromMessageID = s.PendingRewind.Kind, s.PendingRewind.FromMessageID
		}
		s.LastMove = &move
	}
}

// noted adds to a list that readers may have, and forgets the oldest.
func noted[T any](list []T, one T) []T {
	return append(slices.Clone(list[max(0, len(list)+1-notedMax):]), one)
}

func settledAs(q clew.Question, ts int64, d *clew.HitlResolvedData) clew.SettledQuestion {
	var m clew.Message
	m.NoteAnswer(ts, d)
	a := SubjectOfQuestion(q)
	return clew.SettledQuestion{
		RequestID: d.RequestID, Type: q.Type, Ask: a.Ask, Limit: a.Limit, MessageID: a.Message, TaskID: a.Task, TodoID: a.Todo,
		MessageAnswer: *m.Answer,
	}
}

// moveOf is the last move that a return is.
func moveOf(r clew.Record, data any) *clew.LastMove {
	move := &clew.LastMove{Kind: clew.KindRewind, MessageID: r.MessageID(), By: r.By}
	switch d := data.(type) {
	case *clew.HistoryRewoundData:
		if d.Redo {
			move.Kind = clew.KindRedo
		}
		move.RewindID, move.FromMessageID, move.Files = d.RewindID, d.FromMessageID, d.Files
		move.Removed, move.Restored = d.RemovedCount, d.RestoredCount
	case *clew.RewindUndoneData:
		move.Kind = clew.KindUndo
		move.RewindID, move.FromMessageID, move.Files = d.RewindID, d.FromMessageID, d.Files
		move.Removed, move.Restored = d.RemovedCount, d.RestoredCount
	}
	return move
}
