package client

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// An AskOption changes what Ask does.
type AskOption func(*asking)

// AskWith changes the message before it is sent: its mode, its images, its budget.
func AskWith(change func(*clew.UserMessageData)) AskOption {
	return func(a *asking) { change(&a.message) }
}

// CancelOnExit cancels the work when the loop is left before its end: by break, by
// the end of ctx, or because the server cannot be reached any more.
func CancelOnExit() AskOption { return func(a *asking) { a.cancel = true } }

// Ask gives the agent of a session something to do and yields what comes of it: its
// words as they come, tool calls, questions, and at the end the result. The loop ends
// with the work. Leaving it stops following and not the work; CancelOnExit stops both.
//
// A connection that breaks is opened again as Dial does it, also when the server was
// killed meanwhile; nothing is yielded twice, and the message takes effect once. The
// error is ctx's when that ends, the server's when it refuses the message.
//
// If the session is at work, the message waits for the end of that. It is never taken
// as the answer to an open question. Of the options View, ResumeFrom and NoFollow have
// no meaning here.
func Ask(ctx context.Context, opts Options, text string, more ...AskOption) iter.Seq2[AskEvent, error] {
	return func(yield func(AskEvent, error) bool) {
		a := newAsking(opts, text, yield)
		for _, option := range more {
			option(a)
		}
		if err := a.run(ctx); err != nil {
			yield(nil, err)
		}
	}
}

// An asking follows the work of one message. One goroutine owns it.
type asking struct {
	opts    Options
	said    clew.ClientMessageID
	message clew.UserMessageData
	cancel  bool
	yield   func(AskEvent, error) bool

	api   *API
	state Replica
	work  *Work
	sent  bool // the message may have arrived
	left  bool // the caller wants no more
	over  bool // the result was yielded

	told  map[clew.MessageID]string // the text of each message as far as it was yielded
	calls map[clew.MessageID]clew.ToolStatus
	open  map[clew.RequestID]bool
}

func newAsking(opts Options, text string, yield func(AskEvent, error) bool) *asking {
	opts = opts.withDefaults()
	opts.View, opts.ResumeFrom, opts.Epoch, opts.NoFollow = clew.ViewState, "", "", false
	a := &asking{
		opts: opts, said: opts.NewID(), yield: yield, api: NewAPI(httpURL(opts.URL), opts.Token),
		message: clew.UserMessageData{Text: text, Delivery: clew.ArrivalQueue, MayAnswer: []clew.RequestID{}},
		told:    map[clew.MessageID]string{}, calls: map[clew.MessageID]clew.ToolStatus{}, open: map[clew.RequestID]bool{},
	}
	if opts.HTTPClient != nil {
		a.api = a.api.WithHTTPClient(opts.HTTPClient)
	}
	a.opts.NewID = func() clew.ClientMessageID { return a.said } // the message is the only command of the connection
	a.work = NewWork(a.said, &a.state)
	return a
}

// httpURL is a server's address for REST; one that is wrong is refused by Dial.
func httpURL(s string) string {
	if u, err := parseBase(s); err == nil {
		return u.String()
	}
	return s
}

// run follows until the work ends or the caller leaves. The error is why it could not.
func (a *asking) run(ctx context.Context) error {
	c, err := Dial(ctx, a.opts)
	if err != nil {
		return err
	}
	ctx, refuse := context.WithCancelCause(ctx)
	done := make(chan struct{})
	close(done)
	defer func() {
		refuse(nil)
		c.Close()
		<-done
		a.giveUp(ctx)
	}()
	for env, err := range c.Follow(ctx) {
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		}
		first := !a.state.Known()
		if err := a.hear(env); err != nil || a.left || a.over {
			return err
		}
		if first && a.state.Known() { // from here on each change comes
			a.sent, done = true, make(chan struct{})
			go func() {
				defer close(done)
				if _, err := c.Do(ctx, clew.CommandUserMessage, a.message); err != nil {
					refuse(err)
				}
			}()
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return clew.Errorf(clew.ConnectionFailed, "the server ended the connection")
}

// cancelWithin bounds how long a loop that is left waits for the work to be cancelled.
const cancelWithin = 10 * time.Second

// giveUp cancels the work if that is wanted. A message that still waits is taken out of
// the queue.
func (a *asking) giveUp(ctx context.Context) {
	if !a.cancel || a.over || !a.sent {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelWithin)
	defer stop()
	task := a.work.Task()
	if task != "" {
		_, _ = a.api.Command(ctx, a.opts.Session, "", clew.CommandControlCancel, clew.ControlCancelData{TaskID: task}) // the server may be gone
	}
	for _, q := range a.state.Queue {
		if task == "" && q.ClientMessageID == a.said {
			_, _ = a.api.Command(ctx, a.opts.Session, "", clew.CommandRemoveQueued, clew.RemoveQueuedData{MessageID: q.MessageID}) // as above
		}
	}
}

// hear takes an envelope in and yields what it brought.
func (a *asking) hear(env wire.Envelope) error {
	ev, err := a.state.Take(env)
	if err != nil {
		return err
	}
	switch d := ev.Data.(type) {
	case *clew.StateChangedData:
		end := a.work.Take(d)
		if a.work.Task() == "" {
			return nil
		}
		for i := range d.Put.Message {
			a.tell(d.Put.Message[i].MessageID)
		}
		a.ask()
		if end != nil && !a.left {
			a.over = true
			a.say(&ResultEvent{
				SessionID: a.opts.Session, TaskID: a.work.Task(), Answer: a.work.Answer(), Outcome: *end,
				Usage: a.work.Usage(), Reports: a.work.Reports(),
			})
		}
	case *clew.TextData:
		if a.work.Task() != "" {
			a.tell(d.MessageID)
		}
	}
	return nil
}

func (a *asking) say(ev AskEvent) { a.left = a.left || !a.yield(ev, nil) }

// tell yields what is new of a message.
func (a *asking) tell(id clew.MessageID) {
	m := a.state.Message(id)
	switch {
	case m == nil || !a.work.About(m):
	case m.Type == clew.TypeAsk && m.Tool != nil:
		a.call(m)
	case m.Type == clew.TypeSay && (m.Say == clew.SayText || m.Say == clew.SayCompletionResult) && m.Role == clew.SpeakerAssistant && a.work.Main(m.TaskID):
		a.text(m)
	}
}

// text yields what a message has come further. One that is behind what was yielded
// comes again, or has been cut by a crash.
func (a *asking) text(m *clew.Message) {
	told := a.told[m.MessageID]
	switch rest, further := strings.CutPrefix(m.Text, told); {
	case further && rest == "", strings.HasPrefix(told, m.Text):
	case further:
		a.told[m.MessageID] = m.Text
		a.say(&TextEvent{MessageID: m.MessageID, Text: rest})
	default:
		a.told[m.MessageID] = m.Text
		a.say(&TextEvent{MessageID: m.MessageID, Text: m.Text, Again: true})
	}
}

// call yields that a call began, and that it ended.
func (a *asking) call(m *clew.Message) {
	was, now := a.calls[m.MessageID], m.Tool.Status
	if !m.Ask.IsCall() || was == now || was.Ended() || now != clew.ToolRunning && !now.Ended() {
		return
	}
	a.calls[m.MessageID] = now
	a.say(&ToolEvent{MessageID: m.MessageID, CallID: m.ToolCallID, TaskID: m.TaskID, MessageTool: *m.Tool})
}

// ask yields questions that opened. One that a rewind opened again is new.
func (a *asking) ask() {
	open := map[clew.RequestID]bool{}
	for _, q := range a.work.Questions() {
		id := q.RequestID()
		open[id] = true
		if !a.open[id] && !a.left {
			a.say(&QuestionEvent{Question: q, api: a.api})
		}
	}
	a.open = open
}
