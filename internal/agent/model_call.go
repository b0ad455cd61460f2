package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/history"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// think puts on record that the model is asked and what it hears, and then asks
// it.
func (w *worker) think(ctx context.Context, v session.View) (more bool, err error) {
	mentioned, parts := w.mentioned(ctx, v)
	call := w.modelCall(v, w.estimate(v, asMessage(parts)...))
	call.Mentioned = mentioned
	found := w.snapMessage(ctx, v)
	r, err := w.desk.Do(decide.StartModelCall{Files: found.seen(), Call: call})
	found.done(r)
	crash.At("model.intent")
	if r.Told {
		crash.At("timeline.heard")
	}
	if err != nil || !r.Started { // the turn is over, or waits for somebody
		return false, ignoreTurnOver(err)
	}
	w.asking, v.Task.History = r.Request, r.History
	return w.call(ctx, v, nil)
}

// onward says whether the model can be asked in the same record as the result
// that it waits for, and what to reserve: one append in place of two. nil sends
// the turn the usual way, where limits are asked about.
func (w *worker) onward(ctx context.Context, v session.View, text string, images []string, failed bool) *decide.ModelCall {
	if w.equip(ctx, v) != nil { // settings may have changed while the tool ran
		return nil
	}
	if failed {
		v.Task.Mistakes++
	}
	reserve := w.estimate(v, clew.ModelMessage{Content: clew.List[clew.Part]{{Type: clew.PartToolResult, Text: text, Images: images}}})
	if w.limits(v.Owner).Pass(v.Spent(), reserve) || w.due(v, reserve.TokensIn) != needNothing {
		return nil
	}
	call := w.modelCall(v, reserve)
	return &call
}

func protocolOf(provider string) clew.APIProtocol {
	if provider == "anthropic" {
		return clew.ProtocolAnthropic
	}
	return clew.ProtocolOpenAI
}

// recall decides on a model call that was cut when the server stopped. It costs
// money, so a person is asked, unless it is free or the settings say otherwise.
func (w *worker) recall(ctx context.Context, v session.View) (more bool, err error) {
	if w.model.Free || w.values.CrashRetry == "auto" {
		open, err := w.desk.Resume(v)
		if err == nil {
			err = w.note(clew.SayAPIReqRetried, "The server stopped during the model call; it is made again.")
		}
		if err != nil {
			return false, ignoreTurnOver(err)
		}
		return w.call(ctx, v, open)
	}
	return false, w.giveUp(v, clew.ProviderFailing, "The server stopped while the model was answering.", nil)
}

// note puts a line about the model call into the transcript.
func (w *worker) note(say clew.Say, text string) error {
	_, err := w.desk.Do(decide.Note{Say: say, Text: text})
	return err
}

// estimate is what a call may use at most, as far as can be told before it: with
// the history, what the model has not heard yet, and what is about to come.
func (w *worker) estimate(v session.View, more ...clew.ModelMessage) clew.Usage {
	for _, in := range decide.Waiting(&v.Task) {
		more = append(more, decide.Heard(in, 0))
	}
	if v.Preamble != "" {
		more = append(more, asMessage([]clew.Part{{Type: clew.PartText, Text: v.Preamble}})...)
	}
	u := clew.Usage{
		TokensIn:  int64(w.fixed + w.weigh(v.Task) + llm.EstimateTokens(more, "", nil)),
		TokensOut: int64(w.maxTokens()),
	}
	u.CostUSD = w.cost(v, u)
	return u
}

// weigh estimates the tokens of a history. It only grows, but for summaries, so
// what was weighed before is not weighed again: a long turn does not get slower.
func (w *worker) weigh(t core.Task) int {
	list := t.History
	if len(list) < w.weighed || t.HiddenCount != w.behind {
		w.weighed, w.weight, w.behind = 0, 0, t.HiddenCount
	}
	w.weight += llm.EstimateTokens(list[w.weighed:], "", nil)
	w.weighed = len(list)
	return w.weight
}

// maxTokens bounds an answer.
func (w *worker) maxTokens() int {
	const usual = 8192
	switch {
	case w.profile.MaxTokens > 0:
		return w.profile.MaxTokens
	case w.model.MaxOutput > 0:
		return min(w.model.MaxOutput, usual)
	}
	return usual
}

// call makes the model call, again if need be, and records what came of it.
func (w *worker) call(ctx context.Context, v session.View, open *session.Stream) (more bool, err error) {
	l := &modelStream{desk: w.desk, open: open}
	if open != nil && open.Say() == clew.SayText {
		l.said = open.MessageID()
	}
	answer, err := w.callWithFallback(ctx, v, l)
	crash.At("model.answered")
	if ctx.Err() != nil {
		return false, nil // interrupted: who did it closes the turn
	}
	if l.failed != nil {
		return false, ignoreTurnOver(l.failed)
	}
	if err != nil {
		failure := llm.AsError(err)
		if again, err := w.tooLongFor(v, failure, l); again || err != nil {
			return again, err
		}
		return false, w.giveUp(v, statusAfter(failure), w.explained(failure), l)
	}
	w.tooLong = 0
	// The calls of the answer are named by the history it stands in: it must be
	// the one that they are looked at with later, or no approval would fit them.
	v.Task.History = append(slices.Clip(v.Task.History), clew.ModelMessage{Role: clew.SpeakerAssistant})
	return true, w.answered(ctx, v, answer, l)
}

// callWithFallback makes the call, with another profile if this one's provider is at
// its limit or away.
func (w *worker) callWithFallback(ctx context.Context, v session.View, l *modelStream) (llm.Answer, error) {
	messages := merged(distinctCalls(history.Effective(v.Task.History)))
	for {
		answer, err := w.callWithRetry(ctx, llm.Request{
			Model: w.profile.Model, System: w.prompt, Messages: messages, Tools: w.offered, MaxTokens: w.maxTokens(),
			Thinking: w.profile.Thinking, Temperature: w.profile.Temperature, Image: w.imageOf(v.Session),
		}, l)
		if err == nil || ctx.Err() != nil || l.failed != nil {
			return answer, err
		}
		again, failed := w.fallBack(llm.AsError(err))
		if failed == nil && again {
			failed = l.restart()
		}
		if failed != nil {
			l.failed = failed
			return answer, err
		}
		if !again {
			return answer, err
		}
	}
}

// callWithRetry makes the call until it succeeds, cannot succeed or was tried often
// enough.
func (w *worker) callWithRetry(ctx context.Context, req llm.Request, l *modelStream) (llm.Answer, error) {
	delay := time.Second
	for try := 0; ; try++ {
		answer, err := w.provider.Stream(ctx, req, l.hear)
		if err == nil && len(answer.Parts) == 0 {
			err = &llm.Error{Kind: llm.KindUnstable, Message: "the model's answer is empty"}
		}
		if err == nil || ctx.Err() != nil || l.failed != nil {
			return answer, err
		}
		failure := llm.AsError(err)
		w.cfg.Log.Warn("model call failed", "provider", w.profile.Provider, "model", w.profile.Model, "try", try+1, "err", failure)
		if !failure.Temporary() || try >= w.values.ModelRetries {
			return answer, err
		}
		wait := max(delay, min(failure.RetryAfter, time.Minute))
		delay *= 2
		if err := w.note(clew.SayAPIReqRetryDelayed, sentence(fmt.Sprintf("%s; trying again in %s", strings.TrimRight(failure.Error(), ". "), seconds(wait)))); err != nil {
			return answer, err
		}
		if err := w.cfg.Pause(ctx, wait); err != nil {
			return answer, err
		}
		if v, err := w.desk.View(); err == nil && v.Held { // the run was paused meanwhile: nothing new begins
			return answer, failure
		}
		if err := w.note(clew.SayAPIReqRetried, fmt.Sprintf("The model is asked again, try %d of %d.", try+2, w.values.ModelRetries+1)); err != nil {
			return answer, err
		}
		if err := l.restart(); err != nil {
			return answer, err
		}
	}
}

// giveUp asks what to do about a model call that failed. A todo that has only
// looked so far begins anew by itself, and asks in the end.
func (w *worker) giveUp(v session.View, status clew.ProviderConnection, why string, l *modelStream) error {
	if v.Todo != nil && !v.Task.Acted {
		return ignoreTurnOver(w.desk.FailTodo("ended by a failed model call", clew.Failure{Code: clew.ExecutionFailed, Message: why, Recoverable: true}))
	}
	retry := decide.AskRetry{Provider: w.profile.Provider, Status: status, Why: why, Question: decide.OfferRetry(visible(why))}
	if l != nil {
		retry.Known, retry.Texts = true, l.finals()
	}
	_, err := w.desk.Do(retry)
	return ignoreTurnOver(err)
}

// statusAfter says what a failed call tells of the provider: it said so itself, or
// nothing came from it.
func statusAfter(failure *llm.Error) clew.ProviderConnection {
	if failure.Kind == llm.KindUnstable && failure.Status == 0 {
		return clew.ProviderDisconnected
	}
	return clew.ProviderFailing
}

// answered records an answer, and with it which of its calls begin, which ask
// and which are refused.
func (w *worker) answered(ctx context.Context, v session.View, answer llm.Answer, l *modelStream) error {
	answer.Usage.CostUSD = w.cost(v, answer.Usage)
	parts := uniqueCalls(v.Task.History, w.completing(v, adopt(w.layer, answer.Parts)))
	calls := clew.ModelMessage{Content: parts}.ToolCalls()
	current := len(calls) > 0 && w.refresh(ctx)
	plans := make([]*preparedCall, len(calls))
	notebook := false
	for i, p := range calls {
		call := core.Call{ID: p.ToolCallID, Tool: p.Tool, Input: p.Input, Status: core.CallProposed}
		if _, is := w.notebookTool(v, p.Tool); is && notebook {
			plans[i] = &preparedCall{call: call, own: true} // it may rest on what the one before it does
			continue
		} else if is {
			notebook = true
		}
		plans[i] = w.prepare(ctx, v, call)
	}
	var before *workspaceSnapshot
	var r decide.Result
	if current {
		before = w.snapBefore(ctx, v, plans)
		defer func() { before.done(r) }()
	}
	r, err := w.desk.Do(decide.RecordAnswer{
		Texts: l.finals(), Said: l.said, Parts: parts, Words: textOf(parts), Usage: answer.Usage, Protocol: protocolOf(w.profile.Provider),
		Provider: w.profile.Provider, Model: answer.Model, Stop: string(answer.Stop), Cut: answer.Stop == llm.StopMaxTokens,
		Current: current, Files: before.seen(), Plans: plansOf(plans), Most: w.values.AutoApprovalMaxReq,
	})
	w.noteBegun(plans, r)
	crash.At("model.recorded")
	return ignoreTurnOver(err)
}

// refresh equips the worker after a long wait: the calls of an answer are decided
// on by what holds now, not by what held when the model was asked.
func (w *worker) refresh(ctx context.Context) bool {
	v, err := w.desk.View()
	return err == nil && w.equip(ctx, w.placed(ctx, v)) == nil
}

func textOf(parts []clew.Part) string {
	var words []string
	for _, p := range parts {
		if p.Type == clew.PartText {
			words = append(words, p.Text)
		}
	}
	if len(words) == 0 {
		return "The subtask ended without a result."
	}
	return strings.Join(words, "\n\n")
}

// merged joins messages of the same speaker: providers want them to alternate.
func merged(list []clew.ModelMessage) []clew.ModelMessage {
	out := make([]clew.ModelMessage, 0, len(list))
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Content = slices.Concat(out[n-1].Content, m.Content)
			continue
		}
		out = append(out, m)
	}
	return out
}

// imageOf loads the stored images of a session for a provider.
func (w *worker) imageOf(id clew.SessionID) func(ctx context.Context, address string) (string, []byte, error) {
	return func(ctx context.Context, address string) (string, []byte, error) {
		address = strings.TrimPrefix(address, session.BlobScheme)
		if w.cfg.Refers != nil { // records of elsewhere may name what others have here
			if has, err := w.cfg.Refers(ctx, id, address); err != nil || !has {
				return "", nil, cmp.Or(err, errors.New("the session does not have the image"))
			}
		}
		data, err := w.cfg.Blobs.Blob(ctx, address)
		if err != nil {
			return "", nil, err
		}
		return http.DetectContentType(data), data, nil
	}
}
