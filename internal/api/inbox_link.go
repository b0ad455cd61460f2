package api

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/inbox"
	"github.com/clew-run/clew/internal/session"
)

// Links is what the API needs of answer links: *inbox.Links.
type Links interface {
	Look(ctx context.Context, token string) (inbox.Look, error)
	Answer(ctx context.Context, token string, r inbox.Response) (session.Receipt, error)
}

//go:embed answer
var answerPage embed.FS

const (
	maxAnswer        = 128 << 10 // bytes of a body
	answersPerMinute = 30        // of one address
)

// linkRoutes are open: the token is the credential. It comes in the body of a
// request and never in its address.
func (a *API) linkRoutes() {
	if a.o.Links == nil {
		return
	}
	open := Route{Open: true}
	a.add("GET /answer", open, asset("page.html", "text/html; charset=utf-8"))
	a.add("GET /answer/page.js", open, asset("page.js", "text/javascript; charset=utf-8"))
	a.add("GET /answer/page.css", open, asset("page.css", "text/css; charset=utf-8"))
	a.add("POST "+prefix+"/answer/look", open, a.byLink(func(ctx context.Context, in linkBody) (any, error) {
		look, err := a.o.Links.Look(ctx, in.Token)
		return linkLook{look, a.o.Clock.Now().UnixMilli()}, err
	}))
	a.add("POST "+prefix+"/answer", open, a.byLink(func(ctx context.Context, in linkBody) (any, error) {
		return a.o.Links.Answer(ctx, in.Token, in.response())
	}))
}

type linkBody struct {
	Token string `json:"token"`
	responseBody
}

// linkLook has the server's time, by which the page counts down.
type linkLook struct {
	inbox.Look
	NowMS int64 `json:"now_ms"`
}

// asset serves a part of the answer page, which runs no script but its own and
// is shown in no frame.
func asset(name, kind string) http.HandlerFunc {
	data, err := answerPage.ReadFile("answer/" + name)
	if err != nil { // it is part of the program
		panic(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
			"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		_, _ = w.Write(data) // fails only if the client is gone
	}
}

// byLink lets a request without other credentials in, not too often from one
// address.
func (a *API) byLink(next func(context.Context, linkBody) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if err := a.notTooOften(a.links, r); err != nil {
			writeError(w, r, err)
			return
		}
		in, err := readLinkBody(w, r)
		if err != nil {
			writeError(w, r, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), a.o.Timeout)
		defer cancel()
		out, err := next(ctx, in)
		if err != nil {
			writeError(w, r, err)
			return
		}
		writeJSON(w, http.StatusOK, out)
	}
}

func readLinkBody(w http.ResponseWriter, r *http.Request) (linkBody, error) {
	var in linkBody
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAnswer))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return in, clew.Errorf(clew.MessageTooLarge, "the answer is too large")
	}
	if err == nil {
		err = json.Unmarshal(b, &in)
	}
	if err != nil { // the cause may quote the token
		return in, clew.Errorf(clew.InvalidMessage, "the body is not as it should be")
	}
	return in, nil
}

// linkOperation describes a route that huma does not know.
func linkOperation(r Route, text string) *huma.Operation {
	op := plainOperation(r, text)
	if r.Method != http.MethodPost {
		return op
	}
	op.OperationID = "post" + op.OperationID[len("get"):]
	properties := map[string]*huma.Schema{"token": {Type: huma.TypeString, Description: "What stands behind # in the link"}}
	if r.Path == prefix+"/answer" {
		properties["action"] = &huma.Schema{Type: huma.TypeString, Enum: []any{"approve", "modify", "skip", "reject"}}
		properties["value"] = &huma.Schema{Description: "To a question that asks for one"}
		properties["comment"] = &huma.Schema{Type: huma.TypeString}
		properties["instruction"] = &huma.Schema{Type: huma.TypeString}
	}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
		Type: huma.TypeObject, Required: []string{"token"}, Properties: properties,
	}}}}
	for _, status := range []int{http.StatusUnauthorized, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusTooManyRequests} {
		op.Responses[statusKey(status)] = &huma.Response{Description: http.StatusText(status)}
	}
	return op
}
