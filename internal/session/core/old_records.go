package core

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
)

// oldReasons are the reasons for an end as they stand in old records.
var oldReasons = map[string]clew.EndCode{
	"interrupted by the user":                               clew.EndInterrupted,
	"put away by the user":                                  clew.EndPutAway,
	"reset by the user":                                     clew.EndReset,
	"cancelled: reset by the user":                          clew.EndReset,
	"skipped by the user":                                   clew.EndSkipped,
	"denied by a person":                                    clew.EndDenied,
	"stopped by a person":                                   clew.EndNotContinued,
	"cancelled: stopped by a person":                        clew.EndNotContinued,
	"cancelled: stopped after a failed step":                clew.EndNotContinued,
	"cancelled: the plan was rejected":                      clew.EndPlanRejected,
	"the plan was changed":                                  clew.EndPlanChanged,
	"the plan has moved on":                                 clew.EndOutdated,
	"taken up with a message":                               clew.EndContinued,
	"stopped: the session was taken back":                   clew.EndRewound,
	"not run: the session was taken back to before its end": clew.EndRewound,
	"stopped: the rewind was undone":                        clew.EndUndone,
	"stopped: the rewind was done again":                    clew.EndRedone,
	"stopped: files were taken back":                        clew.EndFilesRestored,
	"left in the original session":                          clew.EndForked,
	"ended because nobody answered in time":                 clew.EndTimedOut,
	"cancelled: nobody answered in time":                    clew.EndTimedOut,
	"not decided in time":                                   clew.EndTimedOut,
	"ended by a failure":                                    clew.EndFailed,
	"ended by a failed model call":                          clew.EndFailed,
	"failed":                                                clew.EndFailed,
	"in doubt":                                              clew.EndInDoubt,
	"the tool is gone":                                      clew.EndInDoubt,
	clew.TurnOver:                                           clew.EndTurnOver,
}

func oldCode(reason string) clew.EndCode {
	switch {
	case oldReasons[reason] != "":
		return oldReasons[reason]
	case strings.HasPrefix(reason, "cancelled by the user"), strings.HasPrefix(reason, "cancelled: "):
		return clew.EndCancelled
	case strings.HasPrefix(reason, "ended: "):
		return clew.EndFailed
	}
	return ""
}

// Translate adds to the data of an old record what it would have today.
func Translate(data any) {
	switch d := data.(type) {
	case *clew.MessageCreatedData:
		translateMessage(&d.Message)
	case *clew.MessageUpdatedData:
		translateMessage(&d.Message)
	case *clew.ToolProgressData:
		translateCall(d)
	case *clew.HitlApprovalRequestData:
		translateEffect(d.Effect)
	case *clew.HitlResolvedData:
		if d.WhyCode == "" && d.Action == clew.ResolvedCancelled {
			d.WhyCode = oldCode(d.Comment)
		}
	case *clew.TaskAbortedData:
		if d.Outcome == nil {
			d.Outcome = &clew.Outcome{WhyCode: oldCode(d.Reason), Message: strings.TrimPrefix(d.Reason, "cancelled: ")}
		}
	}
}

func translateMessage(m *clew.Message) {
	if m.AgentKind == "" && m.AgentID != "" {
		if m.AgentKind = clew.AgentMain; strings.HasPrefix(string(m.AgentID), "task-") {
			m.AgentKind = clew.AgentTask
		}
	}
	if m.Say == clew.SayAPIReqDeleted && m.WhyCode == "" {
		m.WhyCode = oldCode(strings.TrimSuffix(strings.TrimPrefix(m.Text, "The model call was "), "."))
	}
}

func translateCall(d *clew.ToolProgressData) {
	translateEffect(d.Effect)
	if d.Status == clew.ToolError && d.WhyCode == "" {
		if d.WhyCode = oldCode(d.Error); d.WhyCode.Stops() {
			d.Status = clew.ToolStopped
		}
	}
	output, _ := d.Output.(string)
	if !d.Status.Ended() || output == "" {
		return
	}
	if d.ExitCode == nil {
		d.ExitCode = oldExitCode(output)
	}
	if start := clipBytes(d.Error, 60); start != "" && strings.HasPrefix(output, start) {
		d.ErrorInOutput = true
	}
}

var exitText = regexp.MustCompile(`\[[^\]\n]*exit code (-?\d+)[^\]\n]*\]\s*$`)

// oldExitCode is the exit code that the output of a command ends with.
func oldExitCode(output string) *int {
	m := exitText.FindStringSubmatch(output[max(0, len(output)-300):])
	if m == nil {
		return nil
	}
	code, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	return &code
}

func clipBytes(s string, n int) string { return s[:min(len(s), n)] }

// translateEffect: where a diff does not show all, it says so in a line in
// parentheses, as no line of a diff is.
func translateEffect(e *clew.Effect) {
	if e != nil && !e.DiffCut && (strings.HasPrefix(e.Diff, "(") || strings.Contains(e.Diff, "\n(")) {
		e.DiffCut = true
	}
}
