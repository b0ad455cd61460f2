package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// scopeOf gives the run that an event belongs to.
func scopeOf(env wire.Envelope) (run string, ok bool) {
	var s clew.Scope
	if err := json.Unmarshal(env.Data, &s); err != nil {
		return "", false
	}
	return s.RunID, s.RunID != ""
}

// lineOf is an event of a run for people, "" if it says nothing new.
func lineOf(data any) string {
	switch d := data.(type) {
	case *clew.LayerStartData:
		return "-- " + d.Description
	case *clew.PlanApprovedData:
		return "approved by " + d.ApprovedBy
	case *clew.TodoStartedData:
		return fmt.Sprintf("begin  %s: %s", d.TodoID, d.Task)
	case *clew.TodoProgressData:
		line := fmt.Sprintf("       %s: %d%% %s", d.TodoID, d.ProgressPercentage, d.CurrentStep)
		if d.ItemsTotal > 0 {
			line += fmt.Sprintf(" (%d of %d)", d.ItemsProcessed, d.ItemsTotal)
		}
		return line
	case *clew.TodoCompletedData:
		return "done   " + d.TodoID
	case *clew.TodoFailedData:
		return fmt.Sprintf("failed %s: %s", d.TodoID, d.Error.Message)
	case *clew.TodoRetriedData:
		return "again  " + d.TodoID
	case *clew.TodoSkippedData:
		return "left   " + d.TodoID
	case *clew.ExecutionProgressData:
		return fmt.Sprintf("[%d%%]", d.ProgressPercentage)
	case *clew.HitlPausedData:
		return "paused by " + d.PausedBy
	case *clew.HitlResumedData:
		return "resumed by " + d.ResumedBy
	case *clew.HitlApprovalRequestData:
		return "it asks, and waits for an answer elsewhere: " + d.Reason
	case *clew.HitlInputRequestData:
		return "it asks, and waits for an answer elsewhere: " + d.Question
	case *clew.HitlClarificationData:
		return "it asks, and waits for an answer elsewhere: " + d.Question
	}
	return ""
}

// planText is a plan for people: each step with what it waits for.
func planText(d *clew.HitlPlanReviewData) string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan, version %d, about %d s: %s\n", d.Version, d.Plan.EstimatedDurationSec, d.Message)
	for i, t := range d.Plan.Todos {
		fmt.Fprintf(&b, "  %d. %s: %s", i+1, t.ID, t.Task)
		if len(t.DependsOn) > 0 {
			fmt.Fprintf(&b, " (after %s)", strings.Join(t.DependsOn, ", "))
		}
		if t.EstimatedCostUSD != nil {
			fmt.Fprintf(&b, " (about %.2f USD)", *t.EstimatedCostUSD)
		}
		b.WriteString("\n")
	}
	return b.String()
}
