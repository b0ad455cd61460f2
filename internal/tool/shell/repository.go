package shell

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/clew-run/clew/internal/tool"
)

const (
	maxGitConfig = 1 << 20
	maxGitIndex  = 64 << 20
)

// mentionsGit reports whether a command line may run git by its name. Quotes and
// backslashes do not hide it; what else does is no line that runs unasked.
func mentionsGit(command string) bool {
	return strings.Contains(strings.NewReplacer(`\`, "", "'", "", `"`, "", "\n", "").Replace(command), "git")
}

// gitWary says why a command is not to be trusted with git in a directory of a
// workspace, "" if it is. A repository's configuration names programs: for signatures, filters,
// differences, file monitors. Whoever made the workspace made it too, so even
// git log would run what they like.
func gitWary(ws *tool.Workspace, dir, command string) string {
	if !mentionsGit(command) {
		return ""
	}
	rel, err := filepath.Rel(ws.Dir, dir)
	if err != nil {
		return "the repository cannot be found"
	}
	for at := filepath.ToSlash(rel); ; at = path.Dir(at) {
		for _, repo := range []string{path.Join(at, ".git"), at} {
			if found, why := repository(ws, repo); found {
				return why
			}
		}
		if at == "." {
			return ""
		}
	}
}

// repository reports whether git would take a path for a repository, and then
// what is wrong with it.
func repository(ws *tool.Workspace, at string) (found bool, why string) {
	const elsewhere = "the repository is kept elsewhere, and its configuration may name programs"
	info, err := ws.Root.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, ""
	case err != nil || !info.IsDir():
		return true, elsewhere // a work tree's file, a link, or what cannot be looked at
	}
	if _, err := ws.Root.Lstat(path.Join(at, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return false, ""
	}
	if _, err := ws.Root.Lstat(path.Join(at, "commondir")); !errors.Is(err, fs.ErrNotExist) {
		return true, elsewhere
	}
	for _, name := range []string{"config", "config.worktree"} {
		if key := unusualKey(ws, path.Join(at, name)); key != "" {
			return true, "the repository's configuration sets " + key + ", which may name a program"
		}
	}
	if holdsOthers(ws, at) {
		return true, "the repository holds others, whose configuration may name programs"
	}
	return true, ""
}

// holdsOthers reports whether the index may have an entry for a repository inside
// this one: git looks into those too. It searches for the mode of such an entry,
// so now and then it is wrong on the safe side.
func holdsOthers(ws *tool.Workspace, at string) bool {
	names, err := fs.Glob(ws.Root.FS(), path.Join(escapeGlob(at), "sharedindex.*"))
	if err != nil {
		return true
	}
	for _, name := range append(names, path.Join(at, "index")) {
		text, err := readPlain(ws, name, maxGitIndex)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || bytes.Contains(text, []byte{0, 0, 0xe0, 0}) {
			return true
		}
	}
	return false
}

func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// readPlain reads a regular file of the workspace.
func readPlain(ws *tool.Workspace, name string, most int64) ([]byte, error) {
	info, err := ws.Root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, errors.New("not a file of a usual size")
	}
	f, err := ws.Root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(f, most))
}

func unusualKey(ws *tool.Workspace, name string) string {
	text, err := readPlain(ws, name, maxGitConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return "something unreadable"
	}
	for _, key := range gitKeys(string(text)) {
		if !slices.ContainsFunc(plainKeys, func(re *regexp.Regexp) bool { return re.MatchString(key) }) {
			return visible(key)
		}
	}
	return ""
}

var section = regexp.MustCompile(`^\[([A-Za-z0-9.-]+)(?:[ \t]+"(?:[^"\\]|\\.)*")?\]`)

// gitKeys lists the keys that a configuration sets, as section.key. A value that
// goes on over lines gives keys that are none: too many, never too few.
func gitKeys(text string) []string {
	var keys []string
	name := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", "\n"), "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		for strings.HasPrefix(line, "[") { // a key may follow on the same line
			m := section.FindStringSubmatch(line)
			if m == nil {
				return append(keys, "a section that cannot be read")
			}
			name, _, _ = strings.Cut(strings.ToLower(m[1]), ".")
			line = strings.TrimSpace(line[len(m[0]):])
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, _, _ := strings.Cut(line, "=")
		keys = append(keys, name+"."+strings.ToLower(strings.TrimSpace(key)))
	}
	return keys
}

// plainKeys are what git itself writes and what people usually set, none of
// which names a program that git would run.
var plainKeys = patterns(
	`core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|quotepath|abbrev|untrackedcache|preloadindex|commitgraph|sparsecheckout|sparsecheckoutcone)`,
	`remote\.(url|pushurl|fetch|push|tagopt|prune)`, `branch\.(remote|merge|rebase|description|pushremote)`, `submodule\.(url|active|branch)`,
	`user\.(name|email|signingkey)`, `(init|color|advice|gc|pack|index|feature)\.[a-z]+`, `pull\.(rebase|ff)`, `push\.(default|autosetupremote|followtags)`,
	`fetch\.(prune|prunetags|parallel)`, `merge\.(ff|conflictstyle)`, `rebase\.(autosquash|autostash)`, `extensions\.(worktreeconfig|objectformat|refstorage)`,
	`lfs\.repositoryformatversion`,
)

func patterns(list ...string) []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, p := range list {
		all = append(all, regexp.MustCompile("^(?:"+p+")$"))
	}
	return all
}
