package shell

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/tool"
)

// Git is trusted where a repository's configuration is a usual one, and only
// there.
func TestGitWary(t *testing.T) {
	const usual = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n" +
		"[remote \"origin\"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
	for name, c := range map[string]struct {
		files map[string]string
		cwd   string
		wary  bool
	}{
		"no repository":         {files: map[string]string{"x": ""}},
		"usual":                 {files: map[string]string{".git/HEAD": "", ".git/config": usual}},
		"usual, below":          {files: map[string]string{".git/HEAD": "", ".git/config": usual, "a/b/x": ""}, cwd: "a/b"},
		"no configuration":      {files: map[string]string{".git/HEAD": ""}},
		"comment":               {files: map[string]string{".git/HEAD": "", ".git/config": "# [core] pager = x\n; y\n" + usual}},
		"monitor":               {files: map[string]string{".git/HEAD": "", ".git/config": usual + "[core]\n\tfsmonitor = ./x\n"}, wary: true},
		"upper case":            {files: map[string]string{".git/HEAD": "", ".git/config": "[CORE]\n\tFSMonitor = ./x\n"}, wary: true},
		"on the section's line": {files: map[string]string{".git/HEAD": "", ".git/config": "[core] pager = ./x\n"}, wary: true},
		"two sections":          {files: map[string]string{".git/HEAD": "", ".git/config": "[core] [diff \"x\"] textconv = ./x\n"}, wary: true},
		"driver":                {files: map[string]string{".git/HEAD": "", ".git/config": "[diff \"a\\\"]b\"]\n\ttextconv = ./x\n"}, wary: true},
		"old spelling":          {files: map[string]string{".git/HEAD": "", ".git/config": "[diff.evil]\n\ttextconv = ./x\n"}, wary: true},
		"signatures":            {files: map[string]string{".git/HEAD": "", ".git/config": "[gpg]\n\tprogram = ./x\n"}, wary: true},
		"included":              {files: map[string]string{".git/HEAD": "", ".git/config": "[include]\n\tpath = x\n"}, wary: true},
		"other line ends":       {files: map[string]string{".git/HEAD": "", ".git/config": "[core]\r\tpager = ./x\r"}, wary: true},
		"byte order mark":       {files: map[string]string{".git/HEAD": "", ".git/config": "\ufeff[core]\n\tpager = ./x\n"}, wary: true},
		"broken":                {files: map[string]string{".git/HEAD": "", ".git/config": "[core\npager = ./x\n"}, wary: true},
		"work tree's own":       {files: map[string]string{".git/HEAD": "", ".git/config": usual, ".git/config.worktree": "[core]\n\tpager = x\n"}, wary: true},
		"elsewhere":             {files: map[string]string{".git": "gitdir: ../x\n"}, wary: true},
		"shared":                {files: map[string]string{".git/HEAD": "", ".git/config": usual, ".git/commondir": "../x"}, wary: true},
		"bare, below":           {files: map[string]string{".git/HEAD": "", ".git/config": usual, "b/HEAD": "", "b/config": "[core]\n\tpager = ./x\n"}, cwd: "b", wary: true},
		"others inside":         {files: map[string]string{".git/HEAD": "", ".git/config": usual, ".git/index": "DIRC\x00\x00\x00\x02\x00\x00\xe0\x00"}, wary: true},
		"shared index":          {files: map[string]string{".git/HEAD": "", ".git/index": "DIRC", ".git/sharedindex.1": "\x00\x00\xe0\x00"}, wary: true},
		"usual index":           {files: map[string]string{".git/HEAD": "", ".git/index": "DIRC\x00\x00\x81\xa4"}},
		"the nearer one":        {files: map[string]string{".git/HEAD": "", ".git/config": usual, "b/.git/HEAD": "", "b/.git/config": "[core]\n\tpager = ./x\n"}, cwd: "b", wary: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = root.Close() }()
			why := gitWary(&tool.Workspace{Dir: dir, Root: root}, filepath.Join(dir, c.cwd), "g\\i't' log")
			if (why != "") != c.wary {
				t.Errorf("wary: %q", why)
			}
		})
	}
}

// A question shows what a terminal would hide.
func TestSummaryIsVisible(t *testing.T) {
	in := executeInput{Command: "ls \x1b[2K\u202e'é'"}
	if got, want := in.summary(), `run: ls \x1b[2K\u202e'é'`; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
