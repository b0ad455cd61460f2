package session

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// openIDs names the open questions.
func (b *bench) openIDs() []clew.RequestID {
	ids := []clew.RequestID{}
	for _, q := range b.s.state.Questions {
		ids = append(ids, q.RequestID())
	}
	return ids
}

// unseen says something without knowing of any question that is open.
func unseen(how clew.Arrival) *clew.UserMessageData {
	return &clew.UserMessageData{Text: "use make", Delivery: how, MayAnswer: []clew.RequestID{}}
}

// Words answer no question that their sender does not know of, whatever is going
// on. What is open stays open; only to a task at rest they are words to go on by,
// so that nobody has to say whether it shall.
//
// Covers: C-23, POL-03
func TestWordsAnswerNothingUnseen(t *testing.T) {
	alone(t)
	type moment struct {
		name string
		to   func(b *bench)
	}
	var all []moment
	for _, m := range moments {
		all = append(all, moment{m.name, m.to})
	}
	for _, m := range runMoments {
		all = append(all, moment{"run: " + m.name, m.to})
	}
	asked := 0
	for _, m := range all {
		for _, known := range [][]clew.RequestID{{}, {"req_another"}} {
			for _, how := range []clew.Arrival{"", clew.ArrivalSteer, clew.ArrivalQueue} {
				b := newMoment(m.to)
				open, rested := b.openIDs(), !b.s.state.AtWork()
				_, types, err := b.ann(&clew.UserMessageData{Text: "use make", Delivery: how, MayAnswer: known})
				if err != nil {
					t.Errorf("%s, %q: %v", m.name, how, err)
				}
				asked += len(open)
				switch resolved := slices.Contains(types, clew.EventHitlResolved); {
				case !resolved && !slices.Equal(b.openIDs(), open):
					t.Errorf("%s, %q: open are %v, not %v", m.name, how, b.openIDs(), open)
				case resolved && !rested:
					t.Errorf("%s, %q: the words settled a question of a task at work: %v", m.name, how, types)
				case resolved && last[clew.HitlResolvedData](b, 1)[0].Action != clew.ResolvedCancelled:
					t.Errorf("%s, %q: the words answered: %v", m.name, how, types)
				}
				b.verify(t)
				b.check(t)
			}
		}
	}
	if asked == 0 {
		t.Error("nothing was asked at any moment")
	}
}

// Words answer a question that their sender knows of, of several the one they
// would answer anyway.
func TestWordsAnswerWhatWasSeen(t *testing.T) {
	b := newBench()
	b.asked(1)
	must(b.ann(&clew.UserMessageData{Text: "use make", MayAnswer: append(b.openIDs(), "req_another")}))
	if d := last[clew.HitlResolvedData](b, 1)[0]; d.Action != clew.ResolvedReject || d.Comment != "use make" || len(b.openIDs()) != 0 {
		t.Errorf("resolved %+v", d)
	}
}

// What was said without knowing of the question is heard after its answer, once.
func TestUnseenWordsAreHeardAfterTheAnswer(t *testing.T) {
	b := newBench()
	b.asked(1)
	must(b.ann(unseen(clew.ArrivalSteer)))
	must(b.ann(&clew.HitlApprovalResponseData{Action: clew.ChoiceApprove}))
	if in := b.task().Inbox; len(in) != 1 || in[0].Text != "use make" || b.pick(0).Status == core.CallAsked {
		t.Errorf("waiting is %+v, the call is %s", in, b.pick(0).Status)
	}
	if got := deliveries(t, b); got != "direct steer" {
		t.Errorf("delivered %q", got)
	}
	b.verify(t)
	b.check(t)
}
