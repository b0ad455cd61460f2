package api

import (
	"net/http"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
)

// plainRoutes are those without huma: their answers are not ours to type.
func (a *API) plainRoutes() {
	open := Route{Open: true}
	a.add("GET /healthz", open, alive)
	a.add("GET /readyz", open, a.ready)
	a.add("GET /openapi.json", open, func(w http.ResponseWriter, _ *http.Request) { writeDocument(w, a.openAPI) })
	if a.o.AsyncAPI != nil {
		a.add("GET /asyncapi.json", open, func(w http.ResponseWriter, _ *http.Request) { writeDocument(w, a.o.AsyncAPI) })
	}
	if a.o.Metrics != nil {
		a.add("GET /metrics", Route{}, a.guard(a.metrics))
	}
	if a.o.Blobs != nil {
		a.add("GET "+prefix+"/sessions/{id}/blobs/{address}", Route{}, a.guard(a.blob))
		a.add("GET /reports/{session_id}/{run}/{file}", Route{}, a.guard(a.report))
	}
	if a.o.WebSocket != nil {
		a.add("GET /ws/{session_id}", Route{Own: true}, a.o.WebSocket.ServeHTTP)
	}
	if a.o.InboxFeed != nil {
		a.add("GET "+prefix+"/inbox/feed", Route{Own: true}, a.o.InboxFeed.ServeHTTP)
	}
	a.mux.HandleFunc("/", a.elsewhere(a.guard(notFound)))
}

func alive(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// Starting answers for a node that waits for others before it can serve: it is
// alive, and not ready.
func Starting(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		alive(w, r)
		return
	}
	writeError(w, r, notReady(nil))
}

// metrics gives the figures to administrators: they tell how much others work.
func (a *API) metrics(w http.ResponseWriter, r *http.Request) {
	if callerOf(r.Context()).Role != clew.RoleAdmin && !planted.Bug("metrics for everybody") {
		writeError(w, r, clew.Errorf(clew.Forbidden, "only administrators see the metrics"))
		return
	}
	a.o.Metrics.ServeHTTP(w, r)
}

func writeDocument(w http.ResponseWriter, doc []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(doc) // fails only if the client is gone
}

// ready says whether the server can serve. Why not is in the log alone: anyone
// may ask.
func (a *API) ready(w http.ResponseWriter, r *http.Request) {
	if a.o.Ready != nil {
		if err := a.o.Ready(r.Context()); err != nil {
			writeError(w, r, notReady(err))
			return
		}
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}
