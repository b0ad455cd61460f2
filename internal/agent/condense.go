package agent

import (
	"context"
	_ "embed"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/history"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// A history grows until it is too long for the model. Before that, a summary
// takes the place of its older part: the model writes it, and one batch of
// records puts it there or says that it failed. Where there is no summary to be
// had, the oldest messages are left out. Nothing is deleted: the records stay.

//go:embed condense.md
var condensePrompt string

// A workspaceNeed is what has to be done about a history before the model is asked.
type workspaceNeed int

const (
	needNothing workspaceNeed = iota
	needSummary               // a summary for the older part
	needRoom                  // the oldest messages left out
)

const (
	usualWindow = 128_000 // of a model that nobody knows
	tooLongMax  = 3       // how often a provider may say that a history is too long
)

// needs says what has to be done first.
func (w *worker) needs(v session.View) workspaceNeed {
	switch {
	case v.Task.Condense:
		return needSummary
	case !unheard(v.Task):
		return needNothing
	}
	return w.due(v, w.estimate(v).TokensIn)
}

// due is needs for a call that sends so many tokens as far as can be told.
func (w *worker) due(v session.View, guess int64) workspaceNeed {
	size := scaled(v.Task, guess)
	usable, threshold := w.space()
	full := size > threshold || w.noRoom && w.tooLong == 1
	again := size*10 >= v.Task.Condensed*11 // what was tried in vain waits until there is more to gain
	switch {
	case full && again && w.values.AutoCondense && w.cut(v.Task.History) > 0:
		return needSummary
	case (size > usable || w.noRoom) && w.oldest(v) > 0:
		return needRoom
	}
	return needNothing
}

// space is how many tokens a call may send, and how many it may before a
// summary is due.
func (w *worker) space() (usable, threshold int64) {
	window := w.window()
	usable = max(window-int64(w.maxTokens()), window/4)
	return usable, usable * int64(w.values.CondenseThreshold) / 100
}

func (w *worker) window() int64 {
	if w.model.ContextWindow > 0 {
		return int64(w.model.ContextWindow)
	}
	return usualWindow
}

// scaled corrects an estimate by how far the last one was off. A provider that
// counts something else altogether is not believed.
func scaled(t core.Task, guess int64) int64 {
	if t.Guessed <= 0 || t.Counted <= 0 {
		return guess
	}
	factor := float64(t.Counted) / float64(t.Guessed)
	return int64(float64(guess) * max(0.5, min(factor, 3)))
}

// cut is how many messages a summary would stand for, 0 if it is not worth it.
// It leaves fewer than it should at the end if they are all there is.
func (w *worker) cut(list []clew.ModelMessage) int {
	for keep := max(w.values.CondenseKeep, 1); keep > 0; keep /= 2 {
		if n := history.Fit(list, len(list)-keep); n > 1 {
			return n
		}
	}
	return 0
}

// oldest is how many messages to leave out for the rest to fit: half of them, or
// more if that is not enough. The last ones stay.
func (w *worker) oldest(v session.View) int {
	list := v.Task.History
	usable, _ := w.space()
	total, n := w.estimate(v).TokensIn, 0
	most := history.Fit(list, len(list)-1)
	for half := len(list) / 2; ; half += (len(list) - half + 1) / 2 {
		n = max(n, min(history.Older(list, half), most))
		left := total - int64(llm.EstimateTokens(list[:n], "", nil))
		if n == most || half >= len(list) || scaled(v.Task, left) <= usable {
			break
		}
	}
	if n == 1 && list[0].IsTruncationMarker {
		return 0 // it would only be put in its own place
	}
	return n
}

// condense has a summary written and puts it on record. more says that the turn
// goes on.
func (w *worker) condense(ctx context.Context, v session.View) (more bool, err error) {
	n := w.cut(v.Task.History)
	if n == 0 {
		return true, w.condensed(v, summaryCall{why: "there is too little to put into a summary"})
	}
	c, err := w.scribe()
	if err != nil {
		return true, w.condensed(v, summaryCall{why: "there is no model to write a summary, " + plainError(err)})
	}
	req, fits := c.summaryRequest(v.Task.History[:n])
	if !fits {
		return true, w.condensed(v, summaryCall{why: "they are too long for the model that would write a summary"})
	}
	x := summaryCall{n: n, by: c}
	if x.begun, err = w.beginSummary(v, c, req, &x); err != nil || !x.begun {
		return false, ignoreTurnOver(err)
	}
	crash.At("condense.intent")
	answer, err := c.callWithRetry(ctx, req, &modelStream{desk: w.desk, deaf: true})
	crash.At("condense.answered")
	if ctx.Err() != nil {
		return false, nil // interrupted: who did it closes the turn
	}
	x.take(answer, err)
	return true, w.condensed(v, x)
}

// summaryCall is a summary in the making.
type summaryCall struct {
	n     int     // messages it stands for
	by    *worker // with the model that writes it
	id    string
	begun bool // the model was asked

	usage *clew.Usage
	model string
	text  string
	why   string // why there is none
}

// take looks at what the model wrote.
func (x *summaryCall) take(a llm.Answer, err error) {
	if err != nil {
		x.why = strings.TrimRight(llm.AsError(err).Error(), ". ")
		return
	}
	x.usage, x.model = &a.Usage, a.Model
	var words []string
	for _, p := range a.Parts {
		if p.Type == clew.PartText && strings.TrimSpace(p.Text) != "" {
			words = append(words, strings.TrimSpace(p.Text))
		}
	}
	x.text = clipText(strings.Join(words, "\n\n"), summaryRunes)
	switch {
	case a.Stop == llm.StopRefusal:
		x.text, x.why = "", "the model refused"
	case x.text == "":
		x.why = "the model wrote nothing"
	}
}

// scribe is the worker with the model that writes summaries.
func (w *worker) scribe() (*worker, error) {
	c := *w
	p, ok := w.values.Profiles[w.values.ModelSmall]
	if !ok || w.values.ModelSmall == "" {
		return &c, nil
	}
	var err error
	c.profile, c.model = p, w.cfg.Model(p)
	c.provider, err = w.cfg.Provider(p)
	return &c, err
}

// beginSummary puts on record that the model is asked for a summary, with what
// that may cost at most: budgets hold for it too.
func (w *worker) beginSummary(v session.View, c *worker, req llm.Request, x *summaryCall) (begun bool, err error) {
	reserve := clew.Usage{TokensIn: int64(llm.EstimateTokens(req.Messages, req.System, nil)), TokensOut: int64(req.MaxTokens)}
	reserve.CostUSD = c.cost(v, reserve)
	r, err := w.desk.Do(decide.StartSummary{Call: c.modelCall(v, reserve)})
	x.id = r.Summary
	return r.Started, err
}

// condensed records a summary and what it hides, or that there is none, with
// what it cost. All of it is one batch: a history is never changed by half.
func (w *worker) condensed(v session.View, x summaryCall) error {
	hidden := v.Task.History[:x.n]
	before := scaled(v.Task, w.estimate(v).TokensIn)
	after := before + scaled(v.Task, int64(llm.EstimateText(summaryHead+x.text+summaryTail)))
	after -= scaled(v.Task, int64(llm.EstimateTokens(hidden, "", nil)))
	if x.why == "" && after >= before {
		x.why = "the summary is no shorter than what it stands for"
	}
	end := decide.EndSummary{
		ID: x.id, Asked: x.begun, Text: x.text, Heard: summaryHead + x.text + summaryTail, Hides: x.n,
		TokensBefore: before, TokensAfter: after, Model: x.model,
	}
	if x.why != "" {
		end.Failed = visible("The messages to the model stay as they are: " + x.why + ".")
	}
	if x.usage != nil {
		usage := *x.usage
		usage.CostUSD = x.by.cost(v, usage)
		end.Usage, end.Protocol = &usage, protocolOf(x.by.profile.Provider)
	}
	r, err := w.desk.Do(end)
	if r.Summary != "" {
		w.noRoom = false
	}
	crash.At("condense.recorded")
	return ignoreTurnOver(err)
}

// makeRoom leaves the oldest messages out.
func (w *worker) makeRoom(v session.View) (more bool, err error) {
	n := w.oldest(v)
	w.noRoom = false
	_, err = w.desk.Do(decide.TruncateHistory{Oldest: n})
	return true, ignoreTurnOver(err)
}

// tooLongFor takes a provider's word that a history is too long: the call is
// over, and is made again once there is room. False says that there is none to
// be made.
func (w *worker) tooLongFor(v session.View, failure *llm.Error, l *modelStream) (bool, error) {
	if failure.Kind != llm.KindContext || w.tooLong >= tooLongMax {
		return false, nil
	}
	w.tooLong++
	w.noRoom = true
	if w.due(v, w.estimate(v).TokensIn) == needNothing {
		w.noRoom = false
		return false, nil
	}
	_, err := w.desk.Do(decide.Note{
		Texts: l.finals(), Say: clew.SayAPIReqDeleted, Text: visible("The messages are too long for the model. " + sentence(failure.Error())),
	})
	return true, ignoreTurnOver(err)
}

// dropSummary ends a call for a summary that a crash cut off. If it is still
// due, it is made again.
func (w *worker) dropSummary() (more bool, err error) {
	return true, ignoreTurnOver(w.note(clew.SayAPIReqDeleted, "The server stopped while a summary was written."))
}
