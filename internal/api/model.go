package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/llm/choice"
	"github.com/clew-run/clew/internal/llm/discover"
)

// Models is what the API needs to tell of models: *choice.Models.
type Models interface {
	InUse(ctx context.Context) (choice.InUse, error)
	Use(ctx context.Context, profile string) (choice.InUse, error)
	List(ctx context.Context, provider string) ([]choice.Model, error)
	Vendors() []choice.Provider
	Test(ctx context.Context, profile string, fields map[string]any) (choice.Tested, error)
	Discover(ctx context.Context) []discover.LocalServer
}

// testsPerMinute bounds the calls that test a model: each costs money.
const testsPerMinute = 10

type testModelInput struct {
	Name string          `path:"name" doc:"The profile's name"`
	Body *map[string]any `required:"false" doc:"Fields of a profile to test instead of the stored one, as for PUT. Nothing is stored"`
}

type testModelOutput struct {
	Body choice.Tested
}

type discoverOutput struct {
	Body struct {
		Servers []discover.LocalServer `json:"servers" nullable:"false"`
	}
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
		Models    []choice.Model    `json:"models" nullable:"false" doc:"Those of the profiles first, then those of the catalogue"`
		Providers []choice.Provider `json:"providers" nullable:"false" doc:"Whose models this server can use, the preferred one first"`
	}
}

func (a *API) modelRoutes(h huma.API) {
	huma.Register(h, operation("get-model", http.MethodGet, "/model", http.StatusOK,
		"Say which model the server uses, and why. Only administrators see where its key is."), a.getModel)
	huma.Register(h, operation("use-model", http.MethodPut, "/model", http.StatusOK,
		"Have the server use a model profile. Administrators only."), a.useModel)
	huma.Register(h, operation("list-models", http.MethodGet, "/models", http.StatusOK,
		"List the models of the profiles and of the catalogue, and whether each can be used now. Only administrators see where keys are."), a.listModels)
	huma.Register(h, operation("test-model-profile", http.MethodPost, "/model-profiles/{name}/test", http.StatusOK,
		"Make one short call of a profile's model, or of one that is not stored yet. For the owner, 10 a minute."), a.testModel)
	huma.Register(h, operation("discover-models", http.MethodPost, "/models/discover", http.StatusOK,
		"Look for model servers on the server's machine. For the owner."), a.discoverModels)
}

// anyModels gives the models to anybody who is known: whoever works here may know
// which ones there are.
func (a *API) anyModels() (Models, error) {
	if a.o.Models == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server has no models")
	}
	return a.o.Models, nil
}

// withoutKey leaves out where a model's key is, or would be.
func withoutKey(m *choice.Model) {
	if m.KeyVariable = ""; m.WhyNotCode == choice.NoKey {
		m.WhyNot = "no key; ask an administrator of the server"
	}
}

// ownModels gives the models to whoever runs the server.
func (a *API) ownModels(ctx context.Context) (Models, error) {
	if by := callerOf(ctx).User; by != auth.OwnerUser && by != auth.LocalUser {
		return nil, clew.Errorf(clew.Forbidden, "only the owner of the server may do this")
	}
	return a.models(ctx)
}

func (a *API) testModel(ctx context.Context, in *testModelInput) (*testModelOutput, error) {
	m, err := a.ownModels(ctx)
	if err != nil {
		return nil, err
	}
	if ok, wait := a.modelTests.Allow(string(callerOf(ctx).User)); !ok {
		e := clew.Errorf(clew.RateLimited, "no more than %d tests of models a minute", testsPerMinute)
		e.RetryAfterMS = max(1, wait.Milliseconds())
		return nil, e
	}
	var fields map[string]any
	if in.Body != nil {
		fields = *in.Body
	}
	out := &testModelOutput{}
	if out.Body, err = m.Test(ctx, in.Name, fields); err != nil {
		return nil, profileProblem(err)
	}
	return out, nil
}

func (a *API) discoverModels(ctx context.Context, _ *struct{}) (*discoverOutput, error) {
	m, err := a.ownModels(ctx)
	if err != nil {
		return nil, err
	}
	out := &discoverOutput{}
	out.Body.Servers = m.Discover(ctx)
	return out, nil
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
	m, err := a.anyModels()
	if err != nil {
		return nil, err
	}
	use, err := m.InUse(ctx)
	if callerOf(ctx).Role != clew.RoleAdmin {
		withoutKey(&use.Model)
		use.Why = ""
	}
	return modelOf(use, err)
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
	m, err := a.anyModels()
	if err != nil {
		return nil, err
	}
	out := &modelsOutput{}
	out.Body.Providers = m.Vendors()
	out.Body.Models, err = m.List(ctx, in.Provider)
	if errors.Is(err, choice.ErrNoProvider) {
		return nil, newProblem(http.StatusNotFound, clew.AsError(err))
	}
	if err != nil {
		return nil, err
	}
	if callerOf(ctx).Role != clew.RoleAdmin {
		for i := range out.Body.Models {
			withoutKey(&out.Body.Models[i])
		}
	}
	return out, nil
}
