package session

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/rewind"
)

// rewindAnswer takes the session to before one of the answers that count, and
// reports whether there was one. The question is open again there.
func (x *traveller) rewindAnswer() bool {
	var list []clew.Record
	for _, r := range x.records {
		if d, ok := x.decoded(r).(*clew.HitlResolvedData); ok && core.IsAnswer(d) && !x.s.state.Hidden(r.Seq) {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return false
	}
	r := list[x.pick(len(list))]
	c, err := x.s.finder(x.s.positionNow()).Plan(context.Background(), rewind.Target{Target: clew.Target{MessageID: r.MessageID()}})
	if err != nil {
		x.t.Fatalf("no way to the answer at %d: %v", r.Seq, err)
	}
	if c.To != r.Seq-1 && c.To != r.Seq-2 { // words may come with it
		x.t.Fatalf("the answer at %d led to %d", r.Seq, c.To)
	}
	then := x.state(x.freshAt(c.To))
	if id := x.decoded(r).(*clew.HitlResolvedData).RequestID; then.OpenQuestion(id) == nil {
		x.t.Fatalf("before the answer at %d question %s is not open", r.Seq, id)
	}
	x.tally["to before an answer"]++
	x.depart(c)
	return true
}
