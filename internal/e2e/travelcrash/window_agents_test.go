package travelcrash

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// windowScript has a main agent that opens a form and an app and asks the app, and the
// agents of both windows.
const windowScript = `
- when: {last_user: {regexp: "open both$"}, tool_result: {id: w2}}
  times: 0
  reply: [{text: Both are open.}]
- when: {last_user: {regexp: "open both$"}}
  times: 0
  reply:
  - tool: {name: window, id: w1, input: {action: open, window_id: order, title: Order, kind: components, root: {type: stack, children: [{type: button, label: Save, action: save}]}}}
  - tool: {name: window, id: w2, input: {action: open, window_id: calc, title: Calculator, kind: html, content: "<p>0"}}
- when: {last_user: {regexp: '"n":1}</component_action>$'}, tool_result: {id: u1}}
  times: 0
  reply: [{text: Saved one.}]
- when: {last_user: {regexp: '"n":1}</component_action>$'}}
  times: 0
  reply: [{tool: {name: window, id: u1, input: {action: update, window_id: order, title: "Order, saved"}}}]
- when: {last_user: {regexp: '"n":2}</component_action>$'}}
  times: 0
  reply: [{text: Saved two.}]
- when: {last_user: {regexp: "the total$"}, tool_result: {id: a2}}
  times: 0
  reply: [{text: The total is 42.}]
- when: {last_user: {regexp: "the total$"}, tool_result: {id: a1}}
  times: 0
  reply: [{tool: {name: app_command, id: a2, input: {window_id: calc, name: clear}}}]
- when: {last_user: {regexp: "the total$"}}
  times: 0
  reply: [{tool: {name: app_query, id: a1, input: {window_id: calc, name: total}}}]
- when: {last_user: {regexp: "count$"}}
  times: 0
  reply: [{text: It counts.}]
- when: {last_user: {regexp: "hello$"}}
  times: 0
  reply: [{text: Hi.}]
- when: {last_user: {regexp: "what now$"}}
  times: 0
  reply: [{text: I see.}]
`

// A server that is killed while an agent begins with its window, is released with it,
// or waits for an app: the session ends as if nothing had happened. The same windows and
// words, each message with one agent, each call with one result, and each monitor told
// once, of the same.
//
// Covers: WIN-15, AGT-14, CTX-09, C-46
func TestWindowAgentsKilled(t *testing.T) {
	t.Parallel()
	want := killWindows(t, "")
	t.Logf("without a kill:\n%s", want)
	for _, place := range []string{
		"window.assigned:1", "window.assigned:2", "window.active:3", "window.released:1",
		"app.requested:1", "app.requested:2", "app.answered:1", "app.answered:2",
	} {
		t.Run("at "+place, func(t *testing.T) {
			got := killWindows(t, place)
			for range 2 {
				if !strings.Contains(got, "did not answer in time") {
					break
				}
				got = killWindows(t, place) // a start of more than five seconds: the app was late, and the agent was told so
			}
			if got != want {
				t.Errorf("killed, it ends as\n%s", got)
			}
		})
	}
}

// killWindows plays the story and tells how it ends.
func killWindows(t *testing.T, place string) string {
	s := newMortal(t, windowScript, place)
	rests := func(text string) func(clew.SessionState) bool {
		return func(st clew.SessionState) bool { return count(st, text) > 0 && len(st.Agents) == 0 }
	}
	press := func(name string, n int) {
		t.Helper()
		s.do(name, clew.CommandComponentAction, clew.ComponentActionData{WindowID: "order", Action: "save", FormData: map[string]any{"n": n}})
	}
	answers := func(name string, kind clew.AppProtocol) {
		t.Helper()
		var id clew.RequestID
		st := s.until("the app is asked", func(st clew.SessionState) bool {
			for _, w := range st.Windows {
				for _, r := range w.AppRequests {
					if r.Kind == kind {
						id = r.RequestID
					}
				}
			}
			return id != "" || count(st, "The total is 42.") > 0 // it did not wait
		})
		if len(st.Agents) > 0 {
			s.do(name, clew.CommandAppProtocolResponse, clew.AppProtocolResponseData{RequestID: id, WindowID: "calc", Result: map[string]any{"total": 42}})
		}
	}
	s.say("c1", "open both", "", "")
	s.until("both are open", rests("Both are open."))
	s.say("c2", "hello", "monitor-1", "")
	s.until("another monitor", rests("Hi."))
	s.do("r1", clew.CommandAppProtocolReady, clew.AppProtocolReadyData{WindowID: "calc", App: "calculator", Queries: []string{"total"}, Commands: []string{"clear"}})
	press("p1", 1)
	s.until("the form is saved", rests("Saved one."))
	press("p2", 2)
	s.until("and again", rests("Saved two."))
	s.say("c3", "the total", "", "")
	answers("a1", clew.AppQuery)
	answers("a2", clew.AppCommand)
	s.until("the app has answered", rests("The total is 42."))
	s.do("m1", clew.CommandWindowMessage, clew.WindowMessageData{WindowID: "calc", Text: "count"})
	s.until("the app's agent", rests("It counts."))
	s.do("x1", clew.CommandUserInteraction, clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: "order"}}})
	s.say("c4", "what now", "", "")
	s.until("the main agent heard it", func(st clew.SessionState) bool { return count(st, "I see.") == 1 && len(st.Agents) == 0 })
	s.say("c5", "what now", "monitor-1", "")
	st := s.until("the other one as well", func(st clew.SessionState) bool { return count(st, "I see.") == 2 && len(st.Agents) == 0 })
	for _, name := range []clew.ClientMessageID{"c1", "c2", "p1", "p2", "c3", "m1", "c4", "c5"} {
		if n := s.given()[name]; n != 1 {
			t.Errorf("%s was given to %d agents", name, n)
		}
	}
	s.Answered()
	s.died(place)
	return s.ending(st)
}

var aRequest = regexp.MustCompile(`app_[0-9a-z]{20,}`)

// ending tells what a session came to: its windows, what was said, what became of
// calls, agents and monitors, and what the models were told of what happened.
func (s *mortal) ending(st clew.SessionState) string {
	var b strings.Builder
	for _, w := range st.Windows {
		fmt.Fprintf(&b, "window %s %q version %d on %s, agent %s %s, %d open requests\n", w.WindowID, w.Title, w.Version, w.MonitorID, w.AgentID, w.Status, len(w.AppRequests))
	}
	for _, m := range st.Messages {
		if m.Say == clew.SayText || m.Say == clew.SayUserFeedback {
			fmt.Fprintf(&b, "%s on %s in %q: %s\n", m.Role, m.MonitorID, m.WindowID, m.Text)
		}
	}
	monitors, calls := map[clew.TaskID]clew.MonitorID{}, []string{}
	for _, r := range s.records {
		switch d := r.Event.Data.(type) {
		case *clew.TaskCreatedData:
			monitors[d.TaskID] = d.MonitorID
		case *clew.WindowAgentStatusData:
			fmt.Fprintf(&b, "agent %s %s\n", d.AgentID, d.Status)
		case *clew.ToolProgressData:
			if d.Status == clew.ToolComplete || d.Status == clew.ToolError {
				calls = append(calls, fmt.Sprintf("call %s %s %s: %s%v", d.ToolCallID, d.Tool, d.Status, d.Error, d.Output))
			}
		case *clew.ModelMessageData:
			for _, p := range d.Message.Content {
				if _, text, ok := strings.Cut(p.Text, "<timeline>\n"); ok {
					text, _, _ = strings.Cut(text, "</timeline>")
					fmt.Fprintf(&b, "%s was told:\n%s", monitors[d.TaskID], text)
				}
			}
		}
	}
	slices.Sort(calls)
	return aRequest.ReplaceAllString(b.String()+strings.Join(calls, "\n"), "app_id") + "\n"
}
