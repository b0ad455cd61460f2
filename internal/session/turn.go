package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// An Agent works on turns. The session starts it in a goroutine of its own and
// ends it through ctx; everything it brings about goes through the Desk.
type Agent interface {
	Work(ctx context.Context, turn Turn, prompt clew.Message, desk *Desk) error
}

// turn is an agent at work.
type turn struct {
	id     clew.MessageID
	cancel context.CancelFunc
}

// startTurn starts the agent if the records say that a turn is under way and
// nobody is working on it: after a user's message, or after a restart.
func (s *Session) startTurn() {
	want := s.state.Turn
	if s.turn != nil && (want == nil || want.ID != s.turn.id) {
		s.stopTurn()
	}
	if want == nil || s.turn != nil || s.host.cfg.Agent == nil {
		return
	}
	prompt := s.state.Message(want.ID)
	if prompt == nil {
		prompt = &clew.Message{MessageID: want.ID}
	}
	ctx, cancel := context.WithCancel(context.Background())
	t := &turn{id: want.ID, cancel: cancel}
	desk := &Desk{s: s, turn: *want, ctx: ctx}
	if reply := s.state.Message(want.Reply); reply != nil {
		desk.reply = *reply
	}
	s.turn = t
	work, message := *want, *prompt
	s.host.loops.Go(func() { s.work(ctx, work, message, desk) }) // Close waits for it
}

// work runs the agent. A turn never stays open behind an agent that left.
func (s *Session) work(ctx context.Context, work Turn, prompt clew.Message, desk *Desk) {
	err := s.workSafely(ctx, work, prompt, desk)
	if err == nil && !desk.ended {
		err = clew.Errorf(clew.ExecutionFailed, "the agent left its turn unfinished")
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	s.host.cfg.Log.Warn("turn failed", "session", s.id, "turn", work.ID, "err", err)
	desk.fail(err)
}

// workSafely makes an error of an agent's panic: it ends its turn, not the
// process.
func (s *Session) workSafely(ctx context.Context, work Turn, prompt clew.Message, desk *Desk) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.host.cfg.Log.Error("agent panicked", "session", s.id, "turn", work.ID, "panic", p, "stack", string(debug.Stack()))
			err = clew.WrapError(clew.ExecutionFailed, fmt.Errorf("panic: %v", p), "the agent failed")
		}
	}()
	return s.host.cfg.Agent.Work(ctx, work, prompt, desk)
}

// stopTurn ends the agent at work. It does not wait: the agent may be waiting
// for this very goroutine; what it still reports is refused, as its turn is over.
func (s *Session) stopTurn() {
	if s.turn != nil {
		s.turn.cancel()
		s.turn = nil
	}
}

// A Desk is what an agent has in front of it during a turn: it records events
// and streams text. It belongs to one turn and one goroutine.
type Desk struct {
	s     *Session
	turn  Turn
	ctx   context.Context
	reply clew.Message // the message being written
	// text builds reply.Text, which shares its memory: appending to a string
	// would copy an answer once for each of its pieces.
	text  strings.Builder
	saved time.Time // when the text was last journaled
	cut   string    // the first bytes of a character whose rest is to come
	ended bool      // End or fail was recorded
}

// snapshotEvery is how often growing text is journaled, so that a crash loses
// no more of it.
const snapshotEvery = time.Second

// Record appends events to the journal.
func (d *Desk) Record(events func(b Batch) []clew.Event) (Receipt, error) {
	return d.s.do(d.ctx, clew.Command{
		By:   clew.Principal{User: clew.UserID(d.turn.AgentID)},
		Data: &report{turn: d.turn.ID, events: events},
	})
}

// Begin makes the reply, unless an earlier attempt at this turn did.
func (d *Desk) Begin() error {
	d.saved = time.Now()
	if d.reply.MessageID != "" {
		d.reply.Text = ""
		d.text.Reset()
	} else {
		var reply clew.Message // set in the session's goroutine, which may outlast the wait
		_, err := d.Record(func(b Batch) []clew.Event {
			reply = newReply(b.ID(0), b.TS(0), &d.turn)
			return []clew.Event{{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: reply}}}
		})
		if err != nil {
			return err
		}
		d.reply = reply
	}
	m := d.reply
	return d.s.look(d.ctx, func(s *Session) { s.openText(m) })
}

// Write streams a piece of the reply to whoever is watching. A piece may end
// within a character: its first bytes wait for the rest.
func (d *Desk) Write(delta string) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	delta, d.cut = wholeRunes(d.cut + delta)
	if delta == "" {
		return nil
	}
	if limit := d.s.host.maxText(); len(d.reply.Text)+len(delta) > limit {
		return clew.Errorf(clew.MessageTooLarge, "the answer has more than %d bytes", limit)
	}
	offset := len(d.reply.Text)
	d.text.WriteString(delta)
	d.reply.Text = d.text.String()
	d.s.stream(d.reply, offset, delta)
	if time.Since(d.saved) < snapshotEvery {
		return nil
	}
	d.saved = time.Now()
	return d.update()
}

// wholeRunes splits off the beginning of a character at the end of text. What
// can be no character at all is replaced, so that offsets count what clients
// get.
func wholeRunes(text string) (whole, rest string) {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				text, rest = text[:len(text)-n], tail
			}
			break
		}
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError)), rest
}

// maxText bounds a message's text so that its record fits the journal however
// its characters are escaped.
func (h *Host) maxText() int { return (h.cfg.MaxRecord - 2*recordOverhead) / 6 }

// End closes the reply, and with it the turn.
func (d *Desk) End() error {
	d.reply.Partial = false
	err := d.update()
	d.ended = err == nil
	return err
}

// fail ends a turn that cannot go on: the error and the reply as it stands go
// on record.
func (d *Desk) fail(err error) {
	if d.reply.MessageID == "" {
		if err := d.Begin(); err != nil {
			return
		}
	}
	d.reply.Partial = false
	m := d.reply
	_, _ = d.Record(func(Batch) []clew.Event { // refused only if the turn is over
		return []clew.Event{
			{Type: clew.EventError, Data: clew.NewErrorData(err, clew.ErrorContext{AgentID: d.turn.AgentID})},
			{Type: clew.EventMessageUpdated, Data: &clew.MessageUpdatedData{Message: m}},
		}
	})
}

func (d *Desk) update() error {
	m := d.reply
	_, err := d.Record(func(Batch) []clew.Event {
		return []clew.Event{{Type: clew.EventMessageUpdated, Data: &clew.MessageUpdatedData{Message: m}}}
	})
	return err
}

// openText notes a message that begins to grow. It runs in the session's
// goroutine: a message that was closed meanwhile stays closed.
func (s *Session) openText(m clew.Message) {
	if now := s.state.Message(m.MessageID); now == nil || !now.Partial {
		return
	}
	s.openMu.Lock()
	defer s.openMu.Unlock()
	if s.open == nil {
		s.open = map[clew.MessageID]*clew.OpenMessage{}
	}
	s.open[m.MessageID] = &clew.OpenMessage{
		MessageID: m.MessageID, ReplyTo: m.ReplyTo, AgentID: m.AgentID, MonitorID: m.MonitorID, Text: m.Text,
	}
}

// stream sends a piece of text on. The text and the feed move together, so that
// whoever joins gets a text that the next piece fits.
func (s *Session) stream(m clew.Message, offset int, delta string) {
	data, err := clew.MarshalData(clew.AgentResponseData{
		MessageID: m.MessageID, ReplyTo: m.ReplyTo, AgentID: m.AgentID, MonitorID: m.MonitorID, Offset: offset, Delta: delta,
	})
	if err != nil {
		return
	}
	env := transient(s.id, clew.EventAgentResponse, s.host.cfg.Now(), data)
	s.openMu.Lock()
	defer s.openMu.Unlock()
	o := s.open[m.MessageID]
	if o == nil { // closed meanwhile
		return
	}
	o.Text = m.Text
	s.feed.Stream(clew.EventAgentResponse, env)
	s.host.publishTransient(s.id, clew.EventAgentResponse, env)
}

// transient writes an envelope that is not journaled and so has no message_id.
func transient(id clew.SessionID, typ clew.EventType, now int64, data []byte) []byte {
	b := make([]byte, 0, 128+len(data))
	b = append(b, `{"type":"`...)
	b = append(b, typ...)
	b = append(b, `","session_id":"`...)
	b = append(b, id...)
	b = append(b, `","timestamp":"`...)
	b = clew.AppendTimestamp(b, now)
	b = append(b, `","data":`...)
	b = append(b, data...)
	return append(b, '}')
}

// closeOpen forgets the text of messages that no longer grow.
func (s *Session) closeOpen() {
	s.openMu.Lock()
	defer s.openMu.Unlock()
	if len(s.open) == 0 {
		return
	}
	for id := range s.open {
		if m := s.state.Message(id); m == nil || !m.Partial {
			delete(s.open, id)
		}
	}
}

// streamed gives the text of the turn's reply as far as clients have it, which
// may be more than is on record.
func (s *Session) streamed() string {
	if s.state.Turn == nil {
		return ""
	}
	s.openMu.Lock()
	defer s.openMu.Unlock()
	if o := s.open[s.state.Turn.Reply]; o != nil {
		return o.Text
	}
	return ""
}

// openMessages copies the text of growing messages.
func (s *Session) openMessages() clew.List[clew.OpenMessage] {
	s.openMu.Lock()
	defer s.openMu.Unlock()
	var list clew.List[clew.OpenMessage]
	for _, o := range s.open {
		list = append(list, *o)
	}
	return list
}
