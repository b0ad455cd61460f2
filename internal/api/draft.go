package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
)

// Drafts keeps what people are about to say: *journal.Drafts.
type Drafts interface {
	Get(ctx context.Context, user clew.UserID, id clew.SessionID) (journal.Draft, error)
	Put(ctx context.Context, user clew.UserID, id clew.SessionID, d journal.Draft, revision uint64) (uint64, error)
	Delete(ctx context.Context, user clew.UserID, id clew.SessionID, revision uint64) error
}

const (
	maxDraftText   = 64 << 10
	maxDraftImages = 1 << 20 // bytes of all images together, as they are written
	// maxDraftBody leaves room for text in which every character is escaped.
	maxDraftBody = maxDraftImages + 6*maxDraftText + 4<<10
)

// A draft is what the caller is about to say.
type draft struct {
	Text      string   `json:"text"`
	Images    []string `json:"images,omitempty" doc:"As in a user_message"`
	UpdatedMS int64    `json:"updated_ms" doc:"Unix ms; 0 if there is no draft"`
	Revision  uint64   `json:"revision" doc:"Another one after each change; 0 if there is no draft"`
}

func draftOf(d journal.Draft) draft { return draft{d.Text, d.Images, d.UpdatedMS, d.Revision} }

type draftOutput struct{ Body draft }

type putDraftInput struct {
	ID   clew.SessionID `path:"id" doc:"The session"`
	Body struct {
		Text     string   `json:"text"`
		Images   []string `json:"images,omitempty" maxItems:"4"`
		Revision uint64   `json:"revision" doc:"Of the draft that this one replaces; 0 if there is none"`
	}
}

type deleteDraftInput struct {
	ID       clew.SessionID `path:"id" doc:"The session"`
	Revision uint64         `query:"revision" required:"true" minimum:"1" doc:"Of the draft that goes"`
}

func (a *API) draftRoutes(h huma.API) {
	if a.o.Drafts == nil {
		return
	}
	huma.Register(h, operation("get-draft", http.MethodGet, "/sessions/{id}/draft", http.StatusOK,
		"Read the caller's draft in a session."), a.getDraft)
	put := operation("put-draft", http.MethodPut, "/sessions/{id}/draft", http.StatusOK,
		"Save the caller's draft. If another device saved one meanwhile, it fails, with the newer draft in current.")
	put.MaxBodyBytes = maxDraftBody
	huma.Register(h, put, a.putDraft)
	huma.Register(h, operation("delete-draft", http.MethodDelete, "/sessions/{id}/draft", http.StatusNoContent,
		"Delete the caller's draft, if it is still the one that the caller has seen."), a.deleteDraft)
}

// speaks reports whether the caller may say something in the session. Nobody else
// has a draft: a key that was given away for watching neither reads what its owner
// is about to say nor puts words there.
func (a *API) speaks(ctx context.Context, id clew.SessionID) (bool, error) {
	role, err := a.access(ctx, id)
	return role == clew.RoleOwner, err
}

// mayDraft is speaks for what changes a draft.
func (a *API) mayDraft(ctx context.Context, id clew.SessionID) error {
	ok, err := a.speaks(ctx, id)
	if err == nil && !ok {
		err = clew.Errorf(clew.Forbidden, "only who may say something in the session has a draft")
	}
	return err
}

func (a *API) getDraft(ctx context.Context, in *sessionInput) (*draftOutput, error) {
	if ok, err := a.speaks(ctx, in.ID); err != nil || !ok {
		return &draftOutput{}, err
	}
	d, err := a.o.Drafts.Get(ctx, callerOf(ctx).User, in.ID)
	if err != nil {
		return nil, err
	}
	return &draftOutput{draftOf(d)}, nil
}

func (a *API) putDraft(ctx context.Context, in *putDraftInput) (*draftOutput, error) {
	if err := a.mayDraft(ctx, in.ID); err != nil {
		return nil, err
	}
	d := journal.Draft{Text: in.Body.Text, Images: in.Body.Images, UpdatedMS: a.o.Clock.Now().UnixMilli()}
	if err := checkDraft(d); err != nil {
		return nil, err
	}
	var err error
	user := callerOf(ctx).User
	if d.Revision, err = a.o.Drafts.Put(ctx, user, in.ID, d, in.Body.Revision); err != nil {
		return nil, a.draftError(ctx, user, in.ID, err)
	}
	return &draftOutput{draftOf(d)}, nil
}

func checkDraft(d journal.Draft) error {
	size := 0
	for _, image := range d.Images {
		if image == "" {
			return clew.Errorf(clew.InvalidMessage, "an image is empty")
		}
		size += len(image)
	}
	switch {
	case d.Text == "" && len(d.Images) == 0:
		return clew.Errorf(clew.InvalidMessage, "an empty draft is deleted, not put")
	case len(d.Text) > maxDraftText:
		return clew.Errorf(clew.MessageTooLarge, "a draft has at most %d bytes of text", maxDraftText)
	case size > maxDraftImages:
		return clew.Errorf(clew.MessageTooLarge, "the images of a draft have at most %d bytes", maxDraftImages)
	}
	return nil
}

func (a *API) deleteDraft(ctx context.Context, in *deleteDraftInput) (*struct{}, error) {
	if err := a.mayDraft(ctx, in.ID); err != nil {
		return nil, err
	}
	user := callerOf(ctx).User
	if err := a.o.Drafts.Delete(ctx, user, in.ID, in.Revision); err != nil {
		return nil, a.draftError(ctx, user, in.ID, err)
	}
	return nil, nil
}

// draftError brings the draft as it is to whoever was too late, so that the page
// can show both.
func (a *API) draftError(ctx context.Context, user clew.UserID, id clew.SessionID, err error) error {
	if !errors.Is(err, journal.ErrDraftChanged) {
		return err
	}
	now, err := a.o.Drafts.Get(ctx, user, id)
	if err != nil {
		return err
	}
	p := problemOf(clew.Errorf(clew.SessionInvalidState, "the draft was changed on another device"))
	p.Current = draftOf(now)
	return p
}
