package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
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

// ownOf finds a tool among the agent's own. A page's call is never one of them, whatever
// its server calls it.
func (w *worker) ownOf(v session.View, c core.Call) (tool.Spec, bool) {
	if v.Task.Server != "" {
		return tool.Spec{}, false
	}
	return w.ownTool(c.Tool)
}

// appTool finds the tool that a page asked for. From here on the call has the name that
// an agent would call it by.
func (w *worker) appTool(ctx context.Context, v session.View, p *preparedCall) (tool.Tool, bool) {
	name := p.call.Tool
	p.call.Tool = v.Task.Server + "/" + name
	p.wrong = fmt.Sprintf("The tool server %s has no tool %s that pages can call.", visible(v.Task.Server), visible(name))
	if w.cfg.AppTool == nil {
		return nil, false
	}
	t, ok := w.cfg.AppTool(ctx, v.Task.Server, name)
	if ok {
		p.call.Tool, p.wrong = t.Spec().Name, ""
	}
	return t, ok
}

// loseCall ends a page's call that was running when the server stopped. Nobody is asked
// about it: the page can ask again.
func (w *worker) loseCall(c core.Call) error {
	_, err := w.desk.Do(decide.LoseCall{Call: c})
	return ignoreTurnOver(err)
}

// addPage completes a result with what pages need: the answer for the one that asked for
// the call, or the page that shows it.
func (w *worker) addPage(ctx context.Context, v session.View, server string, result tool.Result, f *decide.FinishCall) error {
	by := blob.For{User: v.Owner, Session: v.Session}
	put := func(data []byte) (string, error) {
		address, err := w.cfg.Blobs.PutBlob(ctx, by, data)
		if err != nil && clew.CodeOf(err) != clew.BudgetExceeded {
			err = clew.WrapError(clew.StorageFailed, err, "a page could not be stored")
		}
		return address, err
	}
	var err error
	switch p := result.View; {
	case v.Task.Server != "" && result.Answer != nil:
		f.Result.ResultBlob, err = put(result.Answer)
	case v.Task.Server == "" && p != nil:
		page := &clew.WindowContent{
			Kind: clew.WindowMCPApp, Bytes: int64(len(p.HTML)), MediaType: "text/html", Alt: oneLine(p.Title),
			Server: server, Tool: p.Tool, URI: p.URI, Connect: p.Connect, Load: p.Resources,
		}
		var call []byte
		if call, err = json.Marshal(map[string]json.RawMessage{"input": p.Input, "result": p.Result}); err != nil {
			return err
		}
		if page.Blob, err = put([]byte(p.HTML)); err == nil {
			page.Data, err = put(call)
		}
		f.Page, f.PageTitle = page, clew.Clip(cmp.Or(oneLine(p.Title), oneLine(p.Tool)), core.TitleRunes)
	}
	if clew.CodeOf(err) == clew.BudgetExceeded { // the owner's room is used up: the text says the same
		f.Page, f.PageFailed = nil, clew.AsError(err).Message
		return nil
	}
	return err
}
