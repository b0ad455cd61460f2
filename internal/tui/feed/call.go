package feed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
)

// A Call is a tool call whole, as GET /sessions/{id}/tools/{tool_call_id} gives
// it.
type Call struct {
	Tool       string          `json:"tool"`
	Input      json.RawMessage `json:"input"`
	Effect     *clew.Effect    `json:"effect"`
	Status     clew.ToolStatus `json:"status"`
	Output     any             `json:"output"`
	Error      string          `json:"error"`
	DurationMS int64           `json:"duration_ms"`

	whole bool // it came from the server, and is over
}

// SetCall takes the details of the call that a message shows.
func (f *Feed) SetCall(id clew.MessageID, c Call) {
	if e := f.byID[id]; e != nil {
		c.whole = c.Status.Ended()
		e.call = &c
		e.version++
	}
}

func (e *entry) toolName() string {
	switch {
	case e.Tool != nil && e.Tool.Name != "":
		return ask.ToolName(e.Tool.Name)
	case e.Ask == clew.AskCommand:
		return ask.ToolName("execute_command")
	}
	return "Tool"
}

// target is what a call is about: a path, a pattern, a command.
func (e *entry) target() string {
	if e.Tool == nil {
		return ""
	}
	return term.FirstLine(cmp.Or(e.Tool.Target, e.Tool.Command, strings.Join(e.Tool.Paths, ", ")))
}

// output is what a call brought, as far as it is known.
func (r *Row) output() string {
	var parts []string
	for _, e := range r.more {
		parts = append(parts, e.Text)
	}
	if len(parts) == 0 && r.first.call != nil {
		return clew.ValueText(r.first.call.Output)
	}
	return strings.Join(parts, "\n")
}

// A toolStatus is how a call stands, and its mark on the thread.
type toolStatus struct {
	word string
	mark mark
}

func (r *Row) standing() toolStatus {
	e := r.first
	switch {
	case e.asking:
		return toolStatus{"needs you", markAsk}
	case e.refused():
		return toolStatus{ask.Settled(*e.Answer), settledMark(e)}
	case e.Tool == nil || e.Tool.Status == clew.ToolWaiting:
		if e.Answer != nil && e.Answer.Action != clew.ResolvedApprove {
			return toolStatus{ask.Settled(*e.Answer), settledMark(e)}
		}
		return toolStatus{"waiting", markPast}
	case e.Tool.Status == clew.ToolStopped && e.Tool.WhyCode == clew.EndRewound:
		return toolStatus{"rewound to before this finished", markPast}
	case e.Tool.InDoubt:
		return toolStatus{"in doubt: may not have completed", markFail}
	case e.Tool.Status == clew.ToolRunning:
		return toolStatus{"running", markRun}
	case e.Tool.Status == clew.ToolStopped:
		return toolStatus{"stopped", markLeft}
	case e.Tool.ExitCode != nil && *e.Tool.ExitCode != 0:
		return toolStatus{exitText(e.Tool), markFail}
	case e.Tool.Status == clew.ToolError:
		return toolStatus{"failed", markFail}
	}
	return toolStatus{"", markDone}
}

// exitText says how a command failed: with which code, and at which limit.
func exitText(t *clew.MessageTool) string {
	text := fmt.Sprintf("exit %d", *t.ExitCode)
	if met := ask.LimitReached(t.LimitReached); met != "" {
		text += ", " + met
	}
	return text
}

// refused reports that a call was not made, for nobody allowed it. Its record says
// that it failed.
func (e *entry) refused() bool {
	return e.Answer != nil && (e.Answer.Action == clew.ResolvedReject || e.Answer.Action == clew.ResolvedSkip)
}

// settledMark is the mark of a question that is settled: by an answer, by one that
// leaves something out, or by none at all.
func settledMark(e *entry) mark {
	switch a := e.Answer; {
	case a == nil && !e.IsAnswered, a != nil && (a.ByTimeout || a.Action == clew.ResolvedCancelled):
		return markPast
	case a != nil && (a.Action == clew.ResolvedReject || a.Action == clew.ResolvedSkip):
		return markLeft
	}
	return markDone
}

func lastOf(s string, n int) string { return s[max(0, len(s)-n):] }
