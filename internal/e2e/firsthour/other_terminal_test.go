//go:build linux

package firsthour

import (
	"slices"
	"strings"
	"testing"
)

// A session that is continued from a terminal with another PATH, or with another
// toolchain, says so in a line, and the line says how to change it.
func TestContinuedFromAnotherTerminal(t *testing.T) {
	p := newPerson(t)
	const path, variables = "! Your PATH differs from this session's", "! Other than when this session began: "
	begun := p.env
	p.ok("run", "--model", "echo", "hello")
	if r := p.ok("run", "-c", "again"); strings.Contains(r.errs, "! ") {
		t.Errorf("the same terminal: %s", r.errs)
	}
	p.env = slices.Concat(begun, []string{"GOROOT=/opt/go", "TZ=Asia/Seoul"})
	if r := p.ok("run", "-c", "again"); !strings.Contains(r.errs, variables+"GOROOT. Its commands") || strings.Count(r.errs, "! ") != 1 {
		t.Errorf("another toolchain: %s", r.errs)
	}
	other := ""
	for i, v := range begun {
		if was, ok := strings.CutPrefix(v, "PATH="); ok {
			other = "/opt/new/bin:" + was
			p.env = slices.Concat(begun[:i], begun[i+1:], []string{"PATH=" + other})
		}
	}
	r := p.ok("run", "-c", "again")
	_, line, said := strings.Cut(r.errs, path)
	_, line, how := strings.Cut(strings.Split(line, "\n")[0], "To use yours: "+p.clew+" ")
	if !said || !how || !strings.HasSuffix(line, ` command_path "$PATH"`) {
		t.Fatalf("another PATH: %s", r.errs)
	}
	if r := p.ok("run", "-c", "--quiet", "again"); r.errs != "" {
		t.Errorf("quiet: %s", r.errs)
	}
	p.ok(append(strings.Fields(strings.TrimSuffix(line, `"$PATH"`)), other)...)
	if got := p.ok("show", "--environment").out; !strings.Contains(got, "PATH="+other+"\n") {
		t.Errorf("set:\n%s", got)
	}
	if r := p.ok("run", "-c", "again"); strings.Contains(r.errs, "! ") {
		t.Errorf("with the new one: %s", r.errs)
	}
}
