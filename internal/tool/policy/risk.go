package policy

import (
	"regexp"
	"slices"
	"strings"
)

// wrappers run another command that their arguments name. No pattern covers
// them. The number says how many words stand before that command.
var wrappers = map[string]int{
	"env": 0, "nice": 0, "nohup": 0, "timeout": 1, "gtimeout": 1, "xargs": 0, "gxargs": 0, "time": 0, "gtime": 0,
	"stdbuf": 0, "unbuffer": 0, "watch": 0, "sudo": 0, "sudoedit": 0, "doas": 0, "su": 0, "runuser": 0, "pkexec": 0, "run0": 0,
	"setsid": 0, "strace": 0, "ltrace": 0, "gdb": 0, "lldb": 0, "perf": 1, "valgrind": 0, "rr": 0, "busybox": 0, "toybox": 0,
	"chroot": 1, "flock": 1, "ionice": 0, "chrt": 1, "taskset": 1, "numactl": 0, "prlimit": 0, "unshare": 0, "nsenter": 0,
	"setarch": 1, "linux32": 0, "linux64": 0, "setpriv": 0, "capsh": 0, "cgexec": 0, "systemd-run": 0, "bwrap": 0,
	"firejail": 0, "proot": 0, "fakeroot": 0, "faketime": 1, "script": 0, "expect": 0, "ssh": 1, "parallel": 0,
	"screen": 0, "tmux": 1, "at": 0, "batch": 0, "crontab": 0, "run-parts": 0, "entr": 0, "rlwrap": 0, "socat": 0,
	"dbus-run-session": 0, "xvfb-run": 0, "start-stop-daemon": 0, "catchsegv": 0, "nc": 0, "ncat": 0,
	"command": 0, "builtin": 0, "exec": 0, "coproc": 0,
}

// ownBuiltins change the shell, run their arguments, or evaluate them as code
// (an array index may hold a substitution). No pattern covers them.
var ownBuiltins = set("eval", "source", ".", "exec", "command", "builtin", "trap", "enable", "hash", "alias", "unalias",
	"shopt", "set", "fc", "bind", "jobs", "complete", "compgen", "compopt", "mapfile", "readarray", "read", "unset", "wait",
	"getopts", "export", "readonly", "declare", "typeset", "local", "let", "coproc", "history", "return", "break", "continue",
	"shift", "logout", "suspend", "dirs", "pushd", "popd", "disown", "fg", "bg", "caller", "umask", "ulimit", "times")

// shells and interpreters run code. A star covers their arguments only behind
// the program that the pattern names.
var (
	shells       = set("sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh", "nu", "elvish")
	interpreters = set("python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "perl", "ruby", "irb", "php", "lua", "luajit",
		"tclsh", "wish", "guile", "racket", "sbcl", "clojure", "groovy", "scala", "julia", "Rscript", "R", "octave", "erl",
		"elixir", "iex", "ghci", "runghc", "ocaml", "java", "jshell", "osascript", "awk", "gawk", "mawk", "nawk", "jrunscript",
		"npx", "pnpx", "bunx", "uvx", "pipx", "tsx", "ts-node", "gnuplot", "bc", "dc", "m4", "sqlite3", "psql", "mysql",
		"vi", "vim", "nvim", "view", "ex", "ed", "red", "emacs", "nano", "pico", "less", "more", "most", "man", "info", "xxd",
		"ftp", "sftp", "telnet", "rsync", "scp", "wget")
)

// findRuns are the parts of find that start a command.
var findRuns = []string{"-exec", "-execdir", "-ok", "-okdir"}

// A hazard lists what makes a command run or write something else. A star does
// not cover such words; a pattern can still name them.
type hazard struct {
	short string   // option letters, alone or in a bundle
	long  []string // options with two dashes, or any unique beginning of one
	words []string // whole words, with or without =value
	begin []string // beginnings of words
	equal bool     // an option with two dashes is the same as with one
	first []string // words that are not covered as the first argument
	bare  bool     // the first argument may be a bundle without a dash
}

var hazards = map[string]hazard{
	"find":     {words: append([]string{"-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"}, findRuns...)},
	"fd":       {short: "xX", long: []string{"exec", "exec-batch"}},
	"fdfind":   {short: "xX", long: []string{"exec", "exec-batch"}},
	"rg":       {short: "z", long: []string{"pre", "pre-glob", "hostname-bin", "search-zip"}},
	"ag":       {long: []string{"pager"}},
	"sort":     {short: "oTS", long: []string{"output", "compress-program", "temporary-directory", "files0-from"}},
	"shuf":     {short: "o", long: []string{"output"}},
	"tree":     {short: "oR", long: []string{"output"}},
	"iconv":    {short: "o", long: []string{"output"}},
	"file":     {short: "Cmz", long: []string{"compile", "magic-file", "uncompress"}},
	"diff":     {short: "l", long: []string{"paginate", "output"}},
	"date":     {short: "s", long: []string{"set"}},
	"hostname": {short: "bF", long: []string{"file", "boot"}},
	"yq":       {short: "i", long: []string{"inplace", "in-place"}},
	"zip":      {short: "TO", long: []string{"test", "unzip-command", "output-file"}},
	"tar":      {short: "IFxcruAf", long: []string{"to-command", "use-compress-program", "checkpoint-action", "info-script", "new-volume-script", "rsh-command", "rmt-command", "extract", "get", "create", "delete", "append", "update", "file"}, bare: true},
	"bsdtar":   {short: "IFxcruf", long: []string{"use-compress-program", "extract", "create"}, bare: true},
	"curl":     {short: "oOKTJDcEA", long: []string{"output", "remote-name", "remote-name-all", "config", "upload-file", "dump-header", "cookie-jar", "trace", "trace-ascii", "libcurl", "stderr", "engine", "etag-save", "hsts", "alt-svc", "output-dir"}},
	"make":     {short: "fECIo", long: []string{"eval", "file", "makefile", "directory", "include-dir"}},
	"gmake":    {short: "fECIo", long: []string{"eval", "file", "makefile", "directory", "include-dir"}},
	"test":     {words: []string{"-v", "-R"}},
	"[":        {words: []string{"-v", "-R"}},
	"printf":   {short: "v"},
	"go": {
		words: []string{"-exec", "-toolexec", "-vettool", "-o", "-overlay", "-modfile", "-C", "-ldflags", "-gcflags", "-gccgoflags", "-asmflags", "-compiler",
			"-modcacherw", "-pkgdir", "-w", "-c", "-coverprofile", "-cpuprofile", "-memprofile", "-blockprofile", "-mutexprofile", "-trace", "-outputdir", "-http", "-args"},
		begin: []string{"-test."}, // go test takes its options by these names, too
		equal: true,
		first: []string{"run", "generate", "tool", "env", "install", "get", "work", "mod"},
	},
	"cargo":   {long: []string{"config", "manifest-path"}, first: []string{"run", "install", "+nightly"}},
	"npm":     {long: []string{"script-shell", "prefix", "node-options", "globalconfig", "userconfig"}, short: "C", first: []string{"exec", "x", "explore", "config", "set", "run", "run-script", "install", "i", "init", "create"}},
	"docker":  {first: []string{"run", "exec", "compose", "build", "buildx", "cp", "plugin", "context", "-H", "--host", "--config"}},
	"podman":  {first: []string{"run", "exec", "build", "cp", "machine", "unshare"}},
	"kubectl": {long: []string{"kubeconfig"}, first: []string{"exec", "run", "cp", "debug", "plugin", "proxy", "port-forward"}},
	"pytest":  {short: "pc", long: []string{"rootdir", "confcutdir", "override-ini", "import-mode"}},
	"gcc":     {words: []string{"-wrapper", "-B", "-specs"}},
	"git": {
		short: "cOxo",
		long: []string{"output", "output-directory", "exec-path", "upload-pack", "receive-pack", "exec", "ext-diff", "textconv",
			"open-files-in-pager", "config-env", "config", "show-signature", "extcmd", "tool", "tool-help", "template", "git-dir", "work-tree",
			"paginate", "super-prefix", "separate-git-dir", "gpg-sign", "edit", "file"},
		words: []string{"run", "foreach", "ext"},
		first: []string{"config", "filter-branch", "submodule", "bisect", "difftool", "mergetool", "hook", "daemon", "instaweb",
			"gui", "gitk", "citool", "send-email", "maintenance", "credential", "archive", "fast-import", "shell", "remote-ext", "p4", "svn", "web--browse", "var"},
	},
}

// risky says why a star does not cover the words from an index on, "" if it
// does.
func risky(argv []string, from int) string {
	name := call(argv).name()
	if interpreters[name] || shells[name] || interpreters[unversioned(name)] {
		return riskyProgram(argv, from)
	}
	switch name {
	case "sed", "gsed":
		return riskySed(argv, from)
	case "uniq":
		if len(withoutOptions(argv[1:])) > 1 && from < len(argv) {
			return "a second file would be written"
		}
	case "git", "make", "gmake":
		if why := riskyBefore(argv, from); why != "" {
			return why
		}
	}
	h, ok := hazards[name]
	if !ok {
		return ""
	}
	for i := from; i < len(argv); i++ {
		if h.hits(argv[i], i) {
			return argv[i] + " can run or write something else"
		}
	}
	return ""
}

// hits reports whether a word is one that a star does not cover.
func (h hazard) hits(word string, index int) bool {
	option, _, _ := strings.Cut(word, "=")
	if h.equal && strings.HasPrefix(option, "--") {
		option = option[1:]
	}
	switch {
	case slices.ContainsFunc(h.begin, func(b string) bool { return strings.HasPrefix(option, b) }):
		return true
	case slices.Contains(h.words, option), index == 1 && slices.Contains(h.first, option):
		return true
	case strings.HasPrefix(option, "--"):
		// Programs accept any beginning of a long option.
		return len(option) > 2 && slices.ContainsFunc(h.long, func(l string) bool { return strings.HasPrefix("--"+l, option) })
	case strings.HasPrefix(word, "-") || (h.bare && index == 1):
		return strings.ContainsAny(word, h.short)
	}
	return false
}

// riskyProgram is for what runs code: the pattern has to name the program.
func riskyProgram(argv []string, from int) string {
	if from == len(argv) {
		return ""
	}
	if from < 2 || strings.HasPrefix(argv[from-1], "-") {
		return "it does not say which program it runs"
	}
	for _, word := range argv[from:] {
		if strings.HasPrefix(word, "-c") || strings.HasPrefix(word, "-e") || strings.HasPrefix(word, "--eval") {
			return word + " can run something else"
		}
	}
	return ""
}

// riskyBefore is for commands whose meaning changes before their first plain
// argument: options of git itself, variables of make.
func riskyBefore(argv []string, from int) string {
	for i := from; i < len(argv); i++ {
		word := argv[i]
		switch {
		case i == 1 && strings.HasPrefix(word, "-") && word != "--no-pager" && word != "--version":
			return word + " changes what is run"
		case i == 2 && argv[1] == "--no-pager" && slices.Contains(hazards["git"].first, word):
			return word + " can run or write something else"
		case strings.HasPrefix(word, "ext::"), strings.Contains(word, "%G"):
			return word + " can run something else"
		case strings.HasSuffix(call(argv).name(), "make") && strings.Contains(word, "="):
			return word + " changes what is run"
		}
	}
	return ""
}

// safeSed is a script that only picks lines.
var safeSed = regexp.MustCompile(`^[0-9]+(,([0-9]+|\$))?[pdq]$`)

func riskySed(argv []string, from int) string {
	script := false
	for i := 1; i < len(argv); i++ {
		word := argv[i]
		switch {
		case i < from:
			script = script || !strings.HasPrefix(word, "-")
		case strings.HasPrefix(word, "-") && word != "-n" && word != "-E" && word != "-r":
			return word + " can run or write something else"
		case strings.HasPrefix(word, "-"):
		case !script && !safeSed.MatchString(word):
			return "its script can run or write something else"
		default:
			script = true
		}
	}
	return ""
}

// unversioned gives python for python3.12.
func unversioned(name string) string { return strings.TrimRight(name, "0123456789.-") }

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
