package faults

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

var outsideKinds = []kind{
	{no: 47, group: "outside", name: "provider cut off", brief: true, how: "a proxy resets the model's connections in the middle of answers", fault: func(w *world) {
		for range 6 {
			w.events++
			w.modelNet.reset()
			w.hold(150 * time.Millisecond)
		}
	}},
	{no: 48, group: "outside", name: "provider refuses", how: "429, 503 and 401 in place of the model's answers, with the key in them", fault: func(w *world) {
		for _, code := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusUnauthorized} {
			w.instead(time.Second, func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Retry-After", "1")
				http.Error(rw, fmt.Sprintf(`{"type":"error","error":{"type":"overloaded_error","message":"not with the key %s"}}`, r.Header.Get("X-Api-Key")), code)
			})
		}
	}},
	{no: 49, group: "outside", name: "malformed answers", how: "a stream that is not one in place of the model's answers", fault: func(w *world) {
		w.instead(time.Second, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(rw, "event: message_start\ndata: {\"type\":\"message_start\",\"mess\n\nevent: nonsense\ndata: \x00\xff\n\n")
		})
	}},
	{no: 50, group: "outside", name: "provider says nothing", how: "a proxy holds the model's answers", fault: func(w *world) {
		w.events++
		w.modelNet.set(rules{down: way{hold: true}})
		w.hold(3 * time.Second)
		w.modelNet.set(rules{})
	}},
	{no: 51, group: "outside", name: "a command hangs", how: "a command that sleeps for ten minutes", fault: func(w *world) { w.carriedOut("sleep 600") }},
	{no: 52, group: "outside", name: "a command is killed", how: "the command kills itself with SIGKILL", fault: func(w *world) { w.carriedOut("kill -9 $$") }},
	{no: 53, group: "outside", name: "a flood of output", how: "100 MB of lines", fault: func(w *world) { w.carriedOut("yes abcdefghijklmnopqrstuvwxyz | head -c 100000000") }},
	{no: 54, group: "outside", name: "a process that hides", brief: true, how: "a double fork with a session of its own, deaf to SIGTERM", fault: func(w *world) {
		w.carriedOut("trap '' TERM; (setsid sleep 600 >/dev/null 2>&1 &) ; (setsid setsid sleep 601 &) ; echo gone")
		for _, left := range processesIn(w.workspace("talker")) {
			w.broke(noOrphan, "a process is left: %s", left)
		}
	}},
}

// instead answers in the model's place for a while.
func (w *world) instead(d time.Duration, answer http.HandlerFunc) {
	w.t.Helper()
	w.events++
	other := httptest.NewServer(answer)
	defer other.Close()
	model := w.modelNet.goal()
	w.modelNet.point(strings.TrimPrefix(other.URL, "http://"))
	w.hold(d)
	w.modelNet.point(model)
}

// carriedOut has an agent run a command that nobody has to allow, in a session of its
// own, and waits until that has come to an end.
func (w *world) carriedOut(line string) {
	w.t.Helper()
	w.events++
	id := w.create("talker")
	if _, err := w.command(w.t.Context(), id, "run", clew.CommandUserMessage, clew.UserMessageData{Text: "run " + line}); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	w.holds(liveAgain, w.idle(ctx, id), "%q never came to an end", line)
}
