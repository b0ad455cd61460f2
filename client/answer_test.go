package client_test

import (
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// Covers: WS-134, WS-135, C-30
func TestAnswerPauseResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		_, err1 := c.Answer(t.Context(), clew.HitlPlanResponseData{RequestID: "q1", Action: "approve"})
		_, err2 := c.Answer(t.Context(), &clew.HitlInputResponseData{RequestID: "q2", Value: 1})
		_, err3 := c.Pause(t.Context())
		_, err4 := c.Resume(t.Context())
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			t.Fatal(err1, err2, err3, err4)
		}
		if _, err := c.Answer(t.Context(), hello()); clew.CodeOf(err) != clew.InvalidMessage {
			t.Fatalf("a message as an answer: %v", err)
		}
		synctest.Wait()
		for _, typ := range []clew.CommandType{
			clew.CommandHitlPlanResponse, clew.CommandHitlInputResponse, clew.CommandControlPause, clew.CommandControlResume,
		} {
			if b.Heard(typ) != 1 {
				t.Errorf("%s was heard %d times", typ, b.Heard(typ))
			}
		}
		if c.State() != client.Active {
			t.Errorf("pausing left the connection %s", c.State())
		}
	})
}
