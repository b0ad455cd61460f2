package api

import (
	"context"
	"path/filepath"

	"github.com/clew-run/clew"
)

type permissionsInput struct {
	Workspace string `query:"workspace" required:"true" maxLength:"4096" doc:"The directory, as an absolute path without links"`
}

type permissionsChange struct {
	Body struct {
		Workspace   string `json:"workspace" maxLength:"4096" doc:"The directory, as an absolute path without links"`
		Permissions string `json:"permissions" enum:"ask,edits,sandbox," doc:"The preset; empty takes the choice back"`
	}
}

type permissionsOutput struct {
	Body struct {
		Workspace string `json:"workspace"`
		// Chosen is what the caller chose for the directory.
		Chosen string `json:"chosen" doc:"What you chose for this directory; empty if nothing"`
		Holds  string `json:"holds" doc:"What counts there, in a session without settings of its own"`
		// Decided tells a choice of ask from none.
		Decided bool `json:"decided" doc:"Somebody chose: you for this directory, or the server for all"`
	}
}

func (a *API) getPermissions(ctx context.Context, in *permissionsInput) (*permissionsOutput, error) {
	s, user, err := a.ownRules(ctx)
	if err != nil {
		return nil, err
	}
	return permissionsOf(s, user, in.Workspace)
}

func (a *API) setPermissions(ctx context.Context, in *permissionsChange) (*permissionsOutput, error) {
	s, user, err := a.ownRules(ctx)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(in.Body.Workspace) {
		return nil, errNoDirectory()
	}
	if err := s.SetPermissions(ctx, user, filepath.Clean(in.Body.Workspace), in.Body.Permissions); err != nil {
		return nil, err
	}
	return permissionsOf(s, user, in.Body.Workspace)
}

func permissionsOf(s Settings, user clew.UserID, dir string) (*permissionsOutput, error) {
	if !filepath.IsAbs(dir) {
		return nil, errNoDirectory()
	}
	out := &permissionsOutput{}
	out.Body.Workspace = filepath.Clean(dir)
	out.Body.Chosen, out.Body.Holds, out.Body.Decided = s.Permissions(user, out.Body.Workspace)
	return out, nil
}

func errNoDirectory() error {
	return clew.Errorf(clew.InvalidMessage, "workspace must be an absolute path of a directory")
}
