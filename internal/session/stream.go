package session

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/decide"
)

// A Stream is a message that grows. Its pieces go to whoever is watching; at
// most once a second its text goes on record, also when no further piece comes:
// what was on screen for a second survives a crash. It belongs to one goroutine,
// which alone changes m; the timer of later reads it.
type Stream struct {
	d  *TurnContext
	mu sync.Mutex   // over changes of m, and over all below text
	m  clew.Message // as far as it is written
	// text builds the growing text, whose memory the message shares: appending
	// to a string would copy an answer once for each of its pieces.
	text strings.Builder
	cut  string // the first bytes of a character whose rest is to come

	saved   time.Duration // when the text was last journaled
	unsaved bool          // there is more since then
	later   *time.Timer   // journals it if the stream pauses, nil if none runs
	failed  error         // what became of the last journaling, for the next piece
	// saving tells when the journaling under way is done, nil if there is none.
	saving <-chan outcome
}

// snapshotEvery is how often growing text is journaled, so that a crash loses
// no more of it.
const snapshotEvery = time.Second

// Open makes a message that grows: what the agent says or thinks, or with a
// call's id what its tool puts out. The messages before, which end with it, go on
// record as they are now.
func (d *TurnContext) Open(say clew.Say, call string, before ...clew.Message) (*Stream, error) {
	r, err := d.Do(decide.OpenText{Turn: d.turn, Say: say, Call: call, Before: before})
	if err != nil {
		return nil, err
	}
	st := &Stream{d: d, m: r.Opened}
	return st, st.begin()
}

// Resume goes on with a message that an earlier attempt at the model call left
// open; nil if there is none. Its text starts anew. If the attempt had said
// something before it, all of that stays as it is: what the next attempt begins
// with does not belong into the later message.
func (d *TurnContext) Resume(v View) (*Stream, error) {
	var open, before *clew.Message
	err := d.s.read(d.ctx, func(s *Session) {
		for _, m := range s.state.Messages.Tail() {
			said := m.Role == clew.SpeakerAssistant && (m.Say == clew.SayText || m.Say == clew.SayReasoning)
			switch {
			case m.TaskID != v.Task.TaskID || m.MessageID < v.Task.Request || !said:
			case m.Partial:
				open = &m
			default:
				before = &m
			}
		}
	})
	if err != nil || open == nil {
		return nil, err
	}
	if before != nil {
		_, err := d.Do(decide.CloseTexts{})
		return nil, err
	}
	st := &Stream{d: d, m: *open}
	return st, st.Restart()
}

// Restart empties the message: another attempt writes it anew.
func (st *Stream) Restart() error {
	said := st.m.Text != "" || st.m.Reasoning != ""
	st.mu.Lock()
	st.m.Text, st.m.Reasoning = "", ""
	st.text.Reset()
	st.cut, st.unsaved = "", false
	st.mu.Unlock()
	if err := st.begin(); err != nil || !said { // first: what is sent with the record is the text as it is then
		return err
	}
	_, err := st.d.Do(decide.UpdateText{M: st.m})
	return err
}

func (st *Stream) begin() error {
	st.mu.Lock()
	st.saved = st.d.s.host.cfg.Clock.Elapsed()
	m := st.m
	st.mu.Unlock()
	return st.d.s.read(st.d.ctx, func(s *Session) { s.openText(m) })
}

// Say is what kind of message it is.
func (st *Stream) Say() clew.Say { return st.m.Say }

// MessageID names the message.
func (st *Stream) MessageID() clew.MessageID { return st.m.MessageID }

// Text is what was written so far.
func (st *Stream) Text() string { return st.m.Text + st.m.Reasoning }

// Write streams a piece of the message. A piece may end within a character: its
// first bytes wait for the rest.
func (st *Stream) Write(delta string) error {
	if err := st.d.ctx.Err(); err != nil {
		return err
	}
	delta, st.cut = wholeRunes(st.cut + delta)
	if delta == "" {
		return nil
	}
	if limit := st.d.s.host.maxText(); st.text.Len()+len(delta) > limit {
		return clew.Errorf(clew.MessageTooLarge, "the answer has more than %d bytes", limit)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	offset := st.text.Len()
	st.text.WriteString(delta)
	if st.m.Say == clew.SayReasoning {
		st.m.Reasoning = st.text.String()
	} else {
		st.m.Text = st.text.String()
	}
	st.d.s.stream(st.m, offset, delta)
	st.unsaved = true
	st.save()
	err := st.failed
	st.failed = nil
	return err
}

// save journals the text now and then. It does not wait until that is done: a
// slow disk holds no piece up. What is not journaled now is later. An error is
// that of the time before. The caller holds mu.
func (st *Stream) save() {
	if wait := snapshotEvery - (st.d.s.host.cfg.Clock.Elapsed() - st.saved); wait > 0 {
		st.saveIn(wait)
		return
	}
	if st.saving != nil {
		select {
		case out := <-st.saving:
			st.saving = nil
			if st.failed = out.err; out.err != nil {
				return
			}
		default: // the disk is slow
			st.saveIn(snapshotEvery)
			return
		}
	}
	saving, ok := st.d.s.post(st.d.ctx, st.d.report(decide.UpdateText{M: st.m}))
	if !ok { // the session is busy
		st.saveIn(snapshotEvery)
		return
	}
	st.saved, st.saving, st.unsaved = st.d.s.host.cfg.Clock.Elapsed(), saving, false
}

// saveIn journals what there is by then. A piece that comes before may do it. The
// caller holds mu.
func (st *Stream) saveIn(wait time.Duration) {
	if st.later != nil {
		return
	}
	st.later = time.AfterFunc(wait, func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.later = nil
		// Once it is closed, this would open it again.
		if st.unsaved && st.m.Partial && st.d.ctx.Err() == nil {
			st.save()
		}
	})
}

// Final closes the message as it stands; it has to go on record so.
func (st *Stream) Final() clew.Message {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.later != nil {
		st.later.Stop()
		st.later = nil
	}
	st.m.Partial = false
	return st.m
}

// FinalText is Final with another text, such as one that was cut to size.
func (st *Stream) FinalText(text, summary string) clew.Message {
	st.Final()
	st.m.Text, st.m.Summary = text, summary
	return st.m
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

// maxText bounds a message's text so that the batch which closes it fits the
// journal however its characters are escaped: the text is in it twice, for
// people and for the model.
func (h *Host) maxText() int { return (h.cfg.MaxRecord - 8*recordOverhead) / (2 * 6) }

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
		MessageID: m.MessageID, ReplyTo: m.ReplyTo, AgentID: m.AgentID, MonitorID: m.MonitorID, Text: m.Text, Reasoning: m.Reasoning,
	}
}

// stream sends a piece of text on. The text and the feed move together, so that
// whoever joins gets a text that the next piece fits.
func (s *Session) stream(m clew.Message, offset int, delta string) {
	typ, data, err := piece(m, offset, delta)
	if err != nil {
		return
	}
	env := transient(s.id, typ, s.host.now(), data)
	s.openMu.Lock()
	defer s.openMu.Unlock()
	o := s.open[m.MessageID]
	if o == nil { // closed meanwhile
		return
	}
	o.Text, o.Reasoning = m.Text, m.Reasoning
	s.feed.StreamText(typ, env, textOf(m, offset, delta), m.MonitorID)
	s.host.publishTransient(s.id, typ, env)
}

// textOf is a piece as the view `state` has it.
func textOf(m clew.Message, offset int, delta string) *clew.TextData {
	d := &clew.TextData{MessageID: m.MessageID, Offset: offset, Delta: delta}
	if m.Say == clew.SayReasoning {
		d.Field = clew.FieldReasoning
	}
	return d
}

func piece(m clew.Message, offset int, delta string) (clew.EventType, []byte, error) {
	if m.Say == clew.SayReasoning {
		data, err := clew.MarshalData(clew.AgentThinkingData{
			MessageID: m.MessageID, ReplyTo: m.ReplyTo, AgentID: m.AgentID, MonitorID: m.MonitorID, Offset: offset, Delta: delta,
		})
		return clew.EventAgentThinking, data, err
	}
	data, err := clew.MarshalData(clew.AgentResponseData{
		MessageID: m.MessageID, ReplyTo: m.ReplyTo, AgentID: m.AgentID, MonitorID: m.MonitorID, Offset: offset, Delta: delta,
	})
	return clew.EventAgentResponse, data, err
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

// streamed gives the text of growing messages as far as clients have it, which
// may be more than is on record.
func (s *Session) streamed() map[clew.MessageID]clew.OpenMessage {
	s.openMu.Lock()
	defer s.openMu.Unlock()
	if len(s.open) == 0 {
		return nil
	}
	texts := make(map[clew.MessageID]clew.OpenMessage, len(s.open))
	for id, o := range s.open {
		texts[id] = *o
	}
	return texts
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
