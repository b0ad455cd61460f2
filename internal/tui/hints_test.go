package tui

import (
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A slash names commands also for whoever just read; ctrl+u takes back what was typed of
// one, so that the next slash is not a second one.
func TestSlashWhileReading(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.press("esc", "i", "/")
	d.sees("/permissions", "enter does it")
	d.press("ctrl+u")
	d.seesNot("enter does it")
	d.typed("/stat")
	d.sees("› /stat", "/status")
	d.seesNot("//")
}

// A server of this machine that stays away can be started; the screen says how.
func TestServerGone(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.m.o.Restart = "clew serve --detach"
	d.opens(clew.SessionState{})
	d.m.receive(batch{link: d.m.link, state: client.Reconnecting})
	d.seesNot("clew serve --detach")
	d.m.Update(ticked(d.m.now.Add(goneAfter + time.Second)))
	d.sees("The server does not answer. Start it in another terminal: clew serve --detach")
	d.m.receive(batch{link: d.m.link, state: client.Active})
	d.seesNot("clew serve --detach")
}

// The keys of a question are those that do something.
func TestQuestionOffersItsOwnKeys(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(&clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "q1", WordsEffect: clew.WordsAnswer}, Question: "Which?", InputType: clew.InputChoice, Options: []clew.InputOption{{Value: "a", Label: "First"}, {Value: "b", Label: "Second"}}})
	d.press("tab")
	d.sees("1-2 choose")
	d.seesNot("↓ more") // all of it is on the screen
	d.press("2")
	d.settles("q1", clew.MessageAnswer{Action: clew.ResolvedAnswer, Value: "b"})
	d.sees("● live   answered")
}
