package decide

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A CallVerdict is what the rules say about a call.
type CallVerdict string

// The verdicts.
const (
	VerdictOwn    CallVerdict = "own"    // one of the agent's own tools, which it carries out itself
	VerdictRefuse CallVerdict = "refuse" // it may not run, or was called wrongly
	VerdictLimit  CallVerdict = "limit"  // too many ran unasked
	VerdictAsk    CallVerdict = "ask"
	VerdictAllow  CallVerdict = "allow"
)

// A CallPlan is a call that was looked at: what it would do, how people are shown
// it, and what the rules say.
type CallPlan struct {
	Call    core.Call
	Verdict CallVerdict
	Refusal Refusal // if it may not run
	// Approved says that a person allowed just this: no rule has to.
	Approved bool
	By       clew.AllowedBy // the rule that allows it

	Class   clew.ToolClass
	Effect  *clew.Effect
	Title   string
	ShowAs  clew.Ask
	Shown   string // the call as the transcript shows it
	Summary string // of its input
	// Node is this one, if the call works on files and they were not known to be
	// here.
	Node string

	// What a person is asked.
	Ask      clew.Ask
	Reason   string
	Why      string
	WhyCode  clew.PolicyCode
	WhyArgs  map[string]string
	Remember *clew.RememberOffer
}

// question asks a person about the call.
func (p CallPlan) question() clew.HitlApprovalRequestData {
	return clew.HitlApprovalRequestData{
		Ask: p.Ask, Tool: p.Call.Tool, Asking: clew.Asking{ToolCallID: p.Call.ID}, Input: p.Call.Input, Effect: p.Effect,
		Reason: p.Reason, Why: p.Why, WhyCode: p.WhyCode, WhyArgs: p.WhyArgs, Options: consent(), Remember: p.Remember,
	}
}

// decideCalls records for each call whether it begins, asks or is refused. The
// agent's own calls come after the others. most is how many may run unasked, 0
// for any number.
func (r *recorder) decideCalls(plans []CallPlan, most int) {
	auto := r.t.AutoApproved
	for _, p := range plans {
		switch {
		case p.Verdict == VerdictOwn:
		case p.Verdict == VerdictRefuse:
			r.refuse(p.Call, p.Refusal)
		case p.Verdict == VerdictLimit, p.Verdict == VerdictAllow && most > 0 && auto >= most:
			if !r.asked {
				r.ask(clew.HitlApprovalRequestData{
					Ask: clew.AskAutoApprovalMaxReqReached, Limit: core.LimitRequests, Options: consent(),
					Reason: fmt.Sprintf("%d calls ran without a person. Continue?", auto),
				})
			}
			return // the call and those after it stay as they are
		case p.Verdict == VerdictAsk:
			r.ask(p.question())
		default:
			auto++
			r.res.Begun = append(r.res.Begun, p.Call.ID)
			r.begin(p, p.By)
		}
	}
}

// BeginCalls begins approved calls and decides on proposed ones, unless nothing
// new may begin.
type BeginCalls struct {
	Files *SeenFiles
	Plans []CallPlan
	Most  int // as in RecordAnswer
}

func (b BeginCalls) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	if !s.MayBegin(t) {
		return Result{}, nil
	}
	r := recorder{tx: tx, s: s, t: t}
	r.files(b.Files)
	var proposed []CallPlan
	for _, p := range b.Plans {
		switch {
		case p.Approved && p.Verdict == VerdictRefuse:
			r.refuse(p.Call, p.Refusal)
		case p.Approved:
			r.res.Begun = append(r.res.Begun, p.Call.ID)
			r.begin(p, clew.AllowedBy{})
		default:
			proposed = append(proposed, p)
		}
	}
	r.decideCalls(proposed, b.Most)
	return r.res, nil
}

// RefuseCall ends a call that was called wrongly.
type RefuseCall struct {
	Call    core.Call
	Refusal Refusal
}

func (c RefuseCall) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	r.refuse(c.Call, c.Refusal)
	return Result{}, nil
}

// AskInDoubt shows the calls that were running when the server stopped, and asks
// whether to go on.
type AskInDoubt struct {
	Files  *SeenFiles
	Calls  []core.Call
	Reason string
}

func (a AskInDoubt) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	CloseOpenTexts(tx, s, t)
	CancelOrphanedQuestions(tx, s, t, a.Calls) // nobody waits for their answers any more
	r.files(a.Files)
	r.ask(clew.HitlApprovalRequestData{Ask: clew.AskResumeTask, Options: consent(), Reason: a.Reason})
	return r.res, nil
}

// CallProgress says how far a running call has come.
type CallProgress struct {
	Call   core.Call
	Class  clew.ToolClass
	Status clew.ProgressStatus
}

func (c CallProgress) decide(tx *Tx, _ *core.State, t *core.Task) (Result, error) {
	tx.Add(&clew.ToolProgressData{
		ToolCallID: c.Call.ID, Tool: c.Call.Tool, Status: clew.ToolRunning, AgentID: t.AgentID, TaskID: t.TaskID,
		MonitorID: t.MonitorID, Class: c.Class, ProgressStatus: &c.Status,
	})
	return Result{}, nil
}

// FinishCall records what came of a call: what the model gets, and what people
// see. If it was the last of its answer, the model may be asked at once: one
// append in place of two.
type FinishCall struct {
	Files *SeenFiles
	Call  core.Call
	// Closed is the message that showed the output, nil if none did. Said shows it
	// in that case, nil for not at all.
	Closed, Said *clew.Message
	Result       CallResult
	// Page is what shows the result in a window, under this title, nil if nothing does.
	// PageFailed is why a page is not shown, in words for people.
	Page       *clew.WindowContent
	PageTitle  string
	PageFailed string
	Next       *ModelCall
}

// CallResult is what a call gave.
type CallResult struct {
	Text       string
	Summary    string
	Images     []string
	Blob       string // the whole of it, if it was cut
	ResultBlob string // as the page gets it that asked for the call
	Bytes      int64
	DurationMS int64
	ExitCode   *int // of a command that ended
	// LimitReached is the limit that a command met.
	LimitReached clew.CommandLimit
	Failed       bool
	Mistake      bool
}

func (f FinishCall) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	r.files(f.Files)
	f.record(&r)
	f.showPage(&r)
	if f.Next != nil && len(f.Next.hears(t)) == len(Waiting(t)) && lastCall(t, f.Call.ID) && s.MayBegin(t) && !t.Condense && f.Next.Limits.question(spentBy(tx, s, t), f.Next.Reserve) == nil {
		r.start(*f.Next)
	}
	return r.res, nil
}

func (f FinishCall) record(r *recorder) {
	c, in := f.Call, f.Result
	if known := r.t.Call(c.ID); known != nil {
		c.MessageID = known.MessageID
	}
	switch {
	case f.Closed != nil:
		r.tx.Update(*f.Closed)
	case f.Said != nil:
		r.say(*f.Said)
	}
	d := &clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolComplete, AgentID: r.t.AgentID, TaskID: r.t.TaskID,
		MonitorID: r.t.MonitorID, MessageID: c.MessageID, Output: in.Text, Summary: in.Summary, DurationMS: in.DurationMS,
		Images: in.Images, OutputBlob: in.Blob, ResultBlob: in.ResultBlob, ExitCode: in.ExitCode, LimitReached: in.LimitReached,
	}
	if in.Blob != "" {
		d.OutputBytes = in.Bytes
	}
	if in.Failed {
		d.Status, d.Error, d.ErrorInOutput, d.Mistake = clew.ToolError, in.Summary, true, in.Mistake
	}
	r.tx.Add(d)
	if in.Failed {
		r.tx.Add(&clew.TaskToolFailedData{TaskRef: r.t.TaskRef, Tool: c.Tool, Error: in.Summary, ToolCallID: c.ID})
	}
}

// lastCall reports whether all calls of the answer but this one have their
// results.
func lastCall(t *core.Task, id string) bool {
	return !slices.ContainsFunc(t.Calls, func(c core.Call) bool { return c.ID != id && c.Status != core.CallDone })
}
