package feed

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/clew-run/clew"
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
		c.whole = c.Status == clew.ToolComplete || c.Status == clew.ToolError
		e.call = &c
		e.version++
	}
}

// after is what is known of a call once a record came.
func (c *Call) after(d *clew.ToolProgressData) *Call {
	next := Call{}
	if c != nil {
		next = *c
	}
	next.Tool, next.Status = d.Tool, d.Status
	if len(d.Input) > 0 {
		next.Input = d.Input
	}
	if d.Effect != nil {
		next.Effect = d.Effect
	}
	if d.Output != nil {
		next.Output = d.Output
	}
	next.Error, next.DurationMS = d.Error, d.DurationMS
	return &next
}

// Names of tools, as what an agent does. Others are called by their own name.
var toolNames = map[string]string{
	"read_file": "Read", "list_files": "List", "search_files": "Search", "write_file": "Write", "edit": "Edit",
	"execute_command": "Run", "read_output": "Read output", "stop_command": "Stop command", "fetch": "Fetch",
	"ask_followup": "Ask", "attempt_completion": "Finish", "update_todos": "Steps", "switch_mode": "Switch mode",
	"new_task": "Subtask", "use_mcp_server": "Tool server", "report_progress": "Progress", "report_failure": "Failure",
}

// ToolName is how people call a tool.
func ToolName(name string) string {
	if n, ok := toolNames[name]; ok {
		return n
	}
	return name
}

var namedTool = regexp.MustCompile(`^\{"tool":"([^"]{1,100})"`)

func (e *entry) toolName() string {
	switch {
	case e.Tool != nil && e.Tool.Name != "":
		return ToolName(e.Tool.Name)
	case e.Ask == clew.AskCommand:
		return ToolName("execute_command")
	}
	if m := namedTool.FindStringSubmatch(e.Text); m != nil {
		return ToolName(m[1])
	}
	return "Tool"
}

var telling = []string{"command", "path", "pattern", "url", "query", "id", "task", "name", "question", "step"}

// target is what a call is about: a path, a pattern, a command.
func (e *entry) target() string {
	if e.Ask == clew.AskCommand && !strings.HasPrefix(e.Text, "{") {
		return firstLine(strings.TrimPrefix(e.Text, "run: "))
	}
	var given struct {
		Input map[string]json.RawMessage `json:"input"`
	}
	if strings.HasPrefix(e.Text, "{") && json.Unmarshal([]byte(e.Text), &given) == nil {
		for _, key := range telling {
			var s string
			if json.Unmarshal(given.Input[key], &s) == nil && s != "" {
				return firstLine(s)
			}
		}
	}
	switch {
	case e.Tool != nil && len(e.Tool.Paths) > 0:
		return strings.Join(e.Tool.Paths, ", ")
	case strings.HasPrefix(e.Text, "{"):
		return ""
	case e.Text != "":
		return firstLine(e.Text)
	case e.Tool != nil:
		return firstLine(e.Tool.Input)
	}
	return ""
}

func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if line, _, more := strings.Cut(s, "\n"); more {
		return line + " …"
	}
	return s
}

var exitCode = regexp.MustCompile(`\[[^\]\n]*exit code (-?\d+)[^\]\n]*\]\s*$`)

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

// A standing is how a call stands, and its mark on the thread.
type standing struct {
	word string
	mark mark
}

func (r *Row) standing() standing {
	e := r.first
	switch {
	case e.asking:
		return standing{"needs you", markAsk}
	case e.refused():
		return standing{settled(e.Answer), settledMark(e)}
	case e.Tool != nil && e.Tool.InDoubt:
		return standing{"in doubt: nobody knows whether it took effect", markFail}
	case e.Tool != nil && e.Tool.Status == clew.ToolRunning:
		return standing{"running", markRun}
	case e.Tool != nil:
		if code := r.exit(); code != "" && code != "0" {
			return standing{"exit " + code, markFail}
		}
		if e.Tool.Status == clew.ToolError {
			return standing{"failed", markFail}
		}
		return standing{"", markDone}
	case e.Answer != nil && e.Answer.Action != clew.ResolvedApprove:
		return standing{settled(e.Answer), settledMark(e)}
	}
	return standing{"waiting", markPast}
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

// exit is the exit code that a command's output ends with, "" if it has none.
func (r *Row) exit() string {
	m := exitCode.FindStringSubmatch(lastOf(r.output(), 300))
	if m == nil {
		return ""
	}
	return m[1]
}

func lastOf(s string, n int) string { return s[max(0, len(s)-n):] }

// settled says how a question ended. Running out of time is not a no.
func settled(a *clew.MessageAnswer) string {
	by := ""
	if a.By != "" {
		by = " by " + string(a.By)
	}
	switch {
	case a.ByTimeout:
		return "expired: nobody answered in time"
	case a.Action == clew.ResolvedApprove:
		return "approved" + by
	case a.Action == clew.ResolvedReject:
		return "denied" + by + because(a.Comment)
	case a.Action == clew.ResolvedSkip:
		return "skipped" + by
	case a.Action == clew.ResolvedModify:
		return "changed" + by + because(a.Comment)
	case a.Action == clew.ResolvedCancelled:
		return "withdrawn: its work ended first"
	case a.Value != "":
		return "answered" + by + ": " + a.Value
	}
	return "answered" + by
}

func because(comment string) string {
	if comment == "" {
		return ""
	}
	return ": " + comment
}
