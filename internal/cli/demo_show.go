package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// A demoShow plays the person of the story on the desktop. It is a client like any
// other: it waits until it sees something happen, and goes on from there. One
// goroutine plays, another one follows the session; they share what is under mu.
type demoShow struct {
	a      *env.App
	d      env.DemoInfo
	model  *env.DemoModel
	server *demoServer
	fast   bool

	client *client.Client
	api    *client.API

	mu      sync.Mutex
	state   client.Replica
	changed chan struct{} // closed and replaced with each change
}

// welcome says where to look.
func (s *demoShow) welcome(ctx context.Context, open bool) {
	look := demoLine(s.d, "open", "--desktop", string(s.d.Session))
	if s.a.JSON {
		_ = json.NewEncoder(s.a.Err).Encode(s.d)
	} else {
		end := "Ctrl-C. This removes the directory; use --data DIR to keep it."
		if s.d.Kept {
			end = "Ctrl-C. Start it again with the same --data, and it continues."
		}
		_, _ = fmt.Fprintf(s.a.Err, `
Several scripted agents get a small shop ready for Saturday. It needs no key and
no network, and plays by itself. Watch it on the desktop page:

  Look   %s
  Read   %s
  List   %s
           prints the windows as text
  Stop   %s

`, look, showLine(s.d), demoLine(s.d, "show", string(s.d.Session), "--windows"), end)
	}
	if !open {
		return
	}
	c, err := s.a.Connect(env.Remote{Server: s.d.URL, Data: s.d.Data, Quiet: true})
	if err != nil {
		return
	}
	if p, err := page(ctx, c, string(s.d.Session), "desktop"); err == nil {
		showOwn(s.a, p.URL, look+" --no-open")
	}
}

// tell says what happened, under a name that programs go by.
func (s *demoShow) tell(scene, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.a.JSON {
		_ = json.NewEncoder(s.a.Err).Encode(map[string]string{"scene": scene, "text": text})
		return
	}
	_, _ = io.WriteString(s.a.Err, told("%s", text))
}

// connect follows the session until ctx ends. The connection comes back by itself
// when the server does.
func (s *demoShow) connect(ctx context.Context) error {
	token, err := os.ReadFile(s.d.TokenFile)
	if err != nil {
		return err
	}
	s.changed = make(chan struct{})
	s.api = client.NewAPI(s.d.URL, strings.TrimSpace(string(token)))
	s.client, err = client.Dial(ctx, client.Options{
		URL: s.d.URL, Session: s.d.Session, Token: strings.TrimSpace(string(token)), View: clew.ViewState,
		Retry: client.Retry{MaxRetries: 10_000, InitialDelay: 100 * time.Millisecond, MaxDelay: time.Second, Multiplier: 2},
	})
	return err
}

func (s *demoShow) follow(ctx context.Context) {
	for frame, err := range s.client.Follow(ctx) {
		if err != nil {
			return
		}
		s.mu.Lock()
		_, _ = s.state.Take(frame) // what does not fit is followed by a whole state
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
	}
}

// await waits until the session is as it should be. If the server ends meanwhile, it
// is started again.
func (s *demoShow) await(ctx context.Context, fits func(*client.Replica) bool) error {
	for {
		s.mu.Lock()
		done, changed := s.state.Known() && fits(&s.state), s.changed
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-s.server.ended:
			if err := s.comeBack(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// comeBack starts the server again after somebody else ended it.
func (s *demoShow) comeBack(ctx context.Context) error {
	s.tell("restarted", "The server has ended. It starts again, and everything continues.")
	return s.server.start(ctx)
}

// look gives a person time to see something.
func (s *demoShow) look(ctx context.Context, d time.Duration) error {
	if s.fast {
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	err := s.await(ctx, func(*client.Replica) bool { return false })
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// say sends a message to the agent of a monitor, unless that was done before.
func (s *demoShow) say(ctx context.Context, monitor clew.MonitorID, text string) error {
	if s.has(wasSaid(text)) {
		return nil
	}
	return s.do(ctx, clew.CommandUserMessage, clew.UserMessageData{Text: text, MonitorID: monitor})
}

// do gives a command and waits until the state shows it.
func (s *demoShow) do(ctx context.Context, typ clew.CommandType, data any) error {
	r, err := s.api.Command(ctx, s.d.Session, "", typ, data)
	if err != nil || len(r.Records) == 0 {
		return err
	}
	last := slices.Max(r.Records)
	return s.await(ctx, func(st *client.Replica) bool { return st.Cursor >= last })
}

func (s *demoShow) has(fits func(*client.Replica) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fits(&s.state)
}

// windows reads them from the server, so that what is told of them is true.
func (s *demoShow) windows(ctx context.Context) (list []clew.WindowState, err error) {
	w, err := s.api.Windows(ctx, s.d.Session)
	return w.Windows, err
}

func wasSaid(text string) func(*client.Replica) bool {
	return func(st *client.Replica) bool {
		return slices.ContainsFunc(st.Messages, func(m clew.Message) bool { return m.Role == clew.SpeakerUser && m.Text == text })
	}
}

func wasOrdered(st *client.Replica) bool {
	return slices.ContainsFunc(st.Messages, func(m clew.Message) bool { return m.Component != nil && m.Component.Action == "order" })
}

// mainFree reports that the main agent of a monitor has nothing to do.
func mainFree(monitor clew.MonitorID) func(*client.Replica) bool {
	return func(st *client.Replica) bool {
		i := slices.IndexFunc(st.Monitors, func(m clew.MonitorState) bool { return m.MonitorID == monitor })
		return i >= 0 && !st.Monitors[i].Busy && st.Monitors[i].Queued == 0
	}
}

// allQuiet reports that nobody works and nothing waits.
func allQuiet(st *client.Replica) bool { return len(st.Agents) == 0 && len(st.Queue) == 0 }

func openWindow(st *client.Replica, id string) *clew.WindowState {
	i := slices.IndexFunc(st.Windows, func(w clew.WindowState) bool { return w.WindowID == id })
	if i < 0 {
		return nil
	}
	return &st.Windows[i]
}
