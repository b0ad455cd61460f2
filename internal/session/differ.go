package session

import (
	"slices"

	"github.com/clew-run/clew"
)

// An origin is a record that two states have behind them.
type origin struct {
	seq   uint64
	total int // messages at that time
	quiet int // those of them that people do not see
	spans int // parts of the journal that were hidden then
}

func (s *State) origin() origin { return origin{s.Seq, s.Total, s.Quiet, len(s.Removed)} }

// side is a state as far as its transcript goes.
type side struct {
	tail  []clew.Message
	total int
	quiet int
	spans []Span
}

func (s *State) side() side { return side{s.Messages.Tail(), s.Total, s.Quiet, s.Removed} }

// lost names the newest messages that are in a and not in b: what was said since
// the two parted, and what b took back of what was said before. It counts all of
// them that people see.
func lost(at origin, a, b side) (ids clew.List[clew.MessageID], count int) {
	ids = clew.List[clew.MessageID]{}
	own := before(a.spans, at.seq)
	for _, span := range before(b.spans, at.seq) {
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

// before gives the hidden parts up to a record. Those that came since are of one
// message each, which waited and was taken back.
func before(spans []Span, seq uint64) []Span {
	for i, span := range spans {
		if span.From > seq {
			return spans[:i]
		}
	}
	return spans
}
