package feed

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
)

// Apply takes an event in. seq is its record's number, 0 for streamed text and
// answers; ts is its time.
func (f *Feed) Apply(ev clew.Event, seq uint64, ts int64) {
	if s, ok := ev.Data.(*clew.SessionState); ok {
		f.Snapshot(s)
		return
	}
	if seq > 0 && seq <= f.snap {
		return // a replayed record that the snapshot stands for
	}
	if f.message(ev) || f.outcome(ev, seq, ts) {
		return
	}
	if f.steps.apply(ev) {
		f.dirty = true
		return
	}
	f.history(ev, seq)
}

// message is about what is said.
func (f *Feed) message(ev clew.Event) bool {
	switch d := ev.Data.(type) {
	case *clew.MessageCreatedData:
		f.update(d.Message, true)
	case *clew.MessageUpdatedData:
		f.update(d.Message, false)
	case *clew.AgentResponseData:
		if e := f.byID[d.MessageID]; e != nil {
			f.grow(e, &e.Text, d.Offset, d.Delta)
		}
	case *clew.AgentThinkingData:
		if e := f.byID[d.MessageID]; e != nil {
			f.grow(e, &e.Reasoning, d.Offset, d.Delta)
		}
	case *clew.QueueChangedData:
		f.remove(d.Removed)
	default:
		return false
	}
	return true
}

// update puts a newer form of a message in the place of the old one. Messages in
// records do not say what became of them.
func (f *Feed) update(m clew.Message, isNew bool) {
	e := f.byID[m.MessageID]
	if e == nil {
		if isNew {
			f.add(m)
		}
		return
	}
	tool, answer, delivery := e.Tool, e.Answer, e.Delivery
	if kindOf(&e.Message) != kindOf(&m) {
		f.dirty = true
	}
	e.Message = m
	e.Tool, e.Answer, e.Delivery = tool, answer, delivery
	e.version++
}

// grow adds streamed text. What does not fit the text so far is left out: the
// whole of it comes with message_updated.
func (f *Feed) grow(e *entry, text *string, offset int, delta string) {
	have := len(*text)
	if !e.Partial || offset > have || offset+len(delta) <= have {
		return
	}
	if *text == "" {
		f.dirty = true // it may have had no row
	}
	*text += delta[have-offset:]
	e.version++
}

// outcome is about what became of calls, questions and people's words.
func (f *Feed) outcome(ev clew.Event, seq uint64, ts int64) bool {
	switch d := ev.Data.(type) {
	case *clew.ToolProgressData:
		f.progress(d, seq)
	case *clew.HitlResolvedData:
		f.resolved(d, ts)
	case *clew.MessageAcceptedData:
		if e := f.byID[d.MessageID]; e != nil {
			e.NoteDelivery(d)
			e.version++
		}
	case *clew.TaskIdleData:
		if d.RequestID == "" {
			f.turnOver(d.TaskID)
		}
	case *clew.TaskCompletedData:
		f.turnOver(d.TaskID)
	case *clew.TaskAbortedData:
		f.turnOver(d.TaskID)
	default:
		if !slices.Contains(clew.QuestionTypes, ev.Type) {
			return false
		}
		f.asked(clew.Question(ev))
	}
	return true
}

func (f *Feed) asked(q clew.Question) {
	a := q.Asking()
	if e := f.byID[a.MessageID]; e != nil {
		e.RequestID, e.Answer, e.IsAnswered, e.asking = a.RequestID, nil, false, true
		e.version++
	}
}

func (f *Feed) resolved(d *clew.HitlResolvedData, ts int64) {
	for _, e := range slices.Backward(f.held) {
		if e.RequestID != d.RequestID || e.Type != clew.TypeAsk {
			continue
		}
		e.NoteAnswer(ts, d)
		e.asking = false
		e.version++
		return
	}
}

func (f *Feed) progress(d *clew.ToolProgressData, seq uint64) {
	if e := f.byID[clew.ToolMessage(seq, d)]; e != nil && e.NoteTool(d) {
		e.call = e.call.after(d)
		e.version++
	}
}

// turnOver ends the calls of a task that have no result.
func (f *Feed) turnOver(task clew.TaskID) {
	for _, e := range f.held {
		if e.EndCall(task) {
			e.version++
		}
	}
}

// history is about going back and forth. What came back is in the snapshot that
// the caller asks for then.
func (f *Feed) history(ev clew.Event, seq uint64) {
	switch d := ev.Data.(type) {
	case *clew.HistoryRewoundData:
		f.cut(d.FromMessageID, d.KeepTarget)
		f.note(seq, fmt.Sprintf("taken back: %s", count(d.RemovedCount, "message")))
	case *clew.RewindUndoneData:
		f.note(seq, fmt.Sprintf("undone: %s back", count(d.RestoredCount, "message")))
	case *clew.RewindFailedData:
		f.note(seq, "the rewind failed, everything is as it was: "+d.Reason)
	}
}

func (f *Feed) note(seq uint64, text string) {
	f.notes, f.dirty = append(f.notes, Note{seq, text}), true
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
