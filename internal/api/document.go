package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
)

const bearer = "bearer"

// config takes huma's defaults without the pages it would serve by itself.
func config(version string) huma.Config {
	c := huma.DefaultConfig("clew", version)
	c.Info.Description = "Sessions of AI agents over HTTP. Live events come over the WebSocket; see /asyncapi.json."
	c.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	c.Servers = []*huma.Server{{URL: "/", Description: "The server that gave you this document"}}
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil // no $schema in answers
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		bearer: {Type: "http", Scheme: "bearer", Description: "The owner token, an API key or a JWT"},
	}
	return c
}

// answers are the errors that every guarded route may give.
var answers = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict,
	http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusServiceUnavailable,
}

func operation(id, method, path string, status int, summary string) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: prefix + path, DefaultStatus: status, Summary: summary,
		MaxBodyBytes: maxBody, Errors: answers, Security: []map[string][]string{{bearer: {}}},
	}
}

func commandOperation() huma.Operation {
	op := operation("send-command", http.MethodPost, "/sessions/{id}/commands", http.StatusOK,
		"Send a command: any envelope that a client may send over the WebSocket.")
	var types []any
	for _, c := range clew.Commands {
		types = append(types, c.Type)
	}
	op.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"type"}, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{
				"type":       {Type: huma.TypeString, Enum: types},
				"session_id": {Type: huma.TypeString, Description: "If given, the one in the path"},
				"message_id": {Type: huma.TypeString, Description: "The client's own; sent again, the command has no second effect"},
				"timestamp":  {Type: huma.TypeString, Description: "Not looked at"},
				"data":       {Type: huma.TypeObject, AdditionalProperties: true},
			},
		}}},
	}
	op.SkipValidateBody = true // package wire does that
	return op
}

// plainDocs describes the routes that huma does not know.
var plainDocs = map[string]string{
	"/healthz":         "Say that the process is alive.",
	"/readyz":          "Say whether the server can serve.",
	"/openapi.json":    "This document.",
	"/asyncapi.json":   "The document of the WebSocket protocol.",
	"/metrics":         "Metrics for Prometheus. Administrators only.",
	"/ws/{session_id}": "Open the WebSocket of a session.",

	"/reports/{session_id}/{run}/{file}": "Read a report that a run of the session left behind.",

	prefix + "/sessions/{id}/blobs/{address}": "Read what a record of the session refers to by its hash.",
	prefix + "/inbox/feed":                    "Open a WebSocket that sends the caller's inbox and each change of it.",

	"/answer":               "The page that an answer link opens.",
	"/answer/page.js":       "A part of that page.",
	"/answer/page.css":      "A part of that page.",
	prefix + "/answer/look": "Show the question of an answer link.",
	prefix + "/answer":      "Answer the question of an answer link.",
}

// finishDocument adds what huma does not know and renders the document once.
func (a *API) finishDocument() error {
	for _, r := range a.routes {
		if op := transferOperation(r); op != nil {
			a.doc.AddOperation(op)
		}
		if op := signInOperation(r); op != nil {
			a.doc.AddOperation(op)
		}
		if text, ok := plainDocs[r.Path]; ok {
			a.doc.AddOperation(linkOperation(r, text))
		}
	}
	a.tag()
	b, err := json.Marshal(a.doc)
	if err != nil {
		return fmt.Errorf("api: OpenAPI document: %w", err)
	}
	a.openAPI = b
	return nil
}

var wildcard = regexp.MustCompile(`\{(\w+)\}`)

func plainOperation(r Route, text string) *huma.Operation {
	ok := http.StatusOK
	id := strings.Trim(strings.NewReplacer("/", "-", ".", "-", "{", "", "}", "").Replace(r.Path), "-")
	op := &huma.Operation{OperationID: "get-" + id, Method: r.Method, Path: r.Path, Summary: text}
	for _, m := range wildcard.FindAllStringSubmatch(r.Path, -1) {
		op.Parameters = append(op.Parameters, &huma.Param{Name: m[1], In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	if r.Own {
		ok = http.StatusSwitchingProtocols
		names := []string{"client_id", "resume_from", "epoch"}
		if r.Path == prefix+"/inbox/feed" { // it has no position
			names = names[:1]
		}
		for _, name := range names {
			op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Schema: &huma.Schema{Type: huma.TypeString}})
		}
	}
	op.Responses = map[string]*huma.Response{
		statusKey(ok): {Description: http.StatusText(ok)},
		"403":         {Description: "The request names a host or comes from a page that this server does not allow"},
	}
	if r.Own { // what a client sees that cannot have its WebSocket
		op.Responses["default"] = &huma.Response{Description: "An error, as of every other route"}
	}
	op.Security = []map[string][]string{} // none, said aloud
	if !r.Open {
		op.Security = []map[string][]string{{bearer: {}}}
		op.Responses["401"] = &huma.Response{Description: http.StatusText(http.StatusUnauthorized)}
	}
	return op
}

func statusKey(status int) string { return strconv.Itoa(status) }

func notReady(cause error) *clew.Error {
	return clew.WrapError(clew.Unavailable, cause, "the server is not ready")
}

// Document is the OpenAPI document of a server that can do everything, for those who
// read it without one.
func Document(version string) ([]byte, error) {
	nothing := http.NotFoundHandler()
	a, err := New(Options{
		Sessions: struct{ Sessions }{}, Auth: struct{ Authenticator }{}, Version: version,
		// Routes that a server leaves out if it has nothing behind them.
		AsyncAPI: []byte{}, Metrics: nothing, WebSocket: nothing, InboxFeed: nothing,
		Blobs: struct{ Blobs }{}, References: struct{ References }{}, Exports: struct{ Exports }{}, Imports: struct{ Imports }{},
		Inbox: struct{ Inbox }{}, Links: struct{ Links }{}, Push: struct{ Push }{}, Drafts: struct{ Drafts }{},
		Erasures: struct{ Erasures }{}, Git: struct{ Git }{},
	})
	if err != nil {
		return nil, err
	}
	return a.openAPI, nil
}
