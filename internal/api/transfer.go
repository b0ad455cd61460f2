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
	// Receive puts a file on disk, which needs the other side's time only.
	Receive(ctx context.Context, body io.Reader, u transfer.Upload) (io.ReadCloser, error)
	Import(ctx context.Context, file io.Reader, u transfer.Upload) (transfer.Imported, error)
}

const transferTimeout = time.Hour

const (
	exportPath = prefix + "/sessions/{id}/export"
	importPath = prefix + "/sessions/import"
)

func (a *API) transferRoutes() {
	t := newTurns()
	if a.o.Exports != nil {
		a.add("GET "+exportPath, Route{}, a.guardLong(a.export(t)))
	}
	if a.o.Imports != nil {
		a.add("POST "+importPath, Route{}, a.guardLong(a.importSession(t)))
	}
}

// export hands out a session as a file, to its owner and to administrators: it
// has all that was ever said in it, also what was taken back.
func (a *API) export(t *turns) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		what, err := a.exportable(r) // before anything that others wait for
		if err != nil {
			writeError(w, r, err)
			return
		}
		leave, err := t.enter(callerOf(r.Context()).User)
		if err != nil {
			writeError(w, r, err)
			return
		}
		defer leave()
		end, err := t.begin()
		if err != nil {
			writeError(w, r, err)
			return
		}
		defer end()
		a.writeExport(w, r, what)
	}
}

func (a *API) writeExport(w http.ResponseWriter, r *http.Request, what transfer.What) {
	e, err := a.o.Exports.Prepare(r.Context(), what)
	if err != nil {
		writeError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", what.Format.MediaType())
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.FileName()}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	out := answerOf(w, r, a.pace)
	if err := e.Write(r.Context(), out); err != nil {
		a.log.WarnContext(r.Context(), "an export broke off", "session", what.Session, "err", err)
		panic(http.ErrAbortHandler) // the client must not take it for the whole file
	}
	out.close()
}

// exportable says what a request wants, if the caller may have it.
func (a *API) exportable(r *http.Request) (what transfer.What, err error) {
	ctx, q := r.Context(), r.URL.Query()
	what = transfer.What{
		Session: clew.SessionID(r.PathValue("id")), Format: transfer.Format(q.Get("format")), Agent: clew.AgentID(q.Get("agent_id")),
		All: q.Get("all") == "true", Notebook: q.Get("notebook_id"),
	}
	if what.Format == "" {
		what.Format = transfer.Bundle
	}
	v, role, err := a.view(ctx, what.Session)
	if err != nil {
		return what, err
	}
	defer v.Close()
	if role != clew.RoleOwner && role != clew.RoleAdmin {
		return what, clew.Errorf(clew.Forbidden, "only its owner and administrators may export a session")
	}
	if !what.Format.Valid() {
		return what, clew.Errorf(clew.InvalidMessage, "format is one of %v", transfer.Formats())
	}
	state, err := v.State(ctx)
	if err != nil {
		return what, err
	}
	if what.Head, err = state.LastMessageID.Seq(); err != nil {
		return what, clew.Errorf(clew.SessionNotFound, "no such session")
	}
	return what, nil
}

// importSession makes a session of the body; it belongs to the caller.
func (a *API) importSession(t *turns) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, q := callerOf(r.Context()), r.URL.Query()
		if err := mayMakeSessions(p); err != nil {
			writeError(w, r, err)
			return
		}
		leave, err := t.enter(p.User)
		if err != nil {
			writeError(w, r, err)
			return
		}
		defer leave()
		got, err := a.take(w, r, t, transfer.Upload{
			By: p, Format: transfer.Format(q.Get("format")), NewID: q.Get("new_id") == "true", Workspace: q.Get("workspace"), Title: q.Get("title"), Name: q.Get("name"),
			NoCheckpoints: q.Get("checkpoints") == "false",
		})
		if err != nil {
			writeError(w, r, err)
			return
		}
		writeJSON(w, http.StatusCreated, got)
	}
}

// take waits for the file to be here before it waits for its turn: somebody
// whose line is slow is in nobody's way.
func (a *API) take(w http.ResponseWriter, r *http.Request, t *turns, u transfer.Upload) (transfer.Imported, error) {
	ctx, body := r.Context(), bodyOf(w, r, a.pace)
	file, err := a.o.Imports.Receive(ctx, body, u)
	if err != nil {
		return transfer.Imported{}, err
	}
	defer func() { _ = file.Close() }()
	body.close()
	end, err := t.wait(ctx)
	if err != nil {
		return transfer.Imported{}, err
	}
	defer end()
	return a.o.Imports.Import(ctx, file, u)
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
			word("all", "With message-store: not only the newest 200", "true", "false"),
			word("notebook_id", "With notebook: which one; the first if absent"))
		return op
	case importPath:
		op := plainOperation(r, "Import a session from an exported file; it belongs to the caller.")
		op.OperationID = "import-session"
		op.Parameters = append(op.Parameters, word("format", "What kind of file; detected if omitted", formats...),
			word("new_id", "Give it a new id instead of its own", "true", "false"),
			word("checkpoints", "false leaves out those of a bundle", "true", "false"),
			word("workspace", "The folder that agents work in"), word("title", "In place of its own"),
			word("name", "What the file is called; a notebook is called so"))
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
