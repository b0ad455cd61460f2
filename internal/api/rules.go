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
		Covers   bool   `json:"covers" doc:"The pattern covers the command that is asked about"`
		Match    string `json:"match,omitempty" doc:"A command that it covers"`
		NearMiss string `json:"near_miss,omitempty" doc:"One much like it that it does not cover"`
		Problem  string `json:"problem,omitempty" doc:"Why it cannot be remembered, or does not cover the command"`
		// RunsWorkspace is as in RememberOffer.
		RunsWorkspace bool `json:"runs_workspace,omitempty" doc:"Commands that it covers run code of the workspace, such as its tests"`
	}
}

func (a *API) ruleRoutes(h huma.API) {
	huma.Register(h, operation("check-rule", http.MethodPost, "/rules/check", http.StatusOK,
		"Say what a pattern would cover if it was remembered with the answer to a question. Nothing changes."), a.checkRule)
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
