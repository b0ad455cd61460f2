package tui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/tui/feed"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A focus is where keys go.
type focus uint8

const (
	writing   focus = iota // the composer
	reading                // the transcript
	answering              // the question in the dock
	planning               // the plan
)

// A model is all that is on the screen. It belongs to the program's goroutine.
type model struct {
	ctx  context.Context
	o    Options
	api  *client.API
	send func(tea.Msg)

	w, h  int
	theme paint.Theme
	clock func() time.Time
	now   time.Time // of the last tick or batch

	// The connection, and how it stands.
	link    *link
	closing sync.WaitGroup // links that are being closed, and what else runs beside
	conn    client.State
	connWhy error
	since   time.Time // conn is so since then
	skewMS  int64     // what the server's clock is ahead of ours

	// The session.
	state client.Replica
	feed  *feed.Feed
	busy  bool // an agent is at work
	// workSince is when it began, by the server's clock.
	workSince int64
	ended     string // why nothing will come any more
	opened    bool   // some session was shown
	refused   error  // why none was

	focus   focus
	sight   viewport
	sought  clew.MessageID // a message that is to be brought onto the screen
	write   composer
	ask     asking
	plan    planPanel
	prompt  *prompt
	palette *palette
	files   mentioning
	images  []attachedImage // of this machine, for messages of any session
	overlay overlay
	others  otherSessions
	drafts  map[clew.SessionID]string // what was about to be said elsewhere

	note      string // the last word on what the person did
	noteInk   paint.Ink
	noteUntil time.Time
	leaving   time.Time // ctrl+c was pressed then
	stopping  time.Time // esc was pressed then, while an agent works
	loading   bool      // older messages are on their way
}

// reset forgets the session that was shown.
func (m *model) reset() {
	m.state, m.feed = client.Replica{}, feed.New()
	m.feed.Monitor = m.o.Monitor
	m.busy, m.ended, m.sought = false, "", ""
	m.focus, m.sight, m.write, m.ask, m.plan = writing, viewport{follow: true}, composer{}, asking{}, planPanel{}
	m.prompt, m.palette, m.files, m.overlay, m.loading = nil, nil, mentioning{}, nil, false
}

// show makes a link the one on the screen, and lets it speak.
func (m *model) show(l *link) {
	m.link, m.conn, m.since = l, client.Connecting, m.now
	l.start(m.ctx)
}

// closeAll ends all connections and waits for them.
func (m *model) closeAll() {
	m.link.close()
	if m.others.stop != nil {
		m.others.stop()
	}
	m.closing.Wait()
}

// Init asks the terminal for its background. It need not answer.
func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{tick(), m.loadDraft()}
	if m.o.Theme == "" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

type ticked time.Time

func tick() tea.Cmd {
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return ticked(t) })
}

// Update takes a message in.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		m.theme.Depth = depthOf(msg.Profile)
	case tea.BackgroundColorMsg:
		if m.o.Theme == "" {
			m.theme.Light = !msg.IsDark()
		}
	case ticked:
		m.now = time.Time(msg)
		return m, tea.Batch(tick(), m.keepDraft())
	case batch:
		return m, m.receive(msg)
	case client.InboxChange:
		m.others.take(msg)
	case tea.PasteMsg:
		return m, m.paste(msg.Content)
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case done:
		return m, msg.after(m)
	}
	return m, nil
}

func depthOf(p colorprofile.Profile) paint.Depth {
	switch p {
	case colorprofile.TrueColor:
		return paint.Full
	case colorprofile.ANSI256:
		return paint.Many
	case colorprofile.ANSI:
		return paint.Sixteen
	}
	return paint.Mono
}

// done is the end of something that ran beside the screen; after runs on the
// model's goroutine.
type done struct{ after func(*model) tea.Cmd }

// patience bounds what is asked of the server.
const patience = 30 * time.Second

// run does something beside the screen. What it returns is done on the model, if
// the session is still the one on the screen.
func (m *model) run(work func(ctx context.Context) func(*model) tea.Cmd) tea.Cmd {
	l, ctx := m.link, m.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		after := work(ctx)
		return done{func(m *model) tea.Cmd {
			if after == nil || m.link != l {
				return nil
			}
			return after(m)
		}}
	}
}

// noteFor is how long a short word stands. A key that has to be pressed twice counts
// as long as that is said.
const noteFor = 6 * time.Second

// tell shows a short word at the foot.
func (m *model) tell(ink paint.Ink, text string) {
	m.note, m.noteInk, m.noteUntil = text, ink, m.now.Add(noteFor)
}

// command sends a command. If it fails the person is told; otherwise then runs.
func (m *model) command(typ clew.CommandType, data any, then func(*model) tea.Cmd) tea.Cmd {
	session, api := m.link.session, m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		_, err := api.Command(ctx, session, "", typ, data)
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			if then != nil {
				return then(m)
			}
			return nil
		}
	})
}

func (m *model) fail(err error) { m.tell(paint.Fail, clew.AsError(err).Message) }
