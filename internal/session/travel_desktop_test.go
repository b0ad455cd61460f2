package session

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// Windows, their agents and groups, what waits for them, the timeline and what can be
// shown again are taken back and forth with the session, exactly.
func TestAnywhereAmongWindows(t *testing.T) {
	alone(t)
	book := logbook{}
	nightly.CheckTimes(t, 10, nightly.Size(40, 250), func(t *rapid.T) {
		x := voyageWith(t, onDesktop)
		for _, r := range x.records {
			switch d := x.decoded(r).(type) {
			case *clew.AppCalledData:
				book["page asked"]++
			case *clew.WindowAgentStatusData:
				book[string(d.Status)]++
			case *clew.MessageQueuedData:
				if d.WindowID != "" {
					book["waited"]++
				}
			case *clew.ModelMessageData:
				if d.TimelineTo > 0 {
					book["heard"]++
				}
			}
		}
		book.add(x)
	})
	book.close(t, "sessions with windows", nightly.Size(60, 500))
	for _, what := range []string{"assigned", "active", "released", "waited", "page asked"} {
		if book[what] == 0 {
			t.Errorf("%s: never", what)
		}
	}
}

// onDesktop are the steps that take windows and several monitors.
func onDesktop(p *player, act func(func()) func(*rapid.T)) map[string]func(*rapid.T) {
	form := &clew.WindowContent{Kind: clew.WindowComponents, Root: &clew.Component{Type: "button", Label: "Go", Action: "go"}}
	window := func() string { return draw(*p, "window", "a", "a", "a", "b") }
	press := func() {
		d := &clew.ComponentActionData{WindowID: window(), Action: "go", ActionID: draw(*p, "action", "", "", "", "x1")}
		p.person(&decide.SlotCommand{Command: d, Slot: rapid.Bool().Draw(p.t, "slot")})
	}
	show := func() {
		for _, t := range p.s.state.SortedTasks() {
			if !p.s.state.Runnable(t) || rapid.IntRange(0, 3).Draw(p.t, "whose") == 0 {
				continue
			}
			wish := decide.WindowWish{Type: clew.ActionWindowCreate, ID: window(), Title: text("T"), Content: form}
			if rapid.IntRange(0, 2).Draw(p.t, "page") == 0 {
				wish.Content = aPage
			}
			must(p.reportAs(t, func(tx *decide.Tx, s *core.State, t *core.Task) { _, _ = decide.ShowWindow(tx, s, t, wish) }))
			return
		}
	}
	steps := many(p, act)
	for _, n := range []string{"", " 2", " 3", " 4", " 5", " 6"} {
		steps["show"+n], steps["press"+n] = act(show), act(press)
	}
	steps["say there"] = act(func() { p.person(&clew.WindowMessageData{WindowID: window(), Text: p.text() + "?"}) })
	steps["page asks"] = act(func() {
		p.person(&clew.AppCallData{WindowID: window(), RequestID: draw[clew.RequestID](*p, "name", "r1", "r2", "r3"), Tool: "refresh"})
	})
	steps["close"] = act(func() {
		p.person(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: window()}}})
	})
	return steps
}
