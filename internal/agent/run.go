package agent

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/summary"
)

// runAll runs calls that are on record as begun: beside each other where all of
// them allow it, one after the other where not.
func (w *worker) runAll(ctx context.Context, v session.View, plans []*preparedCall) error {
	parallel := max(w.values.ParallelTools, 1)
	for _, p := range plans {
		if !p.spec.Parallel {
			parallel = 1
		}
	}
	slots := make(chan struct{}, parallel)
	errs := make([]error, len(plans))
	var said told
	var wg sync.WaitGroup
	for i, p := range plans {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			defer func() {
				if x := recover(); x != nil { // a fault here must not end the process
					w.cfg.Log.Error("call panicked", "session", v.Session, "call", p.call.ID, "panic", x, "stack", string(debug.Stack()))
					errs[i] = clew.WrapError(clew.Internal, fmt.Errorf("panic: %v", x), "the call failed inside the server")
				}
			}()
			errs[i] = w.runOne(ctx, v, p, &said, len(plans) == 1)
		})
	}
	wg.Wait()
	for i, p := range plans {
		delete(w.begun, p.call.ID)
		if errs[i] != nil {
			return ignoreTurnOver(errs[i])
		}
	}
	return nil
}

// runOne runs a call and records what came of it. If it runs alone, the record
// may also say that the model is asked next.
func (w *worker) runOne(ctx context.Context, v session.View, p *preparedCall, said *told, alone bool) error {
	if ctx.Err() != nil {
		return nil
	}
	crash.At("tool.intent")
	out := &output{w: w, p: p, ctx: ctx}
	if p.spec.Server != "" {
		if err := w.note(clew.SayMcpServerRequestStarted, p.spec.Server+": "+p.spec.Name); err != nil {
			return err
		}
	}
	start := w.cfg.Clock.Elapsed()
	result, err := runTool(ctx, p, out)
	took := w.cfg.Clock.Elapsed() - start
	crash.At("tool.done")
	if ctx.Err() != nil {
		return nil // interrupted: who did it gave the call its result
	}
	if err != nil {
		result = tool.Result{Text: plainError(err), IsError: true}
	}
	after := w.snapAfter(ctx, v, p)
	var r decide.Result
	defer func() { after.done(r) }()
	kept, err := w.keep(ctx, v, result)
	if err != nil {
		return err
	}
	if !result.IsError {
		kept.text += w.nested(v, p, said)
	}
	finish := finishOf(p, out.final(kept.shown(result), summary.Output(kept.text)), result, kept, took) // final waits for a tool that still writes
	finish.Files = after.seen()
	if err := w.addPage(ctx, v, p.spec.Server, result, &finish); err != nil {
		return err
	}
	if alone && v.Task.Server == "" {
		finish.Next = w.onward(ctx, v, kept.text, kept.images, result.IsError)
	}
	r, err = w.desk.Do(finish)
	if r.Started {
		w.asking = r.Request
	}
	crash.At("tool.result")
	return err
}

// runTool makes an error of a tool's panic: it fails its call, not the turn.
func runTool(ctx context.Context, p *preparedCall, out tool.Output) (result tool.Result, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("the tool failed inside: %v", x)
		}
	}()
	return p.action.Run(ctx, out)
}

// storedResult is a result cut to size, with the whole of it stored.
type storedResult struct {
	text   string
	blob   string
	bytes  int64
	images []string
}

// keep cuts a result to what the model gets and stores the whole.
func (w *worker) keep(ctx context.Context, v session.View, result tool.Result) (storedResult, error) {
	text := strings.ToValidUTF8(result.Text, "\uFFFD")
	k := storedResult{text: text, bytes: int64(len(text))}
	by := blob.For{User: v.Owner, Session: v.Session}
	limit := w.outputLimit()
	if len(text) > limit {
		stored := "the whole output is stored"
		address, err := w.cfg.Blobs.PutBlob(ctx, by, []byte(text))
		switch {
		case clew.CodeOf(err) == clew.BudgetExceeded:
			stored = "the whole output is not stored: " + clew.AsError(err).Message
		case err != nil:
			return k, clew.WrapError(clew.StorageFailed, err, "the output could not be stored")
		default:
			k.blob = session.BlobScheme + address
		}
		head, tail := cutAt(text, limit*2/3), cutFrom(text, len(text)-limit/3)
		k.text = fmt.Sprintf("%s\n… %d of %d bytes are left out here; %s …\n%s", head, len(text)-len(head)-len(tail), len(text), stored, tail)
	}
	for _, url := range result.Images {
		address, err := session.StoreImage(ctx, w.cfg.Blobs, by, url)
		if code := clew.CodeOf(err); code == clew.InvalidMessage || code == clew.BudgetExceeded { // the tool's fault, or the user's, not the turn's
			k.text += "\n(An image was left out: " + clew.AsError(err).Message + ".)"
			continue
		}
		if err != nil {
			return k, err
		}
		k.images = append(k.images, address)
	}
	return k, nil
}

// outputLimit is how many bytes of one tool's output, or of one file, a model gets.
func (w *worker) outputLimit() int {
	if w.values.OutputLimit <= 0 {
		return 32 << 10
	}
	return min(w.values.OutputLimit, 512<<10)
}

// cutAt and cutFrom cut text without splitting a character.
func cutAt(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func cutFrom(s string, n int) string {
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[n:]
}

// shown is what people see of a result: the tool's own form for them, unless it has none
// or only a part of it was kept.
func (k storedResult) shown(result tool.Result) string {
	if result.Shown == "" || len(result.Shown) > len(k.text) && k.blob != "" {
		return k.text
	}
	return result.Shown
}

// finishOf is a result: what the model gets, and what people see.
func finishOf(p *preparedCall, closed *clew.Message, result tool.Result, k storedResult, took time.Duration) decide.FinishCall {
	short := summary.Output(k.text)
	f := decide.FinishCall{Call: p.call, Closed: closed, Result: decide.CallResult{
		Text: k.text, Summary: short, Images: k.images, Blob: k.blob, Bytes: k.bytes, DurationMS: took.Milliseconds(), ExitCode: result.ExitCode, LimitReached: result.LimitReached,
		Failed: result.IsError, Mistake: p.spec.Group == tool.GroupEdit,
	}}
	switch {
	case closed != nil:
	case result.Say != "":
		f.Said = &clew.Message{Say: result.Say, Text: k.shown(result), Summary: short, ToolCallID: p.call.ID, Images: k.images}
	case p.spec.Group == tool.GroupCommand:
		f.Said = &clew.Message{Say: clew.SayCommandOutput, Text: k.text, Summary: short, ToolCallID: p.call.ID}
	}
	return f
}

// output is how a running tool is heard. Safe for concurrent use.
type output struct {
	w   *worker
	p   *preparedCall
	ctx context.Context

	mu     sync.Mutex
	stream *session.Stream
	full   bool          // no more is streamed; the result has the end
	said   time.Duration // when progress was last recorded
	spoke  bool          // it was
}

// progressEvery is how often a tool's progress is recorded at most.
const progressEvery = time.Second

// streamMax is how much output is shown while a tool runs.
const streamMax = 256 << 10

// Write implements tool.Output. Trouble with showing never fails the tool.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full || len(b) == 0 {
		return len(b), nil
	}
	if o.stream == nil {
		st, err := o.w.desk.Open(clew.SayCommandOutput, o.p.call.ID)
		if err != nil {
			o.full = true
			return len(b), nil
		}
		o.stream = st
		crash.At("tool.running")
	}
	if len(o.stream.Text())+len(b) > streamMax || o.stream.Write(string(b)) != nil {
		o.full = true
	}
	return len(b), nil
}

// final closes the message which showed the output and gives it, nil if there is
// none. It must not be called in the session's goroutine, which a tool
// that is just writing waits for.
func (o *output) final(text, short string) *clew.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.full = true
	if o.stream == nil {
		return nil
	}
	m := o.stream.FinalText(text, short)
	return &m
}

// Progress implements tool.Output. It goes on record, so not all of it does.
func (o *output) Progress(p clew.ProgressStatus) {
	o.mu.Lock()
	now := o.w.cfg.Clock.Elapsed()
	soon := o.spoke && now-o.said < progressEvery
	if !soon {
		o.said, o.spoke = now, true
	}
	o.mu.Unlock()
	if soon {
		return
	}
	_, _ = o.w.desk.Do(decide.CallProgress{Call: o.p.call, Class: o.p.spec.Class, Status: p})
}

// Ask implements tool.Output.
func (o *output) Ask(ctx context.Context, q clew.HitlInputRequestData) (clew.HitlResolvedData, error) {
	q.ToolCallID = o.p.call.ID
	return o.w.desk.Ask(ctx, q)
}
