package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/policy"
)

// preparedCall is a call that was looked at: what it would do and what policy says.
type preparedCall struct {
	call     core.Call
	spec     tool.Spec
	action   *tool.Action
	decision policy.Decision
	input    policy.Input  // what the decision rests on
	wrong    string        // the model called it wrongly
	title    string        // what it does, as it was called
	own      bool          // one of the agent's own tools
	notebook *notebookCall // what it changes of a notebook, nil for all else
	changed  bool          // it would do something else than what was approved
	node     string        // this one, if it is on record with the call that the files are here
}

// prepare finds out what a call would do. It changes nothing.
func (w *worker) prepare(ctx context.Context, v session.View, c core.Call) *preparedCall {
	p := &preparedCall{call: c}
	if spec, ok := w.ownOf(v, c); ok {
		p.spec, p.own = spec, true
		return p
	}
	if spec, ok := w.notebookTool(v, c.Tool); ok {
		p.spec = spec
		w.prepareNotebook(ctx, v, p)
		return p
	}
	t, ok := w.tools[c.Tool]
	if v.Task.Server != "" {
		t, ok = w.appTool(ctx, v, p)
	}
	if !ok {
		p.wrong = cmp.Or(p.wrong, fmt.Sprintf("There is no tool %q in mode %s.", c.Tool, w.mode.Slug))
		return p
	}
	p.spec = t.Spec()
	p.node = w.binds(v, p.spec)
	w.inspectCall(ctx, v, t, p, c.Input)
	if p.wrong != "" || p.decision.Kind != policy.Allow || p.decision.Run == "" {
		return p
	}
	if c.Status == core.CallApproved && p.action.Effect.Digest == c.Digest {
		return p // a rule that was made since changes nothing: it runs as it was shown
	}
	// What runs is what was parsed, not the text it was parsed from.
	allowed := p.decision
	input, err := allowed.Rewrite(c.Input)
	if err != nil {
		p.wrong = "The input does not fit."
		return p
	}
	if w.inspectCall(ctx, v, t, p, input); p.decision.Kind != policy.Deny {
		p.decision = allowed
	}
	return p
}

func (w *worker) inspectCall(ctx context.Context, v session.View, t tool.Tool, p *preparedCall, input json.RawMessage) {
	if w.later != "" {
		w.openPlace(v)
	}
	call := tool.Call{ID: callKey(v, p.call.ID), SessionID: v.Session, TaskID: v.Task.TaskID, Owner: v.Owner, Input: input, Workspace: w.workspace, Environment: v.Environment}
	if w.noPlace != nil && needsPlace(p.spec.Group) {
		p.wrong = "There is no workspace: " + clew.AsError(w.noPlace).Message
		return
	}
	action, err := prepareTool(ctx, t, call)
	if err == nil {
		err = action.Digest(p.spec, call)
	}
	if err != nil {
		p.wrong = plainError(err)
		return
	}
	if p.action = action; p.title == "" {
		p.title = action.Effect.Summary
	}
	p.input = w.policyInput(v, p)
	if p.decision = policy.Decide(p.input); planted.Bug("approval not asked for") && p.decision.Kind == policy.Ask {
		p.decision = policy.Decision{Kind: policy.Allow}
	}
}

// policyInput is what the decision on a call rests on.
func (w *worker) policyInput(v session.View, p *preparedCall) policy.Input {
	in := policy.Input{
		Spec: p.spec, Action: p.action, Values: w.values, Trusted: w.trusted, Mode: &w.mode,
		AlwaysAllowed: p.spec.Server != "" && w.cfg.AlwaysAllowed(p.spec),
		// Tools cost nothing: the budget is asked about before model calls.
		Counters:   policy.Counters{AutoApproved: v.Task.AutoApproved, Mistakes: v.Task.Mistakes},
		Remembered: v.Root.Allowed, Owner: v.Owner,
	}
	if w.noPlace == nil && w.workspace.Dir == v.Workspace { // not one that a link leads to by now
		in.Dir = w.folder(v)
	}
	return in
}

// prepareTool makes an error of a tool's panic: it fails its call, not the turn.
func prepareTool(ctx context.Context, t tool.Tool, call tool.Call) (action *tool.Action, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("the tool failed inside: %v", x)
		}
	}()
	return t.Prepare(ctx, call)
}

// callKey is the key that a repeatable call runs again with: models use the
// same names for calls over and over. What was taken back and is done once more
// is another call.
func callKey(v session.View, id string) string {
	return fmt.Sprintf("%s/%d.%d/%s", v.Task.TaskID, v.Moved, v.Task.HiddenCount+len(v.Task.History), id)
}

func needsPlace(g tool.Group) bool {
	return g == tool.GroupRead || g == tool.GroupEdit || g == tool.GroupCommand
}

// plainError is an error in words that are safe for the model and for people.
func plainError(err error) string {
	var in *tool.InputError
	var e *clew.Error
	switch {
	case errors.As(err, &in):
		return in.Message
	case errors.As(err, &e):
		return e.Message
	}
	return err.Error()
}

// noteBegun notes the calls that may run now.
func (w *worker) noteBegun(list []*preparedCall, r decide.Result) {
	for _, p := range list {
		if slices.Contains(r.Begun, p.call.ID) {
			w.begun[p.call.ID] = p
		}
	}
}

func refusalSay(a *tool.Action) clew.Say {
	if a == nil || a.RefusedSay == "" {
		return clew.SayError
	}
	return a.RefusedSay
}

// wrong ends a call of the agent's own tools that was called wrongly.
func (w *worker) wrong(c core.Call, why string) error {
	_, err := w.desk.Do(decide.RefuseCall{Call: c, Refusal: refusal(c, why, clew.SayError)})
	return ignoreTurnOver(err)
}

// handle moves the calls of the last answer on: it runs what was begun, begins
// what was approved, decides on what was only proposed, and looks into what a
// crash left in doubt.
func (w *worker) handle(ctx context.Context, v session.View) (more bool, err error) {
	var run, redo, undecided []*preparedCall
	var doubtful []core.Call
	var own *core.Call
	waits, begins := false, false
	for i, c := range v.Task.Calls {
		_, isOwn := w.ownOf(v, c)
		switch c.Status {
		case core.CallRunning:
			if p := w.begun[c.ID]; p != nil {
				run = append(run, p)
			} else if p := w.inDoubt(ctx, v, c); p != nil {
				redo = append(redo, p)
			} else {
				doubtful = append(doubtful, c)
			}
		case core.CallProposed, core.CallApproved:
			switch {
			case isOwn && (own == nil || own.Tool == toolCompletion): // completion comes last
				first := c
				own = &first
			case !isOwn && w.afterNotebookCall(v, i):
			case !isOwn && w.awaitsKernel(v, c):
				waits, begins = true, true
			case !isOwn:
				undecided = append(undecided, w.prepare(ctx, v, c))
			}
		case core.CallAsked, core.CallChild, core.CallApp, core.CallCell:
			waits = true
		case core.CallDone:
		}
	}
	if v.Blocked || v.Held { // a person decides first; what was begun goes on
		undecided, doubtful, own, begins = nil, nil, nil, false
	}
	switch {
	case len(undecided) > 0:
		return true, w.begin(ctx, v, undecided)
	case len(redo) > 0:
		for _, p := range redo {
			w.begun[p.call.ID] = p
			doubtful = append(doubtful, p.call)
		}
		return true, w.closeTexts(ctx, v, doubtful)
	case len(run) > 0:
		return true, w.runAll(ctx, v, run)
	case len(doubtful) > 0 && v.Task.Server != "":
		return true, w.loseCall(doubtful[0])
	case len(doubtful) > 0: // last: the answer settles all that is running
		return false, w.askAbout(ctx, v, doubtful)
	case own != nil && !waits:
		return true, w.control(ctx, v, *own)
	case begins:
		return w.desk.Await() == nil, nil
	}
	return false, nil
}

// closeTexts closes the output that calls were writing when the server stopped.
func (w *worker) closeTexts(ctx context.Context, v session.View, calls []core.Call) error {
	found := w.snapFound(ctx, v, calls)
	var r decide.Result
	defer func() { found.done(r) }()
	r, err := w.desk.Do(decide.CloseTexts{Files: found.seen()})
	return ignoreTurnOver(err)
}

// begin records the start of approved calls and decides on proposed ones. An
// approval covers what was shown: if the call would now do anything else, it
// does not begin, and the person is asked anew.
func (w *worker) begin(ctx context.Context, v session.View, plans []*preparedCall) error {
	for _, p := range plans {
		if p.call.Status == core.CallApproved && p.wrong == "" && p.decision.Kind != policy.Deny && p.action.Effect.Digest != p.call.Digest && !planted.Bug("changed tool called") {
			p.changed = true
			p.decision = policy.Decision{Kind: policy.Ask, Ask: p.action.Ask, Code: clew.PolicyChangedSince, Reason: "it changed since it was approved"}
			p.action.Effect.Summary = "Changed since it was approved: " + p.action.Effect.Summary
		}
	}
	if p := nextNotebookCall(plans); p != nil {
		return w.changeNotebook(p)
	}
	before := w.snapBefore(ctx, v, plans)
	var r decide.Result
	defer func() { before.done(r) }()
	r, err := w.desk.Do(decide.BeginCalls{Files: before.seen(), Plans: plansOf(plans), Most: w.values.AutoApprovalMaxReq})
	w.noteBegun(plans, r)
	return ignoreTurnOver(err)
}

// inDoubt looks at a call that was running when the server stopped. What can be
// run again, or turns out not to have happened, is given back to be run; nil
// means that nobody can tell.
func (w *worker) inDoubt(ctx context.Context, v session.View, c core.Call) *preparedCall {
	if _, own := w.ownOf(v, c); own {
		return nil
	}
	p := w.prepare(ctx, v, c)
	if p.wrong != "" || p.action == nil {
		return nil
	}
	switch c.Class {
	case clew.ClassReadOnly, clew.ClassRepeatable:
		if p.decision.Kind == policy.Deny || c.Class == clew.ClassRepeatable && p.action.Effect.Digest != c.Digest {
			return nil // it may not run any more, or would do something else
		}
		return p
	case clew.ClassCheckable:
		return w.checked(ctx, p)
	case clew.ClassOnce:
		if planted.Bug("step run again") {
			return p
		}
	}
	return nil
}

// checked asks a tool whether a call took effect. If so, the call that is given
// back does nothing but report it.
func (w *worker) checked(ctx context.Context, p *preparedCall) *preparedCall {
	if p.action.Check == nil {
		return nil
	}
	happened, result, err := asked(ctx, p.action)
	switch {
	case err != nil:
		return nil
	case happened:
		p.action.Run = func(context.Context, tool.Output) (tool.Result, error) { return result, nil }
		return p
	case p.decision.Kind == policy.Deny || p.action.Effect.Digest != p.call.Digest:
		return nil // it may not run any more, or would do something else
	}
	return p
}

// asked makes an error of a panic in a tool's check.
func asked(ctx context.Context, a *tool.Action) (happened bool, result tool.Result, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("the tool failed inside: %v", x)
		}
	}()
	return a.Check(ctx)
}

// askAbout shows the calls in doubt and asks whether to go on. Their output is
// closed as it stands.
func (w *worker) askAbout(ctx context.Context, v session.View, calls []core.Call) error {
	found := w.snapFound(ctx, v, calls)
	var r decide.Result
	defer func() { found.done(r) }()
	var names []string
	for _, c := range calls {
		names = append(names, fmt.Sprintf("%s %s", c.Tool, clipLine(string(c.Input), 200)))
	}
	slices.Sort(names)
	r, err := w.desk.Do(decide.AskInDoubt{Files: found.seen(), Calls: calls, Reason: visible(view.InDoubtText(names))})
	return ignoreTurnOver(err)
}

func clipLine(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n]) + "…"
	}
	return text
}
