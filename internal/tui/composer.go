package tui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/picture"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A composer is where a person writes, and what became of what they sent.
type composer struct {
	editor
	mode    clew.MessageMode
	sending []pendingMessage
	mine    map[clew.ClientMessageID]bool // all that was sent from here
	history int                           // how far back in what was said; 0 is what is being written
	aside   string
	again   string // what was taken back and may be said differently
	calling bool   // a command of the project is being looked up

	known []clew.RequestID // the questions that were open when it was drawn last

	draft   draft  // as the server has it
	kept    string // the text that was sent to be kept
	keeping bool
}

// A pendingMessage is on its way.
type pendingMessage struct {
	id   clew.ClientMessageID
	text string
}

// arrived takes a message off that stands in the transcript now.
func (c *composer) arrived(id clew.ClientMessageID) {
	for i, o := range c.sending {
		if o.id == id {
			c.sending = append(c.sending[:i:i], c.sending[i+1:]...)
			return
		}
	}
}

// clear takes away what was written.
func (c *composer) clear() {
	c.Set("")
	c.history = 0
}

// wasDrawn takes down which questions were open when the composer was on the
// screen: what is said there answers no other one.
func (c *composer) wasDrawn(open []clew.Question) {
	c.known = nil
	for _, q := range open {
		c.known = append(c.known, q.RequestID())
	}
}

// say sends what was written.
func (m *model) say(arrival clew.Arrival) tea.Cmd {
	if m.write.Empty() {
		return nil
	}
	if m.state.Connection.Role == clew.RoleViewer || m.state.Connection.Role == clew.RoleApprover {
		m.tell(paint.Ask, "only the session's owner may say something")
		return nil
	}
	m.attachTyped()
	if cmd, is := m.slashed(arrival); is {
		return cmd
	}
	if cmd, is := m.noWords(); is {
		return cmd
	}
	data := clew.UserMessageData{Text: strings.TrimRight(m.write.String(), "\n "), Mode: m.write.mode, MayAnswer: m.mayAnswer()}
	m.write.clear()
	return m.post(data, arrival)
}

// mayAnswer are the questions that words may answer: those that were on the screen.
func (m *model) mayAnswer() []clew.RequestID { return append([]clew.RequestID{}, m.write.known...) }

// post sends a message.
func (m *model) post(data clew.UserMessageData, arrival clew.Arrival) tea.Cmd {
	data.Images, data.MonitorID = m.imagesIn(data.Text), m.o.Monitor
	if len(data.Images) > picture.Most {
		m.tell(paint.Fail, fmt.Sprintf("not sent: a message has at most %d images", picture.Most))
		m.write.Set(data.Text)
		return nil
	}
	out := pendingMessage{clew.ClientMessageID(newID()), data.Text}
	m.write.sending = append(m.write.sending, out)
	if m.write.mine == nil {
		m.write.mine = map[clew.ClientMessageID]bool{}
	}
	m.write.mine[out.id] = true
	m.sight.follow = true
	if m.working() {
		data.Delivery = arrival
	}
	m.write.mode = ""
	session, api := m.link.session, m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		_, err := api.Command(ctx, session, out.id, clew.CommandUserMessage, data)
		return func(m *model) tea.Cmd { return m.said(out, err) }
	})
}

// said ends a sending. What did not arrive is there to be sent again.
func (m *model) said(out pendingMessage, err error) tea.Cmd {
	m.write.arrived(out.id)
	if err == nil {
		return m.dropDraft()
	}
	m.tell(paint.Fail, "not sent: "+clew.AsError(err).Message)
	text := out.text
	if !m.write.Empty() {
		text += "\n" + m.write.String()
	}
	m.write.Set(text)
	return nil
}

// recall brings back what was said before.
func (m *model) recall(by int) {
	said := m.feed.Said()
	to := m.write.history + by
	if to < 0 || to > len(said) {
		return
	}
	if m.write.history == 0 {
		m.write.aside = m.write.String()
	}
	m.write.history = to
	if to == 0 {
		m.write.Set(m.write.aside)
		return
	}
	m.write.Set(said[len(said)-to].Text)
}

// sayAgain brings back words that were taken back, to be said differently.
func (m *model) sayAgain(words string) {
	if m.write.Empty() && words != "" {
		m.write.clear()
		m.write.Set(words)
		m.write.again = words
	}
}

// dropAgain takes such words away, if nobody changed them: they were said after
// all.
func (c *composer) dropAgain() {
	if c.again != "" && c.String() == c.again {
		c.clear()
	}
	c.again = ""
}

// A draft is what a person is about to say, as the server keeps it.
type draft struct {
	Text     string `json:"text"`
	Revision uint64 `json:"revision"`
}

func sessionPath(id clew.SessionID, more ...string) string {
	path := "/sessions/" + url.PathEscape(string(id))
	for _, s := range more {
		path += "/" + url.PathEscape(s)
	}
	return path
}

// loadDraft brings back what was written here before, or on another device.
func (m *model) loadDraft() tea.Cmd {
	path, api := sessionPath(m.link.session, "draft"), m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		var d draft
		if api.Call(ctx, http.MethodGet, path, nil, nil, &d) != nil {
			return nil // who may not write has none
		}
		return func(m *model) tea.Cmd {
			m.write.draft = d
			if m.write.Empty() && d.Text != "" {
				m.write.Set(d.Text)
				m.write.kept = d.Text
			}
			return nil
		}
	})
}

// keepDraft hands what was written to the server, once it rests.
func (m *model) keepDraft() tea.Cmd {
	text := m.write.String()
	if m.write.keeping || m.write.history > 0 {
		return nil
	}
	if m.write.Empty() {
		return m.dropDraft()
	}
	if text == m.write.kept {
		return nil
	}
	m.write.keeping, m.write.kept = true, text
	path, api, revision := sessionPath(m.link.session, "draft"), m.api, m.write.draft.Revision
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		in := map[string]any{"text": text, "revision": revision}
		var d draft
		err := api.Call(ctx, http.MethodPut, path, nil, in, &d)
		if err != nil { // another device was faster, or the line is broken
			_ = api.Call(ctx, http.MethodGet, path, nil, nil, &d)
		}
		return func(m *model) tea.Cmd {
			m.write.keeping = false
			m.write.draft = d
			return nil
		}
	})
}

// keepLastDraft hands over what was written right before the person left.
func (m *model) keepLastDraft() {
	text := m.write.String()
	if m.write.Empty() || text == m.write.kept || m.write.history > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.ctx), 3*time.Second)
	defer cancel()
	path := sessionPath(m.link.session, "draft")
	var d draft
	if m.api.Call(ctx, http.MethodGet, path, nil, nil, &d) == nil {
		_ = m.api.Call(ctx, http.MethodPut, path, nil, map[string]any{"text": text, "revision": d.Revision}, &d) // one who leaves is not held up
	}
}

func (m *model) dropDraft() tea.Cmd {
	revision := m.write.draft.Revision
	m.write.kept, m.write.draft = "", draft{}
	if revision == 0 {
		return nil
	}
	path, api := sessionPath(m.link.session, "draft"), m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		_ = api.Call(ctx, http.MethodDelete, path, url.Values{"revision": {utoa(revision)}}, nil, nil) // a newer one stays
		return nil
	})
}
