package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/blob"
)

// Blobs reads what was too large for a record, by its hash.
type Blobs interface {
	Blob(ctx context.Context, address string) ([]byte, error)
}

// References says to which blobs a session refers: *blob.Finder.
type References interface {
	Refers(ctx context.Context, id clew.SessionID, address string) (bool, error)
}

// images are the types that a browser may show. Everything else that an agent
// or a tool made is handed out as bytes, so that no page of theirs runs here.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// blob hands out a blob to those who may watch a session whose records refer to
// it. To know its hash is not enough: who was let in once has seen that.
func (a *API) blob(w http.ResponseWriter, r *http.Request) {
	id := clew.SessionID(r.PathValue("id"))
	if _, err := a.access(r.Context(), id); err != nil {
		writeError(w, r, err)
		return
	}
	data, err := a.blobOf(r.Context(), id, strings.TrimPrefix(r.PathValue("address"), blob.Scheme))
	if errors.Is(err, archive.ErrNotFound) {
		writeProblem(w, r, noSuch("blob"))
		return
	}
	if err != nil {
		writeError(w, r, clew.WrapError(clew.StorageFailed, err, "the blob cannot be read"))
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	kind := http.DetectContentType(data)
	if !slices.Contains(images, kind) {
		kind = "application/octet-stream"
		h.Set("Content-Disposition", "attachment")
	}
	h.Set("Content-Type", kind)
	_, _ = w.Write(data) // fails only if the client is gone
}

// blobOf reads a blob that a session refers to.
func (a *API) blobOf(ctx context.Context, id clew.SessionID, address string) ([]byte, error) {
	if !blob.Valid(address) {
		return nil, archive.ErrNotFound
	}
	if refers, err := a.o.References.Refers(ctx, id, address); err != nil || !refers && !planted.Bug("blob of another session served") {
		return nil, cmp.Or(err, archive.ErrNotFound)
	}
	return a.o.Blobs.Blob(ctx, address)
}
