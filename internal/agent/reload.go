package agent

import (
	"encoding/json"

	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// toolReload is one of the agent's own: what is shown again is a part of the session.
const toolReload = "reload_cached"

var reloadSpec = control(toolReload, "Show again the windows and notices that an earlier turn showed for the same words. "+
	"Take an option of <reload_options>, if showing the same is what the user wants. It repeats nothing else that was done then.",
	`{"type":"object","properties":{"id":{"type":"string","description":"of the option"}},"required":["id"],"additionalProperties":false}`)

// showAgain carries out a call of the tool.
func (w *worker) showAgain(c core.Call) error {
	var in struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return w.wrong(c, "the input does not fit: "+err.Error())
	}
	_, err := w.desk.Do(decide.ReplayActions{Call: c, ID: in.ID})
	crash.At("reload.replayed")
	return ignoreTurnOver(err)
}
