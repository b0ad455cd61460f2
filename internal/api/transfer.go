package api

import (
	"context"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/transfer"
)

// Exports writes sessions to files: *transfer.Exporter.
type Exports interface {
	Prepare(ctx context.Context, what transfer.What) (*transfer.Export, error)
}

// Imports makes sessions out of files: *transfer.Importer.
type Imports interface {
	Import(ctx context.Context, body io.Reader, u transfer.Upload) (transfer.Imported, error)
}

const (
	transferTimeout = time.Hour
	transfersAtOnce = 4 // each needs disk for what it carries
)

const (
	exportPath = prefix + "/sessions/{id}/export"
	importPath = prefix + "/sessions/import"
)

func (a *API) transferRoutes() {
	slots := make(chan struct{}, transfersAtOnce)
	if a.o.Exports != nil {
		a.add("GET "+exportPath, Route{}, a.guardLong(inTurn(slots, a.export)))
	}
	if a.o.Imports != nil {
		a.add("POST "+importPath, Route{}, a.guardLong(inTurn(slots, a.importSession)))
	}
}

// inTurn lets a few through at a time.
func inTurn(slots chan struct{}, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			next(w, r)
		default:
			e := clew.Errorf(clew.RateLimited, "as many sessions are on their way as this server takes at once")
			e.RetryAfterMS = 5000
			writeError(w, r, e)
		}
	}
}

// export hands out a session as a file, to its owner and to administrators: it
// has all that was ever said in it, also what was taken back.
func (a *API) export(w http.ResponseWriter, r *http.Request) {
	e, what, err := a.prepare(r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", what.Format.MediaType())
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": what.Format.FileName(what.Session)}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	if err := e.Write(r.Context(), w); err != nil {
		a.log.WarnContext(r.Context(), "an export broke off", "session", what.Session, "err", err)
		panic(http.ErrAbortHandler) // the client must not take it for the whole file
	}
}

func (a *API) prepare(r *http.Request) (*transfer.Export, transfer.What, error) {
	ctx, q := r.Context(), r.URL.Query()
	what := transfer.What{
		Session: clew.SessionID(r.PathValue("id")), Format: transfer.Format(q.Get("format")), Agent: clew.AgentID(q.Get("agent_id")),
		All: q.Get("all") == "true",
	}
	if what.Format == "" {
		what.Format = transfer.Bundle
	}
	v, role, err := a.view(ctx, what.Session)
	if err != nil {
		return nil, what, err
	}
	defer v.Close()
	if role != clew.RoleOwner && role != clew.RoleAdmin {
		return nil, what, clew.Errorf(clew.Forbidden, "only its owner and administrators may export a session")
	}
	if !what.Format.Valid() {
		return nil, what, clew.Errorf(clew.InvalidMessage, "format is one of %v", transfer.Formats())
	}
	state, err := v.State(ctx)
	if err != nil {
		return nil, what, err
	}
	if what.Head, err = state.LastMessageID.Seq(); err != nil {
		return nil, what, clew.Errorf(clew.SessionNotFound, "no such session")
	}
	e, err := a.o.Exports.Prepare(ctx, what)
	return e, what, err
}

// importSession makes a session of the body; it belongs to the caller.
func (a *API) importSession(w http.ResponseWriter, r *http.Request) {
	p, q := callerOf(r.Context()), r.URL.Query()
	if p.Role != clew.RoleOwner && p.Role != clew.RoleAdmin {
		writeError(w, r, clew.Errorf(clew.Forbidden, "these credentials may not make sessions"))
		return
	}
	got, err := a.o.Imports.Import(r.Context(), r.Body, transfer.Upload{
		By: p, Format: transfer.Format(q.Get("format")), NewID: q.Get("new_id") == "true", Workspace: q.Get("workspace"), Title: q.Get("title"),
	})
	if err != nil {
		writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusCreated, got)
}

// transferOperation describes the two routes; nil for all others.
func transferOperation(r Route) *huma.Operation {
	word := func(name, text string, values ...any) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: text, Schema: &huma.Schema{Type: huma.TypeString, Enum: values}}
	}
	var formats []any
	for _, f := range transfer.Formats() {
		formats = append(formats, f)
	}
	switch r.Path {
	case exportPath:
		op := plainOperation(r, "Write a session to a file.")
		op.OperationID = "export-session"
		op.Parameters = append(op.Parameters, word("format", "What kind of file; a bundle if absent", formats...),
			word("agent_id", "With session-log: only what this agent said and heard"),
			word("all", "With message-store: not only the newest 200", "true", "false"))
		return op
	case importPath:
		op := plainOperation(r, "Make a session of a file; it belongs to the caller.")
		op.OperationID = "import-session"
		op.Parameters = append(op.Parameters, word("format", "What kind of file; found out if absent", formats...),
			word("new_id", "Give it a new id instead of its own", "true", "false"),
			word("workspace", "The folder that agents work in"), word("title", "In place of its own"))
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}
		op.Responses = map[string]*huma.Response{
			"201": {Description: http.StatusText(http.StatusCreated), Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
				Type: huma.TypeObject, Required: []string{"session_id", "format", "records"}, Properties: map[string]*huma.Schema{
					"session_id": {Type: huma.TypeString}, "format": {Type: huma.TypeString, Enum: formats},
					"from": {Type: huma.TypeString, Description: "What it was called"}, "records": {Type: huma.TypeInteger},
				},
			}}}},
		}
		for _, status := range []int{
			http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge,
			http.StatusUnprocessableEntity, http.StatusTooManyRequests,
		} {
			op.Responses[statusKey(status)] = &huma.Response{Description: http.StatusText(status)}
		}
		return op
	}
	return nil
}
