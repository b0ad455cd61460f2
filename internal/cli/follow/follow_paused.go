package follow

import (
	"context"
	"encoding/json"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// stayPaused is how a plan that somebody paused stands for those who follow it.
type stayPaused struct {
	came bool // it was so when we came
	told bool // how it goes on
}

// paused deals with a plan that is paused: nothing new begins until somebody resumes
// it. Who was here when it was paused, and can be asked, stays; so does who wants to
// wait. All others would wait for nothing.
func (f *follower) paused() *outcome {
	if !f.state.Known() || !f.course.Paused() {
		f.pause.told = f.pause.told && f.state.Status.Status == clew.StatusPaused
		return nil
	}
	if f.o.UntilDone && !f.o.Wait && (f.pause.came || !f.asks()) {
		return &outcome{EndedPaused, "the plan is paused"}
	}
	if !f.pause.told {
		f.pause.told = true
		f.note(Waiting, "The plan is paused. It continues with")
		if !f.a.JSON {
			f.screen.Paste(PlainInk, "  ", f.c.Line("resume", string(f.o.Session)))
		}
	}
	return nil
}

// State is how a session stands now. The lists of sessions may be behind.
func State(ctx context.Context, c *env.Rest, id clew.SessionID) (clew.SessionState, error) {
	ctx, cancel := context.WithTimeout(ctx, env.RequestTimeout)
	defer cancel()
	cl, err := client.Dial(ctx, c.Dialing(id))
	if err != nil {
		return clew.SessionState{}, err
	}
	defer cl.Close()
	for env, err := range cl.Follow(ctx) {
		if err != nil {
			return clew.SessionState{}, err
		}
		if clew.EventType(env.Type) == clew.EventSessionState {
			var s clew.SessionState
			err := json.Unmarshal(env.Data, &s)
			return s, err
		}
	}
	return clew.SessionState{}, clew.Errorf(clew.ConnectionFailed, "the server did not say how the session stands")
}
