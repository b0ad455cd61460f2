package golden

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/clew-run/clew"
)

// keptSessions are those whose state and bundle a golden directory has beside the data.
var keptSessions = []clew.SessionID{sealed, waiting, review, queued}

// keep writes down how sessions look, and exports them.
func (s *stage) keep() {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Join(s.dir, "kept"), 0o700))
	for _, id := range keptSessions {
		s.must(os.WriteFile(s.kept(id, "json"), s.shown(id), 0o600))
		s.must(os.WriteFile(s.kept(id, "bundle"), s.export(id), 0o600))
	}
}

func (s *stage) kept(id clew.SessionID, ext string) string {
	return filepath.Join(s.dir, "kept", string(id)+"."+ext)
}

// isKept reports whether the directory has a session: older ones do not have all.
func (s *stage) isKept(id clew.SessionID) bool {
	s.t.Helper()
	_, err := os.Stat(s.kept(id, "json"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	return err == nil
}

// shown is a session's state without what belongs to the server and the client.
func (s *stage) shown(id clew.SessionID) []byte {
	s.t.Helper()
	st := s.state(id)
	st.ClientID, st.Epoch, st.Viewers = "", "", nil
	b, err := json.MarshalIndent(st, "", " ")
	s.must(err)
	return b
}

// lost names the first place where what was shown then is not shown now. What came
// since, under names of its own, takes nothing away.
func lost(at string, then, now any) string {
	switch then := then.(type) {
	case map[string]any:
		now, ok := now.(map[string]any)
		if !ok {
			return at
		}
		for _, key := range slices.Sorted(maps.Keys(then)) {
			if where := lost(at+"."+key, then[key], now[key]); where != "" {
				return where
			}
		}
		return ""
	case []any:
		now, ok := now.([]any)
		if !ok || len(now) != len(then) {
			return at
		}
		for i := range then {
			if where := lost(fmt.Sprintf("%s[%d]", at, i), then[i], now[i]); where != "" {
				return where
			}
		}
		return ""
	}
	if !reflect.DeepEqual(then, now) {
		return at
	}
	return ""
}

// openKept: sessions look as they did to the program that left them, whatever form it
// stored them in, and a bundle that it wrote has the same transcript.
func (s *stage) openKept() {
	s.t.Helper()
	for _, id := range keptSessions {
		if !s.isKept(id) {
			continue
		}
		want, err := os.ReadFile(s.kept(id, "json"))
		s.must(err)
		var then, now any
		got := s.shown(id)
		s.must(json.Unmarshal(want, &then))
		s.must(json.Unmarshal(got, &now))
		if where := lost("", then, now); where != "" {
			s.t.Errorf("%s differs at %s: it was\n%s\nand is\n%s", id, where, want, got)
		}
		var was clew.SessionState
		s.must(json.Unmarshal(want, &was))
		s.openBundle(id, was)
	}
}

// openBundle brings a bundle in. What waited in it waits for somebody else's agent.
func (s *stage) openBundle(id clew.SessionID, was clew.SessionState) {
	s.t.Helper()
	f, err := os.Open(s.kept(id, "bundle"))
	s.must(err)
	defer func() { _ = f.Close() }()
	var made struct {
		SessionID clew.SessionID `json:"session_id"`
	}
	s.must(json.Unmarshal(s.request(http.MethodPost, "/api/v1/sessions/import?format=bundle&new_id=true&checkpoints=false", f), &made))
	is := s.state(made.SessionID)
	if len(is.Queue) != 0 || len(is.Monitors) != 1 || is.Monitors[0].Queued != 0 {
		s.t.Errorf("in the bundle of %s wait %+v, on %+v", id, is.Queue, is.Monitors)
	}
	if asks, asked := is.HitlPending != nil, was.HitlPending != nil; asks != asked {
		s.t.Errorf("the bundle of %s asks: %v, the session: %v", id, asks, asked)
	}
	if len(is.Messages) != len(was.Messages) {
		s.t.Fatalf("the bundle of %s has %d messages, the session %d", id, len(is.Messages), len(was.Messages))
	}
	for i, m := range is.Messages {
		if w := was.Messages[i]; m.MessageID != w.MessageID || m.Text != w.Text || m.MonitorID != w.MonitorID || m.TaskID != w.TaskID || m.AgentID != w.AgentID {
			s.t.Errorf("message %d of %s is\n%+v, was\n%+v", i, id, m, w)
		}
	}
}

// export reads a session's bundle to its end.
func (s *stage) export(id clew.SessionID) []byte {
	s.t.Helper()
	b := s.request(http.MethodGet, "/api/v1/sessions/"+string(id)+"/export?format=bundle", nil)
	if len(b) == 0 {
		s.t.Errorf("the export of %s is empty", id)
	}
	return b
}

func (s *stage) request(method, path string, body io.Reader) []byte {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.srv.URL()+path, body)
	s.must(err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := http.DefaultClient.Do(req)
	s.must(err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		s.t.Errorf("%s %s: %s, %v: %.300s", method, path, resp.Status, err, b)
	}
	return b
}
