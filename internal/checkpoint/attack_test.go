package checkpoint_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint"
)

// hostile fills a workspace and a home with everything that makes git run a
// program. Each would leave a file in canaries.
func hostile(t *testing.T, dir string) (root, canaries string) {
	t.Helper()
	root, home, canaries := filepath.Join(dir, "work"), filepath.Join(dir, "home"), filepath.Join(dir, "canaries")
	for _, d := range []string{root, home, canaries} {
		must(t, os.MkdirAll(d, 0o755))
	}
	sing := func(name string) string { return "touch " + filepath.Join(canaries, name) }
	config := func(who string) string {
		return fmt.Sprintf(`[core]
	fsmonitor = %s
	hooksPath = %s
	sshCommand = %s
	pager = %s
	editor = %s
	attributesFile = %s
	alternateRefsCommand = %s
	gitProxy = %s
	worktree = %s
[filter "evil"]
	clean = %s
	smudge = %s
	process = %s
	required = true
[diff "evil"]
	command = %s
	textconv = %s
[merge "evil"]
	driver = %s
[credential]
	helper = !%s
[gpg]
	program = %s
[commit]
	gpgSign = true
[uploadpack]
	packObjectsHook = %s
[alias]
	fsck = !%s
	repack = !%s
`, sing(who+"-fsmonitor"), filepath.Join(dir, "hooks"), sing(who+"-ssh"), sing(who+"-pager"), sing(who+"-editor"),
			filepath.Join(dir, "attributes"), sing(who+"-alternate"), sing(who+"-proxy"), root, sing(who+"-clean"), sing(who+"-smudge"),
			sing(who+"-process"), sing(who+"-diff"), sing(who+"-textconv"), sing(who+"-merge"), sing(who+"-credential"), sing(who+"-gpg"),
			sing(who+"-packhook"), sing(who+"-alias"), sing(who+"-alias2"))
	}
	put(t, home, ".gitconfig", config("home"))
	put(t, home, ".config/git/config", config("xdg"))
	put(t, dir, "attributes", "* filter=evil diff=evil merge=evil\n")
	hooks := []string{"pre-commit", "post-commit", "reference-transaction", "post-index-change", "pre-auto-gc", "post-checkout", "fsmonitor-watchman", "pre-receive", "update"}
	for _, h := range hooks {
		for _, d := range []string{filepath.Join(dir, "hooks"), filepath.Join(root, ".git/hooks"), filepath.Join(root, "sub/.git/hooks")} {
			put(t, d, h, "#!/bin/sh\n"+sing("hook-"+h)+"\n")
			must(t, os.Chmod(filepath.Join(d, h), 0o755))
		}
	}
	for _, repo := range []string{".git", "sub/.git"} {
		put(t, root, repo+"/config", config("repo"))
		put(t, root, repo+"/HEAD", "ref: refs/heads/main\n")
		put(t, root, repo+"/objects/", "")
		put(t, root, repo+"/refs/", "")
		put(t, root, repo+"/info/attributes", "* filter=evil diff=evil\n")
	}
	put(t, root, ".gitattributes", "* filter=evil diff=evil merge=evil working-tree-encoding=UTF-16 ident\n")
	put(t, root, ".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::"+sing("submodule")+"\n\tupdate = !"+sing("update")+"\n")
	put(t, root, "sub/file", "x")
	// A bare repository in plain sight.
	put(t, root, "HEAD", "ref: refs/heads/main\n")
	put(t, root, "config", config("bare"))
	put(t, root, "objects/info/alternates", "/\n")
	put(t, root, "refs/x", "")
	put(t, root, "--output="+filepath.Base(canaries), "x")
	put(t, root, "; touch canary #", "x")
	put(t, root, "$(touch canary)", "x")
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "GIT_DIR": filepath.Join(root, ".git"), "GIT_WORK_TREE": root,
		"GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"), "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": sing("env-count"),
		"GIT_CONFIG_KEY_1": "core.hooksPath", "GIT_CONFIG_VALUE_1": filepath.Join(dir, "hooks"),
		"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='" + sing("env-parameters") + "'", "GIT_SSH_COMMAND": sing("env-ssh"), "GIT_EXTERNAL_DIFF": sing("env-diff"),
		"GIT_PAGER": sing("env-pager"), "GIT_EDITOR": sing("env-editor"), "GIT_ASKPASS": sing("env-askpass"), "GIT_TEMPLATE_DIR": filepath.Join(dir, "template"),
		"GIT_OBJECT_DIRECTORY": filepath.Join(dir, "stolen"), "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/", "GIT_INDEX_FILE": filepath.Join(dir, "stolen-index"),
		"GIT_TRACE": filepath.Join(canaries, "env-trace"), "GIT_TRACE2_EVENT": filepath.Join(canaries, "env-trace2"), "GIT_EXEC_PATH": filepath.Join(dir, "exec"),
	} {
		t.Setenv(name, value)
	}
	put(t, dir, "template/hooks/reference-transaction", "#!/bin/sh\n"+sing("template")+"\n")
	must(t, os.Chmod(filepath.Join(dir, "template/hooks/reference-transaction"), 0o755))
	return root, canaries
}

// Nothing in a workspace, a home or the environment makes git run anything, and
// what lies in .git is not touched.
// Covers: CHK-06, CHK-24
func TestHostileGit(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "sibling/file", "x")
	sibling := readTree(t, filepath.Join(dir, "sibling"), nil)
	root, canaries := hostile(t, dir)
	own := readTree(t, filepath.Join(root, ".git"), nil)
	p, err := store(t, filepath.Join(dir, "data"), checkpoint.Options{}).Workspace(t.Context(), root, checkpoint.Rules{})
	must(t, err)
	first := save(t, p)
	want := readTree(t, root, nil)
	for i := range 3 {
		put(t, root, "sub/file", fmt.Sprint("version ", i))
		put(t, root, fmt.Sprintf("new%d/.git/config", i), "[core]\n\tfsmonitor = touch "+filepath.Join(canaries, "late")+"\n")
		save(t, p)
	}
	for i := range 3 {
		must(t, os.RemoveAll(filepath.Join(root, fmt.Sprintf("new%d", i))))
	}
	_, err = p.Diff(t.Context(), first.Hash, "")
	must(t, err)
	restore(t, p, first.Hash)
	_, err = p.GC(t.Context(), func(c checkpoint.Checkpoint) bool { return c.Hash == first.Hash })
	must(t, err)
	healthy(t, p)
	restore(t, p, first.Hash)
	if d := differ(want, readTree(t, root, nil)); d != "" {
		t.Error(d)
	}
	if d := differ(own, readTree(t, filepath.Join(root, ".git"), nil)); d != "" {
		t.Error(d)
	}
	if d := differ(sibling, readTree(t, filepath.Join(dir, "sibling"), nil)); d != "" {
		t.Error(d)
	}
	fired, err := os.ReadDir(canaries)
	must(t, err)
	for _, c := range fired {
		t.Errorf("%s fired", c.Name())
	}
	for _, name := range []string{"stolen", "stolen-index", "canary"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	t.Run("the canaries sing", func(t *testing.T) { // the trap is a real one
		cmd := exec.CommandContext(t.Context(), "git", "status")
		cmd.Dir = root
		_ = cmd.Run()
		if fired, err := os.ReadDir(canaries); err != nil || len(fired) == 0 {
			t.Error("no canary fired for plain git")
		}
	})
}
