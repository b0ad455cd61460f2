package agent

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool/summary"
)

// profileMode is the mode that a profile's tasks work in; "" is that of the agent that
// delegates.
var profileMode = map[clew.TaskProfile]string{
	clew.ProfileDefault: "", clew.ProfileWeb: "web", clew.ProfileCode: "compute", clew.ProfileApp: "app",
}

// delegation is what a call of delegate comes to. A conversation that is long is handed
// on as a summary: every call of the new agent sends it.
func (w *worker) delegation(v session.View, c core.Call, in controlInput) decide.Delegate {
	most := w.values.ForkMaxTokens
	return decide.Delegate{
		Plan: decide.CallPlan{Call: c, Class: clew.ClassRepeatable, Summary: summary.Input(c.Tool, c.Input)},
		Goal: in.Goal, Mode: w.childMode(in), Profile: in.Profile, Wait: in.Wait == nil || *in.Wait,
		Condense: most > 0 && llm.EstimateTokens(v.Task.History, "", nil) > most,
	}
}
