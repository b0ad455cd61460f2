package policy

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// neverStar are programs whose arguments name what they run, or where they write: a
// build file's target, a compiler's plugin, a host's command. A star would stand for
// any program, so only the exact line is suggested, and only that counts when it was
// remembered. Interpreters and shells are such programs, too.
var neverStar = set(
	"make", "gmake", "ninja", "just", "rake", "cmake", "bazel", "ant", "tox", "nox", // targets are scripts
	"gcc", "g++", "cc", "c++", "cpp", "clang", "clang++", "ld", "gold", "lld", // -B, -wrapper, -fplugin, -specs, -o
	"curl", "wget", "rsync", "scp", "sftp", "ssh", // -o, -e, ProxyCommand, and whatever is on the other side
	"tar", "bsdtar", "gtar", // --to-command, --checkpoint-action
)

// starred are programs whose first word says what they do, with those of their
// subcommands that only look at something, or build and test the workspace, whose code
// a person trusts. A star may stand for the arguments of these.
//
// It lists what is allowed and not what is dangerous. Most subcommands of these
// programs run something: docker run, go run, npm exec, git config (aliases, pagers),
// git clone (--upload-pack), whatever has hooks (git commit, merge, checkout). They have
// short forms (cargo r, npm x), and a program git-anything on the PATH is a subcommand,
// too. A list of the dangerous ones would always miss one.
var starred = map[string][]string{
	"git":     {"status", "log", "diff", "show", "blame", "ls-files", "rev-parse", "branch --list"},
	"go":      {"vet", "list", "version", "doc", "build", "test"},
	"cargo":   {"check", "clippy", "test"},
	"npm":     {"ls", "view"},
	"docker":  {"ps", "images", "logs", "inspect"},
	"podman":  {"ps", "images", "logs", "inspect"},
	"kubectl": {"get", "describe", "logs"},

	"pnpm": {}, "yarn": {}, "bun": {}, "pip": {}, "pipx": {}, "uv": {}, "poetry": {}, "bundle": {}, "gem": {}, "mix": {},
	"dotnet": {}, "gradle": {}, "gradlew": {}, "mvn": {}, "mvnw": {}, "terraform": {}, "tofu": {}, "helm": {}, "ansible": {},
	"systemctl": {}, "brew": {}, "apt": {}, "apt-get": {}, "dnf": {}, "yum": {}, "apk": {}, "pacman": {}, "snap": {}, "composer": {},
}

// onlyLook are programs that only look at something: a star is suggested for them.
var onlyLook = set("ls", "cat", "head", "tail", "wc", "grep", "rg", "stat", "du", "df", "tree", "file", "diff", "pwd", "jq", "which")

// A rule is a pattern and where it stands: in the settings, or remembered with an
// answer for the task or the session.
type rule struct {
	pattern string
	scope   clew.AllowScope
}

func rules(scope clew.AllowScope, patterns []string) []rule {
	list := make([]rule, len(patterns))
	for i, p := range patterns {
		list[i] = rule{pattern: p, scope: scope}
	}
	return list
}

// noStar says why a star that was remembered does not stand for arguments of a
// command, "" if it does. What an administrator wrote into the settings is not asked
// about here: there the person named the command, and not clew.
func noStar(argv []string) string {
	name := call(argv).name()
	plain := unversioned(name)
	if plain == "" {
		plain = name
	}
	if neverStar[name] || neverStar[plain] || shells[name] || interpreters[name] || interpreters[plain] {
		return name + " runs what its arguments say, so only the exact line can be remembered"
	}
	subcommands, known := starred[name]
	if !known {
		subcommands, known = starred[plain]
	}
	words := argv[1:]
	if name == "git" && len(words) > 0 && words[0] == "--no-pager" {
		words = words[1:]
	}
	if !known || starredWords(subcommands, words) != "" {
		return ""
	}
	if len(words) > 0 && plainWord(words[0]) {
		name += " " + words[0]
	}
	return name + " can run or change anything, so only the exact line can be remembered"
}

// starredWords gives the subcommand that the words begin with, "" if it has no star.
// An option before it is not skipped: it can hide which word the subcommand is.
func starredWords(subcommands, words []string) string {
	i := slices.IndexFunc(subcommands, func(s string) bool { return startsWith(words, strings.Fields(s)) })
	if i < 0 {
		return ""
	}
	return subcommands[i]
}

// starFor is the pattern with a star that is suggested for a command, "" if there is
// none.
func starFor(argv []string) string {
	if onlyLook[argv[0]] {
		return argv[0] + " *"
	}
	if words := starredWords(starred[argv[0]], argv[1:]); words != "" {
		return argv[0] + " " + words + " *"
	}
	return ""
}
