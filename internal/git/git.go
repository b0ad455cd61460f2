// Package git is the only caller of git.
//
// A repository may be made by anybody, by an agent too, and its configuration, its
// attributes and its hooks name programs that git runs. So git is called in three
// ways, all in an environment that is empty but for PATH, with no configuration of
// the person or the machine, and with hooks, monitors and signatures off:
//
//   - [Bare] is for the repositories of checkpoints, which are our own.
//   - The repository of a person is asked and told only what reads or writes no
//     file of a work tree and no index: refs and commits. Nothing there runs a
//     program.
//   - Everything that reads or writes files goes through a git directory of our own
//     that borrows the repository's objects. It has none of the repository's
//     configuration, so no filter, merge driver or diff program is known in it,
//     whatever the attributes say.
//
// Nothing here ever talks to a network.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// program is what is run.
const program = "git"

// safeConfig goes with every call: nothing is run, fetched or looked up.
var safeConfig = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "core.excludesFile=/dev/null",
	"core.alternateRefsCommand=", "protocol.allow=never",
	"gc.auto=0", "maintenance.auto=false", "pack.threads=1", "commit.gpgSign=false", "credential.helper=",
	"core.packedRefsTimeout=10000",
}

// bareConfig goes with calls for our own repositories.
var bareConfig = []string{"core.bare=true", "core.logAllRefUpdates=false", "pack.writeBitmaps=false", "repack.writeBitmaps=false"}

// environment is all that git sees of ours.
func environment(gitDir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_DIR=" + gitDir, "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=", "GIT_PROTOCOL_FROM_USER=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
	}
}

// call makes a call of git on a git directory.
func call(ctx context.Context, gitDir, dir string, config []string, args ...string) *exec.Cmd {
	all := []string{"--git-dir=" + gitDir, "--no-replace-objects", "--literal-pathspecs"}
	for _, list := range [][]string{safeConfig, config} {
		for _, c := range list {
			all = append(all, "-c", c)
		}
	}
	cmd := exec.CommandContext(ctx, program, append(all, args...)...)
	cmd.Env = environment(gitDir)
	cmd.Dir = dir
	return cmd
}

// Bare makes a call of git on the bare repository dir. The environment is empty
// but for PATH, no configuration of a person or the machine is read, and no
// worktree is named.
func Bare(ctx context.Context, dir string, args ...string) *exec.Cmd {
	return call(ctx, dir, dir, bareConfig, args...)
}

// Run runs a command to its end. What git says of a failure is in the error.
func Run(cmd *exec.Cmd, in io.Reader, out io.Writer) error {
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	if err := cmd.Run(); err != nil {
		return &Error{Command: subcommand(cmd.Args), Said: strings.TrimSpace(said.String()), Err: err}
	}
	return nil
}

// An Error is a call that failed.
type Error struct {
	Command string // such as update-ref
	Said    string // by git, to people
	Err     error
}

func (e *Error) Error() string { return fmt.Sprintf("git %s: %v: %s", e.Command, e.Err, e.Said) }

func (e *Error) Unwrap() error { return e.Err }

// exitCode is that of a call that ran and failed, -1 otherwise.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// subcommand finds what was asked of git behind the options for all commands.
func subcommand(args []string) string {
	for i := 1; i < len(args); i++ {
		if args[i] == "-c" {
			i++
			continue
		}
		if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// versionWithin is how long git may take to say its version.
const versionWithin = 20 * time.Second

// Version is the installed git's, an error if there is none.
func Version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // nothing that tells git to do more than that
	out, err := cmd.Output()
	return strings.TrimSpace(strings.TrimPrefix(string(out), "git version ")), err
}
