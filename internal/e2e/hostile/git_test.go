package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// gitAttack is a repository whose configuration names programs wherever git
// takes one. The model only looks at the log, which it may.
func gitAttack() attack {
	return attack{
		name: "hostile repository", harmless: true, prepare: hostileRepository,
		turns: [][]call{{
			{tool: "execute_command", input: in{"command": "git log"}}, {tool: "execute_command", input: in{"command": "git log -p"}},
			{tool: "execute_command", input: in{"command": "git log --stat -n 3"}}, {tool: "execute_command", input: in{"command": "git log --oneline"}},
			{tool: "list_files", input: in{"path": ".", "recursive": true}}, {tool: "search_files", input: in{"pattern": "x", "path": "."}},
			{tool: "write_file", input: in{"path": "new.bin", "content": "x"}},
		}},
		check: func(a *arena, r *run, dir string) {
			if n := len(asks(r.all())); n != 4 {
				a.t.Errorf("%d questions about the log", n)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "ran")); err == nil {
				a.t.Errorf("programs of the repository ran: %s", b)
			}
		},
	}
}

// bareAttack makes a repository in the same answer in which it is used: when the
// calls are looked at, there is none yet.
func bareAttack() attack {
	return attack{
		name: "repository made on the way", harmless: true,
		prepare: func(a *arena, dir string) { proc.Must(a.t, os.Mkdir(filepath.Join(dir, "bare"), 0o755)) },
		turns: [][]call{{
			{tool: "write_file", input: in{"path": "bare/HEAD", "content": "ref: refs/heads/main\n"}}, {tool: "write_file", input: in{"path": "bare/objects/x", "content": ""}},
			{tool: "write_file", input: in{"path": "bare/refs/x", "content": ""}}, {tool: "write_file", input: in{"path": "bare/config", "content": "[core]\n\tfsmonitor = echo x >>../ran\n"}},
			{tool: "execute_command", input: in{"command": "git log", "cwd": "bare"}},
		}, {{tool: "execute_command", input: in{"command": "git log", "cwd": "bare"}}}},
		check: func(a *arena, r *run, _ string) {
			if n := len(asks(r.all())); n != 1 {
				a.t.Errorf("%d questions about the log", n)
			}
			ran := 0
			for _, o := range r.outcomes() {
				if o.ran {
					ran++
				}
			}
			if ran != 4 {
				a.t.Errorf("%d calls ran; the files are 4", ran)
			}
		},
	}
}

// nestedAttack is a plain repository with a hostile one inside: git looks into
// that too.
func nestedAttack() attack {
	return attack{
		name: "repository in a repository", harmless: true,
		turns: [][]call{{{tool: "execute_command", input: in{"command": "git status"}}, {tool: "execute_command", input: in{"command": "git diff"}}}},
		prepare: func(a *arena, dir string) {
			inner := filepath.Join(dir, "inner")
			proc.Must(a.t, os.Mkdir(inner, 0o755))
			proc.Must(a.t, os.WriteFile(filepath.Join(inner, "x.txt"), []byte("x\n"), 0o644))
			for _, at := range []string{inner, dir} {
				git(a, at, "init", "-q")
				git(a, at, "add", ".")
				git(a, at, "commit", "-q", "-m", "x")
			}
			git(a, inner, "config", "core.fsmonitor", "echo inner >>"+filepath.Join(dir, "ran")+"; false")
		},
		check: func(a *arena, r *run, dir string) {
			if n := len(asks(r.all())); n != 2 {
				a.t.Errorf("%d questions", n)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "ran")); err == nil {
				a.t.Errorf("programs of the repository ran: %s", b)
			}
		},
	}
}

// usualRepository is no attack: what is allowed runs.
func usualRepository() attack {
	return attack{
		name: "usual repository", harmless: true,
		turns: [][]call{{{tool: "execute_command", input: in{"command": "git status"}}, {tool: "execute_command", input: in{"command": "git log -p"}}}},
		prepare: func(a *arena, dir string) {
			git(a, dir, "init", "-q")
			git(a, dir, "add", ".")
			git(a, dir, "commit", "-q", "-m", "x")
		},
		sandbox: true,
		check: func(a *arena, r *run, _ string) {
			if open := asks(r.all()); len(open) != 0 {
				a.t.Errorf("a question: %s", open[0].raw)
			}
		},
	}
}

// git runs git as a test does, with nobody's own configuration.
func git(a *arena, dir string, args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@x",
		"GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@x")
	if out, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func hostileRepository(a *arena, dir string) {
	evil := func(name string) string {
		path := filepath.Join(dir, ".git", name+".sh")
		proc.Must(a.t, os.WriteFile(path, []byte("#!/bin/sh\necho "+name+" >>"+filepath.Join(dir, "ran")+"\ncat \"$@\" 2>/dev/null\n"), 0o755))
		return path
	}
	git(a, dir, "init", "-q")
	proc.Must(a.t, os.WriteFile(filepath.Join(dir, "data.bin"), []byte("x\n"), 0o644))
	proc.Must(a.t, os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("*.bin diff=evil filter=evil\n"), 0o644))
	git(a, dir, "add", ".")
	git(a, dir, "commit", "-q", "-m", "x")
	sign(a, dir)
	config := "\n[core]\n\tpager = " + evil("pager") + "\n\tfsmonitor = " + evil("fsmonitor") + "\n\thooksPath = " + filepath.Join(dir, ".git") +
		"\n\teditor = " + evil("editor") + "\n\tsshCommand = " + evil("ssh") + "\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = " + evil("gpg") +
		"\n[diff]\n\texternal = " + evil("external") + "\n[diff \"evil\"]\n\ttextconv = " + evil("textconv") + "\n\tcommand = " + evil("command") +
		"\n[filter \"evil\"]\n\tclean = " + evil("clean") + "\n\tsmudge = " + evil("smudge") + "\n[alias]\n\tlog = !" + evil("alias") +
		"\n[pager]\n\tlog = " + evil("pagerlog") + "\n"
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	proc.Must(a.t, err)
	_, err = f.WriteString(config)
	proc.Must(a.t, err)
	proc.Must(a.t, f.Close())
	for _, hook := range []string{"post-checkout", "pre-commit", "post-index-change", "reference-transaction"} {
		proc.Must(a.t, os.WriteFile(filepath.Join(dir, ".git", "hooks", hook), []byte("#!/bin/sh\necho hook >>"+filepath.Join(dir, "ran")+"\n"), 0o755))
	}
}

// sign puts a signature into the newest commit, for git to have checked.
func sign(a *arena, dir string) {
	read := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		proc.Must(a.t, err)
		return string(out)
	}
	head, body, _ := strings.Cut(read("cat-file", "commit", "HEAD"), "\n\n")
	commit := head + "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n" + body
	path := filepath.Join(dir, ".git", "signed")
	proc.Must(a.t, os.WriteFile(path, []byte(commit), 0o644))
	git(a, dir, "update-ref", "HEAD", strings.TrimSpace(read("hash-object", "-t", "commit", "-w", path)))
}
