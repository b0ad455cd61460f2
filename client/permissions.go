package client

import (
	"context"
	"net/http"
	"net/url"
)

// Permissions say how much agents may do without asking in the caller's sessions in a
// directory: ask, edits or sandbox.
type Permissions struct {
	Workspace string `json:"workspace"`
	// Chosen is what the caller chose for the directory, "" if nothing.
	Chosen string `json:"chosen"`
	// Holds is what counts there, in a session without settings of its own.
	Holds string `json:"holds"`
	// Decided says that somebody chose: the caller for the directory, or the server.
	Decided bool `json:"decided"`
}

// Permissions gives those of a directory.
func (a *API) Permissions(ctx context.Context, workspace string) (p Permissions, err error) {
	err = a.call(ctx, http.MethodGet, "/permissions", url.Values{"workspace": {workspace}}, nil, &p)
	return p, err
}

// SetPermissions chooses a preset for a directory; "" takes the choice back.
func (a *API) SetPermissions(ctx context.Context, workspace, preset string) (p Permissions, err error) {
	err = a.call(ctx, http.MethodPut, "/permissions", nil, map[string]string{"workspace": workspace, "permissions": preset}, &p)
	return p, err
}
