package ask

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
)

// Title is what is asked, in a line that is safe at a terminal as far as it
// names tools. For a question that asks for a value it is the question itself.
func Title(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return approvalTitle(d)
	case *clew.HitlPlanReviewData:
		return fmt.Sprintf("%s (version %d)", titles["plan"], d.Version)
	case *clew.HitlInputRequestData:
		return d.Question
	case *clew.HitlClarificationData:
		return cmp.Or(d.Question, d.Ambiguity)
	}
	return "It asks something that this version of clew does not know."
}

// titles are the questions by what they are about. The web asks in the same words, by the
// same names: questions/words.ts and questions/kinds.ts.
var titles = map[string]string{
	"command": "Run this command?",
	"cell":    "Run this code?",
	"edit":    "Make this change?",
	"fetch":   "Fetch this address?",
	"server":  "Call this tool?",
	"step":    "Allow this step?",
	"tool":    "Allow this?",
	"limit":   "A limit was reached. Continue?",
	"retry":   "The model call failed. Try again?",
	"resume":  "Resume this task?",
	"plan":    "Approve the plan?",
}

// allowTool asks about a tool by its name.
const allowTool = "Allow %s?"

func approvalTitle(d *clew.HitlApprovalRequestData) string {
	kind := approvalKind(d)
	if d.Tool != "" && (kind == "tool" || kind == "server") { // only its name says what it is
		return fmt.Sprintf(allowTool, term.ExactLine(ToolName(d.Tool)))
	}
	return titles[kind]
}

// approvalKind says what an approval is about, as people sort them.
func approvalKind(d *clew.HitlApprovalRequestData) string {
	e := cmp.Or(d.Effect, &clew.Effect{})
	switch {
	case d.Limit != "", d.Ask == clew.AskMistakeLimitReached, d.Ask == clew.AskAutoApprovalMaxReqReached:
		return "limit"
	case d.Ask == clew.AskAPIReqFailed:
		return "retry"
	case d.Ask == clew.AskResumeTask, d.Ask == clew.AskResumeCompletedTask:
		return "resume"
	case d.Todo != nil:
		return "step"
	case d.Tool == "run_cell" && e.Command != "":
		return "cell"
	case e.Command != "", d.Ask == clew.AskCommand, d.Ask == clew.AskCommandOutput:
		return "command"
	case d.Ask == clew.AskUseMcpServer:
		return "server"
	case e.URL != "":
		return "fetch"
	case e.Diff != "":
		return "edit"
	case e.Server != "":
		return "server"
	}
	return "tool"
}

// Line is what a question is about, in a line.
func Line(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return term.FirstLine(approvalLine(d))
	case *clew.HitlPlanReviewData:
		return term.FirstLine(cmp.Or(d.Message, Title(q)))
	}
	return term.FirstLine(Title(q))
}

func approvalLine(d *clew.HitlApprovalRequestData) string {
	e := cmp.Or(d.Effect, &clew.Effect{})
	switch {
	case e.Command != "" && e.Directory != "":
		return fmt.Sprintf("%s (in %s)", term.FirstLine(e.Command), e.Directory)
	case e.Command != "":
		return e.Command
	case e.Summary != "":
		return e.Summary
	case d.Todo != nil:
		return d.Todo.Task
	}
	return cmp.Or(d.Reason, approvalTitle(d))
}

// toolNames are tools as what an agent does. Others are called by their own name.
var toolNames = map[string]string{
	"read_file": "Read", "list_files": "List", "search_files": "Search", "write_file": "Write", "edit": "Edit",
	"execute_command": "Run", "read_output": "Read output", "stop_command": "Stop command", "fetch": "Fetch",
	"ask_followup": "Ask", "attempt_completion": "Finish", "update_todos": "Steps", "switch_mode": "Switch mode",
	"new_task": "Subtask", "use_mcp_server": "Tool server", "report_progress": "Progress", "report_failure": "Failure",
	"notebook_read": "Read notebook", "notebook_edit": "Edit notebook", "run_cell": "Run cell", "kernel": "Kernel",
}

// ToolName is how people call a tool.
func ToolName(name string) string { return cmp.Or(toolNames[name], name) }

// After says which todos come before one, each by the first line of its task; ""
// if none do.
func After(t clew.Todo, all []clew.Todo) string {
	var names []string
	for _, id := range t.DependsOn {
		name := id
		for _, other := range all {
			if other.ID == id {
				first, _, _ := strings.Cut(strings.TrimSpace(other.Task), "\n")
				name = strings.TrimRight(first, ".")
			}
		}
		names = append(names, "“"+name+"”")
	}
	if len(names) == 0 {
		return ""
	}
	return "after " + strings.Join(names, ", ")
}
