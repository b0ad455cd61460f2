package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// Sessions are named by how their ids begin, or not at all: then it is the one of this
// directory that a person used last, whatever agents do elsewhere.
func TestSessionsByName(t *testing.T) {
	x := newTraveller(t)
	here := filepath.Join(filepath.Dir(x.work), "here")
	if err := os.Mkdir(here, 0o755); err != nil {
		t.Fatal(err)
	}
	api := client.NewAPI("http://"+x.address, x.token)
	for _, id := range []clew.SessionID{"sess_aaaa1111", "sess_aaaa2222", "other-one"} {
		if _, err := api.CreateSession(t.Context(), client.NewSession{SessionID: id, Title: "It is " + string(id), Workspace: here}); err != nil {
			t.Fatal(err)
		}
		for made := time.Now().UnixMilli(); time.Now().UnixMilli() == made; { // of two in one millisecond none is the newest
			runtime.Gosched()
		}
	}
	c, err := (&env.App{}).Connect(env.Remote{Server: x.where[1], Data: x.where[3]})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(x.work))
	if s, err := c.Session(t.Context(), ""); clew.CodeOf(err) != clew.SessionNotFound || !strings.Contains(err.Error(), "no session works in this directory; the last one used elsewhere is other-one") {
		t.Errorf("a session of another directory is taken for this one's: %s, %v", s.ID, err)
	}
	t.Chdir(x.work)
	if s, err := c.Session(t.Context(), ""); err != nil || s.ID != x.id {
		t.Errorf("in the directory of %s: %s, %v", x.id, s.ID, err)
	}
	t.Chdir(here)
	for name, want := range map[string]clew.SessionID{
		"": "other-one", "-": "other-one", "othe": "other-one", "other-one": "other-one",
		"aaaa1": "sess_aaaa1111", "sess_aaaa2": "sess_aaaa2222", string(x.id): x.id, string(x.id[:12]): x.id, string(x.id[5:12]): x.id,
	} {
		if s, err := c.Session(t.Context(), name); err != nil || s.ID != want {
			t.Errorf("%q: %s, %v, want %s", name, s.ID, err, want)
		}
	}
	x.has(x.do(env.ExitFailure, "", "show", "oth"), "there is no session oth", "at least 4 characters")
	x.has(x.do(env.ExitFailure, "", "show", "nope"), "there is no session nope: clew ls")
	x.has(x.do(env.ExitFailure, "", "attach", "nope"), "there is no session nope: clew ls")
	x.has(x.do(env.ExitUsage, "", "undo", "aaaa"), "aaaa is how 2 sessions begin", "sess_aaaa1111  It is sess_aaaa1111", "sess_aaaa2222")
	x.has(x.do(env.ExitUsage, "", "undo", "aaaa", "--json"), `"hint":"sess_aaaa`)
	x.has(x.do(env.ExitUsage, "", "open", "no/id"), "not a session id")

	// Which one is changed is said first, and which one was picked.
	x.has(x.do(env.ExitFailure, "", "undo"), "Session other-one  It is other-one\nclew: there is no rewind to undo")
	x.has(x.do(env.ExitFailure, "", "undo", "other-one"), "Session other-one")
	x.has(x.do(env.ExitOK, "", "show", "othe"), "Session other-one")
	if out := x.do(env.ExitOK, "", "show", "other-one"); strings.Contains(out, "Session other-one") {
		t.Errorf("what was said is said again: %s", out)
	}
}

func TestSessionAndMessage(t *testing.T) {
	for _, tt := range [][]string{ // arguments, session, message
		{"", "", ""},
		{"-", "-", ""},
		{"abcd", "abcd", ""},
		{"#-1", "", "#-1"},
		{"14:30", "", "14:30"},
		{"msg_000000000042", "", "msg_000000000042"},
		{"abcd 14:30", "abcd", "14:30"},
		{"- 12", "-", "12"},
		{"#12", "", "#12"},
		{"4821 12", "4821", "12"},
		{"4821f", "4821f", ""},
	} {
		if session, message, err := env.SessionAndMessage("rewind", strings.Fields(tt[0])); err != nil || session != tt[1] || message != tt[2] {
			t.Errorf("%q: %q and %q, %v", tt[0], session, message, err)
		}
	}
	// Digits alone could be the number of a message, or how a session begins.
	session, message, err := env.SessionAndMessage("rewind", []string{"4821"})
	if err == nil || session != "" || message != "" || !strings.Contains(err.Error(), "clew rewind - 4821") || !strings.Contains(err.Error(), "sess_4821") {
		t.Errorf("digits alone: %q and %q, %v", session, message, err)
	}
}

// Without a session there is nothing to take for the newest.
func TestNoSessionYet(t *testing.T) {
	data := t.TempDir()
	startServer(t, data)
	c, err := (&env.App{IO: env.IO{Environ: []string{"HOME=/nonexistent"}}}).Connect(env.Remote{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Session(context.Background(), ""); clew.CodeOf(err) != clew.SessionNotFound || !strings.Contains(err.Error(), "clew run") {
		t.Errorf("%v", err)
	}
	got := call(t, env.RealServer, []string{"HOME=/nonexistent"}, "ls", "--data", data)
	if got.code != env.ExitOK || !strings.HasPrefix(got.out, "There is no session yet. Begin one: clew run 'what is in here?' --data ") {
		t.Errorf("%+v", got)
	}
}
