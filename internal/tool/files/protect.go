package files

import (
	"path"
	"slices"
	"strings"
)

// guard says what stands in the way of writing a path.
type guard int

const (
	guardNone   guard = iota
	guardAsk          // a person is always asked: the file steers what runs or what is allowed
	guardRefuse       // never written
)

// askDirs are directories, anywhere in the workspace, whose files steer other
// programs: what agents may do, what runs on commit, in CI or in an editor.
var askDirs = []string{
	".clew", ".git", ".github", ".gitlab", ".circleci", ".buildkite", ".woodpecker", ".ci", ".husky", ".vscode", ".idea",
	".devcontainer", ".agents", ".claude", ".cursor", ".roo",
}

// askFiles are files, anywhere in the workspace, that do the same.
var askFiles = []string{
	".clewignore", ".gitattributes", ".gitmodules", ".gitconfig",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".envrc",
	".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".woodpecker.yml", ".appveyor.yml", "appveyor.yml", ".cirrus.yml",
	"azure-pipelines.yml", "bitbucket-pipelines.yml", "jenkinsfile", "cloudbuild.yaml",
	".pre-commit-config.yaml", "lefthook.yml", ".npmrc", ".yarnrc", ".yarnrc.yml", ".mcp.json", ".ripgreprc",
}

// guardOf judges a path without links. Case does not count, since on some file
// systems it makes no difference.
//
// Git's hooks and configuration are refused outright: git runs what they say
// the next time anyone, or clew itself, uses it in this directory, so a person
// who agrees to a write would agree to a program. The same holds for the files
// that tell git to look for them elsewhere.
func guardOf(real string) guard {
	parts := strings.Split(strings.ToLower(real), "/")
	if i := slices.IndexFunc(parts, isGit); i >= 0 {
		inside := parts[i+1:]
		if len(inside) == 0 || slices.ContainsFunc(inside, runsPrograms) {
			return guardRefuse
		}
		return guardAsk
	}
	if slices.Contains(askFiles, path.Base(strings.ToLower(real))) || holdsSecrets(real) {
		return guardAsk
	}
	if slices.ContainsFunc(parts, func(c string) bool { return slices.Contains(askDirs, c) }) {
		return guardAsk
	}
	return guardNone
}

// isGit knows the names by which file systems may find .git.
func isGit(name string) bool {
	return strings.TrimRight(name, " .") == ".git" || name == "git~1"
}

func runsPrograms(name string) bool {
	return name == "hooks" || name == "config" || name == "config.worktree" || name == "commondir" || name == "gitdir"
}
