package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
)

// reportTypes are the forms in which reports are shown. Whatever else is handed
// out as bytes.
var reportTypes = map[string]string{
	"text/html":        "text/html; charset=utf-8",
	"text/markdown":    "text/markdown; charset=utf-8",
	"application/json": "application/json",
	"application/pdf":  "application/pdf",
	"image/svg+xml":    "image/svg+xml",
	"image/png":        "image/png",
	"image/jpeg":       "image/jpeg",
	"image/gif":        "image/gif",
	"image/webp":       "image/webp",
	"text/plain":       "text/plain; charset=utf-8",
}

// report hands out what a run left behind to those who may watch the session.
// Agents and people wrote what is in it: a page of theirs can neither run
// scripts here nor load anything.
func (a *API) report(w http.ResponseWriter, r *http.Request) {
	id := clew.SessionID(r.PathValue("session_id"))
	if _, err := a.access(r.Context(), id); err != nil {
		writeError(w, r, err)
		return
	}
	found, err := a.o.Sessions.Report(r.Context(), id, r.PathValue("run")+"/"+r.PathValue("file"))
	if clew.CodeOf(err) == clew.SessionNotFound {
		writeProblem(w, r, noSuch("report"))
		return
	}
	if err != nil {
		writeError(w, r, err)
		return
	}
	data, err := a.blobOf(r.Context(), id, found.Blob)
	if errors.Is(err, archive.ErrNotFound) {
		writeProblem(w, r, noSuch("report"))
		return
	}
	if err != nil {
		writeError(w, r, clew.WrapError(clew.StorageFailed, err, "the report cannot be read"))
		return
	}
	h := w.Header()
	policy := "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
	if found.MediaType == "application/pdf" {
		policy = "default-src 'none'" // browsers show no PDF in a sandbox, and run nothing in one
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+found.Blob+`"`)
	base, _, _ := strings.Cut(found.MediaType, ";") // without its charset
	kind, shown := reportTypes[base]
	if !shown {
		kind = "application/octet-stream"
		h.Set("Content-Disposition", "attachment")
	}
	h.Set("Content-Type", kind)
	if r.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(data) // fails only if the client is gone
}
