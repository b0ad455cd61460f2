package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/choice"
)

// Models is what the API needs to tell of models: *choice.Models.
type Models interface {
	InUse(ctx context.Context) (choice.InUse, error)
	Use(ctx context.Context, profile string) (choice.InUse, error)
	List(ctx context.Context, provider string) ([]choice.Model, error)
}

type modelOutput struct {
	Body choice.InUse
}

type useModelInput struct {
	Body struct {
		Profile string `json:"profile" minLength:"1" doc:"Name of a model profile"`
	}
}

type modelsInput struct {
	Provider string `query:"provider" doc:"Only those of this provider"`
}

type modelsOutput struct {
	Body struct {
		Models []choice.Model `json:"models" nullable:"false" doc:"Those of the profiles first, then those of the catalogue"`
	}
}

func (a *API) modelRoutes(h huma.API) {
	huma.Register(h, operation("get-model", http.MethodGet, "/model", http.StatusOK,
		"Say which model the server uses, and why. Administrators only."), a.getModel)
	huma.Register(h, operation("use-model", http.MethodPut, "/model", http.StatusOK,
		"Have the server use a model profile. Administrators only."), a.useModel)
	huma.Register(h, operation("list-models", http.MethodGet, "/models", http.StatusOK,
		"List the models of the profiles and of the catalogue, and whether each can be used now. Administrators only."), a.listModels)
}

// models gives the models to an administrator.
func (a *API) models(ctx context.Context) (Models, error) {
	if callerOf(ctx).Role != clew.RoleAdmin {
		return nil, clew.Errorf(clew.Forbidden, "only administrators manage the server's models")
	}
	if a.o.Models == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server has no models")
	}
	return a.o.Models, nil
}

func (a *API) getModel(ctx context.Context, _ *struct{}) (*modelOutput, error) {
	m, err := a.models(ctx)
	if err != nil {
		return nil, err
	}
	return modelOf(m.InUse(ctx))
}

func (a *API) useModel(ctx context.Context, in *useModelInput) (*modelOutput, error) {
	m, err := a.models(ctx)
	if err != nil {
		return nil, err
	}
	return modelOf(m.Use(ctx, in.Body.Profile))
}

func modelOf(use choice.InUse, err error) (*modelOutput, error) {
	if err != nil {
		return nil, profileProblem(err)
	}
	return &modelOutput{Body: use}, nil
}

func (a *API) listModels(ctx context.Context, in *modelsInput) (*modelsOutput, error) {
	m, err := a.models(ctx)
	if err != nil {
		return nil, err
	}
	out := &modelsOutput{}
	out.Body.Models, err = m.List(ctx, in.Provider)
	if errors.Is(err, choice.ErrNoProvider) {
		return nil, newProblem(http.StatusNotFound, clew.AsError(err))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
