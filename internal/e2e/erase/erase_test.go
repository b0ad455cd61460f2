// Package erase deletes sessions of the real program and looks into all of its files
// for what is left of them.
package erase

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/marktest"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/inbox/push/pushtest"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// A planter makes marks, each of which stands in one place.
type planter struct{ marks []string }

func (p *planter) mark(place string) string {
	m := fmt.Sprintf("MARK-%02d-%s-%x", len(p.marks), place, 0x5eed0000+len(p.marks))
	p.marks = append(p.marks, m)
	return m
}

func (p *planter) several(place string, n int) []any {
	var list []any
	for range n {
		list = append(list, p.mark(place))
	}
	return list
}

// script has the model think, speak, write a file twice, run commands that print, and
// at last ask for something.
func script(p *planter) string {
	return fmt.Sprintf(`
- when: {last_user: Work, tool_result: {id: c5}}
  times: 0
  reply: [{text: %s}, {tool: {name: execute_command, id: c6, input: {command: "rm %s"}}}]
- when: {last_user: Work, tool_result: {id: c4}}
  times: 0
  reply: [{text: %s}, {tool: {name: execute_command, id: c5, input: {command: "echo out-%s"}}}]
- when: {last_user: Work, tool_result: {id: c3}}
  times: 0
  reply: [{text: %s}, {tool: {name: execute_command, id: c4, input: {command: "echo %s; cat a.txt"}}}]
- when: {last_user: Work, tool_result: {id: c2}}
  times: 0
  reply: [{text: %s}, {tool: {name: write_file, id: c3, input: {path: b.txt, content: "%s"}}}]
- when: {last_user: Work, tool_result: {id: c1}}
  times: 0
  reply: [{text: %s}, {tool: {name: write_file, id: c2, input: {path: a.txt, content: "%s"}}}]
- when: {last_user: Work}
  times: 0
  reply: [{text: %s}, {tool: {name: write_file, id: c1, input: {path: a.txt, content: "%s"}}}]
- when: {last_user: Other}
  times: 0
  reply: [{text: Hello.}]
`, append(p.several("question", 2), append(p.several("output", 4), p.several("file", 6)...)...)...)
}

type stage struct {
	*proc.Stage
	planter
	service *pushtest.Service
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{service: pushtest.New(t)}
	settings := proc.AllowFiles()
	settings["always_allow_execute"], settings["allowed_commands"] = true, []string{"echo *", "cat *"}
	settings["push_allow"] = []string{s.service.Address()}
	s.Stage = proc.NewStage(t, proc.Setup{
		Session: "sess_secret", Script: script(&s.planter), Model: llmtest.Options{Fast: true}, Settings: settings,
		Env: map[string]string{"SSL_CERT_FILE": s.service.CertFile()},
	})
	return s
}

// good makes a request that has to succeed, and decodes the answer.
func (s *stage) good(token, method, path string, body, into any) {
	s.T.Helper()
	resp, err := s.Call(token, method, "/api/v1"+path, body)
	proc.Must(s.T, err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	proc.Must(s.T, err)
	if resp.StatusCode > 299 {
		s.T.Fatalf("%s %s: %s", method, path, b)
	}
	if into != nil {
		proc.Must(s.T, json.Unmarshal(b, into))
	}
}

// status makes a request and gives how it was answered.
func (s *stage) status(token, method, path string) (int, string) {
	s.T.Helper()
	resp, err := s.Call(token, method, "/api/v1"+path, nil)
	proc.Must(s.T, err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	proc.Must(s.T, err)
	return resp.StatusCode, string(b)
}

func (s *stage) command(id clew.SessionID, typ clew.CommandType, data any) {
	s.T.Helper()
	_, err := s.API().Command(s.T.Context(), id, clew.NewClientMessageID(), typ, data)
	proc.Must(s.T, err)
}

// image is one that is none for anybody who looks closer.
func image(mark string) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"+mark))
}

// plant fills the session with marks: 32 with those of the script.
func (s *stage) plant(shared string) {
	s.T.Helper()
	ctx, id := s.T.Context(), s.Session
	_, err := s.API().CreateSession(ctx, client.NewSession{SessionID: id, Title: s.mark("title")})
	proc.Must(s.T, err)
	s.command(id, clew.CommandRenameSession, &clew.RenameSessionData{Title: s.mark("title")})
	for range 4 {
		s.command(id, clew.CommandUserMessage, &clew.UserMessageData{Text: "Other " + s.mark("message")})
		s.idle(id)
	}
	s.command(id, clew.CommandUserMessage, &clew.UserMessageData{
		Text: "Work on " + s.mark("message"), Images: []string{image(s.mark("blob")), image(s.mark("blob")), image(s.mark("blob")), image(shared)},
	})
	s.asks()
	s.good("", "PUT", "/sessions/"+string(id)+"/draft", map[string]any{"text": s.mark("draft"), "revision": 0}, nil)
	s.good("", "PUT", "/sessions/"+string(id)+"/draft", map[string]any{"text": s.mark("draft"), "revision": s.revision()}, nil)
	s.command(id, clew.CommandRenameSession, &clew.RenameSessionData{Title: s.mark("title")})
	s.good("", "PUT", "/sessions/"+string(id)+"/access/bob", map[string]any{"role": "approver"}, nil)
	for len(s.marks) < 32 {
		s.command(id, clew.CommandRenameSession, &clew.RenameSessionData{Title: s.mark("push")}) // of what the push is about
	}
}

func (s *stage) revision() uint64 {
	var d struct {
		Revision uint64 `json:"revision"`
	}
	s.good("", "GET", "/sessions/"+string(s.Session)+"/draft", nil, &d)
	return d.Revision
}

func (s *stage) idle(id clew.SessionID) {
	s.T.Helper()
	proc.Eventually(s.T, "the turn ends", 20*time.Second, func() bool {
		one, err := s.API().GetSession(s.T.Context(), id)
		return err == nil && one.Status == clew.StatusIdle
	})
}

// asks waits until the question is in the inbox.
func (s *stage) asks() {
	s.T.Helper()
	proc.Eventually(s.T, "there is a question", 30*time.Second, func() bool {
		code, body := s.status("", "GET", "/inbox")
		return code == http.StatusOK && strings.Contains(body, string(s.Session))
	})
}

// found gives the marks that are in the data directory.
func (s *stage) found() map[string][]string {
	s.T.Helper()
	found, err := marktest.Find(s.Srv.Dir, s.marks...)
	proc.Must(s.T, err)
	return found
}

// erased waits until nothing is left of the session.
func (s *stage) erased() {
	s.T.Helper()
	proc.Eventually(s.T, "the session is erased", 60*time.Second, func() bool {
		var p struct {
			Deleted *struct {
				ErasedMS int64 `json:"erased_ms"`
			} `json:"deleted"`
		}
		s.good("", "GET", "/sessions/"+string(s.Session)+"/deletion", nil, &p)
		return p.Deleted != nil && p.Deleted.ErasedMS > 0
	})
}

// Of 32 marks that were planted in a session, as its title, messages, tool output,
// blobs, files, questions, drafts and what pushes are about, none is left in the data
// directory after the session was deleted. What others have is left.
//
// Covers: C-15
func TestNothingIsLeft(t *testing.T) {
	s := newStage(t)
	s.Start()
	var push struct {
		PublicKey string `json:"public_key"`
	}
	s.good("", "GET", "/push", nil, &push)
	s.service.Expect(push.PublicKey)
	phone := s.service.Browser()
	s.good("", "POST", "/push", phone.Subscription("a phone"), nil)

	const shared, kept = "SHARED-IMAGE-7a7a", "KEPT-WORDS-7a7a"
	_, err := s.API().CreateSession(t.Context(), client.NewSession{SessionID: "sess_other", Title: kept})
	proc.Must(t, err)
	s.plant(shared)
	phone.Next() // it was told
	proc.Must(t, s.Srv.Stop())
	s.Start() // one part is sealed now, and the next is not
	s.command("sess_other", clew.CommandUserMessage, &clew.UserMessageData{Text: "Other " + kept, Images: []string{image(shared)}})
	s.idle("sess_other")
	if n := len(s.found()); len(s.marks) != 32 || n != 32 {
		t.Fatalf("of %d marks %d are found before: the test shows nothing", len(s.marks), n)
	}

	s.good("", "DELETE", "/sessions/"+string(s.Session)+"?now=true", nil, nil)
	s.erased()
	for mark, files := range s.found() {
		t.Errorf("%s is in %v", mark, files)
	}
	if code, body := s.status("", "GET", "/sessions/"+string(s.Session)); code != http.StatusNotFound || !strings.Contains(body, "deleted by owner") {
		t.Errorf("the session: %d %s", code, body)
	}
	proc.Must(t, s.Srv.Stop())
	for mark, files := range s.found() {
		t.Errorf("after the stop %s is in %v", mark, files)
	}
	s.Examine() // the doctor misses nothing
	s.Start()
	others, err := marktest.Find(s.Srv.Dir, shared, kept)
	if err != nil || len(others) != 2 {
		t.Errorf("of the others there is %v, %v", others, err)
	}
	s.command("sess_other", clew.CommandUserMessage, &clew.UserMessageData{Text: "Other again"})
	s.idle("sess_other")
	if _, err := os.Stat(filepath.Join(s.Srv.Dir, "workspaces", string(s.Session))); !os.IsNotExist(err) {
		t.Errorf("its directory: %v", err)
	}
	s.Answered()
}

// For a while a deleted session can be brought back, with all that it had. Until then
// nobody sees it; only its owner hears what became of it.
//
// Covers: C-15
func TestBringBack(t *testing.T) {
	s := newStage(t)
	s.Start()
	s.plant("shared")
	var bob struct {
		Token string `json:"token"`
	}
	s.good("", "POST", "/keys", map[string]any{"user": "bob"}, &bob)
	path := "/sessions/" + string(s.Session)
	var p struct {
		Records         int   `json:"records"`
		Questions       int   `json:"questions"`
		Checkpoints     int   `json:"checkpoints"`
		DirectoryErased bool  `json:"directory_erased"`
		EraseMS         int64 `json:"erase_ms"`
	}
	s.good("", "GET", path+"/deletion", nil, &p)
	week := time.Until(time.UnixMilli(p.EraseMS)).Round(time.Hour)
	if p.Records < 30 || p.Questions != 1 || p.Checkpoints == 0 || !p.DirectoryErased || week != 7*24*time.Hour {
		t.Errorf("the preview is %+v, %s", p, week)
	}
	if code, _ := s.status(bob.Token, "DELETE", path); code != http.StatusForbidden {
		t.Errorf("bob may delete it: %d", code)
	}
	failed := make(chan error, 1)
	watching, err := client.Dial(t.Context(), client.Options{URL: s.Srv.URL(), Token: s.Token(), Session: s.Session, NoFollow: true, OnState: func(state client.State, why error) {
		if state == client.Failed {
			failed <- why
		}
	}})
	proc.Must(t, err)
	defer watching.Close()
	s.good("", "DELETE", path, nil, nil)
	select {
	case why := <-failed: // who watches is sent away, and need not try again
		if clew.CodeOf(why) != clew.SessionNotFound {
			t.Errorf("who watches hears %v", why)
		}
	case <-time.After(20 * time.Second):
		t.Error("who watches hears nothing")
	}
	s.hidden(path, bob.Token)
	proc.Must(t, s.Srv.Stop())
	s.Start() // also over a restart
	s.hidden(path, bob.Token)
	if code, _ := s.status(bob.Token, "POST", path+"/restore"); code != http.StatusNotFound {
		t.Errorf("bob may bring it back: %d", code)
	}
	s.good("", "POST", path+"/restore", nil, nil)
	s.asks()
	if _, body := s.status("", "GET", "/sessions"); !strings.Contains(body, string(s.Session)) {
		t.Errorf("it is not in the list: %s", body)
	}
	if code, _ := s.status(bob.Token, "GET", path); code != http.StatusOK {
		t.Errorf("bob does not see it: %d", code)
	}
	s.command(s.Session, clew.CommandRenameSession, &clew.RenameSessionData{Title: "again"})
	if n := len(s.found()); n != 32 {
		t.Errorf("%d marks are there", n)
	}
}

// hidden checks that a deleted session is nowhere to be seen.
func (s *stage) hidden(path, other string) {
	s.T.Helper()
	code, body := s.status("", "GET", path)
	if code != http.StatusNotFound || !strings.Contains(body, "can be brought back until") {
		s.T.Errorf("the owner hears %d %s", code, body)
	}
	if code, body := s.status(other, "GET", path); code != http.StatusNotFound || strings.Contains(body, "deleted") {
		s.T.Errorf("another hears %d %s", code, body)
	}
	if _, body := s.status(other, "GET", path+"/deletion"); strings.Contains(body, "deleted") {
		s.T.Errorf("another hears %s", body)
	}
	for _, list := range []string{"/sessions", "/inbox", "/sessions?archived=true"} {
		if code, body := s.status("", "GET", list); code != http.StatusOK || strings.Contains(body, string(s.Session)) {
			s.T.Errorf("%s has it: %d %s", list, code, body)
		}
	}
	if _, body := s.status("", "GET", "/sessions?deleted=true"); !strings.Contains(body, string(s.Session)) {
		s.T.Errorf("it is not among the deleted: %s", body)
	}
}

// A fork keeps what it has from an erased session, as the preview says, and nothing
// else of it is left.
func TestForkKeepsItsPast(t *testing.T) {
	s := newStage(t)
	s.Start()
	ctx := t.Context()
	_, err := s.API().CreateSession(ctx, client.NewSession{SessionID: s.Session, Title: "parent"})
	proc.Must(t, err)
	before, after := s.mark("before"), s.mark("after")
	s.marks = []string{before, after}
	s.command(s.Session, clew.CommandUserMessage, &clew.UserMessageData{Text: "Other " + before, Images: []string{image("blob " + before)}})
	s.idle(s.Session)
	var receipt struct {
		SessionID clew.SessionID `json:"session_id"`
	}
	s.good("", "POST", "/sessions/"+string(s.Session)+"/commands", map[string]any{"type": "fork_session", "data": map[string]any{"title": "fork"}}, &receipt)
	fork := receipt.SessionID
	s.command(s.Session, clew.CommandUserMessage, &clew.UserMessageData{Text: "Other " + after})
	s.idle(s.Session)
	s.command(fork, clew.CommandUserMessage, &clew.UserMessageData{Text: "Other in the fork"})
	s.idle(fork)

	if _, body := s.status("", "GET", "/sessions/"+string(s.Session)+"/deletion"); !strings.Contains(body, `"session_id":"`+string(fork)+`"`) {
		t.Errorf("the preview does not name the fork: %s", body)
	}
	s.good("", "DELETE", "/sessions/"+string(s.Session)+"?now=true", nil, nil)
	s.erased()
	found := s.found()
	if len(found[after]) > 0 || len(found[before]) == 0 {
		t.Errorf("after the fork %v, before it %v", found[after], found[before])
	}
	for _, file := range found[before] {
		if strings.Contains(file, string(s.Session)) {
			t.Errorf("%s is left", file)
		}
	}
	if code, body := s.status("", "GET", "/sessions/"+string(fork)+"/messages"); code != http.StatusOK || !strings.Contains(body, before) || strings.Contains(body, after) {
		t.Errorf("the fork is %d %s", code, body)
	}
	s.command(fork, clew.CommandUserMessage, &clew.UserMessageData{Text: "Other once more"})
	s.idle(fork)
	s.good("", "DELETE", "/sessions/"+string(fork)+"?now=true", nil, nil)
	s.Session = fork
	s.erased()
	for mark, files := range s.found() {
		t.Errorf("%s is in %v", mark, files)
	}
	proc.Must(t, s.Srv.Stop())
	s.Examine()
}

// A server that is killed in the middle of erasing goes on with it after its start.
func TestKilledWhileErasing(t *testing.T) {
	for name, reached := range map[string]func(s *stage) bool{
		"at once": func(*stage) bool { return true },
		"when its files are gone": func(s *stage) bool {
			_, err := os.Stat(filepath.Join(s.Srv.Dir, "workspaces", string(s.Session)))
			return os.IsNotExist(err)
		},
		"when its seals are gone": func(s *stage) bool {
			left, err := filepath.Glob(filepath.Join(s.Srv.Dir, "archive", "*", "*", string(s.Session)+"~*"))
			return err == nil && len(left) == 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.Start()
			s.plant("shared")
			proc.Must(t, s.Srv.Stop()) // sealed
			s.Start()
			s.good("", "DELETE", "/sessions/"+string(s.Session)+"?now=true", nil, nil)
			proc.Eventually(t, name, 30*time.Second, func() bool { return reached(s) })
			s.Srv.Kill()
			s.Start()
			s.erased()
			for mark, files := range s.found() {
				t.Errorf("%s is in %v", mark, files)
			}
			proc.Must(t, s.Srv.Stop())
			s.Examine()
		})
	}
}
