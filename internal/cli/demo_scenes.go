package cli

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
)

// What the person of the story says.
const (
	saySaturday = "Get the shop ready for Saturday. Show me what we have in stock, give me a form to order wine, and let somebody add up the sales meanwhile."
	sayNotice   = "Write a notice for the door: on Saturday we are open until 8."
	sayTalk     = "What else do we need before Saturday?"
	sayClose    = "Close all windows."
)

const secondMonitor clew.MonitorID = "monitor-1" // 2 on the pages

// A scene is a part of the story. A story that was interrupted goes on with the last
// scene that has begun, so each of them finds out what is done already.
type scene struct {
	begun func(*client.Replica) bool
	play  func(*demoShow, context.Context) error
	gate  string // what the model waits for until this scene is over
}

var scenes = []scene{
	{begun: wasSaid(saySaturday), play: (*demoShow).begin},
	{begun: wasSaid(sayNotice), play: (*demoShow).otherMonitor},
	{begun: wasSaid(sayTalk), play: (*demoShow).form, gate: "order"},
	{begun: func(st *client.Replica) bool { return openWindow(st, "sales") != nil }, play: (*demoShow).crash, gate: "sales"},
	{begun: wasSaid(sayClose), play: (*demoShow).goBack},
}

// play plays the story, and then keeps the server alive until ctx ends.
func (s *demoShow) play(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	following := make(chan struct{})
	go func() {
		defer close(following)
		s.follow(ctx)
	}()
	defer func() {
		s.client.Close()
		<-following
	}()
	if err := s.await(ctx, func(*client.Replica) bool { return true }); err != nil {
		return err
	}
	if err := s.scenes(ctx); err != nil {
		return err
	}
	s.tell("end", "That is the story. Look around as long as you like. To list the places to go back to, and to undo the rewind:")
	if !s.a.JSON {
		_, _ = s.a.Err.Write([]byte("   " + demoLine(s.d, "rewind", string(s.d.Session)) + "\n   " + demoLine(s.d, "undo", string(s.d.Session)) + "\n"))
	}
	return s.await(ctx, func(*client.Replica) bool { return false })
}

func (s *demoShow) scenes(ctx context.Context) error {
	first := 0
	for i, sc := range scenes {
		if s.has(sc.begun) {
			first = i
		}
	}
	if s.has(rewound) {
		first = len(scenes) - 1
	}
	for i, sc := range scenes {
		if i >= first {
			if err := sc.play(s, ctx); err != nil {
				return err
			}
		}
		if sc.gate != "" {
			s.model.Open(sc.gate)
		}
	}
	return nil
}

// begin: two windows, and an agent in the background.
func (s *demoShow) begin(ctx context.Context) error {
	s.tell("begin", "You say: %q", saySaturday)
	if err := s.say(ctx, clew.MainMonitor, saySaturday); err != nil {
		return err
	}
	if err := s.await(ctx, mainFree(clew.MainMonitor)); err != nil {
		return err
	}
	s.tell("windows", "The agent opened two windows and is free again. An agent in the background adds up the sales: see the bottom of the page.")
	return s.look(ctx, 6*time.Second)
}

// otherMonitor: a second main agent.
func (s *demoShow) otherMonitor(ctx context.Context) error {
	s.tell("monitor", "On monitor 2 you say: %q", sayNotice)
	if err := s.say(ctx, secondMonitor, sayNotice); err != nil {
		return err
	}
	if err := s.await(ctx, mainFree(secondMonitor)); err != nil {
		return err
	}
	s.tell("notice", "Monitor 2 has an agent and a conversation of its own. The notice is there: Ctrl+2 on the page, Ctrl+1 for the way back.")
	return s.look(ctx, 8*time.Second)
}

// form: the agent of a window answers while the main agent talks.
func (s *demoShow) form(ctx context.Context) error {
	s.tell("talk", "On monitor 1 you say: %q", sayTalk)
	if err := s.say(ctx, clew.MainMonitor, sayTalk); err != nil {
		return err
	}
	if err := s.await(ctx, func(st *client.Replica) bool { return answering(st) || mainFree(clew.MainMonitor)(st) }); err != nil {
		return err
	}
	if err := s.useForm(ctx); err != nil {
		return err
	}
	if s.has(answering) {
		s.tell("form", "The window has an agent of its own. It answered, and the main agent is still talking.")
	}
	if err := s.look(ctx, 4*time.Second); err != nil {
		return err
	}
	s.model.Open("order")
	if err := s.await(ctx, mainFree(clew.MainMonitor)); err != nil {
		return err
	}
	return s.look(ctx, 4*time.Second)
}

// answering reports that the main agent of the first monitor is in the middle of an answer.
func answering(st *client.Replica) bool {
	return slices.ContainsFunc(st.Messages, func(m clew.Message) bool {
		return m.Partial && m.Text != "" && m.AgentKind == clew.AgentMain && m.MonitorID == clew.MainMonitor
	})
}

// useForm presses the button, unless a person does so first, and waits for the answer.
func (s *demoShow) useForm(ctx context.Context) error {
	wait := 20 * time.Second
	if s.fast {
		wait = 0
	} else if s.has(formUntouched) {
		s.tell("wait", "While it talks, press \"Ask the dealer\" in the window Order. After 20 seconds it is pressed for you.")
	}
	for s.has(formUntouched) {
		limit, cancel := context.WithTimeout(ctx, wait)
		err := s.await(limit, func(st *client.Replica) bool { return !formUntouched(st) })
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = s.do(ctx, clew.CommandComponentAction, clew.ComponentActionData{WindowID: "order", Action: "price", FormData: map[string]any{"boxes": 12}})
		}
		if err != nil {
			return err
		}
		if err := s.await(ctx, func(st *client.Replica) bool { return !formAtWork(st) }); err != nil {
			return err
		}
	}
	return s.await(ctx, func(st *client.Replica) bool { return !formAtWork(st) })
}

// formAtWork reports that the agent of the form has something to do.
func formAtWork(st *client.Replica) bool {
	return slices.ContainsFunc(st.Agents, func(a clew.AgentState) bool { return a.WindowID == "order" }) ||
		slices.ContainsFunc(st.Queue, func(m clew.QueuedMessage) bool { return m.WindowID == "order" })
}

// formUntouched reports that the form is open and nobody got an answer there yet.
func formUntouched(st *client.Replica) bool {
	w := openWindow(st, "order")
	return w != nil && w.Version == 1 && !formAtWork(st)
}

// crash: the server is killed while an agent works, and comes back.
func (s *demoShow) crash(ctx context.Context) error {
	if s.has(func(st *client.Replica) bool { return openWindow(st, "sales") == nil }) {
		before, err := s.windows(ctx)
		if err != nil {
			return err
		}
		if s.has(taskAtWork) {
			s.tell("background", "The agent in the background is still at work.")
		}
		s.tell("killed", "Now the server is killed: kill -9 %d", s.server.cmd.Process.Pid)
		s.server.kill()
		begin := time.Now()
		if err := s.server.start(ctx); err != nil {
			return err
		}
		after, err := s.windows(ctx)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(before, after) {
			return errors.New("after the kill the windows are not what they were")
		}
		s.tell("back", "It is back after %.1f s with the same %s. What was at work continues.", time.Since(begin).Seconds(), term.Count(len(after), "window"))
		if err := s.look(ctx, 4*time.Second); err != nil {
			return err
		}
	}
	s.model.Open("sales")
	if err := s.await(ctx, func(st *client.Replica) bool {
		return allQuiet(st) && mainFree(clew.MainMonitor)(st) && openWindow(st, "sales") != nil
	}); err != nil {
		return err
	}
	s.tell("woken", "The agent in the background has finished: its table is in the window Sales. The main agent was woken with the result, and tells you.")
	return s.look(ctx, 8*time.Second)
}

func taskAtWork(st *client.Replica) bool {
	return slices.ContainsFunc(st.Agents, func(a clew.AgentState) bool { return a.Kind == clew.AgentTask })
}

// rewound reports that the session was taken elsewhere in its history, by the story or
// by a person who looks around.
func rewound(st *client.Replica) bool { return st.Status.LastMove != nil }

// goBack: everything is closed, and a rewind brings it back.
func (s *demoShow) goBack(ctx context.Context) error {
	if !s.has(rewound) {
		if err := s.closeAndRewind(ctx); err != nil {
			return err
		}
	}
	if s.has(func(st *client.Replica) bool { return openWindow(st, "order") == nil }) {
		return nil // somebody closed it
	}
	if s.has(wasOrdered) {
		return s.await(ctx, allQuiet) // by a person, or before the story was interrupted
	}
	s.tell("order", "\"Order them\" in the form is pressed.")
	err := s.do(ctx, clew.CommandComponentAction, clew.ComponentActionData{WindowID: "order", Action: "order", FormData: map[string]any{"boxes": 12}})
	if err != nil {
		return err
	}
	if err := s.await(ctx, allQuiet); err != nil {
		return err
	}
	s.tell("ordered", "The same agent answers, and still knows which dealer it asked.")
	return nil
}

func (s *demoShow) closeAndRewind(ctx context.Context) error {
	var before []clew.WindowState // nil if they are closed already
	if !s.has(wasSaid(sayClose)) {
		var err error
		if before, err = s.windows(ctx); err != nil {
			return err
		}
	}
	s.tell("close", "You say: %q", sayClose)
	if err := s.say(ctx, clew.MainMonitor, sayClose); err != nil {
		return err
	}
	if err := s.await(ctx, allQuiet); err != nil {
		return err
	}
	s.tell("closed", "The windows are closed, and the agent of the form is gone with its window.")
	if err := s.look(ctx, 6*time.Second); err != nil {
		return err
	}
	var target clew.MessageID
	s.has(func(st *client.Replica) bool {
		for _, m := range st.Messages {
			if m.Role == clew.SpeakerUser && m.Text == sayClose {
				target = m.MessageID
			}
		}
		return true
	})
	data := clew.RewindData{Target: clew.Target{MessageID: target}}
	if err := s.do(ctx, clew.CommandRewind, data); err != nil {
		return err
	}
	if err := s.await(ctx, rewound); err != nil {
		return err
	}
	after, err := s.windows(ctx)
	if err != nil {
		return err
	}
	if before != nil && !reflect.DeepEqual(before, after) {
		return errors.New("after the rewind the windows are not what they were")
	}
	s.tell("rewound", "The session is rewound to before that message. The %s are back, and so is the agent of the form, with what it knew.", term.Count(len(after), "window"))
	return s.look(ctx, 6*time.Second)
}
