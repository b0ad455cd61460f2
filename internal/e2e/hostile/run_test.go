package hostile

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/wire"
)

// A run is one attack under way: a session, seen by a client that reads along.
// Only the follower adds to what was seen.
type run struct {
	t       testing.TB
	srv     *server
	name    string
	session clew.SessionID
	client  *client.Client

	mu      sync.Mutex
	changed chan struct{} // closed and replaced with each envelope
	seen    []wire.Envelope
	failed  error
}

// openRun makes a session in a workspace and reads along.
func openRun(t testing.TB, srv *server, name, workspace string) *run {
	t.Helper()
	api := client.NewAPI(srv.URL(), srv.token())
	id, err := api.CreateSession(t.Context(), client.NewSession{Workspace: workspace})
	proc.Must(t, err)
	return follow(t, srv, name, id)
}

// follow reads a session from its start.
func follow(t testing.TB, srv *server, name string, id clew.SessionID) *run {
	t.Helper()
	c, err := client.Dial(t.Context(), client.Options{URL: srv.URL(), Token: srv.token(), Session: id, ResumeFrom: client.FromStart})
	proc.Must(t, err)
	r := &run{t: t, srv: srv, name: name, session: id, client: c, changed: make(chan struct{})}
	done := make(chan struct{})
	go func() { defer close(done); r.follow() }()
	t.Cleanup(func() { c.Close(); <-done })
	return r
}

func (r *run) follow() {
	for env, err := range r.client.Follow(context.Background()) {
		r.mu.Lock()
		if err != nil {
			r.failed = err
		} else if env.Type != string(clew.EventPresence) { // comes by the clock, and is no part of what happens
			r.seen = append(r.seen, env)
		}
		close(r.changed)
		r.changed = make(chan struct{})
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await waits until what was seen fulfils a condition.
func (r *run) await(what string, ok func(seen []wire.Envelope) bool) {
	r.t.Helper()
	deadline := time.After(patience)
	for {
		r.mu.Lock()
		seen, failed, changed := r.seen, r.failed, r.changed
		r.mu.Unlock()
		if ok(seen) {
			return
		}
		if failed != nil {
			r.t.Fatalf("%s: waiting for %s: %v", r.name, what, failed)
		}
		select {
		case <-changed:
		case <-deadline:
			r.t.Fatalf("%s: no %s in time; last came %s", r.name, what, r.last(6))
		}
	}
}

func (r *run) last(n int) string {
	var b strings.Builder
	seen := r.all()
	for _, env := range seen[max(0, len(seen)-n):] {
		b.WriteString("\n" + env.Type + " " + string(env.Data[:min(len(env.Data), 300)]))
	}
	return b.String()
}

func (r *run) all() []wire.Envelope {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}

func (r *run) send(typ clew.CommandType, data any) {
	r.t.Helper()
	_, err := r.client.Send(r.t.Context(), typ, data)
	proc.Must(r.t, err)
}

// set changes the session's own settings, once.
func (r *run) set(settings map[string]any) {
	r.t.Helper()
	r.send(clew.CommandUpdateSettings, clew.UpdateSettingsData{Settings: settings})
	r.await("settings", func(seen []wire.Envelope) bool { return has(seen, clew.EventSettingsChanged) })
}

// begin says the words that the attack's script listens for.
func (r *run) begin() {
	r.t.Helper()
	r.send(clew.CommandUserMessage, clew.UserMessageData{Text: "attack<" + r.name + ">"})
}

// A question is an open question, as clients see it.
type question struct {
	clew.HitlApprovalRequestData
	Question string `json:"question"`
	raw      string
}

// asks gives all questions so far.
func asks(seen []wire.Envelope) []question {
	var all []question
	for _, env := range seen {
		switch clew.EventType(env.Type) {
		case clew.EventHitlApprovalRequest, clew.EventHitlInputRequest:
			q := question{raw: string(env.Data)}
			if json.Unmarshal(env.Data, &q) == nil {
				all = append(all, q)
			}
		}
	}
	return all
}

// questions gives those that are not answered yet.
func questions(seen []wire.Envelope) []question {
	resolved := map[clew.RequestID]bool{}
	for _, env := range seen {
		var d clew.HitlResolvedData
		if env.Type == string(clew.EventHitlResolved) && json.Unmarshal(env.Data, &d) == nil {
			resolved[d.RequestID] = true
		}
	}
	return slices.DeleteFunc(asks(seen), func(q question) bool { return resolved[q.RequestID] })
}

// over reports whether the turn has ended: the task that the person began is at
// rest for good, and not because of a question.
func over(seen []wire.Envelope) bool {
	for _, env := range slices.Backward(seen) {
		switch clew.EventType(env.Type) {
		case clew.EventTaskIdle, clew.EventTaskCompleted, clew.EventTaskAborted:
			var d struct {
				clew.TaskRef
				RequestID clew.RequestID `json:"request_id"`
			}
			if json.Unmarshal(env.Data, &d) == nil && d.TaskID == d.RootTaskID && d.RequestID == "" {
				return true
			}
		case clew.EventHitlResolved, clew.EventTaskActive:
			return false
		}
	}
	return false
}

// awaitQuestion waits until something is asked.
func (r *run) awaitQuestion() question {
	r.t.Helper()
	r.await("question", func(seen []wire.Envelope) bool { return len(questions(seen)) > 0 || over(seen) })
	open := questions(r.all())
	if len(open) == 0 {
		r.t.Fatalf("%s: ended without a question: %s", r.name, r.last(10))
	}
	return open[0]
}

func (r *run) answer(q question, action clew.Choice) {
	r.t.Helper()
	r.send(clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: q.RequestID, Action: action})
	r.await("end of the question", func(seen []wire.Envelope) bool {
		return !slices.ContainsFunc(questions(seen), func(o question) bool { return o.RequestID == q.RequestID })
	})
}

// finish answers every question with no until the turn is over.
func (r *run) finish() {
	r.t.Helper()
	for {
		r.await("end of the turn", func(seen []wire.Envelope) bool { return over(seen) || len(questions(seen)) > 0 })
		open := questions(r.all())
		if len(open) == 0 {
			return
		}
		for _, q := range open {
			r.answer(q, clew.ChoiceReject)
		}
	}
}

// An outcome is what became of a call.
type outcome struct {
	began, ran bool // ran: it came to its end without an error
	asked      bool
	shown      bool // a message or question tells people of it
	result     string
}

// outcomes gives what became of the calls, by their ids.
func (r *run) outcomes() map[string]*outcome {
	all := map[string]*outcome{}
	get := func(id string) *outcome {
		if all[id] == nil {
			all[id] = &outcome{}
		}
		return all[id]
	}
	for _, env := range r.all() {
		switch clew.EventType(env.Type) {
		case clew.EventToolProgress:
			var d clew.ToolProgressData
			proc.Must(r.t, json.Unmarshal(env.Data, &d))
			o := get(d.ToolCallID)
			o.began = o.began || d.Status == clew.ToolRunning
			o.ran = o.ran || d.Status == clew.ToolComplete
			if text, ok := d.Output.(string); ok {
				o.result += text
			}
			o.result += d.Error
		case clew.EventHitlApprovalRequest, clew.EventHitlInputRequest:
			var d clew.HitlApprovalRequestData
			proc.Must(r.t, json.Unmarshal(env.Data, &d))
			if d.ToolCallID != "" {
				get(d.ToolCallID).asked, get(d.ToolCallID).shown = true, true
			}
		case clew.EventMessageCreated:
			var d clew.MessageCreatedData
			proc.Must(r.t, json.Unmarshal(env.Data, &d))
			if d.Message.ToolCallID != "" {
				get(d.Message.ToolCallID).shown = true
			}
		}
	}
	return all
}

// messages gives the transcript's messages as they were made and changed.
func (r *run) messages() []clew.Message {
	var all []clew.Message
	for _, env := range r.all() {
		var d clew.MessageCreatedData
		switch clew.EventType(env.Type) {
		case clew.EventMessageCreated, clew.EventMessageUpdated:
			proc.Must(r.t, json.Unmarshal(env.Data, &d))
			all = append(all, d.Message)
		}
	}
	return all
}

// sly reports whether a character hides or moves text.
func sly(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// agree answers every question with yes until the turn is over.
func (r *run) agree() {
	r.t.Helper()
	for {
		r.await("end of the turn", func(seen []wire.Envelope) bool { return over(seen) || len(questions(seen)) > 0 })
		open := questions(r.all())
		if len(open) == 0 {
			return
		}
		for _, q := range open {
			r.answer(q, clew.ChoiceApprove)
		}
	}
}
