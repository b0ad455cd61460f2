package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/erase"
	"github.com/clew-run/clew/internal/session"
)

// Erasures deletes sessions and brings them back: *erase.Eraser.
type Erasures interface {
	Preview(ctx context.Context, id clew.SessionID) (erase.Preview, error)
	Delete(ctx context.Context, id clew.SessionID, by clew.UserID, now bool) (session.Erasure, error)
	Deleted(ctx context.Context, id clew.SessionID, by clew.Principal) (*session.Erasure, error)
	Restore(ctx context.Context, id clew.SessionID, by clew.Principal) error
}

type deleteInput struct {
	ID  clew.SessionID `path:"id" doc:"The session"`
	Now bool           `query:"now" doc:"Erase it at once: it cannot be brought back"`
}

type deleteOutput struct{ Body session.Erasure }

type deletePreviewOutput struct{ Body erase.Preview }

func (a *API) eraseRoutes(h huma.API) {
	if a.o.Erasures == nil {
		return
	}
	huma.Register(h, operation("delete-session", http.MethodDelete, "/sessions/{id}", http.StatusOK,
		"Delete a session. It is hidden at once, can be restored for a while, and is then erased."), a.deleteSession)
	huma.Register(h, operation("preview-deletion", http.MethodGet, "/sessions/{id}/deletion", http.StatusOK,
		"Read what deleting a session would erase, and what would stay; or who deleted it."), a.previewDeletion)
	huma.Register(h, operation("restore-session", http.MethodPost, "/sessions/{id}/restore", http.StatusNoContent,
		"Restore a deleted session."), a.restoreSession)
}

// mayDelete lets the owner and administrators pass.
func (a *API) mayDelete(ctx context.Context, id clew.SessionID) error {
	role, err := a.access(ctx, id)
	if err == nil && role != clew.RoleOwner && role != clew.RoleAdmin {
		err = clew.Errorf(clew.Forbidden, "only its owner and administrators may delete a session")
	}
	return err
}

func (a *API) previewDeletion(ctx context.Context, in *sessionInput) (*deletePreviewOutput, error) {
	d, err := a.o.Erasures.Deleted(ctx, in.ID, callerOf(ctx))
	if d != nil {
		return &deletePreviewOutput{Body: erase.Preview{SessionID: in.ID, Owner: d.Owner, Forks: []erase.Fork{}, EraseMS: d.EraseMS, Deleted: d}}, nil
	}
	if err == nil {
		err = a.mayDelete(ctx, in.ID)
	}
	if err != nil {
		return nil, err
	}
	p, err := a.o.Erasures.Preview(ctx, in.ID)
	return &deletePreviewOutput{Body: p}, err
}

func (a *API) deleteSession(ctx context.Context, in *deleteInput) (*deleteOutput, error) {
	if err := a.mayDelete(ctx, in.ID); err != nil {
		return nil, err
	}
	e, err := a.o.Erasures.Delete(ctx, in.ID, callerOf(ctx).User, in.Now)
	return &deleteOutput{Body: e}, err
}

func (a *API) restoreSession(ctx context.Context, in *sessionInput) (*struct{}, error) {
	return nil, a.o.Erasures.Restore(ctx, in.ID, callerOf(ctx))
}
