package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
)

type profilesOutput struct {
	Body struct {
		Profiles []settings.NamedProfile `json:"profiles" nullable:"false"`
	}
}

type profileName struct {
	Name string `path:"name" doc:"The profile's name"`
}

type profileInput struct {
	Name string         `path:"name" doc:"The profile's name"`
	Body map[string]any `doc:"Fields of the profile by name. api_key is stored as a secret and cannot be read again"`
}

type profileOutput struct {
	Body settings.NamedProfile
}

// profileRoutes let an administrator edit model profiles one by one. They are kept in
// the setting model_profiles.
func (a *API) profileRoutes(h huma.API) {
	huma.Register(h, operation("list-model-profiles", http.MethodGet, "/model-profiles", http.StatusOK,
		"List the model profiles. Administrators only."), a.listProfiles)
	huma.Register(h, operation("get-model-profile", http.MethodGet, "/model-profiles/{name}", http.StatusOK,
		"Give a model profile, without its key. Administrators only."), a.getProfile)
	huma.Register(h, operation("put-model-profile", http.MethodPut, "/model-profiles/{name}", http.StatusOK,
		"Make a model profile, or replace it. Its key stays unless api_key is given. Administrators only."), a.putProfile)
	huma.Register(h, operation("patch-model-profile", http.MethodPatch, "/model-profiles/{name}", http.StatusOK,
		"Change fields of a model profile; null clears one. Administrators only."), a.patchProfile)
	huma.Register(h, operation("delete-model-profile", http.MethodDelete, "/model-profiles/{name}", http.StatusNoContent,
		"Delete a model profile that is not in use, and its key. Administrators only."), a.deleteProfile)
}

// profileProblem finds the status of an error about a profile.
func profileProblem(err error) error {
	switch {
	case errors.Is(err, settings.ErrNoProfile):
		return newProblem(http.StatusNotFound, clew.AsError(err))
	case errors.Is(err, settings.ErrProfileInUse):
		return newProblem(http.StatusConflict, clew.AsError(err))
	}
	return err
}

func (a *API) listProfiles(ctx context.Context, _ *struct{}) (*profilesOutput, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	out := &profilesOutput{}
	out.Body.Profiles = s.Profiles()
	return out, nil
}

func (a *API) getProfile(ctx context.Context, in *profileName) (*profileOutput, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	return profileOf(s, in.Name, nil)
}

// profileOf gives a profile as it is after a change that may have failed.
func profileOf(s Settings, name string, err error) (*profileOutput, error) {
	if err != nil {
		return nil, profileProblem(err)
	}
	p, err := s.NamedProfile(name)
	if err != nil {
		return nil, profileProblem(err)
	}
	return &profileOutput{Body: p}, nil
}

func (a *API) putProfile(ctx context.Context, in *profileInput) (*profileOutput, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	return profileOf(s, in.Name, s.PutProfile(ctx, in.Name, in.Body))
}

func (a *API) patchProfile(ctx context.Context, in *profileInput) (*profileOutput, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	return profileOf(s, in.Name, s.PatchProfile(ctx, in.Name, in.Body))
}

func (a *API) deleteProfile(ctx context.Context, in *profileName) (*struct{}, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	return nil, profileProblem(s.DeleteProfile(ctx, in.Name))
}
