package hostile

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/wire"
)

// An approval holds for what was shown, once.
//
// Covers: C-56
func TestApprovalsAreUsedOnce(t *testing.T) {
	a := openArena(t, nil)
	for _, at := range []attack{twiceAttack(), reuseAttack(), swappedFileAttack(), swappedDirAttack(), changedFileAttack(), staleAttack()} {
		t.Run(at.name, func(t *testing.T) { a.launch(t, at) })
	}
}

// twiceAttack answers the same question many times at once, and again later.
func twiceAttack() attack {
	return attack{
		name: "one answer many times", harmless: true,
		turns: [][]call{{{tool: "execute_command", input: in{"command": "echo x >>count"}}}, {{tool: "execute_command", input: in{"command": "echo x >>count"}}}},
		drive: func(a *arena, r *run, dir string) {
			first := r.awaitQuestion()
			api := client.NewAPI(r.srv.URL(), r.srv.token())
			yes := clew.HitlApprovalResponseData{RequestID: first.RequestID, Action: clew.ChoiceApprove}
			taken := make(chan error, 20)
			var all sync.WaitGroup
			for range cap(taken) {
				all.Go(func() {
					_, err := api.Command(a.t.Context(), r.session, "", clew.CommandHitlApprovalResponse, yes)
					taken <- err
				})
			}
			all.Wait()
			close(taken)
			n := 0
			for err := range taken {
				if err == nil {
					n++
				} else if clew.CodeOf(err) != clew.HitlRequestExpired {
					a.t.Errorf("a second answer got %v", err)
				}
			}
			if n != 1 {
				a.t.Errorf("%d answers were taken", n)
			}
			r.await("second question", func(seen []wire.Envelope) bool { return len(asks(seen)) > 1 && len(questions(seen)) > 0 })
			if _, err := api.Command(a.t.Context(), r.session, "", clew.CommandHitlApprovalResponse, yes); clew.CodeOf(err) != clew.HitlRequestExpired {
				a.t.Errorf("the old answer to the new question got %v", err)
			}
			r.finish()
		},
		check: func(a *arena, _ *run, dir string) { holds(a, dir, "count", "x\n") },
	}
}

// reuseAttack gives a later call the name of one that was approved.
func reuseAttack() attack {
	return attack{
		name: "name of an approved call", harmless: true,
		turns: [][]call{
			{{tool: "execute_command", id: "call_same", input: in{"command": "touch first"}}},
			{{tool: "execute_command", id: "call_same", input: in{"command": "touch second"}}},
			{{tool: "execute_command", id: "call_same", input: in{"command": "touch third"}}, {tool: "execute_command", id: "call_same", input: in{"command": "touch fourth"}}},
		},
		drive: func(a *arena, r *run, dir string) {
			r.answer(r.awaitQuestion(), clew.ChoiceApprove)
			r.finish()
		},
		check: func(a *arena, r *run, dir string) {
			for _, name := range []string{"second", "third", "fourth"} {
				if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
					a.t.Errorf("%s was made", name)
				}
			}
			if n := len(asks(r.all())); n != 4 {
				a.t.Errorf("%d questions for 4 commands", n)
			}
			holds(a, dir, "first", "")
		},
	}
}

// swappedFileAttack puts a link in the place of the file, after the question.
func swappedFileAttack() attack {
	return attack{
		name: "file swapped for a link", harmless: true, settings: in{"auto_approval_enabled": false},
		turns: [][]call{{{tool: "write_file", input: in{"path": "f.txt", "content": "new"}}}},
		prepare: func(a *arena, dir string) {
			proc.Must(a.t, os.WriteFile(filepath.Join(dir, "f.txt"), []byte("old"), 0o644))
		},
		drive: func(a *arena, r *run, dir string) {
			q := r.awaitQuestion()
			proc.Must(a.t, os.Remove(filepath.Join(dir, "f.txt")))
			proc.Must(a.t, os.Symlink(filepath.Join(a.outside, "victim.txt"), filepath.Join(dir, "f.txt")))
			r.answer(q, clew.ChoiceApprove)
			r.finish()
		},
	}
}

// swappedDirAttack does the same with the directory of a command.
func swappedDirAttack() attack {
	return attack{
		name: "directory swapped", harmless: true,
		turns: [][]call{{{tool: "execute_command", input: in{"command": "rm -f victim.txt; touch made; cat secret.txt", "cwd": "d"}}}},
		prepare: func(a *arena, dir string) {
			proc.Must(a.t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
		},
		drive: func(a *arena, r *run, dir string) {
			q := r.awaitQuestion()
			proc.Must(a.t, os.Remove(filepath.Join(dir, "d")))
			proc.Must(a.t, os.Symlink(a.outside, filepath.Join(dir, "d")))
			r.answer(q, clew.ChoiceApprove)
			r.finish()
		},
	}
}

// changedFileAttack changes a file after its diff was shown: what would be
// written now was not agreed to.
func changedFileAttack() attack {
	return attack{
		name: "file changed", harmless: true, settings: in{"auto_approval_enabled": false},
		turns: [][]call{{{tool: "write_file", input: in{"path": "f.txt", "content": "new\n"}}, {tool: "edit", input: in{"path": "g.txt", "old": "bee", "new": "c"}}}},
		prepare: func(a *arena, dir string) {
			proc.Must(a.t, os.WriteFile(filepath.Join(dir, "f.txt"), []byte("old\n"), 0o644))
			proc.Must(a.t, os.WriteFile(filepath.Join(dir, "g.txt"), []byte("a bee\n"), 0o644))
		},
		drive: func(a *arena, r *run, dir string) {
			r.await("questions", func(seen []wire.Envelope) bool { return len(questions(seen)) == 2 })
			for _, name := range []string{"f.txt", "g.txt"} {
				proc.Must(a.t, os.WriteFile(filepath.Join(dir, name), []byte("bee: written by somebody else\n"), 0o644))
			}
			for _, q := range questions(r.all()) {
				r.answer(q, clew.ChoiceApprove)
			}
			r.finish()
		},
		check: func(a *arena, r *run, dir string) {
			holds(a, dir, "f.txt", "bee: written by somebody else\n")
			holds(a, dir, "g.txt", "bee: written by somebody else\n")
			if n := len(asks(r.all())); n < 4 {
				a.t.Errorf("nobody was asked anew: %d questions", n)
			}
		},
	}
}

// staleAttack keeps a question, stops the task, and answers then.
func staleAttack() attack {
	return attack{
		name: "answer after the end", harmless: true,
		turns: [][]call{{{tool: "execute_command", input: in{"command": "touch late"}}}},
		drive: func(a *arena, r *run, dir string) {
			q := r.awaitQuestion()
			r.send(clew.CommandControlCancel, clew.ControlCancelData{})
			r.await("end", over)
			api := client.NewAPI(r.srv.URL(), r.srv.token())
			yes := clew.HitlApprovalResponseData{RequestID: q.RequestID, Action: clew.ChoiceApprove}
			if _, err := api.Command(a.t.Context(), r.session, "", clew.CommandHitlApprovalResponse, yes); clew.CodeOf(err) != clew.HitlRequestExpired {
				a.t.Errorf("the late answer got %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "late")); err == nil {
				a.t.Error("the command ran")
			}
		},
	}
}

func holds(a *arena, dir, name, want string) {
	a.t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || string(b) != want {
		a.t.Errorf("%s holds %q: %v", name, b, err)
	}
}

// What a terminal or the eye would take for something else reaches clients as
// data, and questions show it.
func TestTricksAreVisible(t *testing.T) {
	a := openArena(t, nil)
	const trick = "a\x1b[2J\x1b]0;owned\x07b\u202egpj.\u2066exe\u200b\u2028c\x7f\u009b1md"
	commands := []string{"touch " + trick, "echo ok \x1b[1A\x1b[2Krm -rf /", "ls # \u202e harmless", "echo a\r rm x"}
	calls := []call{
		{tool: "read_file", input: in{"path": trick}}, {tool: "list_files", input: in{"path": "."}}, {tool: "search_files", input: in{"pattern": "needle", "path": "."}},
		{tool: "write_file", input: in{"path": ".clew/" + trick, "content": trick}}, {tool: "read_file", input: in{"path": "../" + trick}},
		{tool: "execute_command", input: in{"command": "cat tricks.txt"}}, {tool: "execute_command", input: in{"command": "ls"}},
		{tool: "fetch", input: in{"url": "http://127.0.0.1/" + trick}}, {tool: "no_such_" + "tool", input: in{"x": trick}},
	}
	for _, c := range commands {
		calls = append(calls, call{tool: "execute_command", input: in{"command": c}})
	}
	at := attack{
		name: "tricks of the terminal", harmless: true, sandbox: true, turns: [][]call{calls, {{tool: "switch_mode", input: in{"mode": "architect", "reason": trick}}}, {{tool: "switch_mode", input: in{"mode": "code", "reason": trick}}}},
		prepare: func(a *arena, dir string) {
			name := strings.ReplaceAll(trick, "/", "")
			proc.Must(a.t, os.WriteFile(filepath.Join(dir, name), []byte("needle "+trick+"\n"), 0o644))
			proc.Must(a.t, os.WriteFile(filepath.Join(dir, "tricks.txt"), []byte(trick+"\n"), 0o644))
		},
		check: func(a *arena, r *run, _ string) {
			for _, q := range asks(r.all()) {
				for what, text := range map[string]string{"reason": q.Reason, "summary": effectOf(q).Summary} {
					if i := strings.IndexFunc(text, sly); i >= 0 {
						a.t.Errorf("the %s of a question hides something: %q", what, text)
					}
				}
				if command := effectOf(q).Command; command != "" && !contains(commands, command) {
					a.t.Errorf("a question about %q, which is none of the commands", command)
				}
			}
			for _, m := range r.messages() {
				if i := strings.IndexFunc(m.Text, sly); i >= 0 && (m.Role == clew.SpeakerSystem || m.Type == clew.TypeAsk) {
					a.t.Errorf("a message hides something: %q", m.Text)
				}
				if i := strings.IndexFunc(m.Text, turns); i >= 0 && m.Say == clew.SayCommandOutput {
					a.t.Errorf("output moves text: %q", m.Text)
				}
			}
		},
	}
	t.Run(at.name, func(t *testing.T) { a.launch(t, at) })
}

// turns reports whether a character moves text.
func turns(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

func effectOf(q question) clew.Effect {
	if q.Effect == nil {
		return clew.Effect{}
	}
	return *q.Effect
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
