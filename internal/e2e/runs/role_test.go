package runs

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

// steering are the commands that steer a run.
var steering = map[clew.CommandType]any{
	clew.CommandControlPause:  clew.ControlPauseData{},
	clew.CommandControlResume: clew.ControlResumeData{},
	clew.CommandControlCancel: clew.ControlCancelData{Reason: "mine now"},
	clew.CommandControlSkip:   clew.ControlSkipData{TodoID: "first"},
	clew.CommandControlRetry:  clew.ControlRetryData{TodoID: "first"},
	clew.CommandEditPlan:      clew.EditPlanData{Modifications: clew.List[clew.PlanEdit]{{Action: clew.PlanRemove, TodoID: "second"}}},
	clew.CommandUserMessage:   clew.UserMessageData{Text: "Another run.", Mode: clew.ModeRun},
}

// A viewer watches and opens reports. An approver answers as well, and steers
// nothing. An administrator who does not own the session only watches. The first
// answer counts and all of them hear of it; the second one is told so.
//
// Covers: WS-039, RUN-22, RUN-23, C-20
func TestRoles(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	s := short(t, llmtest.Anthropic, nil, nil)
	tokens := map[string]string{
		"owner": s.Bearer, "viewer": signed(t, "vera", "owner"), "approver": signed(t, "anna", "owner"), "admin": signed(t, "root", "admin"),
	}
	for user, role := range map[clew.UserID]clew.Role{"vera": clew.RoleViewer, "anna": clew.RoleApprover} {
		s.do(ctx, "access "+string(user), clew.CommandSetAccess, clew.SetAccessData{UserID: user, Role: role})
	}
	_, id := s.reviewed(ctx, clew.UserMessageData{Text: "Do both things."})
	ears := map[string]*ear{}
	for role, token := range tokens {
		ears[role] = s.listen(ctx, token)
		ears[role].question(clew.EventHitlPlanReview) // a late client hears it too
	}
	yes := clew.HitlPlanResponseData{RequestID: id, Action: clew.ChoiceApprove}
	for role := range tokens {
		if role == "owner" {
			continue
		}
		for typ, data := range steering {
			s.refused(ctx, ears[role], tokens[role], role, typ, data, clew.Forbidden)
		}
		if role != "approver" {
			s.refused(ctx, ears[role], tokens[role], role, clew.CommandHitlPlanResponse, yes, clew.Forbidden)
		}
	}
	unfit := clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceSkip} // there is nothing to skip
	s.refused(ctx, ears["approver"], tokens["approver"], "approver", clew.CommandHitlApprovalResponse, unfit, clew.HitlInvalidResponse)
	if err := ears["approver"].c.SendAs(ctx, "first", clew.CommandHitlPlanResponse, yes); err != nil {
		t.Fatal(err)
	}
	for role, e := range ears {
		var d clew.HitlResolvedData
		decode(t, e.await(clew.EventHitlResolved, has("request_id", string(id))).Data, &d)
		if d.ResolvedBy != "anna" || d.Action != clew.ResolvedApprove {
			t.Errorf("%s heard %+v", role, d)
		}
	}
	s.refused(ctx, ears["owner"], s.Bearer, "owner", clew.CommandHitlPlanResponse, yes, clew.HitlRequestExpired)
	for _, e := range ears {
		e.await(clew.EventComplete, nil)
	}
	list, _ := s.replayed()
	paths := ended(t, list).ReportPaths
	for role, token := range tokens {
		if _, err := s.get(ctx, paths[0], token); err != nil {
			t.Errorf("%s cannot open the report: %v", role, err)
		}
	}
	if _, err := s.get(ctx, paths[0], signed(t, "nobody", "owner")); err == nil {
		t.Error("a stranger opens the report")
	}
	s.over(t, clew.StatusCompleted, clew.EventComplete)
}

// refused sends a command over REST and over the socket; both say why it is
// refused, with the same code.
func (s *stage) refused(ctx context.Context, e *ear, token, who string, typ clew.CommandType, data any, code clew.Code) {
	s.T.Helper()
	if _, err := client.NewAPI(s.Srv.URL(), token).Command(ctx, sessionID, "", typ, data); clew.CodeOf(err) != code {
		s.T.Errorf("REST, %s of the %s: %v, not %s", typ, who, err, code)
	}
	name := clew.ClientMessageID("wrong-" + who + "-" + string(typ) + "-" + string(code))
	if err := e.c.SendAs(ctx, name, typ, data); err != nil {
		s.T.Fatal(err)
	}
	env := e.refusal(name)
	typed(s.T, env.Type, env.Data)
	var d clew.ErrorData
	decode(s.T, env.Data, &d)
	if d.Code != code || d.Context.CommandType != typ || code == clew.HitlRequestExpired && d.Number != 5003 {
		s.T.Errorf("socket, %s of the %s: %s, not %s", typ, who, env.Data, code)
	}
}

// refusal waits for the error about a frame of this client's. It is no record,
// so it may come between those that the test waits for.
func (e *ear) refusal(name clew.ClientMessageID) wire.Envelope {
	e.t.Helper()
	for i := 0; ; i++ {
		for i >= len(e.heard) {
			e.more()
		}
		var d clew.ErrorData
		if env := e.heard[i]; env.Type == string(clew.EventError) && json.Unmarshal(env.Data, &d) == nil && d.Context.ClientMessageID == name {
			return env
		}
	}
}

// ended gives the end of a run that ended well.
func ended(t *testing.T, list []record) *clew.CompleteData {
	t.Helper()
	for _, r := range list {
		if d, ok := r.Event.Data.(*clew.CompleteData); ok && d.RunID != "" {
			return d
		}
	}
	t.Fatal("the run did not end well")
	return nil
}
