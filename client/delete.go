package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/clew-run/clew"
)

// A Deletion says who deleted a session and when. It can be brought back until
// EraseMS (Unix ms); then it is erased.
type Deletion struct {
	SessionID clew.SessionID `json:"session_id"`
	Owner     clew.UserID    `json:"owner"`
	By        clew.UserID    `json:"by,omitempty"`
	Expired   bool           `json:"expired,omitempty"`
	DeletedMS int64          `json:"deleted_ms"`
	EraseMS   int64          `json:"erase_ms"`
	ErasedMS  int64          `json:"erased_ms,omitempty"`
}

// A DeletionPreview says what deleting a session would erase, and what would stay.
type DeletionPreview struct {
	SessionID       clew.SessionID `json:"session_id"`
	Title           string         `json:"title"`
	Owner           clew.UserID    `json:"owner"`
	Records         uint64         `json:"records"`
	Questions       int            `json:"questions,omitempty"`
	Checkpoints     int            `json:"checkpoints,omitempty"`
	Directory       string         `json:"directory,omitempty"`
	DirectoryErased bool           `json:"directory_erased,omitempty"`
	Forks           []struct {
		SessionID clew.SessionID `json:"session_id"`
		Owner     clew.UserID    `json:"owner"`
	} `json:"forks"`
	EraseMS int64     `json:"erase_ms"`
	Deleted *Deletion `json:"deleted,omitempty"` // it is deleted already
}

// PreviewDeletion says what DeleteSession would do.
func (a *API) PreviewDeletion(ctx context.Context, id clew.SessionID) (DeletionPreview, error) {
	var p DeletionPreview
	err := a.call(ctx, http.MethodGet, sessionPath(id)+"/deletion", nil, nil, &p)
	return p, err
}

// DeleteSession deletes a session. With now it cannot be brought back.
func (a *API) DeleteSession(ctx context.Context, id clew.SessionID, now bool) (Deletion, error) {
	v := url.Values{}
	if now {
		v.Set("now", "true")
	}
	var d Deletion
	err := a.call(ctx, http.MethodDelete, sessionPath(id), v, nil, &d)
	return d, err
}

// RestoreSession brings a deleted session back.
func (a *API) RestoreSession(ctx context.Context, id clew.SessionID) error {
	return a.call(ctx, http.MethodPost, sessionPath(id)+"/restore", nil, nil, nil)
}

// ListArchived gives the caller's sessions that were put away.
func (a *API) ListArchived(ctx context.Context, q, cursor string, limit int) (Page, error) {
	return a.list(ctx, url.Values{"archived": {"true"}}, q, cursor, limit)
}

// ListDeleted gives the caller's sessions that can be brought back.
func (a *API) ListDeleted(ctx context.Context, q, cursor string, limit int) (Page, error) {
	return a.list(ctx, url.Values{"deleted": {"true"}}, q, cursor, limit)
}
