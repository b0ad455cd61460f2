package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/demo"
	"github.com/clew-run/clew/internal/server"
)

// views plays the demo's story and a run with a watcher in each view, and prints
// how many bytes each of them was sent.
func views(out io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cfg := server.DefaultConfig()
	cfg.Listen = "127.0.0.1:0"
	ready, done := make(chan server.DemoInfo, 1), make(chan error, 1)
	go func() {
		done <- server.Demo(ctx, cfg, server.DemoOptions{Fast: true, AnyPort: true, Ready: func(_ context.Context, d server.DemoInfo) { ready <- d }}, io.Discard, slog.New(slog.DiscardHandler))
	}()
	var d server.DemoInfo
	select {
	case d = <-ready:
	case err := <-done:
		return err
	}
	token, err := os.ReadFile(d.TokenFile)
	if err != nil {
		return err
	}
	s := playhouse{url: d.URL, token: strings.TrimSpace(string(token))}
	_, _ = fmt.Fprintf(out, "%-8s %12s %12s %7s\n", "story", "records (B)", "state (B)", "")
	row := func(name string, records, state int) {
		_, _ = fmt.Fprintf(out, "%-8s %12d %12d %6.1f%%\n", name, records, state, 100*float64(state)/float64(records))
	}
	var allRecords, allState int
	for _, story := range []struct{ name, mode string }{{"demo", ""}, {"run", "run"}} {
		records, state, err := s.play(ctx, story.name, story.mode)
		if err != nil {
			return fmt.Errorf("%s: %w", story.name, err)
		}
		row(story.name, records, state)
		allRecords, allState = allRecords+records, allState+state
	}
	row("both", allRecords, allState)
	cancel()
	<-done
	return nil
}

// A playhouse is a server that plays stories.
type playhouse struct{ url, token string }

// play has a story played in a session of its own, whose watchers are there from
// the first record on, and counts the bytes that each was sent.
func (s playhouse) play(ctx context.Context, name, mode string) (records, state int, err error) {
	body, _ := json.Marshal(map[string]string{"session_id": "views-" + name})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v1/sessions", bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return 0, 0, fmt.Errorf("the session is not made: %s", resp.Status)
	}
	watcher, err := s.dial(ctx, name, clew.ViewRecords)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = watcher.CloseNow() }()
	person, err := s.dial(ctx, name, clew.ViewState)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = person.CloseNow() }()
	counted := make(chan int, 1)
	end, stop := context.WithCancel(ctx)
	defer stop()
	go func() { counted <- count(end, watcher) }()
	text, _ := json.Marshal(map[string]any{"type": "user_message", "data": map[string]any{"text": demo.Stories[0].Task, "mode": mode}})
	if err := person.Write(ctx, websocket.MessageText, text); err != nil {
		return 0, 0, err
	}
	if state, err = follow(ctx, person); err != nil {
		return 0, 0, err
	}
	time.AfterFunc(time.Second, stop) // what is still on its way to the other one
	return <-counted, state, nil
}

func (s playhouse) dial(ctx context.Context, name string, view clew.View) (*websocket.Conn, error) {
	c, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.url, "http")+"/ws/views-"+name+"?view="+string(view), &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + s.token}},
	})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err == nil {
		c.SetReadLimit(-1)
	}
	return c, err
}

// count reads until ctx ends.
func count(ctx context.Context, c *websocket.Conn) (n int) {
	for {
		_, b, err := c.Read(ctx)
		if err != nil {
			return n
		}
		n += len(b)
	}
}

// follow reads the state, says yes to every question, and ends when the work is
// done.
func follow(ctx context.Context, c *websocket.Conn) (n int, err error) {
	var r client.Replica
	asked := map[clew.RequestID]bool{}
	for {
		_, b, err := c.Read(ctx)
		if err != nil {
			return n, err
		}
		n += len(b)
		var env struct {
			Type clew.EventType  `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		var d clew.StateChangedData
		if err := json.Unmarshal(b, &env); err != nil {
			return n, err
		}
		if env.Type != clew.EventStateChanged {
			continue
		}
		if err := json.Unmarshal(env.Data, &d); err != nil {
			return n, err
		}
		if err := r.Apply(&d); err != nil {
			return n, err
		}
		for _, q := range r.Questions {
			if id := q.RequestID(); !asked[id] {
				asked[id] = true
				if err := c.Write(ctx, websocket.MessageText, yesTo(q)); err != nil {
					return n, err
				}
			}
		}
		if over(&r) {
			return n, nil
		}
	}
}

// over reports whether somebody worked, and nobody does any more.
func over(r *client.Replica) bool {
	return len(r.Tasks) > 0 && len(r.Questions) == 0 &&
		!slices.ContainsFunc(r.Tasks, func(t clew.TaskInfo) bool { return t.AtWork })
}

// yesTo is the answer that lets the work go on.
func yesTo(q clew.Question) []byte {
	answer := map[string]any{"request_id": q.RequestID(), "ask_response": clew.YesButtonClicked}
	switch q.Type {
	case clew.EventHitlInputRequest, clew.EventHitlClarification:
		answer["ask_response"], answer["text"] = clew.MessageResponse, "as you think best"
	}
	b, _ := json.Marshal(map[string]any{"type": clew.CommandAskResponse, "data": answer})
	return b
}
