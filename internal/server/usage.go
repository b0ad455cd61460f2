package server

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
)

// usage says what a user has on disk, and may have.
func (s *Server) usage(ctx context.Context, user clew.UserID) (api.DiskUsage, error) {
	v, _ := s.shop.settings.For(nil)
	blobs, err := s.blobs.Used(ctx, user)
	return api.DiskUsage{
		Workspaces:  api.DiskQuota{Bytes: s.shop.workspaces.Used(user), QuotaBytes: int64(v.WorkspaceQuotaMB) * megabyte},
		Blobs:       api.DiskQuota{Bytes: blobs, QuotaBytes: int64(v.BlobQuotaMB) * megabyte},
		Checkpoints: api.DiskQuota{Bytes: s.files.Used(user), QuotaBytes: int64(v.CheckpointQuotaMB) * megabyte},
	}, err
}
