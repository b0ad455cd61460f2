//go:build linux

package firsthour

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
)

const story = `
- when: {last_user: "The differences:"}
  reply: [{text: Take the discount once}]
- when: {tool_result: {id: c_again}}
  reply: [{text: All tests pass now.}]
- when: {tool_result: {id: c_edit}}
  reply:
  - tool: {name: execute_command, id: c_again, input: {command: "go test ./..."}}
- when: {tool_result: {id: c_test}}
  reply:
  - text: The discount is taken twice.
  - tool: {name: edit, id: c_edit, input: {path: shop.go, old: "p - d - d", new: "p - d"}}
- when: {last_user: TestPrice fails}
  reply:
  - text: I run the test first.
  - tool: {name: execute_command, id: c_test, input: {command: "go test ./..."}}
`

// shop puts a project with a mistake into the work directory.
func (p *person) shop() {
	p.t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		proc.Missing(p.t, "go is not here")
	}
	p.write("shop/go.mod", "module example.org/shop\n\ngo 1.24\n")
	p.write("shop/shop.go", "package shop\n\nfunc Price(p, d int) int { return p - d - d }\n")
	p.write("shop/shop_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestPrice(t *testing.T) {\n\tif got := Price(100, 10); got != 90 {\n\t\tt.Fatal(got)\n\t}\n}\n")
	p.write("shop/AGENTS.md", "# Shop\n\nRun the tests with go test ./...\n")
	p.git("init", "-q", "-b", "main")
	p.git("config", "user.name", "Ada")
	p.git("config", "user.email", "ada@example.org")
	p.git("add", ".")
	p.git("commit", "-q", "-m", "A shop")
	cache, err := exec.Command("go", "env", "GOCACHE").Output() // to fill another one takes minutes
	proc.Must(p.t, err)
	p.env = append(p.env, "GOCACHE="+strings.TrimSpace(string(cache)), "GOFLAGS=-trimpath", "CGO_ENABLED=0", "GOTOOLCHAIN=local")
}

// git runs git in the project.
func (p *person) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.work, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// The first hour, at three sizes: clew in a project, a preset chosen, a command approved,
// an edit made, the tests run, the change committed. At most three lines are typed at the shell.
func TestFirstHour(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 12}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := newPerson(t)
			p.shop()
			p.model(story)
			p.env = slices.DeleteFunc(p.env, func(kv string) bool { return kv == decided })
			begin := time.Now()
			s := p.screen(size[0], size[1])
			name := func(what string) string { return fmt.Sprintf("%s-%dx%d", what, size[0], size[1]) }
			s.line("clew")
			s.see("How much may the agent do without asking?", "(recommended)")
			s.picture(name("0-preset"))
			s.say("2")
			s.see("tell the agent what to do", "● live")
			if size[1] >= 24 {
				s.see("Using test-1 from anthropic", "Started clew in the background", "(git: main)", "AGENTS.md (3 lines)", "Commands run", "Tell the agent what to do:")
			}
			s.picture(name("1-start"))
			s.say("TestPrice fails. Find out why, and fix it")
			s.approve(name("2-command"), "go test ./...")
			s.approve(name("4-again"), "go test ./...") // the edit in between is allowed
			s.see("All tests pass now.")
			s.picture(name("5-done"))
			if b, err := os.ReadFile(filepath.Join(p.work, "shop.go")); err != nil || !strings.Contains(string(b), "return p - d }") {
				t.Errorf("the edit: %s %v", b, err)
			}
			s.say("/commit")
			s.see("Commit 1 file on main?", "Take the discount once")
			s.picture(name("6-commit"))
			s.press("y")
			s.see("Committed ", "on main. Not pushed.")
			if log := p.git("log", "--format=%an: %s", "-2"); log != "Ada: Take the discount once\nAda: A shop\n" {
				t.Errorf("the history:\n%s", log)
			}
			s.press("C-d")
			s.see("The session is saved. Continue here: clew -c")
			s.picture(name("7-left"))
			s.line("clew -c")
			s.see("All tests pass now.")
			s.press("C-d")
			s.see("$ ")
			if s.lines > 3 {
				t.Errorf("%d lines were typed", s.lines)
			}
			t.Logf("it took %s", time.Since(begin).Round(time.Second))
		})
	}
}

// approve says yes to a question.
func (s *screen) approve(picture, about string) {
	s.t.Helper()
	text := s.see(about, "Allow|Run this", "tab to answer|y yes")
	s.picture(picture)
	if strings.Contains(text, "tab to answer") {
		s.press("Tab")
	}
	text = s.see("y yes")
	for range strings.Count(text, " more") * 20 { // who says yes has to have seen all of it
		s.press("Down")
	}
	s.press("y")
	s.gone("y yes")
}

// The terminal is closed, the server and the work stay. A session in which nothing was
// said is not kept.
func TestTerminalCloses(t *testing.T) {
	p := newPerson(t)
	p.model("- when: {last_user: hello}\n  reply: [{text: Good day.}]\n")
	s := p.screen(80, 24)
	s.line("clew")
	s.see("tell the agent what to do")
	before := p.status()
	s.press("C-d")
	s.see("Nothing was said, so no session was kept.")
	if list := p.ok("ls").out; strings.Contains(list, "sess_") {
		t.Errorf("an empty session was kept:\n%s", list)
	}
	s.line("clew")
	s.see("tell the agent what to do")
	s.say("hello")
	s.see("Good day.")
	s.close()
	if after := p.status(); after.PID != before.PID || after.PID == 0 {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if show := p.ok("show").out; !strings.Contains(show, "Good day.") {
		t.Errorf("%s", show)
	}
}
