package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/wire"
)

var clientKinds = []kind{
	{no: 39, group: "client", name: "duplicate commands", brief: true, how: "each command on eight connections at once", fault: func(w *world) {
		p := w.writers[0]
		for i := range 10 {
			w.events++
			w.atOnce(p, fmt.Sprintf("duplicate-%d", i), 8)
		}
	}},
	{no: 40, group: "client", name: "reordered commands", how: "a later command is sent before an earlier one, and the earlier one again afterwards", fault: func(w *world) {
		p := w.writers[0]
		for i := range 10 {
			w.events++
			for _, n := range []int{1, 0, 1, 0} {
				w.atOnce(p, fmt.Sprintf("reordered-%d", 2*i+n), 1)
			}
		}
	}},
	{no: 41, group: "client", name: "stale cursor", how: "clients resume from the first record", fault: func(w *world) {
		for _, x := range w.watches {
			w.events++
			w.resumed(x, url.Values{"resume_from": {string(clew.MessageIDOf(1))}, "epoch": {x.place()}}, "")
		}
	}},
	{no: 42, group: "client", name: "cursor of the future", how: "clients resume from a record that nobody wrote", fault: func(w *world) {
		for _, x := range w.watches {
			w.events++
			w.resumed(x, url.Values{"resume_from": {string(clew.MessageIDOf(x.upTo() + 100_000))}, "epoch": {x.place()}}, clew.CursorLost)
		}
	}},
	{no: 43, group: "client", name: "cursor of another epoch", brief: true, how: "clients resume with an epoch that never was", fault: func(w *world) {
		for _, x := range w.watches {
			w.events++
			w.resumed(x, url.Values{"resume_from": {string(clew.MessageIDOf(1))}, "epoch": {"e987654"}}, clew.CursorLost)
		}
	}},
	{no: 44, group: "client", name: "slow readers", how: "40 connections that read nothing and take nothing into their buffers", fault: func(w *world) {
		loud := w.create("loud") // which has more to read than fits into the buffers of a connection
		for i := range 20 {
			_, err := w.command(w.t.Context(), loud, fmt.Sprintf("loud-%d", i), clew.CommandUserMessage, clew.UserMessageData{Text: "talk " + strings.Repeat("on and ", 4000)})
			proc.Must(w.t, err)
			w.idle(w.t.Context(), loud)
		}
		quiet := w.latency(60)
		ctx, leave := context.WithCancel(w.t.Context())
		defer leave()
		for range 40 {
			w.events++
			if ws := w.dialSlow(ctx, w.nodes[0], loud); ws != nil {
				defer func() { _ = ws.CloseNow() }()
			}
		}
		busy := w.latency(60)
		w.holds(slowBounded, busy < 3*quiet+100*time.Millisecond, "with 40 slow readers the slowest of 60 commands took %s to be seen by another, before %s", busy, quiet)
	}},
	{no: 45, group: "client", name: "two approvers at once", brief: true, how: "both answer each question at the same moment, and not the same", fault: func(w *world) {
		for range 8 {
			w.events++
			w.load(10)
		}
	}},
	{no: 46, group: "client", name: "reconnect storm", how: "300 connections at once, closed as soon as they are open, twice", fault: func(w *world) {
		for range 2 {
			var wg sync.WaitGroup
			for i := range 300 {
				w.events++
				wg.Go(func() {
					ids := w.sessions()
					if ws := w.dial(w.t.Context(), w.nodes[0], ids[i%len(ids)], url.Values{"resume_from": {"start"}}); ws != nil {
						_ = ws.CloseNow()
					}
				})
			}
			wg.Wait()
			w.load(10)
		}
	}},
}

// atOnce sends one command several times at once. All get the same answer.
func (w *world) atOnce(p *writer, name string, times int) {
	var wg sync.WaitGroup
	answers := make([][]clew.MessageID, times)
	for i := range times {
		wg.Go(func() {
			r, err := w.command(w.t.Context(), p.id, name, clew.CommandRenameSession, clew.RenameSessionData{Title: "title " + name})
			if err != nil {
				w.broke(repeatSame, "%s was refused: %v", name, err)
			}
			answers[i] = r.Records
		})
	}
	wg.Wait()
	for _, a := range answers {
		w.holds(repeatSame, slices.Equal(a, answers[0]), "%s gave %v and %v", name, answers[0], a)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.acked[clew.ClientMessageID(name)] = answers[0]
}

// place is the epoch that a watcher is in.
func (x *watcher) place() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.epoch
}

// resumed opens a session from a cursor and checks what comes: all records after
// it and nothing else, or the code.
func (w *world) resumed(x *watcher, q url.Values, want clew.Code) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	ws := w.dial(ctx, w.nodes[0], x.id, q)
	if ws == nil {
		w.broke(resumeWhole, "%s: a client with %v was not let in", x.id, q)
		return
	}
	defer func() { _ = ws.CloseNow() }()
	from, _ := clew.MessageID(q.Get("resume_from")).Seq()
	code, next := clew.Code(""), from+1
	for {
		_, frame, err := ws.Read(ctx)
		var env wire.Envelope
		if err != nil || json.Unmarshal(frame, &env) != nil {
			break
		}
		var d clew.ErrorData
		if clew.EventType(env.Type) == clew.EventError && json.Unmarshal(env.Data, &d) == nil {
			code = d.Code
			break
		}
		if env.Seq() > 0 {
			w.holds(resumeWhole, code != "" || env.Seq() == next, "%s: record %d came where %d was due", x.id, env.Seq(), next)
			next = env.Seq() + 1
		}
		if clew.EventType(env.Type) == clew.EventSyncComplete {
			break
		}
	}
	w.holds(resumeWhole, code == want, "%s: a client with %v heard %q, not %q", x.id, q, code, want)
	w.holds(oneMeaning, want == "" || next == from+1, "%s: a client with %v was sent records", x.id, q)
}

// latency is the slowest of n commands, each until somebody who watches has seen it.
func (w *world) latency(n int) (slowest time.Duration) {
	for i := range n {
		began := time.Now()
		name := fmt.Sprintf("probe-%d-%d", began.UnixNano(), i)
		r, err := w.command(w.t.Context(), w.writers[1].id, name, clew.CommandRenameSession, clew.RenameSessionData{Title: name})
		if err != nil || len(r.Records) == 0 {
			w.broke(slowBounded, "%s was refused: %v", name, err)
			continue
		}
		seq, err := r.Records[0].Seq()
		proc.Must(w.t, err)
		poll.Within(10*time.Second, func() bool { return w.watches[1].upTo() >= seq })
		if slowest = max(slowest, time.Since(began)); slowest > 5*time.Second {
			break // that says enough
		}
	}
	return slowest
}
