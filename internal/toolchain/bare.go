package toolchain

import (
	"path/filepath"
	"strings"
)

// Bare is the environment of a command that runs without a sandbox and sees all
// files: the person's variables, and their PATH without the entries that others
// could put programs into.
func Bare(r Request) map[string]string {
	r.Workspace = clean(r.Workspace)
	s := &search{Request: r}
	env := Checked(r.Environ)
	var path []string
	for _, dir := range s.entries() {
		path = append(path, filepath.Clean(dir))
	}
	env["PATH"] = strings.Join(path, ":")
	if len(path) == 0 {
		env["PATH"] = SystemPath
	}
	return env
}
