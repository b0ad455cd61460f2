package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool/policy"
)

type ruleInput struct {
	Body struct {
		SessionID clew.SessionID `json:"session_id"`
		RequestID clew.RequestID `json:"request_id" doc:"An open question about a command"`
		Pattern   string         `json:"pattern" maxLength:"4096"`
	}
}

// ruleOutput is what a pattern comes to.
type ruleOutput struct {
	Body struct {
		Covers   bool   `json:"covers" doc:"The pattern covers the command in question"`
		Match    string `json:"match,omitempty" doc:"A command that it covers"`
		NearMiss string `json:"near_miss,omitempty" doc:"One much like it that it does not cover"`
		Problem  string `json:"problem,omitempty" doc:"Why it cannot be remembered, or does not cover the command"`
		// RunsWorkspace is as in RememberOffer.
		RunsWorkspace bool `json:"runs_workspace,omitempty" doc:"Commands that it covers run code of the workspace, such as its tests"`
	}
}

func (a *API) ruleRoutes(h huma.API) {
	huma.Register(h, operation("check-rule", http.MethodPost, "/rules/check", http.StatusOK,
		"Say what a pattern would cover if an answer remembered it. Nothing changes."), a.checkRule)
	huma.Register(h, operation("list-rules", http.MethodGet, "/rules", http.StatusOK,
		"List your rules with the scopes workspace and always, oldest first."), a.listRules)
	huma.Register(h, operation("forget-rule", http.MethodDelete, "/rules/{id}", http.StatusNoContent,
		"Take one of these rules back. The next such call asks again."), a.forgetRule)
	huma.Register(h, operation("get-permissions", http.MethodGet, "/permissions", http.StatusOK,
		"Say how much agents may do without asking in your sessions in a directory."), a.getPermissions)
	huma.Register(h, operation("set-permissions", http.MethodPut, "/permissions", http.StatusOK,
		"Choose how much agents may do without asking in your sessions in a directory."), a.setPermissions)
}

// rulesOutput are the rules that the server keeps for the caller.
type rulesOutput struct {
	Body struct {
		Rules []keptRule `json:"rules" nullable:"false"`
	}
}

type keptRule struct {
	ID      clew.RequestID     `json:"id" doc:"Of the question that was answered with it"`
	Scope   clew.RememberScope `json:"scope" doc:"workspace or always"`
	Dir     string             `json:"dir,omitempty" doc:"The directory that it counts in, with scope workspace"`
	Tool    string             `json:"tool"`
	Pattern string             `json:"pattern,omitempty" doc:"Of commands: a pattern; of fetch: the host"`
	TS      int64              `json:"ts"`
}

type ruleID struct {
	ID clew.RequestID `path:"id" doc:"The rule's id"`
}

// ownRules gives the settings to whoever may have sessions.
func (a *API) ownRules(ctx context.Context) (Settings, clew.UserID, error) {
	by := callerOf(ctx)
	if by.Role == clew.RoleViewer || by.Role == clew.RoleApprover {
		return nil, "", clew.Errorf(clew.Forbidden, "these credentials may watch or answer, not see or change rules")
	}
	if a.o.Settings == nil {
		return nil, "", clew.Errorf(clew.Unavailable, "this server has no settings")
	}
	return a.o.Settings, by.User, nil
}

func (a *API) listRules(ctx context.Context, _ *struct{}) (*rulesOutput, error) {
	s, user, err := a.ownRules(ctx)
	if err != nil {
		return nil, err
	}
	out := &rulesOutput{}
	out.Body.Rules = []keptRule{}
	for _, r := range s.KeptBy(user) {
		out.Body.Rules = append(out.Body.Rules, keptRule{ID: r.ID, Scope: r.Scope(), Dir: r.Dir, Tool: r.Tool, Pattern: r.Pattern, TS: r.TS})
	}
	return out, nil
}

func (a *API) forgetRule(ctx context.Context, in *ruleID) (*struct{}, error) {
	s, user, err := a.ownRules(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.Unkeep(ctx, user, in.ID)
	if err == nil && !found {
		return nil, newProblem(http.StatusNotFound, clew.Errorf(clew.InvalidMessage, "there is no rule %s", in.ID))
	}
	return nil, err
}

func (a *API) checkRule(ctx context.Context, in *ruleInput) (*ruleOutput, error) {
	id := in.Body.SessionID
	if _, err := a.o.Sessions.Access(ctx, id, callerOf(ctx)); err != nil {
		return nil, err
	}
	v, err := a.o.Sessions.Watch(ctx, id)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	st, err := v.State(ctx)
	if err != nil {
		return nil, err
	}
	command, err := askedAbout(st, in.Body.RequestID)
	if err != nil {
		return nil, err
	}
	out := &ruleOutput{}
	out.Body.Problem = policy.Problem(in.Body.Pattern)
	if out.Body.Problem == "" {
		out.Body.Covers = policy.Covers(command, in.Body.Pattern)
		if !out.Body.Covers {
			out.Body.Problem = policy.WhyNot(command, in.Body.Pattern)
		}
		out.Body.Match, out.Body.NearMiss = policy.Examples(command, in.Body.Pattern)
		out.Body.RunsWorkspace = policy.RunsWorkspace(in.Body.Pattern)
	}
	return out, nil
}

// askedAbout gives the command that an open question is about.
func askedAbout(st clew.SessionState, id clew.RequestID) (string, error) {
	open := slices.Clone(st.HitlQueue)
	if st.HitlPending != nil {
		open = append(open, *st.HitlPending)
	}
	for _, q := range open {
		if q.RequestID() != id {
			continue
		}
		if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok && d.Effect != nil && d.Effect.Command != "" {
			return d.Effect.Command, nil
		}
		return "", clew.Errorf(clew.HitlInvalidResponse, "the question is not about a command")
	}
	return "", clew.Errorf(clew.HitlRequestExpired, "no such question is open")
}
