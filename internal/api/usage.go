package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
)

// DiskUsage is what a user has on disk, and may have.
type DiskUsage struct {
	Workspaces  DiskQuota `json:"workspaces" doc:"The directories that the server made for the user's sessions, on this node"`
	Blobs       DiskQuota `json:"blobs" doc:"Images, long outputs and reports in the user's sessions"`
	Checkpoints DiskQuota `json:"checkpoints" doc:"Saved states of files, on this node"`
}

// A DiskQuota is an amount with its limit.
type DiskQuota struct {
	Bytes      int64 `json:"bytes"`
	QuotaBytes int64 `json:"quota_bytes" doc:"0 is no limit"`
}

type usageOutput struct{ Body DiskUsage }

func (a *API) usageRoutes(h huma.API) {
	huma.Register(h, operation("get-usage", http.MethodGet, "/usage", http.StatusOK,
		"What the caller has on the server's disk, and may have."), a.getUsage)
	huma.Register(h, operation("get-token-usage", http.MethodGet, "/usage/tokens", http.StatusOK,
		"What models were asked, and what that cost: by day, session, model and person."), a.getTokenUsage)
}

func (a *API) getUsage(ctx context.Context, _ *struct{}) (*usageOutput, error) {
	if a.o.Usage == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server counts nothing")
	}
	u, err := a.o.Usage(ctx, callerOf(ctx).User)
	return &usageOutput{u}, err
}
