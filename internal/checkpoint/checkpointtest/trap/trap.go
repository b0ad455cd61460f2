// Package trap makes workspaces, homes and environments that have git run
// programs, in every way known, for tests that show that nothing runs.
package trap

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A Trap is a directory with a hostile workspace in it. Each way to have a
// program run has a canary: a file that it leaves.
type Trap struct {
	Dir  string
	Work string            // the workspace
	Env  map[string]string // the environment that goes with it
	t    testing.TB
}

// New lays a trap. The workspace may have files already.
func New(t testing.TB, dir, work string) *Trap {
	t.Helper()
	x := &Trap{Dir: dir, Work: work, t: t}
	for _, d := range []string{work, x.path("canaries"), x.path("outside")} {
		x.must(os.MkdirAll(d, 0o755))
	}
	x.put(x.path("outside"), "file", "mine")
	x.home()
	x.workspace()
	x.Env = x.environment()
	return x
}

func (x *Trap) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *Trap) path(name string) string { return filepath.Join(x.Dir, name) }

// put writes a file below a directory; "run " in front of the text makes it a
// script.
func (x *Trap) put(dir, name, text string) {
	x.t.Helper()
	at := filepath.Join(dir, name)
	x.must(os.MkdirAll(filepath.Dir(at), 0o755))
	mode := os.FileMode(0o644)
	if script, ok := strings.CutPrefix(text, "run "); ok {
		text, mode = "#!/bin/sh\n"+script+"\n", 0o755
	}
	x.must(os.WriteFile(at, []byte(text), mode))
	x.must(os.Chmod(at, mode))
}

// sing is a command that leaves a canary.
func (x *Trap) sing(name string) string { return "touch " + x.path("canaries/"+name) }

// Fired lists the canaries that sang.
func (x *Trap) Fired() []string {
	x.t.Helper()
	list, err := os.ReadDir(x.path("canaries"))
	x.must(err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names
}

// Stolen lists what was written where the environment says and nothing should.
func (x *Trap) Stolen() []string {
	var names []string
	for _, name := range []string{x.path("stolen"), x.path("stolen-index"), x.path("canary"), filepath.Join(x.Work, "canary")} {
		if _, err := os.Lstat(name); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// configuration names a program wherever git takes one.
const configuration = `[core]
	fsmonitor = {fsmonitor}
	hooksPath = {hooks}
	sshCommand = {ssh}
	pager = {pager}
	editor = {editor}
	askPass = {askpass}
	attributesFile = {attributes}
	alternateRefsCommand = {alternate}
	gitProxy = {proxy}
[sequence]
	editor = {sequence}
[filter "evil"]
	clean = {clean}
	smudge = {smudge}
	required = true
[filter "long"]
	process = {process}
[diff "evil"]
	command = {diff}
[diff "text"]
	textconv = {textconv}
[merge "evil"]
	driver = {merge}
[credential]
	helper = "!{credential}"
[gpg]
	program = {gpg}
[gpg "ssh"]
	program = {gpg}
[commit]
	gpgSign = true
[uploadpack]
	packObjectsHook = {packhook}
[protocol]
	allow = always
[alias]
	evil = "!{alias}"
	fsck = "!{alias}"
	repack = "!{alias}"
`

// attributes have files go through the programs of a configuration.
const attributes = "*.txt filter=evil diff=evil merge=evil\n*.bin filter=long\n*.dat diff=text\n"

var program = regexp.MustCompile(`\{\w+\}`)

// config is the configuration of somebody, with canaries of their own.
func (x *Trap) config(who string) string {
	x.hooks(x.path("hooks-"+who), who+"-hook")
	x.put(x.Dir, "attributes-"+who, attributes)
	return program.ReplaceAllStringFunc(configuration, func(name string) string {
		switch name = strings.Trim(name, "{}"); name {
		case "hooks", "attributes":
			return x.path(name + "-" + who)
		}
		return x.script(who + "-" + name)
	})
}

// script is a program with a canary. It passes on what it gets, as git gives up
// early if a filter fails.
func (x *Trap) script(name string) string {
	then := ""
	if strings.HasSuffix(name, "-clean") || strings.HasSuffix(name, "-smudge") {
		then = "; cat"
	}
	x.put(x.path("programs"), name, "run "+x.sing(name)+then)
	return x.path("programs/" + name)
}

var hookNames = []string{
	"pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "reference-transaction", "post-index-change", "pre-auto-gc", "post-checkout",
	"post-rewrite", "fsmonitor-watchman", "pre-receive", "update", "post-update",
}

func (x *Trap) hooks(dir, canary string) {
	for _, h := range hookNames {
		x.put(dir, h, "run "+x.sing(canary))
	}
}

func (x *Trap) home() {
	home := x.path("home")
	x.put(home, ".gitconfig", x.config("home"))
	x.put(home, ".config/git/config", x.config("xdg"))
	x.put(home, ".config/git/attributes", attributes)
	x.put(x.Dir, "system", x.config("system"))
	x.put(x.Dir, "included", x.config("include"))
}

// repository makes what git takes for a repository, with a configuration and
// hooks of its own.
func (x *Trap) repository(dir, who string) {
	x.put(dir, "HEAD", "ref: refs/heads/main\n")
	x.put(dir, "config", "[core]\n\trepositoryformatversion = 0\n[include]\n\tpath = "+x.path("included")+"\n"+x.config(who))
	if who == "including" { // what it includes comes last, so that it holds
		x.put(dir, "config", "[core]\n\trepositoryformatversion = 0\n[includeIf \"gitdir:**\"]\n\tpath = "+x.path("included")+"\n")
	}
	x.put(dir, "config.worktree", x.config(who+"-worktree"))
	x.put(dir, "info/attributes", attributes)
	x.put(dir, "objects/info/alternates", x.path("outside")+"\n/\n")
	x.put(dir, "refs/heads/x", "")
	x.must(os.Remove(filepath.Join(dir, "refs/heads/x")))
	x.hooks(filepath.Join(dir, "hooks"), who+"-own-hook")
}

func (x *Trap) workspace() {
	w := x.Work
	x.repository(filepath.Join(w, ".git"), "repo")
	x.repository(filepath.Join(w, ".git/modules/sub"), "module")
	x.put(w, "sub/.git", "gitdir: ../.git/modules/sub\n")
	x.repository(filepath.Join(w, "nested/.git"), "nested")
	x.repository(filepath.Join(w, "including/.git"), "including")
	x.repository(x.path("elsewhere.git"), "elsewhere")
	x.must(os.MkdirAll(filepath.Join(w, "linked"), 0o755))
	x.must(os.Symlink(x.path("elsewhere.git"), filepath.Join(w, "linked/.git")))
	x.put(w, "pointed/.git", "gitdir: "+x.path("elsewhere.git")+"\n")
	x.repository(filepath.Join(w, "bare"), "bare") // in plain sight
	for _, dir := range []string{".", "sub", "nested", "including", "linked", "pointed", "bare"} {
		x.put(w, dir+"/a.txt", "text\n")
		x.put(w, dir+"/a.bin", "binary\x00\n")
		x.put(w, dir+"/a.dat", "data\n")
		x.put(w, dir+"/.gitattributes", attributes+"* working-tree-encoding=UTF-16 ident eol=crlf\n")
	}
	x.put(w, ".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::"+x.sing("submodule")+"\n\tupdate = !"+x.sing("update")+"\n")
	for _, name := range []string{"$(touch canary)", "; touch canary #", "--upload-pack=touch canary", "--output=canary", "-c core.fsmonitor=touch canary", "`touch canary`", "x\ntouch canary\n"} {
		x.put(w, name, "x")
	}
	x.must(os.Symlink(x.path("outside"), filepath.Join(w, "out")))
}

func (x *Trap) environment() map[string]string {
	home := x.path("home")
	x.put(x.path("template/hooks"), "reference-transaction", "run "+x.sing("env-template"))
	for _, name := range []string{"git-evil", "git-pack-objects", "git-index-pack", "git-fsck", "git-init", "git-cat-file", "git-update-ref", "git-pack-refs", "git-rev-list"} {
		x.put(x.path("exec"), name, "run "+x.sing("env-exec"))
	}
	return map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "GIT_DIR": filepath.Join(x.Work, ".git"), "GIT_WORK_TREE": x.Work,
		"GIT_COMMON_DIR": filepath.Join(x.Work, ".git"), "GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"), "GIT_CONFIG_SYSTEM": x.path("system"),
		"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": x.sing("env-count"),
		"GIT_CONFIG_KEY_1": "core.hooksPath", "GIT_CONFIG_VALUE_1": x.path("hooks-home"),
		"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='" + x.sing("env-parameters") + "'",
		"GIT_SSH_COMMAND":       x.sing("env-ssh"), "GIT_SSH": x.script("env-ssh2"), "GIT_EXTERNAL_DIFF": x.script("env-diff"), "GIT_PROXY_COMMAND": x.script("env-proxy"),
		"GIT_PAGER": x.sing("env-pager"), "PAGER": x.sing("env-pager2"), "GIT_EDITOR": x.sing("env-editor"), "EDITOR": x.sing("env-editor2"), "VISUAL": x.sing("env-editor3"),
		"GIT_SEQUENCE_EDITOR": x.sing("env-sequence"), "GIT_ASKPASS": x.script("env-askpass"), "SSH_ASKPASS": x.script("env-askpass2"),
		"GIT_TEMPLATE_DIR": x.path("template"), "GIT_OBJECT_DIRECTORY": x.path("stolen"), "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/",
		"GIT_INDEX_FILE": x.path("stolen-index"), "GIT_NAMESPACE": "evil", "GIT_ATTR_SOURCE": "HEAD", "GIT_EXEC_PATH": x.path("exec"),
		"GIT_TRACE": x.path("canaries/env-trace"), "GIT_TRACE_SETUP": x.path("canaries/env-trace-setup"), "GIT_TRACE2_EVENT": x.path("canaries/env-trace2"),
	}
}
