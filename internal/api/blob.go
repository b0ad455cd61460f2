package api

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/session"
)

// Blobs reads what was too large for a record, by its hash.
type Blobs interface {
	Blob(ctx context.Context, address string) ([]byte, error)
}

var blobAddress = regexp.MustCompile(`^[0-9a-f]{64}$`)

// images are the types that a browser may show. Everything else that an agent
// or a tool made is handed out as bytes, so that no page of theirs runs here.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// blob hands out a blob to those who may watch the session. Records name blobs
// by the hash of their content, so who has not seen the record cannot ask.
func (a *API) blob(w http.ResponseWriter, r *http.Request) {
	if _, err := a.access(r.Context(), clew.SessionID(r.PathValue("id"))); err != nil {
		writeError(w, r, err)
		return
	}
	address := strings.TrimPrefix(r.PathValue("address"), session.BlobScheme)
	if !blobAddress.MatchString(address) {
		writeProblem(w, r, noSuch("blob"))
		return
	}
	data, err := a.o.Blobs.Blob(r.Context(), address)
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
