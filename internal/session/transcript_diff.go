package session

import (
	"slices"

	"github.com/clew-run/clew"
)

// An branch is a record that two states have behind them.
type branch struct {
	seq   uint64
	total int // messages at that time
	quiet int // those of them that people do not see
	spans int // parts of the journal that were hidden then
}

func (s *State) branch() branch { return branch{s.Seq, s.Total, s.Quiet, len(s.Removed)} }

// transcriptSide is a state as far as its transcript goes.
type transcriptSide struct {
	tail  []clew.Message
	total int
	quiet int
	spans []Span
}

func (s *State) transcriptSide() transcriptSide {
	return transcriptSide{s.Messages.Tail(), s.Total, s.Quiet, s.Removed}
}

// removedSince names the newest messages that are in a and not in b: what was said since
// the two parted, and what b took back of what was said before. It counts all of
// them that people see.
func removedSince(at branch, a, b transcriptSide) (ids clew.List[clew.MessageID], count int) {
	ids = clew.List[clew.MessageID]{}
	own := spansUpTo(a.spans, at.seq)
	for _, span := range spansUpTo(b.spans, at.seq) {
		if !slices.Contains(own, span) {
			ids = append(ids, clew.MessageIDOf(span.From))
		}
	}
	since := max(0, a.total-at.total+max(0, len(own)-at.spans))
	count = max(0, len(ids)+since-max(0, a.quiet-at.quiet))
	for _, m := range a.tail[max(0, len(a.tail)-since):] {
		ids = append(ids, m.MessageID)
	}
	return ids[max(0, len(ids)-idsMax):], count
}

// spansUpTo gives the hidden parts up to a record. Those that came since are of one
// message each, which waited and was taken back.
func spansUpTo(spans []Span, seq uint64) []Span {
	for i, span := range spans {
		if span.From > seq {
			return spans[:i]
		}
	}
	return spans
}
