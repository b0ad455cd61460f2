package session

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/decide"
)

// An end that is not the end of the work stands in the transcript, with its reason
// and its code, before the record that ends it.
func TestEndsAreSaid(t *testing.T) {
	for name, c := range map[string]struct {
		cmd  clew.Command
		want string
		code clew.EndCode
	}{
		"cancelled":     {clew.Command{Type: clew.CommandControlCancel, Data: &clew.ControlCancelData{Reason: "too slow"}}, "Cancelled by the user: too slow.", clew.EndCancelled},
		"interrupted":   {clew.Command{Type: clew.CommandInterrupt, Data: &clew.InterruptData{}}, "", ""},
		"new beginning": {clew.Command{Type: clew.CommandReset, Data: &clew.ResetData{}}, "", ""},
	} {
		b := newBench()
		b.atWork()
		c.cmd.By = clew.Principal{User: "ann", Role: clew.RoleOwner}
		tx, err := decide.Decide(b.s.state, c.cmd, b.now)
		if err != nil {
			t.Fatal(name, err)
		}
		events := tx.Events()
		at := slices.IndexFunc(events, func(e clew.Event) bool {
			d, ok := e.Data.(*clew.MessageCreatedData)
			return ok && d.Message.Say == clew.SayError
		})
		if c.want == "" {
			if at >= 0 {
				t.Errorf("%s: said %+v", name, events[at].Data)
			}
			continue
		}
		if at < 0 || at == len(events)-1 || events[at+1].Type != clew.EventTaskAborted {
			t.Fatalf("%s: %v", name, events)
		}
		if m := events[at].Data.(*clew.MessageCreatedData).Message; m.Text != c.want || m.WhyCode != c.code || m.Role != clew.SpeakerSystem || m.TaskID == "" {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
