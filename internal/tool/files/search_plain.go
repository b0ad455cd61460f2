package files

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"

	"github.com/git-pkgs/gitignore"

	"github.com/clew-run/clew/internal/tool"
)

// grep searches without ripgrep: slower, with the same answer.
func grep(ctx context.Context, ws *tool.Workspace, p place, in searchInput, found *findings) error {
	re, err := regexp.Compile(in.Pattern)
	if err != nil {
		return invalid("%s", err.Error())
	}
	if !p.info.IsDir() {
		if ws.Ignored(p.real, false) {
			return fs.ErrNotExist
		}
		dir, err := enter(ws.Root, path.Dir(p.real), false)
		if err != nil {
			return err
		}
		defer func() { _ = dir.Close() }()
		_, err = grepFile(ctx, dir, p.real, re, in, found)
		return err
	}
	wanted := globOf(in.Glob)
	git := gitignore.New("")
	addParents(git, ws, p.real)
	seen := map[string]bool{}
	return walk(ctx, ws, p.real, func(dir *os.Root, name string, e fs.DirEntry) (bool, error) {
		if at := path.Dir(name); !seen[at] {
			seen[at] = true
			addGitignore(git, dir, at)
		}
		if path.Base(name) == ".git" || git.MatchPath(name, e.IsDir()) {
			return false, nil
		}
		if e.IsDir() || !e.Type().IsRegular() || !wanted(name) || holdsSecrets(name) {
			return true, nil
		}
		room, err := grepFile(ctx, dir, name, re, in, found)
		if err == nil && !room || ctx.Err() != nil {
			return false, fs.SkipAll
		}
		return false, nil // a file that cannot be read is left out
	})
}

// globOf gives the test of a name. A glob means what a line of .gitignore would.
func globOf(glob string) func(string) bool {
	if glob == "" {
		return func(string) bool { return true }
	}
	m := gitignore.New("")
	m.AddPatterns([]byte(glob+"\n"), "")
	return func(name string) bool { return m.MatchPath(name, false) }
}

// addParents takes in the .gitignore files above the directory where a search
// begins.
func addParents(m *gitignore.Matcher, ws *tool.Workspace, start string) {
	if start == "." {
		return
	}
	above := []string{"."}
	for i, c := range start {
		if c == '/' {
			above = append(above, start[:i])
		}
	}
	for _, at := range above {
		if dir, err := enter(ws.Root, at, false); err == nil {
			addGitignore(m, dir, at)
			_ = dir.Close()
		}
	}
}

func addGitignore(m *gitignore.Matcher, dir *os.Root, at string) {
	f, _, err := openIn(dir, ".gitignore")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if b, err := io.ReadAll(io.LimitReader(f, 1<<20)); err == nil {
		if at == "." {
			at = ""
		}
		m.AddPatterns(b, at)
	}
}

// grepFile searches one file and reports whether there is room for more.
func grepFile(ctx context.Context, dir *os.Root, name string, re *regexp.Regexp, in searchInput, found *findings) (bool, error) {
	f, info, err := openIn(dir, path.Base(name))
	if err != nil {
		return true, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > maxSearchFile {
		return true, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSearchFile))
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return true, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	shown := 0 // lines before this one are written
	for i, l := range lines {
		if i%4096 == 0 && ctx.Err() != nil {
			return false, nil
		}
		if len(l) == 0 || !re.Match(bytes.TrimRight(l, "\r\n")) {
			continue
		}
		if len(l) > maxResultLine {
			found.skipped++
			continue
		}
		for j := max(shown, i-in.Context); j < i; j++ {
			found.add(name, j+1, lines[j], false)
		}
		if !found.add(name, i+1, l, true) {
			return false, nil
		}
		shown = i + 1
		for j := i + 1; j <= min(i+in.Context, len(lines)-1) && len(lines[j]) > 0 && !re.Match(bytes.TrimRight(lines[j], "\r\n")); j++ {
			found.add(name, j+1, lines[j], false)
			shown = j + 1
		}
	}
	return true, nil
}
