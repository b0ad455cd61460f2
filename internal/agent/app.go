package agent

import (
	"encoding/json"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/summary"
)

// The tools that speak with the app in a window. What an app answers is a stranger's:
// data, as every result is.
const (
	toolAppQuery   = "app_query"
	toolAppCommand = "app_command"
)

var appSpecs = []tool.Spec{
	control(toolAppQuery, "Ask the app in a window for a part of its state. The list of open windows says which queries it has.",
		`{"type":"object","properties":{"window_id":{"type":"string"},"name":{"type":"string","description":"the query"},"params":{"type":"object"}},"required":["window_id","name"],"additionalProperties":false}`),
	control(toolAppCommand, "Tell the app in a window to do something. The list of open windows says which commands it has.",
		`{"type":"object","properties":{"window_id":{"type":"string"},"name":{"type":"string","description":"the command"},"params":{"type":"object"}},"required":["window_id","name"],"additionalProperties":false}`),
}

// withApps adds the tools for apps while one is ready.
func withApps(own []tool.Spec, ready bool) []tool.Spec {
	if !ready {
		return own
	}
	return append(slices.Clip(own), appSpecs...)
}

// askApp carries out a call of either tool: the call waits for the app on record.
func (w *worker) askApp(c core.Call) error {
	var in struct {
		Window string         `json:"window_id"`
		Name   string         `json:"name"`
		Params map[string]any `json:"params"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return w.wrong(c, "the input does not fit: "+err.Error())
	}
	ask := decide.AskApp{Window: in.Window, Kind: clew.AppQuery, Name: in.Name}
	ask.Plan = decide.CallPlan{Call: c, Class: clew.ClassReadOnly, Summary: summary.Input(c.Tool, c.Input)}
	if c.Tool == toolAppCommand {
		ask.Kind, ask.Plan.Class = clew.AppCommand, clew.ClassOnce
	}
	if len(in.Params) > 0 {
		ask.Params = in.Params
	}
	_, err := w.desk.Do(ask)
	return ignoreTurnOver(err)
}
