package inbox

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

const start = int64(1_800_000_000_000)

// world is a table of rows and the sessions behind them. It belongs to one
// goroutine.
type world struct {
	rows    map[clew.UserID][]core.InboxItem
	role    map[clew.UserID]clew.Role
	done    []clew.Command
	fail    error
	settles bool // an answer takes its row away
	now     int64
	changes chan session.InboxChange
}

func newWorld() (*world, *Inbox) {
	w := &world{
		rows: map[clew.UserID][]core.InboxItem{}, role: map[clew.UserID]clew.Role{"ann": clew.RoleOwner, "bob": clew.RoleApprover, "eve": clew.RoleViewer},
		settles: true, now: start, changes: make(chan session.InboxChange),
	}
	return w, New(w, w, func() int64 { return w.now })
}

func (w *world) List(_ context.Context, user clew.UserID) ([]core.InboxItem, error) {
	return slices.Clone(w.rows[user]), nil
}

func (w *world) Find(_ context.Context, user clew.UserID, id clew.RequestID) (core.InboxItem, bool, error) {
	for _, it := range w.rows[user] {
		if it.Question.RequestID() == id {
			return it, true, nil
		}
	}
	return core.InboxItem{}, false, nil
}

func (w *world) Has(ctx context.Context, user clew.UserID, _ clew.SessionID, id clew.RequestID) (bool, error) {
	_, ok, err := w.Find(ctx, user, id)
	return ok, err
}

func (w *world) Watch(ctx context.Context, _ clew.UserID, fn func(session.InboxChange)) error {
	for {
		select {
		case c := <-w.changes:
			fn(c)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *world) Access(_ context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error) {
	role := w.role[p.User]
	if role == "" || id == "gone" {
		return "", clew.Errorf(clew.SessionNotFound, "no such session")
	}
	if p.Role == clew.RoleApprover && role == clew.RoleOwner { // as a session does
		role = clew.RoleApprover
	}
	return role, nil
}

func (w *world) Do(_ context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error) {
	if w.fail != nil {
		return session.Receipt{}, w.fail
	}
	w.done = append(w.done, cmd)
	if w.settles {
		for user := range w.rows {
			w.rows[user] = slices.DeleteFunc(w.rows[user], func(it core.InboxItem) bool { return it.SessionID == id })
		}
	}
	return session.Receipt{ClientMessageID: cmd.ClientMessageID, Records: []clew.MessageID{clew.MessageIDOf(9)}}, nil
}

func (w *world) State(_ context.Context, id clew.SessionID) (clew.SessionState, error) {
	st := clew.SessionState{Owner: "ann", Title: "Work"}
	for _, it := range w.rows["ann"] {
		if it.SessionID == id && st.HitlPending == nil {
			st.HitlPending = &it.Question
		} else if it.SessionID == id {
			st.HitlQueue = append(st.HitlQueue, it.Question)
		}
	}
	return st, nil
}

func (w *world) InboxWritten(context.Context) {}

func (w *world) put(user clew.UserID, id clew.SessionID, asked int64, data any) {
	q := clew.Question{Data: data}
	switch data.(type) {
	case *clew.HitlPlanReviewData:
		q.Type = clew.EventHitlPlanReview
	case *clew.HitlApprovalRequestData:
		q.Type = clew.EventHitlApprovalRequest
	case *clew.HitlInputRequestData:
		q.Type = clew.EventHitlInputRequest
	case *clew.HitlClarificationData:
		q.Type = clew.EventHitlClarification
	}
	w.rows[user] = append(w.rows[user], core.InboxItem{SessionID: id, Title: "Work", Owner: "ann", Question: q, AskedMS: asked})
}

func asking(id string, deadline int64) clew.Asking {
	return clew.Asking{RequestID: clew.RequestID(id), DeadlineMS: deadline}
}

func as(user clew.UserID, role clew.Role) clew.Principal {
	return clew.Principal{User: user, Role: role}
}

// The nearest deadline comes first, then the oldest, page by page.
func TestOrderAndPages(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		w, b := newWorld()
		n := rapid.IntRange(0, 20).Draw(t, "n")
		for i := range n {
			deadline := rapid.SampledFrom([]int64{0, 0, start - 1, start + soonMS, start + soonMS + 1}).Draw(t, "deadline")
			asked := rapid.Int64Range(1, 5).Draw(t, "asked")
			w.put("ann", "s", asked, &clew.HitlApprovalRequestData{Asking: asking(fmt.Sprint("q", i), deadline)})
		}
		limit := rapid.IntRange(1, 7).Draw(t, "limit")
		var all []Item
		soon := 0
		for cursor := ""; ; {
			page, err := b.List(t.Context(), as("ann", clew.RoleOwner), cursor, limit)
			if err != nil || page.Counts.Total != n || len(page.Items) > limit {
				t.Fatalf("page %+v, %v", page, err)
			}
			all, soon = append(all, page.Items...), page.Counts.DueSoon
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		seen := map[clew.RequestID]bool{}
		for i, it := range all {
			a := it.Question.Asking()
			seen[a.RequestID] = true
			if a.DeadlineMS != 0 && a.DeadlineMS-start <= soonMS {
				soon--
			}
			if i == 0 {
				continue
			}
			before := all[i-1].Question.Asking().DeadlineMS
			switch {
			case before == 0 && a.DeadlineMS != 0, before != 0 && a.DeadlineMS != 0 && before > a.DeadlineMS,
				before == a.DeadlineMS && all[i-1].AskedMS > it.AskedMS:
				t.Fatalf("%+v comes before %+v", all[i-1], it)
			}
		}
		if len(seen) != n || len(all) != n || soon != 0 {
			t.Fatalf("%d of %d questions were listed, %d due soon too many", len(seen), n, soon)
		}
	})
}

func TestKinds(t *testing.T) {
	w, b := newWorld()
	w.put("ann", "s", 1, &clew.HitlApprovalRequestData{Asking: asking("q1", 0), Ask: clew.AskCommand})
	w.put("ann", "s", 1, &clew.HitlApprovalRequestData{Asking: asking("q2", 0), Ask: clew.AskCommand})
	w.put("ann", "s", 1, &clew.HitlApprovalRequestData{Asking: asking("q3", 0), Ask: clew.AskMistakeLimitReached, Limit: "budget"})
	w.put("ann", "s", 1, &clew.HitlInputRequestData{Asking: asking("q4", 0), Ask: clew.AskFollowup})
	w.put("ann", "s", 1, &clew.HitlPlanReviewData{Asking: asking("q5", 0)})
	got, err := b.Counts(t.Context(), as("ann", clew.RoleOwner))
	want := map[string]int{
		"hitl_approval_request:command": 2, "hitl_approval_request:mistake_limit_reached:budget": 1,
		"hitl_input_request:followup": 1, "hitl_plan_review": 1,
	}
	if err != nil || got.Total != 5 || !reflect.DeepEqual(got.ByKind, want) {
		t.Errorf("counts %+v, %v", got, err)
	}
	for _, by := range []clew.Principal{as("ann", clew.RoleViewer), as("ann", clew.RoleNone), as("", clew.RoleOwner)} {
		if got, err := b.Counts(t.Context(), by); got.Total != 0 || err != nil {
			t.Errorf("%+v sees %+v, %v", by, got, err)
		}
	}
}

// An answer becomes the command that fits the question, or is refused.
//
// Covers: C-20, RUN-22
func TestAnswerBecomesACommand(t *testing.T) {
	plan := &clew.HitlPlanReviewData{Asking: asking("q", 0), Options: clew.List[clew.Choice]{}}
	approval := &clew.HitlApprovalRequestData{Asking: asking("q", 0)}
	input := &clew.HitlInputRequestData{Asking: asking("q", 0), Field: "colour"}
	unclear := &clew.HitlClarificationData{Asking: asking("q", 0)}
	edits := []clew.PlanEdit{{Action: clew.PlanRemove, TodoID: "t1"}}
	tests := []struct {
		q    any
		r    Response
		want any // the command's data, or the code of the refusal
	}{
		{approval, Response{Action: "approve"}, &clew.HitlApprovalResponseData{RequestID: "q", Action: "approve"}},
		{approval, Response{Action: "skip", Comment: "later"}, &clew.HitlApprovalResponseData{RequestID: "q", Action: "skip", Comment: "later"}},
		{approval, Response{Action: "modify"}, clew.HitlInvalidResponse},
		{approval, Response{}, clew.HitlInvalidResponse},
		{approval, Response{Action: "approve", Value: 1}, clew.HitlInvalidResponse},
		{approval, Response{Action: "approve", Instruction: "x"}, clew.HitlInvalidResponse},
		{plan, Response{Action: "modify", Instruction: "less", Modifications: edits}, &clew.HitlPlanResponseData{RequestID: "q", Action: "modify", Instruction: "less", Modifications: edits}},
		{plan, Response{Action: "skip"}, clew.HitlInvalidResponse},
		{plan, Response{Value: "x"}, clew.HitlInvalidResponse},
		{input, Response{Value: "teal"}, &clew.HitlInputResponseData{RequestID: "q", Field: "colour", Value: "teal"}},
		{input, Response{Value: false}, &clew.HitlInputResponseData{RequestID: "q", Field: "colour", Value: false}},
		{input, Response{}, &clew.HitlInputResponseData{RequestID: "q", Field: "colour"}},
		{input, Response{Action: "reject", Comment: "no"}, &clew.AskResponseData{RequestID: "q", AskResponse: clew.NoButtonClicked, Text: "no"}},
		{input, Response{Action: "approve"}, clew.HitlInvalidResponse},
		{input, Response{Value: 1, Modifications: edits}, clew.HitlInvalidResponse},
		{unclear, Response{Value: "the left one"}, &clew.HitlClarificationResponseData{RequestID: "q", Value: "the left one"}},
		{approval, Response{Action: "approve", ClientMessageID: clew.ClientMessageID(strings.Repeat("x", 1000))}, clew.InvalidMessage},
	}
	for i, tt := range tests {
		w, b := newWorld()
		w.put("bob", "s", 1, tt.q)
		_, err := b.Answer(t.Context(), as("bob", clew.RoleOwner), "q", tt.r)
		if code, refused := tt.want.(clew.Code); refused {
			if clew.CodeOf(err) != code || len(w.done) != 0 {
				t.Errorf("%d: %v, want %s", i, err, code)
			}
			continue
		}
		if err != nil || len(w.done) != 1 {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if cmd := w.done[0]; !reflect.DeepEqual(cmd.Data, tt.want) || cmd.By.User != "bob" {
			t.Errorf("%d: command %+v of %+v, want %+v", i, cmd.Data, cmd.By, tt.want)
		}
	}
}

// Covers: C-20
func TestWhoMayAnswer(t *testing.T) {
	tests := []struct {
		by   clew.Principal
		row  bool
		want clew.Code
	}{
		{as("ann", clew.RoleOwner), true, ""},
		{as("ann", clew.RoleApprover), true, ""},
		{as("bob", clew.RoleOwner), true, ""},
		{as("bob", clew.RoleAdmin), true, ""},
		{as("bob", clew.RoleViewer), true, clew.Forbidden},
		{as("bob", clew.RoleNone), true, clew.Forbidden},
		{as("bob", clew.RoleOwner), false, clew.HitlRequestExpired},
		{as("eve", clew.RoleOwner), true, clew.Forbidden}, // a row that is late: the session decides
		{as("zoe", clew.RoleOwner), true, clew.HitlRequestExpired},
	}
	for _, tt := range tests {
		w, b := newWorld()
		if tt.row {
			w.put(tt.by.User, "s", 1, &clew.HitlApprovalRequestData{Asking: asking("q", 0)})
		}
		_, err := b.Answer(t.Context(), tt.by, "q", Response{Action: "approve"})
		if clew.CodeOf(err) != tt.want || (len(w.done) == 1) != (tt.want == "") {
			t.Errorf("%+v: %v, want %q", tt.by, err, tt.want)
		}
	}
}

// An answer returns when its row is gone, and does not wait for ever.
func TestAnswerWaitsForItsRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := newWorld()
		w.settles = false
		w.put("ann", "s", 1, &clew.HitlApprovalRequestData{Asking: asking("q", 0)})
		began := time.Now()
		if _, err := b.Answer(t.Context(), as("ann", clew.RoleOwner), "q", Response{Action: "approve"}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != goneWithin {
			t.Errorf("took %s", took)
		}
	})
}

func TestBatchOfOneKind(t *testing.T) {
	by := as("ann", clew.RoleOwner)
	w, b := newWorld()
	fill := func() {
		w.rows = map[clew.UserID][]core.InboxItem{}
		w.put("ann", "s1", 1, &clew.HitlApprovalRequestData{Asking: asking("a1", 0), Ask: clew.AskCommand})
		w.put("ann", "s2", 1, &clew.HitlApprovalRequestData{Asking: asking("a2", 0), Ask: clew.AskCommand})
		w.put("ann", "s3", 1, &clew.HitlApprovalRequestData{Asking: asking("b1", 0), Ask: clew.AskTool})
		w.put("ann", "s4", 1, &clew.HitlApprovalRequestData{Asking: asking("c1", 0), Ask: clew.AskMistakeLimitReached, Limit: "mistakes"})
		w.put("ann", "s5", 1, &clew.HitlApprovalRequestData{Asking: asking("c2", 0), Ask: clew.AskMistakeLimitReached, Limit: "budget"})
		w.put("ann", "s6", 1, &clew.HitlPlanReviewData{Asking: asking("p1", 0)})
		w.put("ann", "s7", 1, &clew.HitlInputRequestData{Asking: asking("i1", 0)})
		w.put("ann", "s8", 1, &clew.HitlClarificationData{Asking: asking("u1", 0)})
		w.put("ann", "gone", 1, &clew.HitlApprovalRequestData{Asking: asking("a3", 0), Ask: clew.AskCommand})
	}
	for _, ids := range [][]clew.RequestID{{"a1", "b1"}, {"c1", "c2"}, {"p1"}, {"i1"}, {"u1"}, {"a1", "a2", "p1"}} {
		fill()
		if _, err := b.Batch(t.Context(), by, ids, clew.ChoiceApprove, ""); clew.CodeOf(err) != clew.HitlInvalidResponse || len(w.done) != 0 {
			t.Errorf("%v: %v, %d done", ids, err, len(w.done))
		}
	}
	if _, err := b.Batch(t.Context(), by, make([]clew.RequestID, BatchMax+1), clew.ChoiceApprove, ""); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("too many: %v", err)
	}
	fill()
	results, err := b.Batch(t.Context(), by, []clew.RequestID{"a1", "x", "a3", "a1", "a2"}, clew.ChoiceReject, "not today")
	if err != nil || len(results) != 4 || len(w.done) != 2 {
		t.Fatalf("%+v, %v, %d done", results, err, len(w.done))
	}
	for i, want := range []clew.Code{"", clew.HitlRequestExpired, clew.HitlRequestExpired, ""} {
		if e := results[i].Error; (e == nil) != (want == "") || e != nil && e.Code != want {
			t.Errorf("result %d: %+v", i, results[i])
		}
	}
	if d := w.done[1].Data.(*clew.HitlApprovalResponseData); d.RequestID != "a2" || d.Action != clew.ChoiceReject || d.Comment != "not today" {
		t.Errorf("command %+v", d)
	}
	if _, err := b.Batch(t.Context(), as("ann", clew.RoleViewer), []clew.RequestID{"b1"}, clew.ChoiceApprove, ""); clew.CodeOf(err) != clew.Forbidden {
		t.Errorf("a viewer's batch: %v", err)
	}
}

// A feed tells the whole inbox once, and then each change with what is left.
func TestFeed(t *testing.T) {
	w, b := newWorld()
	ctx, cancel := context.WithCancel(t.Context())
	var frames []any
	told := make(chan struct{}, 10)
	done := make(chan error, 1)
	go func() {
		done <- b.Feed(ctx, as("ann", clew.RoleOwner), func(_ clew.EventType, data any) { frames = append(frames, data); told <- struct{}{} })
	}()
	row := func(id string, deadline, reminded int64) session.InboxChange {
		q := clew.Question{Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{Asking: asking(id, deadline)}}
		return session.InboxChange{SessionID: "s", RequestID: clew.RequestID(id), Item: &core.InboxItem{SessionID: "s", Question: q, RemindedMS: reminded}}
	}
	gone := func(id clew.RequestID) session.InboxChange {
		return session.InboxChange{SessionID: "s", RequestID: id}
	}
	for _, c := range []session.InboxChange{row("q1", 0, 0), row("q2", start+1, 0), {Current: true}, row("q3", 0, 0), row("q1", 0, 5), gone("unknown"), gone("q2")} {
		w.changes <- c
	}
	for range 4 {
		<-told
	}
	cancel()
	<-done
	first := frames[0].(*State)
	if len(first.Items) != 2 || first.Items[0].Question.RequestID() != "q2" || first.Counts.Total != 2 || first.Counts.DueSoon != 1 {
		t.Errorf("state %+v", first)
	}
	var got []string
	for _, f := range frames[1:] {
		c := f.(*Changed)
		for _, it := range c.Added {
			got = append(got, fmt.Sprintf("+%s@%d of %d", it.Question.RequestID(), it.RemindedMS, c.Counts.Total))
		}
		for _, id := range c.Removed {
			got = append(got, fmt.Sprintf("-%s of %d", id, c.Counts.Total))
		}
	}
	if s := strings.Join(got, ", "); s != "+q3@0 of 3, +q1@5 of 3, -q2 of 2" {
		t.Error(s)
	}
}

// Who may only watch hears of nothing.
func TestFeedOfAViewer(t *testing.T) {
	_, b := newWorld()
	ctx, cancel := context.WithCancel(t.Context())
	err := b.Feed(ctx, as("ann", clew.RoleViewer), func(_ clew.EventType, data any) {
		if st, ok := data.(*State); !ok || len(st.Items) != 0 || st.Items == nil {
			t.Errorf("told %+v", data)
		}
		cancel()
	})
	if err == nil {
		t.Error("the feed ended by itself")
	}
}
