package agent

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/summary"
)

//go:embed rules.md
var houseRules string

// The agent's own tools. They change the session, not the world, so the agent
// carries them out itself.
const (
	toolFollowup   = "ask_followup"
	toolCompletion = "attempt_completion"
	toolTodos      = "update_todos"
	toolMode       = "switch_mode"
	toolTask       = "new_task"
	toolDelegate   = "delegate"
	toolHandOver   = "hand_over" // of ephemeral agents
)

var handOverSpec = control(toolHandOver, "Give the message to the main agent, which knows the conversation. Use it if you cannot answer without what was said before, or if the message asks for a change of the work under way. Your turn ends with it.",
	`{"type":"object","properties":{},"additionalProperties":false}`)

var controls = []tool.Spec{
	control(toolFollowup, "Ask the user something that only the user can decide or know. The answer is the result.",
		`{"type":"object","properties":{"question":{"type":"string"},"options":{"type":"array","items":{"type":"string"},"description":"answers to choose from; the user may also say something else"},"input_type":{"type":"string","enum":["text","choice","number","boolean","date"],"description":"the kind of value; text, or choice with options"},"required":{"type":"boolean","description":"false if you can continue without an answer; true unless said"},"default":{"description":"the answer that is taken if nobody answers in time"}},"required":["question"],"additionalProperties":false}`),
	control(toolCompletion, "Say that the task is done. The result is the answer that the user, or the agent that gave you the subtask, gets.",
		`{"type":"object","properties":{"result":{"type":"string"}},"required":["result"],"additionalProperties":false}`),
	control(toolTodos, "Write down the whole list of steps, with the state of each. It replaces the former list.",
		`{"type":"object","properties":{"todos":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"task":{"type":"string"},"status":{"type":"string","enum":["pending","in_progress","completed","failed","skipped"]}},"required":["task","status"]}}},"required":["todos"],"additionalProperties":false}`),
	control(toolMode, "Change the mode you work in.",
		`{"type":"object","properties":{"mode":{"type":"string"},"reason":{"type":"string"}},"required":["mode"],"additionalProperties":false}`),
	control(toolTask, "Give a part of the work to an agent of its own and wait for its result. It knows nothing but your message.",
		`{"type":"object","properties":{"message":{"type":"string"},"mode":{"type":"string"}},"required":["message"],"additionalProperties":false}`),
	control(toolDelegate, "Give a part of the work to an agent that knows this conversation so far. With wait false you do not wait: it works in the background, you can end your turn or take the next message, and you hear of its result when it is done. Start several for parts that do not depend on each other.",
		`{"type":"object","properties":{"goal":{"type":"string","description":"what it has to reach, and what to report"},"profile":{"type":"string","enum":["default","web","code","app"],"description":"default: your own tools; web: pages and APIs; code: computing in the sandbox; app: building something"},"wait":{"type":"boolean","description":"false to continue without its result; true unless said"}},"required":["goal"],"additionalProperties":false}`),
	windowSpec,
	notifySpec,
	reloadSpec,
}

// ownName is the name of one of the agent's own tools that a call means. Agents of
// desktops know asking for a decision as ask, and for a value as request.
func ownName(name string) string {
	if name == "ask" || name == "request" {
		return toolFollowup
	}
	return name
}

func control(name, doc, schema string) tool.Spec {
	return tool.Spec{Name: name, Description: doc, Schema: json.RawMessage(schema), Class: clew.ClassRepeatable, Group: tool.GroupControl}
}

// controlInput is the input of all the agent's own tools.
type controlInput struct {
	Question  string         `json:"question"`
	Options   []string       `json:"options"`
	InputType clew.InputType `json:"input_type"`
	Required  *bool          `json:"required"`
	Default   any            `json:"default"`
	Result    string         `json:"result"`
	Mode      string         `json:"mode"`
	Reason    string         `json:"reason"`
	Message   string         `json:"message"`
	Goal      string         `json:"goal"`
	Wait      *bool          `json:"wait"`

	Profile clew.TaskProfile `json:"profile"`
	Todos   []struct {
		ID     string          `json:"id"`
		Task   string          `json:"task"`
		Status clew.TodoStatus `json:"status"`
	} `json:"todos"`
}

// control carries out one of the agent's own calls, in one batch of records.
func (w *worker) control(ctx context.Context, v session.View, c core.Call) error {
	c.Tool = ownName(c.Tool)
	if _, ok := layerTools[c.Tool]; ok && w.layer != "" {
		return w.layerControl(ctx, v, c)
	}
	switch c.Tool {
	case toolWindow:
		return w.showWindow(ctx, v, c)
	case toolNotify:
		return w.notify(c)
	case toolReload:
		return w.showAgain(c)
	case toolSkill:
		return w.useSkill(c)
	case toolAppQuery, toolAppCommand:
		return w.askApp(c)
	}
	var in controlInput
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return w.wrong(c, "the input does not fit: "+err.Error())
	}
	if c.Tool == toolDelegate {
		in.Message, in.Mode = in.Goal, profileMode[in.Profile]
	}
	if bad := w.checkControl(v, c.Tool, in); bad != "" {
		return w.wrong(c, bad)
	}
	_, err := w.desk.Do(w.controlIntent(v, c, in))
	return ignoreTurnOver(err)
}

// controlIntent is what a call of the agent's own tools comes to.
func (w *worker) controlIntent(v session.View, c core.Call, in controlInput) decide.Intent {
	if why := w.askFirst(c, in); why != "" && c.Status == core.CallProposed {
		return decide.AskConsent{Question: clew.HitlApprovalRequestData{
			Ask: askOf(c.Tool), Tool: c.Tool, Asking: clew.Asking{ToolCallID: c.ID}, Input: c.Input, Reason: visible(why), Options: yesNo,
		}}
	}
	switch c.Tool {
	case toolFollowup:
		return decide.AskValue{Question: followup(c, in)}
	case toolCompletion:
		return decide.CompleteTask{Call: c, Text: in.Result}
	case toolTodos:
		return decide.SetTodos{Call: c, Todos: todoList(in)}
	case toolMode:
		return decide.SwitchMode{Call: c, Mode: in.Mode}
	case toolHandOver:
		return decide.HandOver{Call: c}
	case toolTask:
		return decide.StartChild{
			Plan: decide.CallPlan{Call: c, Class: clew.ClassRepeatable, Summary: summary.Input(c.Tool, c.Input)}, Text: in.Message, Mode: w.childMode(in),
		}
	case toolDelegate:
		return w.delegation(v, c, in)
	}
	return nil
}

func askOf(name string) clew.Ask {
	if name == toolCompletion {
		return clew.AskCompletionResult
	}
	return clew.AskTool
}

// checkControl says what is wrong with a call of the agent's own tools.
func (w *worker) checkControl(v session.View, name string, in controlInput) string {
	switch name {
	case toolFollowup:
		return checkFollowup(in)
	case toolCompletion:
		if strings.TrimSpace(in.Result) == "" {
			return "result is empty"
		}
	case toolTodos:
		if len(in.Todos) > 200 {
			return "a list has at most 200 steps"
		}
	case toolMode:
		if _, ok := settings.FindMode(w.modes, in.Mode); !ok {
			return fmt.Sprintf("there is no mode %q", in.Mode)
		}
	case toolTask:
		return w.checkTask(v, in, "message")
	case toolDelegate:
		if in.Profile != "" && !slices.Contains(in.Profile.Values(), string(in.Profile)) {
			return fmt.Sprintf("there is no profile %q", in.Profile)
		}
		return w.checkTask(v, in, "goal")
	}
	return ""
}

func (w *worker) checkTask(v session.View, in controlInput, words string) string {
	if strings.TrimSpace(in.Message) == "" {
		return words + " is empty"
	}
	if in.Mode != "" {
		if _, ok := settings.FindMode(w.modes, in.Mode); !ok {
			return fmt.Sprintf("there is no mode %q", in.Mode)
		}
	}
	if v.Task.Depth >= w.values.MaxSubtaskDepth {
		return fmt.Sprintf("subtasks may be %d deep, and this is one of them: do it yourself", w.values.MaxSubtaskDepth)
	}
	if v.Tasks > w.values.MaxSubtasks {
		return fmt.Sprintf("the task has %d subtasks already; there may be no more", w.values.MaxSubtasks)
	}
	return ""
}

// askFirst says why a person has to agree, "" if nobody has to: an agent may
// narrow its mode by itself, not widen it.
func (w *worker) askFirst(c core.Call, in controlInput) string {
	switch {
	case c.Tool == toolCompletion && w.values.ConfirmCompletion:
		return in.Result
	case c.Tool != toolMode && c.Tool != toolTask && c.Tool != toolDelegate || in.Mode == "" || in.Mode == w.mode.Slug:
		return ""
	}
	m, _ := settings.FindMode(w.modes, in.Mode)
	if c.Tool != toolMode && delegates(w.mode) || w.covers(m) {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("Mode %s may do more than mode %s. %s", m.Slug, w.mode.Slug, in.Reason))
}

// delegates reports whether a mode does nothing itself: it gives all work to
// subtasks, in whatever mode they need. The desktop's main agent reads, and delegates
// the rest.
func delegates(m settings.Mode) bool {
	return m.Slug == "desktop" && m.Source == settings.SourceBuiltIn || !slices.ContainsFunc(m.Groups, func(g string) bool { return g != string(tool.GroupControl) })
}

// covers reports whether the present mode may do all that another may, by itself
// or by delegating.
func (w *worker) covers(m settings.Mode) bool {
	groups := m.Groups
	if delegates(m) {
		groups = settings.ToolGroups
	}
	for _, g := range groups {
		if g != string(tool.GroupControl) && !slices.Contains(w.mode.Groups, g) {
			return false
		}
	}
	return w.mode.EditPattern == "" || w.mode.EditPattern == m.EditPattern || !slices.Contains(groups, string(tool.GroupEdit))
}

// childMode is the mode of a subtask: its parent's, where the model names none.
// A parent that only delegates leaves it to the settings.
func (w *worker) childMode(in controlInput) string {
	if in.Mode == "" && !delegates(w.mode) {
		return w.mode.Slug
	}
	return in.Mode
}
