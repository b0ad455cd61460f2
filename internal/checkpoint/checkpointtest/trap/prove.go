package trap

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Prove shows that the canaries are alive: plain git, used as people use it,
// walks into the trap. It gives those that sang, and fails the test for each that
// should have and did not.
func (x *Trap) Prove() []string {
	x.t.Helper()
	clean := x.prover()
	for _, who := range []string{"home", "xdg", "system", "include", "repo"} {
		clean.configuration(who)
	}
	clean.environment()
	clean.repositories()
	fired := x.Fired()
	for _, name := range clean.wanted {
		if !slices.Contains(fired, name) {
			x.t.Errorf("the canary %s is dead: plain git does not make it sing", name)
		}
	}
	return fired
}

// A prover runs plain git.
type prover struct {
	*Trap
	wanted []string
	base   []string // an environment in which git finds nothing hostile
	n      int
}

func (x *Trap) prover() *prover {
	p := &prover{Trap: x}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if _, set := x.Env[name]; !set && !strings.HasPrefix(name, "GIT_") {
			p.base = append(p.base, kv)
		}
	}
	p.base = append(p.base, "HOME="+x.path("nobody"), "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	return p
}

// git runs a command, which may fail: a canary does nothing that git asks of it.
func (p *prover) git(dir string, env []string, args ...string) {
	cmd := exec.CommandContext(p.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(p.base), env...)
	_ = cmd.Run()
}

// fresh makes a repository with nothing hostile in it.
func (p *prover) fresh() string {
	p.t.Helper()
	p.n++
	dir := p.path("proof" + string(rune('a'+p.n)))
	for _, name := range []string{"a.txt", "a.dat"} {
		p.put(dir, name, "one\n")
	}
	p.git(dir, nil, "init", "-q", "-b", "main", "--template=")
	p.git(dir, nil, "add", ".")
	p.git(dir, nil, "commit", "-q", "-m", "one")
	p.put(dir, ".gitattributes", attributes)
	for _, name := range []string{"a.txt", "a.dat"} {
		p.put(dir, name, "two\n")
	}
	return dir
}

// configuration has git read a configuration of the trap, and nothing else that
// is hostile.
func (p *prover) configuration(who string) {
	p.t.Helper()
	dir := p.fresh()
	var env []string
	switch who {
	case "home":
		env = []string{"HOME=" + p.path("home"), "XDG_CONFIG_HOME=" + p.path("nobody")}
	case "xdg":
		env = []string{"XDG_CONFIG_HOME=" + p.path("home/.config")}
	case "system":
		env = []string{"GIT_CONFIG_NOSYSTEM=0", "GIT_CONFIG_SYSTEM=" + p.path("system")}
	case "include":
		p.add(dir, "[include]\n\tpath = "+p.path("included")+"\n")
	case "repo":
		p.add(dir, p.config("repo"))
	}
	p.work(dir, env)
	for _, what := range []string{"fsmonitor", "clean", "smudge", "process", "diff", "textconv", "hook", "gpg", "editor", "ssh", "credential", "askpass", "alias"} {
		p.wanted = append(p.wanted, who+"-"+what)
	}
}

func (p *prover) add(dir, config string) {
	p.t.Helper()
	at := filepath.Join(dir, ".git/config")
	text, err := os.ReadFile(at)
	p.must(err)
	p.put(dir, ".git/config", string(text)+config)
}

// work does what people do with git.
func (p *prover) work(dir string, env []string) {
	for _, args := range [][]string{
		{"status"}, {"diff", "a.txt"}, {"diff", "--no-ext-diff", "a.dat"}, {"add", "a.txt"},
		{"commit", "-m", "two"}, {"commit", "--no-gpg-sign", "--allow-empty"}, {"checkout", "HEAD", "--", "a.txt"}, {"evil"},
		{"fetch", "ssh://example.invalid/x"},
	} {
		p.git(dir, env, args...)
	}
	p.ask(dir, env)
	p.put(dir, "a.bin", "two\n") // the last one: with such a filter, git does nothing any more
	p.git(dir, env, "add", "a.bin")
}

// ask has git look for a password.
func (p *prover) ask(dir string, env []string) {
	cmd := exec.CommandContext(p.t.Context(), "git", "credential", "fill")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(slices.Clone(p.base), env...), strings.NewReader("protocol=https\nhost=example.invalid\n\n")
	_ = cmd.Run() // nobody knows one
}

// environment has git see one variable of the trap after the other.
func (p *prover) environment() {
	p.t.Helper()
	dir := p.fresh()
	one := func(name string) string { return name + "=" + p.Env[name] }
	for _, x := range []struct {
		canary string
		env    []string
		args   []string
	}{
		{"env-count", []string{"GIT_CONFIG_COUNT=1", one("GIT_CONFIG_KEY_0"), one("GIT_CONFIG_VALUE_0")}, []string{"status"}},
		{"env-parameters", []string{one("GIT_CONFIG_PARAMETERS")}, []string{"status"}},
		{"env-ssh", []string{one("GIT_SSH_COMMAND")}, []string{"fetch", "ssh://example.invalid/x"}},
		{"env-ssh2", []string{one("GIT_SSH")}, []string{"fetch", "ssh://example.invalid/x"}},
		{"env-proxy", []string{one("GIT_PROXY_COMMAND")}, []string{"fetch", "git://example.invalid/x"}},
		{"env-diff", []string{one("GIT_EXTERNAL_DIFF")}, []string{"diff"}},
		{"env-editor", []string{one("GIT_EDITOR")}, []string{"commit", "--allow-empty"}},
		{"env-editor2", []string{one("EDITOR"), "TERM=xterm"}, []string{"commit", "--allow-empty"}},
		{"env-editor3", []string{one("VISUAL"), "TERM=xterm"}, []string{"commit", "--allow-empty"}},
		{"env-trace", []string{one("GIT_TRACE")}, []string{"status"}},
		{"env-trace-setup", []string{one("GIT_TRACE_SETUP")}, []string{"status"}},
		{"env-trace2", []string{one("GIT_TRACE2_EVENT")}, []string{"status"}},
		{"env-exec", []string{one("GIT_EXEC_PATH")}, []string{"evil"}},
		{"repo-fsmonitor", []string{one("GIT_DIR"), one("GIT_WORK_TREE")}, []string{"status"}},
	} {
		p.git(dir, x.env, x.args...)
		p.wanted = append(p.wanted, x.canary)
	}
	p.sings("env-askpass", func() { p.ask(dir, []string{one("GIT_ASKPASS")}) })
	p.sings("env-askpass2", func() { p.ask(dir, []string{one("SSH_ASKPASS")}) })
	p.sings("env-template", func() {
		made := p.path("proof-template")
		p.git(p.Dir, []string{one("GIT_TEMPLATE_DIR")}, "init", "-q", made)
		p.git(made, nil, "commit", "-q", "--allow-empty", "-m", "x")
	})
}

func (p *prover) sings(canary string, do func()) {
	do()
	p.wanted = append(p.wanted, canary)
}

// repositories goes into each repository of the workspace.
func (p *prover) repositories() {
	p.t.Helper()
	for dir, who := range map[string]string{".": "repo", "sub": "module", "nested": "nested", "including": "include", "linked": "elsewhere", "pointed": "elsewhere", "bare": "bare"} {
		at := filepath.Join(p.Work, dir)
		env := []string{}
		if who == "bare" {
			env = append(env, "GIT_WORK_TREE=.")
		}
		p.git(at, env, "status")
		p.wanted = append(p.wanted, who+"-fsmonitor")
		// Without hooksPath, those that lie in the repository run.
		p.git(at, env, "-c", "core.hooksPath=", "-c", "core.fsmonitor=", "-c", "commit.gpgSign=false", "commit", "--allow-empty", "-m", "x")
	}
	fresh := p.fresh()
	p.hooks(filepath.Join(fresh, ".git/hooks"), "repo-own-hook")
	p.sings("repo-own-hook", func() { p.git(fresh, nil, "commit", "--allow-empty", "-m", "x") })
}
