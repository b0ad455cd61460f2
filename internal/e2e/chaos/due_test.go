package chaos

import (
	"context"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// find gives the records of a type.
func (r *rest) find(id clew.SessionID, typ clew.EventType) (list []clew.Record) {
	for rec, err := range r.Journal().Read(context.Background(), id, 1, 1<<40) {
		if err != nil {
			r.t.Fatalf("%s: %v", id, err)
		}
		if rec.Type == typ {
			list = append(list, rec)
		}
	}
	return list
}

// deadlines has a few runs wait that have little time. They leave memory, and
// the engine wakes them.
func (r *rest) deadlines() {
	const soon = 3
	ids := r.make("due", 20,
		clew.Command{Type: clew.CommandUpdateSettings, By: owner, Data: &clew.UpdateSettingsData{Settings: map[string]any{"plan_review_timeout_sec": soon, "question_reminder_sec": 0}}},
		clew.Command{Type: clew.CommandUserMessage, By: owner, Data: &clew.UserMessageData{Text: "plan something", Mode: clew.ModeRun}})
	r.unload()
	took := proc.Eventually(r.t, "deadlines of cold runs fire", time.Minute, func() bool {
		for _, id := range ids {
			if len(r.find(id, clew.EventCancelled)) == 0 {
				return false
			}
		}
		return true
	})
	for _, id := range ids {
		ends := r.find(id, clew.EventHitlResolved)
		if len(ends) != 1 || !decode[clew.HitlResolvedData](r.t, ends[0].Data()).ByTimeout || len(r.find(id, clew.EventCancelled)) != 1 {
			r.t.Errorf("%s: %d ends of its review, %d of the run", id, len(ends), len(r.find(id, clew.EventCancelled)))
		}
	}
	r.t.Logf("deadlines of %d cold runs with %d s each: all settled by time-out, once, %s after the last was unloaded", len(ids), soon, took.Round(time.Millisecond))
}

// approve lets one of the runs that wait go on: it was only asleep.
func (r *rest) approve(id clew.SessionID) {
	q := decode[clew.HitlPlanReviewData](r.t, r.find(id, clew.EventHitlPlanReview)[0].Data())
	_, err := r.Host().Do(context.Background(), id, clew.Command{Type: clew.CommandHitlPlanResponse, By: owner, Data: &clew.HitlPlanResponseData{
		RequestID: q.RequestID, Action: clew.ChoiceApprove,
	}})
	if err != nil {
		r.t.Fatal(err)
	}
	proc.Eventually(r.t, "the run is complete", time.Minute, func() bool { return len(r.find(id, clew.EventComplete)) == 1 })
}
