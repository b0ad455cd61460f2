package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

var commandSpec = tool.Spec{Name: "execute_command", Class: clew.ClassOnce, Group: tool.GroupCommand}

// decide asks about a command line with the flag for commands on.
func decide(line string, allowed, denied []string) Decision {
	return Decide(Input{
		Spec:    commandSpec,
		Action:  &tool.Action{Effect: clew.Effect{Command: line}, Ask: clew.AskCommand},
		Values:  settings.Values{AutoApproval: true, AllowExecute: true, AllowedCommands: allowed, DeniedCommands: denied},
		Trusted: true,
	})
}

// Covers: C-56
func TestHostileLinesAreNeverApprovedByThemselves(t *testing.T) {
	if len(hostile) < 120 {
		t.Fatalf("only %d hostile lines", len(hostile))
	}
	sh := newShell(t)
	strayed := 0
	for i, line := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			d := decide(line, harmless, nil)
			did := ""
			if line != "" { // what bash makes of it shows that the line is worth its place
				did = sh.run(t, line).strayed()
			}
			if did != "" {
				strayed++
			}
			if d.Kind != Ask || d.Ask != clew.AskCommand || d.Reason == "" || d.Run != "" {
				t.Errorf("%q: %+v; in bash: %s", line, d, did)
			}
		})
	}
	// Were the stubs not found, nothing would stray and the test would be blind.
	if strayed < 120 {
		t.Errorf("only %d of %d lines did something else in real bash", strayed, len(hostile))
	}
}

// Covers: C-56
func TestPlainLinesRunAsTheyWereParsed(t *testing.T) {
	sh := newShell(t)
	for _, line := range plainLines {
		d := decide(line, harmless, nil)
		if d.Kind != Allow || d.Run == "" {
			t.Errorf("%q: %+v", line, d)
			continue
		}
		sh.sameRun(t, line, d.Run)
		again, err := Parse(d.Run)
		if err != nil || again.Script() != d.Run {
			t.Errorf("%q is printed as %q, and that as %q (%v)", line, d.Run, again.Script(), err)
		}
	}
}

func TestPatterns(t *testing.T) {
	cases := []struct {
		pattern, line string
		want          Kind
	}{
		{"git status", "git status", Allow},
		{"git status", "git status -s", Ask},
		{"git status", "git statusx", Ask},
		{"git log *", "git log", Allow},
		{"git *", "git status -s", Allow},
		{"git *", "git push --force", Allow}, // the person named git
		{"git *", "git -c a=b status", Ask},
		{"git *", "git --no-pager log", Allow},
		{"git *", "git --no-pager config x y", Ask},
		{"git *", "git config x y", Ask},
		{"git config *", "git config x y", Allow},
		{"git *", "git bisect run x", Ask},
		{"git -c color.ui=never log *", "git -c color.ui=never log -3", Allow},
		{"*", "ls", Ask},
		{" *", "ls", Ask},
		{"", "ls", Ask},
		{"l*", "ls", Ask},
		{"ls *", "/bin/ls", Ask},
		{"/bin/ls *", "/bin/ls -a", Allow},
		{"/bin/ls *", "ls -a", Ask},
		{"LS *", "ls", Ask},
		{"make *", "make test", Allow},
		{"make *", "make SHELL=x test", Ask},
		{"make *", "make -f other", Ask},
		{"python3 *", "python3 -c x", Ask},
		{"python3 *", "python3 x.py", Ask},
		{"python3 x.py *", "python3 x.py a b", Allow},
		{"python3 -m pytest *", "python3 -m pytest -x", Allow},
		{"python3 -m *", "python3 -m pytest", Ask},
		{"python3 *", "python3", Ask},
		{"python3", "python3", Allow}, // the whole line is listed
		{"python3", "true | python3", Ask},
		{"python3.12 *", "python3.12 -c x", Ask},
		{"bash *", "bash -c ls", Ask},
		{"bash -c *", "bash -c ls", Ask},
		{"bash x.sh *", "bash x.sh a", Allow},
		{"awk *", "awk x", Ask},
		{"env *", "env ls", Ask},
		{"env", "env", Allow}, // the whole line is listed
		{"timeout *", "timeout 5 ls", Ask},
		{"timeout 5 ls", "timeout 5 ls", Allow},
		{"timeout 5 ls", "timeout 5 ls; ls", Ask},
		{"xargs *", "echo x | xargs rm", Ask},
		{"eval *", "eval x", Ask},
		{"go test *", "go test ./...", Allow},
		{"go test *", "go test -exec x ./...", Ask},
		{"go test *", "go test -toolexec=x ./...", Ask},
		{"go *", "go run x.go", Ask},
		{"sed *", "sed -n 1,5p x", Allow},
		{"sed *", "sed -n 1,5w x", Ask},
		{"sed *", "sed -i s/a/b/ x", Ask},
		{"sed *", "sed 1p -e 1ex x", Ask},
		{"uniq *", "uniq a", Allow},
		{"uniq *", "uniq a b", Ask},
		{"tar *", "tar tvf x", Ask},
		{"tar -tvf *", "tar -tvf x", Allow},
		{"tar -tvf *", "tar -tvf x -I y", Ask},
		{"test *", "test -f x", Allow},
		{"test *", "test -v 'a[$(x)]'", Ask},
		{"printf *", "printf '%s' x", Allow},
		{"printf *", "printf -vx y", Ask},
		{"go test ./... | tee out.txt", "go test ./... | tee out.txt", Allow},
		{"echo $HOME", "echo $HOME", Allow},
		{"echo $HOME", "echo  $HOME", Ask},
		{"ls > x", "ls", Ask},
		{"'my tool' *", "'my tool' a", Allow},
		{"my tool *", "'my tool' a", Ask},
	}
	for _, c := range cases {
		if d := decide(c.line, []string{c.pattern, "true"}, nil); d.Kind != c.want {
			t.Errorf("%q with %q: %+v", c.line, c.pattern, d)
		}
	}
}

func TestDenyBeatsAllow(t *testing.T) {
	cases := []struct {
		pattern, line string
		want          Kind
	}{
		{"rm", "rm x", Deny},
		{"rm *", "rm", Deny},
		{"rm", "RM x", Ask},
		{"rm", "rmdir x", Ask},
		{"rm", "/usr/bin/rm x", Deny},
		{"/usr/bin/rm", "rm x", Deny},
		{"rm", "ls && rm x", Deny},
		{"rm", "echo $(rm x)", Deny},
		{"rm", "echo \"`rm x`\"", Deny},
		{"rm", "f() { rm x; }", Deny},
		{"rm", "if true; then rm x; fi", Deny},
		{"rm", "cat <<E\n$(rm x)\nE", Deny},
		{"rm", "cat <(rm x)", Deny},
		{"rm", "A=b rm x", Deny},
		{"rm", "r''m x", Deny},
		{"rm", "$'\\x72m' x", Deny},
		{"rm", "r${nothing}m x", Deny},
		{"rm", "rm${IFS}-rf${IFS}x", Deny},
		{"rm", "${x:-rm} y", Deny},
		{"rm", "sudo rm x", Deny},
		{"rm", "sudo -u bob rm x", Deny},
		{"rm", "env A=b rm x", Deny},
		{"rm", "env -S 'rm x'", Deny},
		{"rm", "env '-Srm x'", Deny},
		{"rm", "timeout -s KILL 5 rm x", Deny},
		{"rm", "nice -n 5 nohup rm x", Deny},
		{"rm", "ls | xargs -n1 rm", Deny},
		{"rm", "find . -exec rm {} +", Deny},
		{"rm", "bash -c 'rm x'", Deny},
		{"rm", "bash -lc rm", Deny},
		{"rm", "sh -c \"sh -c 'rm x'\"", Deny},
		{"rm", "eval 'r''m x'", Deny},
		{"rm", "trap 'rm x' EXIT", Deny},
		{"rm", "watch rm x", Deny},
		{"rm", "ssh host rm x", Deny},
		{"rm", "time rm x", Deny},
		{"rm", "rm x\n)", Deny},
		{"rm", "rm x &", Deny},
		{"rm", "command rm x", Deny},
		{"rm", "ls \u200b; rm x", Deny},
		{"rm", "$x y", Ask},
		{"export", "export A=b", Deny},
		{"git push *", "git push -f", Deny},
		{"git push", "git --no-pager push", Deny},
		{"git push", "git -C x push", Ask},
		{"git push", "git commit", Allow},
		{"git push", "git commit -m push", Ask}, // it may be one
		{"git push", "git $x", Ask},
	}
	for _, c := range cases {
		if d := decide(c.line, []string{"git *", "rm *", "r *"}, []string{c.pattern}); d.Kind != c.want || d.Reason == "" {
			t.Errorf("%q with %q denied: %+v", c.line, c.pattern, d)
		}
	}
	// Deny holds whatever else is set.
	in := Input{Spec: commandSpec, Action: &tool.Action{Effect: clew.Effect{Command: "rm x"}, Protected: true},
		Values: settings.Values{DeniedCommands: []string{"rm"}}}
	if d := Decide(in); d.Kind != Deny {
		t.Errorf("with all flags off: %+v", d)
	}
}

func TestLongAndDeepLinesAsk(t *testing.T) {
	for _, unit := range []string{"(", "$(", "{ ", "`", "\"$(", "a|", "${x:-", "$((", "[[ ", "<(", "if ", "sudo -a ", "bash -c \"", "env -S 'sudo -a b' ", "x=", "{1..9999999}", "a[", "\\", "trap 'sudo -a '"} {
		line := strings.Repeat(unit, maxCommand/len(unit))
		if d := decide(line, harmless, []string{"rm", "git push"}); d.Kind != Ask {
			t.Errorf("many of %q: %+v", unit, d.Kind)
		}
	}
	if d := decide("ls "+string(make([]byte, maxCommand)), harmless, nil); d.Kind != Ask {
		t.Errorf("%+v", d)
	}
}
