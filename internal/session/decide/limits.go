package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/budget"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// Limits is what an agent may use before people are asked whether to go on. 0 is
// no limit.
type Limits struct {
	Mistakes int // of the model, in a row
	Steps    int // model calls in a turn
	USD      float64
	Tokens   int64
	TimeSec  int // of a run

	// MonthUSD is what the sessions of the task's owner may cost in a month, MonthTaken
	// what they cost in this one, as far as the agent knows.
	MonthUSD, MonthTaken float64
}

// Spent is what limits are held against.
type Spent struct {
	Mistakes, Steps int
	Tree            clew.Usage // what the task's tree used and its calls under way may use
	Raised          int        // how often people raised the tree's budget
	PastMonth       string     // the month whose budget people let the tree pass
	Run             *run.Run   // nil if the task works for none
	NowMS           int64
}

// spentBy is what the task has used by now: others in its tree may have used
// something since the agent looked.
func spentBy(tx *Tx, s *core.State, t *core.Task) Spent {
	return Spent{
		Mistakes: t.Mistakes, Steps: t.Steps, Tree: s.TreeUsage(t.RootTaskID), Raised: s.RootOf(t).Raised, PastMonth: s.RootOf(t).PastMonth, Run: s.ActiveRun(t), NowMS: tx.FirstTS(),
	}
}

// Pass reports whether a call with what it may use passes a limit.
func (l Limits) Pass(x Spent, next clew.Usage) bool { return l.question(x, next) != nil }

// question is what to ask before a call with what it may use passes a limit, nil
// if it passes none.
func (l Limits) question(x Spent, next clew.Usage) *clew.HitlApprovalRequestData {
	q := &clew.HitlApprovalRequestData{Ask: clew.AskAutoApprovalMaxReqReached, Options: consent()}
	refusal, own, raise := l.refused(x, next)
	late, ownTime := l.late(x)
	switch {
	case l.Mistakes > 0 && x.Mistakes >= l.Mistakes:
		q.Ask, q.Limit = clew.AskMistakeLimitReached, core.LimitMistakes
		q.Reason = fmt.Sprintf("The model made %d mistakes in a row. Continue?", x.Mistakes)
	case l.Steps > 0 && x.Steps >= l.Steps:
		q.Limit, q.Reason = core.LimitSteps, fmt.Sprintf("The model was asked %d times for this message. Continue?", x.Steps)
	case refusal != nil:
		q.Limit, q.OwnLimit, q.Raise = core.LimitBudget, own, raise
		q.Reason = "Continue? " + strings.ToUpper(refusal.Error()[:1]) + refusal.Error()[1:] + ". " + again(raise)
	case l.MonthUSD > 0 && l.MonthTaken+next.CostUSD > l.MonthUSD && x.PastMonth != core.MonthOf(x.NowMS):
		q.Limit = core.LimitMonth
		q.Reason = fmt.Sprintf("This month's budget of $%.2f is used up: $%.2f are spent, and the next call may cost $%.2f. Approving lets this task continue for the rest of the month.", l.MonthUSD, l.MonthTaken, next.CostUSD)
	case late:
		q.Limit, q.OwnLimit, q.Reason = core.LimitTime, ownTime, fmt.Sprintf("The run has worked for %s, and it has no more time. Continue? Approving allows as much again.", (time.Duration(x.Run.Worked(x.NowMS))*time.Millisecond).Round(time.Second))
	default:
		return nil
	}
	return q
}

// again says what a yes allows.
func again(raise int) string {
	if raise <= 1 {
		return "Approving allows as much again."
	}
	return fmt.Sprintf("Approving allows %d times as much again, which is enough for this call.", raise)
}

// refused says which limit a call would pass, nil if none, whether that is the
// run's own, and how often it has to be raised for the call to fit. Those of the
// server come first: only an administrator raises them.
func (l Limits) refused(x Spent, next clew.Usage) (refusal *budget.Refusal, own bool, raise int) {
	taken, more := budget.Cost(x.Tree.CostUSD, tokens(x.Tree)), budget.Cost(next.CostUSD, tokens(next))
	limit := budget.Limit(l.USD, l.Tokens)
	if _, refusal = budget.Reserve(limit.Times(1+x.Raised), taken, more); refusal != nil || x.Run == nil {
		return refusal, false, needed(limit, taken, more, x.Raised)
	}
	limit = budget.Amount{}
	if b := x.Run.Budget; b != nil {
		limit = budget.Limit(b.USD, b.Tokens)
	}
	_, refusal = budget.Reserve(limit.Times(1+x.Run.Extended), taken, more)
	return refusal, true, needed(limit, taken, more, x.Run.Extended)
}

// needed is how often a limit has to be raised for a call to fit.
func needed(limit, taken, more budget.Amount, raised int) int {
	n := 1
	for _, x := range []struct{ limit, want int64 }{{limit.NanoUSD, taken.NanoUSD + more.NanoUSD}, {limit.Tokens, taken.Tokens + more.Tokens}} {
		if x.limit > 0 {
			n = max(n, int((x.want+x.limit-1)/x.limit)-1-raised)
		}
	}
	return n
}

// late reports whether the run's time is used up, and whether its own limit says
// so.
func (l Limits) late(x Spent) (late, own bool) {
	if x.Run == nil {
		return false, false
	}
	worked := x.Run.Worked(x.NowMS)
	over := func(sec, raised int) bool { return sec > 0 && worked >= int64(sec)*1000*int64(1+raised) }
	if over(l.TimeSec, x.Raised) {
		return true, false
	}
	return x.Run.Budget != nil && over(x.Run.Budget.TimeSec, x.Run.Extended), true
}
