package server_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/server"
)

// A listener is a model that tells what it hears.
type listener chan llm.Request

func (l listener) Stream(_ context.Context, req llm.Request, _ func(llm.Delta) error) (llm.Answer, error) {
	l <- req
	return llm.Answer{Parts: []clew.Part{{Type: clew.PartText, Text: "I see."}}, Usage: clew.Usage{TokensIn: 10, TokensOut: 5}, Stop: llm.StopEnd}, nil
}

// The server lists the files of a session, and gives a model what a message mentions of
// them; after a restart it is what it was, whatever the files are by then.
func TestFilesOfASession(t *testing.T) {
	s := newShop(t)
	heard := make(listener, 1)
	s.cfg.Providers = map[string]llm.Provider{"ear": heard}
	restart := func() { // with the server's own agent
		s.s.Stop(context.Background())
		var err error
		if s.s, err = server.Start(t.Context(), s.cfg, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
	}
	restart()
	if r := s.call(s.token, "PATCH", "/api/v1/settings", map[string]any{"settings": map[string]any{"model_profiles": map[string]any{"ear": map[string]any{"provider": "ear", "model": "m"}}, "model_profile": "ear"}}); r.status != 200 {
		t.Fatal(r.raw)
	}
	s.put(s.dir, ".env", "CANARY")
	s.put(filepath.Join(s.dir, "docs"), "notes.md", "old words\n")
	if err := os.Symlink("/etc", filepath.Join(s.dir, "etc")); err != nil {
		t.Fatal(err)
	}
	id, _ := s.create(false)
	path := "/api/v1/sessions/" + id + "/files"
	for query, want := range map[string]string{
		"notes": `{"files":[{"path":"docs/notes.md","mention":"@docs/notes.md"}]}`,
		"env":   `{"files":[]}`, "passwd": `{"files":[]}`, "etc": `{"files":[]}`,
	} {
		if r := s.call(s.token, "GET", path+"?query="+query, nil); strings.TrimSpace(r.raw) != want {
			t.Errorf("%s: %s", query, r.raw)
		}
	}
	zoe := s.key("zoe", "owner")
	if r := s.call(zoe, "GET", path, nil); r.code != "SESSION_NOT_FOUND" {
		t.Errorf("a stranger: %s", r.raw)
	}
	// Before there is a session the folder gives the same, to who may make one there.
	before := "/api/v1/folders/files?query=notes&path=" + s.dir
	if r := s.call(s.token, "GET", before, nil); strings.TrimSpace(r.raw) != `{"files":[{"path":"docs/notes.md","mention":"@docs/notes.md"}]}` {
		t.Error(r.raw)
	}
	for _, route := range []string{"files", "slash-commands", "defaults"} {
		if r := s.call(zoe, "GET", "/api/v1/folders/"+route+"?path="+s.dir, nil); r.code != "FORBIDDEN" {
			t.Errorf("%s for a stranger: %s", route, r.raw)
		}
	}
	if r := s.call(s.token, "GET", "/api/v1/folders/files", nil); strings.TrimSpace(r.raw) != `{"files":[]}` { // of one to be made
		t.Error(r.raw)
	}
	s.say(id, "explain @docs/notes.md and @.env")
	first := (<-heard).Messages[0].Content
	if len(first) != 3 || !strings.Contains(first[1].Text, "old words") || strings.Contains(first[2].Text, "CANARY") {
		t.Fatalf("the model heard %+v", first)
	}
	await(t, func() bool {
		return strings.Contains(s.call(s.token, "GET", "/api/v1/sessions/"+id+"/messages", nil).raw, "api_req_finished")
	})
	s.put(filepath.Join(s.dir, "docs"), "notes.md", "new words\n")
	restart()
	s.say(id, "and now?")
	if again := (<-heard).Messages[0].Content; len(again) != 3 || again[1].Text != first[1].Text || again[2].Text != first[2].Text {
		t.Errorf("after a restart the model hears %+v", again)
	}
	// A session without a directory has none to list, and gets none by listing.
	r := s.call(s.token, "POST", "/api/v1/sessions", map[string]any{})
	own := r.body["session_id"].(string)
	if r := s.call(s.token, "GET", "/api/v1/sessions/"+own+"/files", nil); strings.TrimSpace(r.raw) != `{"files":[]}` {
		t.Error(r.raw)
	}
	if _, err := os.Stat(filepath.Join(s.cfg.Data, "workspaces", own)); err == nil {
		t.Error("listing made a directory")
	}
}
