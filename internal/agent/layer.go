package agent

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// The layers of a run are turns like any other, with a prompt and tools of
// their own. What the model hands over through these tools is checked against
// their schemas and against the plan's own rules; what does not pass comes back
// to it as a failed call, and after a few of those to a person.

//go:embed layers/*.md
var layerPrompts embed.FS

// The tools of the layers.
const (
	toolUnderstood = "report_understanding"
	toolClarify    = "ask_clarification"
	toolPlan       = "propose_plan"
	toolRespond    = "respond"
	toolProgress   = "report_progress"
	toolFailure    = "report_failure"
)

var layerTools = map[string]tool.Spec{
	toolUnderstood: control(toolUnderstood, "Say what the user wants, as far as a plan needs it.",
		`{"type":"object","properties":{"domain":{"type":"string","minLength":1,"maxLength":100},"category":{"type":"string","minLength":1,"maxLength":100},"confidence":{"type":"number","minimum":0,"maximum":1},"entities":{"type":"array","maxItems":100,"items":{"type":"object","properties":{"type":{"type":"string","minLength":1,"maxLength":100},"value":{"type":"string","minLength":1,"maxLength":1000},"confidence":{"type":"number","minimum":0,"maximum":1}},"required":["type","value","confidence"]}}},"required":["domain","category","confidence"]}`),
	toolClarify: control(toolClarify, "Ask the user what was meant. The answer counts as part of the request.",
		`{"type":"object","properties":{"ambiguity":{"type":"string","minLength":1,"maxLength":1000,"description":"what is unclear"},"question":{"type":"string","minLength":1,"maxLength":1000},"suggestions":{"type":"array","maxItems":20,"items":{"type":"string","minLength":1,"maxLength":300}}},"required":["ambiguity","question"]}`),
	toolPlan: control(toolPlan, "Hand over the plan, whole. People review it before anything is done.",
		`{"type":"object","properties":{"message":{"type":"string","maxLength":2000,"description":"one or two sentences to the reviewer"},"todos":{"type":"array","minItems":1,"items":{"type":"object","properties":{"id":{"type":"string"},"task":{"type":"string","minLength":1,"maxLength":4000,"description":"what to do"},"tool":{"type":"string"},"priority":{"type":"integer","minimum":-1000000,"maximum":1000000},"depends_on":{"type":"array","items":{"type":"string"}},"estimated_duration_sec":{"type":"integer","minimum":0,"maximum":31536000},"estimated_cost_usd":{"type":"number","minimum":0,"maximum":1000000},"mode":{"type":"string"},"profile":{"type":"string"}},"required":["task"]}}},"required":["todos"]}`),
	toolRespond: control(toolRespond, "Give the user the answer. This ends the run.",
		`{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":200000,"description":"the whole answer, in Markdown"},"summary":{"type":"string","maxLength":2000},"format":{"type":"string","enum":["text","markdown","mixed","json"]},"next_actions":{"type":"array","maxItems":20,"items":{"type":"string","minLength":1,"maxLength":500}},"attachments":{"type":"array","maxItems":20,"description":"files of the workspace that are results of the work","items":{"type":"object","properties":{"path":{"type":"string","minLength":1,"maxLength":4096},"title":{"type":"string","maxLength":200},"type":{"type":"string","enum":["chart","image","table","file"]}},"required":["path"]}}},"required":["text"]}`),
	toolProgress: control(toolProgress, "Say how far the step is.",
		`{"type":"object","properties":{"percentage":{"type":"integer","minimum":0,"maximum":100},"step":{"type":"string","maxLength":300,"description":"what is being done right now"},"items_processed":{"type":"integer","minimum":0},"items_total":{"type":"integer","minimum":0}},"required":["percentage"]}`),
	toolFailure: control(toolFailure, "Say that the step cannot be done.",
		`{"type":"object","properties":{"message":{"type":"string","minLength":1,"maxLength":4000},"recoverable":{"type":"boolean","description":"whether trying again may help"}},"required":["message","recoverable"]}`),
	toolCompletion: control(toolCompletion, "Say that the step is done. The result is all that others get of it.",
		`{"type":"object","properties":{"result":{"type":"string","minLength":1,"maxLength":200000},"data":{"type":"object","description":"figures and names worth keeping, as they are"}},"required":["result"]}`),
}

// layerOf is the layer that a task works in, "" if it is an ordinary one. The
// tasks that carry out todos are in the execution layer.
func layerOf(v session.View) clew.Layer {
	if v.Run == nil {
		return ""
	}
	if v.Task.TodoID != "" {
		return clew.LayerExecution
	}
	if v.Task.Run == nil {
		return "" // a subtask of a todo
	}
	switch v.Run.Phase {
	case run.Understanding:
		return clew.LayerCognitive
	case run.Responding:
		return clew.LayerResponse
	}
	return clew.LayerPlanning
}

// ownTools lists the agent's own tools in a layer.
func ownTools(layer clew.Layer) []tool.Spec {
	switch layer {
	case clew.LayerCognitive:
		return []tool.Spec{layerTools[toolUnderstood], layerTools[toolClarify]}
	case clew.LayerPlanning:
		return []tool.Spec{layerTools[toolPlan]}
	case clew.LayerResponse:
		return []tool.Spec{layerTools[toolRespond]}
	case clew.LayerExecution:
		own := []tool.Spec{layerTools[toolProgress], layerTools[toolFailure], layerTools[toolCompletion]}
		for _, s := range controls {
			if s.Name != toolCompletion && s.Name != toolDelegate { // its plan says what runs at once
				own = append(own, s)
			}
		}
		return own
	}
	return controls
}

// groupsOf narrows what a mode allows: whoever only plans changes nothing.
func groupsOf(layer clew.Layer, m settings.Mode) []string {
	switch layer {
	case clew.LayerCognitive, clew.LayerResponse:
		return []string{string(tool.GroupControl)}
	case clew.LayerPlanning:
		groups := []string{string(tool.GroupControl)}
		if slices.Contains(m.Groups, string(tool.GroupRead)) {
			groups = append(groups, string(tool.GroupRead))
		}
		return groups
	}
	return m.Groups
}

var layerFiles = map[clew.Layer]string{
	clew.LayerCognitive: "understand", clew.LayerPlanning: "plan", clew.LayerExecution: "todo", clew.LayerResponse: "respond",
}

// layerPrompt begins the system prompt of a layer.
func (w *worker) layerPrompt(v session.View) string {
	b, err := layerPrompts.ReadFile("layers/" + layerFiles[w.layer] + ".md")
	if err != nil {
		return ""
	}
	text := string(b)
	if w.layer == clew.LayerPlanning {
		names := strings.Join(slices.Sorted(maps.Keys(w.known)), ", ")
		text += fmt.Sprintf("\nTools that steps can use: %s.\nAt most %d steps.\n", names, w.values.RunMaxTodos)
		if v.Run.Version > 0 {
			text += "There is a plan already; what you propose takes its place.\n"
		}
	}
	return text
}
