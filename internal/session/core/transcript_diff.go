package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// An Branch is a record that two states have behind them.
type Branch struct {
	seq   uint64
	total int // messages at that time
	quiet int // those of them that people do not see
	spans int // parts of the journal that were hidden then
}

// Branch says where the state stands in the history.
func (s *State) Branch() Branch { return Branch{s.Seq, s.Total, s.Quiet, len(s.Removed)} }

// TranscriptSide is a state as far as its transcript goes.
type TranscriptSide struct {
	Tail  []clew.Message
	Total int
	Quiet int
	Spans []Span
}

// TranscriptSide gives what a comparison of two transcripts needs of this one.
func (s *State) TranscriptSide() TranscriptSide {
	return TranscriptSide{s.Messages.Tail(), s.Total, s.Quiet, s.Removed}
}

// RemovedSince names the newest messages that are in a and not in b: what was said since
// the two parted, and what b took back of what was said before. It counts all of
// them that people see.
func RemovedSince(at Branch, a, b TranscriptSide) (ids clew.List[clew.MessageID], count int) {
	ids = clew.List[clew.MessageID]{}
	own := spansUpTo(a.Spans, at.seq)
	for _, span := range spansUpTo(b.Spans, at.seq) {
		if !slices.Contains(own, span) {
			ids = append(ids, clew.MessageIDOf(span.From))
		}
	}
	since := max(0, a.Total-at.total+max(0, len(own)-at.spans))
	count = max(0, len(ids)+since-max(0, a.Quiet-at.quiet))
	for _, m := range a.Tail[max(0, len(a.Tail)-since):] {
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
