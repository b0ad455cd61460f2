package follow

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/wire"
)

// Options say what to follow and how.
type Options struct {
	Session clew.SessionID
	Say     *clew.UserMessageData // nil to look on
	Fresh   bool                  // the session is new: nothing was there before us
	Past    bool                  // show what was said before

	UntilDone bool          // end with the work
	Ask       bool          // a person here may answer
	Wait      bool          // stay while a question is open that nobody here answers
	GiveUp    time.Duration // how long a server may be gone
	// StopOnExit interrupts the work if a signal or a broken pipe ends us before it.
	StopOnExit bool
	Yes        yesRule
	Quiet      bool // the answer alone
	Verbose    bool
}

// Patient tries again for as long as the caller wants to wait: how long that is,
// it counts itself.
var Patient = client.Retry{MaxRetries: 1 << 30, InitialDelay: 250 * time.Millisecond, MaxDelay: 3 * time.Second, Multiplier: 2}

// A follower follows a session until the work is done or the person leaves. One
// goroutine runs it and owns all fields; others hand it what they have through
// the channels.
type follower struct {
	a  *env.App
	c  *env.Rest
	o  Options
	cl *client.Client

	screen *Screen
	story  *transcriptPrinter // nil if nothing is to be told
	course *client.Work
	said   clew.ClientMessageID // the message's, "" to look on
	state  client.Replica
	json   *recordPrinter // what is printed for programs, nil if nothing is
	move   clew.MessageID

	envelopes chan wire.Envelope
	ended     chan error // of the connection
	sent      chan sentCommand
	learned   chan serverInfo
	states    latest
	keys      chan []byte
	running   sync.WaitGroup

	skew     time.Duration // how far the server's clock is ahead
	lost     time.Time     // since when the server is gone; zero if it is there
	shown    map[clew.RequestID]bool
	answered map[clew.RequestID]bool // by us, and on its way at least
	refused  map[clew.RequestID]bool // --yes is no answer to these
	asking   *Ask
	pause    stayPaused
	taken    bool        // the question that the person had before them was settled elsewhere
	me       clew.UserID // who we are, "" as long as it is not known
	board    *keyboard
	line     lineEditor
	aside    chan os.Signal // the person puts us aside
	away     bool           // the terminal was given back, to be read again
	heeds    bool           // what is typed while the agent works is read
	doing    string         // what the status line has
	since    time.Time
	began    time.Time
}

// A sentCommand is what became of a command.
type sentCommand struct {
	about clew.RequestID // "" for the message
	err   error
	told  string // words for an agent at work

	called, stands string // a slash command that was typed, and what it stands for
}

// Followed is what a command prints for programs at the end.
type Followed struct {
	Type      string           `json:"type"` // result
	SessionID clew.SessionID   `json:"session_id"`
	TaskID    clew.TaskID      `json:"task_id,omitempty"`
	Outcome   outcome          `json:"-"`
	Status    string           `json:"status"`
	Message   string           `json:"message,omitempty"`
	ExitCode  int              `json:"exit_code"`
	Answer    string           `json:"answer"`
	Output    json.RawMessage  `json:"output,omitempty"` // the answer as JSON, with --output-schema
	Usage     clew.Usage       `json:"usage"`
	Questions []clew.RequestID `json:"questions,omitempty"`
	Reports   []string         `json:"report_paths,omitempty"` // of a plan, on the server

	Said   bool          `json:"-"` // something was said here
	Lasted time.Duration `json:"-"`
}

// Failed is the same with an answer that is of no use.
func (r Followed) Failed(why string) Followed {
	r.Outcome = outcome{EndedFailed, why}
	r.Status, r.Message, r.ExitCode = r.Outcome.Status, r.Outcome.Message, r.Outcome.code()
	return r
}

// Follow follows a session and says how that ended.
func Follow(ctx context.Context, a *env.App, c *env.Rest, o Options) (Followed, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &follower{
		a: a, c: c, o: o,
		envelopes: make(chan wire.Envelope), ended: make(chan error, 1), sent: make(chan sentCommand),
		learned: make(chan serverInfo), states: latest{news: make(chan struct{}, 1)}, keys: make(chan []byte),
		aside: make(chan os.Signal, 1),
		shown: map[clew.RequestID]bool{}, answered: map[clew.RequestID]bool{}, refused: map[clew.RequestID]bool{},
		since: time.Now(), began: time.Now(),
	}
	said := clew.ClientMessageID("")
	if o.Say != nil {
		said = clew.ClientMessageID(clew.NewClientID())
	}
	f.said, f.course = said, client.NewWork(said, &f.state)
	f.screen = NewScreen(a, StoryWriter(a, o.Quiet))
	if !a.JSON && !o.Quiet {
		f.story = newStory(f.screen, o.Verbose, said)
		f.story.look = func(m *clew.Message) callDetails { return detailsOf(ctx, c, o.Session, m) }
		f.story.keep = o.UntilDone && f.screen.w == a.Err // the answer goes to stdout by itself
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT) // none may leave the terminal by key
	if o.StopOnExit {
		signal.Notify(signals, syscall.SIGHUP, syscall.SIGPIPE) // which would end us at once
	}
	defer signal.Stop(signals)
	if err := f.dial(ctx, said); err != nil {
		return Followed{}, err
	}
	defer f.running.Wait()
	defer f.cl.Close()
	defer cancel()
	defer f.stopListening()
	defer signal.Stop(f.aside)
	how, err := f.loop(ctx, signals)
	if err == nil && how.Status == EndedLeft && o.StopOnExit {
		how = f.interrupt(ctx)
	}
	if err == nil && how.Status != EndedLost {
		err = f.json.upTo(ctx, f.state.Cursor)
	}
	f.stopAsking()
	f.stopListening()
	r := f.result(how)
	if f.story != nil {
		f.story.close(r.Status == EndedDone && err == nil, r.Answer)
	}
	f.screen.end()
	if err == nil {
		err = f.screen.Err
	}
	return r, err
}

// StoryWriter is where the story goes: to stdout if a person sees it there,
// otherwise out of the way of the answer.
func StoryWriter(a *env.App, quiet bool) io.Writer {
	if f, ok := a.Out.(*os.File); ok && !quiet && !a.JSON && env.IsTerminal(f) {
		return a.Out
	}
	return a.Err
}

// dial connects, and starts the goroutines that feed the loop.
func (f *follower) dial(ctx context.Context, said clew.ClientMessageID) error {
	first := said != ""
	if f.a.JSON {
		var err error
		if f.json, err = record(ctx, f.c, f.o.Session, f.a.Out, &f.running); err != nil {
			return err
		}
	}
	o := f.c.Dialing(f.o.Session)
	o.View, o.Retry, o.OnState = clew.ViewState, Patient, func(s client.State, _ error) { f.states.set(s) }
	o.NewID = func() clew.ClientMessageID { // the message is the first command
		if first {
			first = false
			return said
		}
		return clew.ClientMessageID(clew.NewClientID())
	}
	cl, err := client.Dial(ctx, o)
	if err != nil {
		return err
	}
	f.cl = cl
	f.running.Go(func() {
		for env, err := range cl.Follow(ctx) {
			if err != nil {
				f.ended <- err
				return
			}
			select {
			case f.envelopes <- env:
			case <-ctx.Done():
				return
			}
		}
		f.ended <- nil
	})
	f.running.Go(func() { f.learn(ctx, whoami(ctx, f.c)) })
	return nil
}

// do carries a command out beside the loop. The client says it again after a
// break, under the same id.
func (f *follower) do(ctx context.Context, about clew.RequestID, typ clew.CommandType, data any) {
	f.running.Go(func() { f.carry(ctx, about, typ, data) })
}

// carry sends a command and hands what became of it to the loop.
func (f *follower) carry(ctx context.Context, about clew.RequestID, typ clew.CommandType, data any) {
	_, err := f.cl.Do(ctx, typ, data)
	select {
	case f.sent <- sentCommand{about: about, err: err}:
	case <-ctx.Done():
	}
}

func (f *follower) loop(ctx context.Context, signals <-chan os.Signal) (outcome, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var end *outcome
		select {
		case env := <-f.envelopes:
			end = f.hear(ctx, env)
		case err := <-f.ended:
			return f.cut(err)
		case s := <-f.sent:
			if err := f.heardBack(ctx, s); err != nil {
				return outcome{}, err
			}
		case l := <-f.learned:
			f.know(l)
		case <-f.states.news:
			f.connection(f.states.get())
		case b := <-f.keys:
			end = f.typed(ctx, b)
		case <-tick.C:
			end = f.ticked()
		case <-f.aside:
			f.putAside()
		case <-signals:
			end = &outcome{Status: EndedLeft}
		case <-ctx.Done():
			end = &outcome{Status: EndedLeft}
		}
		if end == nil {
			end = f.handleQuestion(ctx)
		}
		if end == nil {
			end = f.paused()
		}
		if end != nil {
			return *end, nil
		}
		f.readTyped()
		f.draw()
	}
}

// cut is the end of the connection for good.
func (f *follower) cut(err error) (outcome, error) {
	if err == nil {
		return outcome{EndedLost, "the server ended the connection"}, nil
	}
	return outcome{}, err
}

// hear takes an envelope in.
func (f *follower) hear(ctx context.Context, frame wire.Envelope) *outcome {
	f.screen.measure()
	first := !f.state.Known()
	ev, err := f.state.Take(frame)
	if err != nil {
		return &outcome{EndedFailed, err.Error()}
	}
	switch d := ev.Data.(type) {
	case *clew.StateChangedData:
		if at, err := time.Parse(time.RFC3339, frame.Timestamp); err == nil && d.From == "" {
			f.skew = time.Until(at)
		}
		return f.changed(ctx, d, first)
	case *clew.TextData:
		if f.story != nil && d.Field == "" {
			f.story.grow(d.MessageID, d.Offset, d.Delta)
		}
	}
	return nil
}

// changed looks at what a change brought. first is the state as it was when we
// came.
func (f *follower) changed(ctx context.Context, d *clew.StateChangedData, first bool) *outcome {
	f.pause.came = (f.pause.came || first) && f.state.Status.Status == clew.StatusPaused
	if first && f.o.Say != nil { // from here on each change comes; before, the state might hold ours already
		f.speak(ctx)
	}
	if f.story != nil && first && f.o.Past {
		f.story.past(f.state.Messages, f.c.Line("show", string(f.o.Session)))
	}
	if f.story != nil {
		f.story.take(&f.state, d, first)
	}
	f.moved(first)
	for i := range d.Put.Settled {
		if !first {
			f.resolved(&d.Put.Settled[i])
		}
	}
	f.working(d.Put.Message)
	end := outcomeOf(f.course.Take(d))
	if end == nil && f.o.Say == nil && atRest(&f.state) { // a task may have begun and ended within one change
		end = outcomeOf(f.course.Last())
	}
	if !f.o.UntilDone {
		return nil
	}
	return end
}

// atRest reports that nothing is under way and nobody is asked.
func atRest(s *client.Replica) bool {
	if len(s.Questions) > 0 || len(s.Queue) > 0 {
		return false
	}
	for _, m := range s.Monitors {
		if m.Busy {
			return false
		}
	}
	switch s.Status.Status {
	case clew.StatusPlanning, clew.StatusExecuting, clew.StatusAwaitingInput, clew.StatusPaused:
		return false
	}
	return true
}

// heardBack deals with what became of a command.
func (f *follower) heardBack(ctx context.Context, s sentCommand) error {
	if s.called != "" {
		f.called(ctx, s)
		return nil
	}
	if s.told != "" {
		f.told(s.told, s.err)
		return nil
	}
	if s.err == nil {
		return nil
	}
	if s.about == "" {
		return s.err
	}
	delete(f.answered, s.about)
	f.refused[s.about] = true
	if clew.CodeOf(s.err) == clew.HitlRequestExpired {
		f.answered[s.about] = true // somebody was faster; the record says who
		return nil
	}
	f.note(Bad, "✕ The answer was not taken: %s", env.ErrorText(s.err))
	if !f.asks() {
		return s.err
	}
	return nil
}

// note tells something that is not part of the session.
func (f *follower) note(i ink, format string, args ...any) {
	if f.story != nil {
		f.story.note(i, format, args...)
		return
	}
	if !f.a.JSON {
		f.screen.Line(i, format, args...)
	}
}

func (f *follower) result(how outcome) Followed {
	r := Followed{
		Type: "result", SessionID: f.o.Session, TaskID: f.course.Task(), Outcome: how, Status: how.Status, Message: how.Message,
		ExitCode: how.code(), Answer: f.course.Answer(), Usage: f.course.Usage(), Reports: f.course.Reports(), Lasted: time.Since(f.began), Said: f.o.Say != nil,
	}
	for _, q := range f.course.Questions() {
		r.Questions = append(r.Questions, q.RequestID())
	}
	return r
}
