package server

import (
	"context"
	"errors"
	"io/fs"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool/files"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// sessionFiles implements api.Files.
type sessionFiles struct{ *agentDeps }

// Find implements api.Files. It makes nothing: a directory of a session's own that is
// not there yet has no files.
func (s sessionFiles) Find(ctx context.Context, id clew.SessionID, dir, query string, limit int) ([]files.Found, bool, error) {
	if id == "" && dir == "" { // of a session that is yet to begin
		return nil, false, nil
	}
	own := dir == ""
	if own {
		dir = s.cfg.ownWorkspace(id)
	}
	v, _ := s.settings.For(nil)
	ws, err := workspace.Open(dir, v.ExcludePaths)
	if own && errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, clew.WrapError(clew.SessionInvalidState, err, "the session's files are not on this server")
	}
	defer func() { _ = workspace.Close(ws) }()
	found, more, err := files.Find(ctx, ws, query, limit)
	if err != nil {
		return nil, false, clew.WrapError(clew.StorageFailed, err, "the workspace cannot be read")
	}
	return found, more, nil
}
