package object

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// safeConfig goes with every call: nothing is run, fetched or looked up.
var safeConfig = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "core.excludesFile=/dev/null",
	"core.bare=true", "core.logAllRefUpdates=false", "core.alternateRefsCommand=", "protocol.allow=never",
	"gc.auto=0", "maintenance.auto=false", "pack.threads=1", "commit.gpgSign=false", "credential.helper=",
	"pack.writeBitmaps=false", "repack.writeBitmaps=false", "core.packedRefsTimeout=10000",
	"core.bigFileThreshold=" + strconv.Itoa(maxInMemory), // from there on files are streamed, and never stored as differences
}

// command makes a call of git on the bare repository dir. It is the only way
// that this package reaches git: the environment is empty but for PATH, no
// configuration of a person or the machine is read, and no worktree is named.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := []string{"--git-dir=" + dir, "--no-replace-objects", "--literal-pathspecs"}
	for _, c := range safeConfig {
		all = append(all, "-c", c)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_DIR=" + dir, "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=", "GIT_PROTOCOL_FROM_USER=0", "GIT_OPTIONAL_LOCKS=0",
	}
	cmd.Dir = dir
	return cmd
}

// Git runs a plumbing command to its end.
func Git(ctx context.Context, dir string, in io.Reader, out io.Writer, args ...string) error {
	cmd := command(ctx, dir, args...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return nil
}

// GitOutput is git for commands that answer with little.
func GitOutput(ctx context.Context, dir string, args ...string) (string, error) {
	var out bytes.Buffer
	err := Git(ctx, dir, nil, &out, args...)
	return out.String(), err
}

// A catFile is a git process that hands out objects, one after the other.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startCatFile(ctx context.Context, dir string) (*catFile, error) {
	cmd := command(ctx, dir, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return &catFile{cmd, in, bufio.NewReaderSize(out, 1<<16)}, nil
}

// open asks for an object. The reader has to be read to its end before the
// next call.
func (c *catFile) open(h ID) (Kind, int64, io.Reader, error) {
	if _, err := fmt.Fprintf(c.in, "%s\n", h); err != nil {
		return 0, 0, nil, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return 0, 0, nil, fmt.Errorf("git cat-file: %w", err)
	}
	var name, kind string
	var size int64
	if _, err := fmt.Sscanf(line, "%s %s %d\n", &name, &kind, &size); err != nil {
		return 0, 0, nil, fmt.Errorf("%w: %s is missing", ErrDamaged, h)
	}
	for _, k := range []Kind{Commit, Tree, Blob} {
		if k.String() == kind {
			return k, size, io.LimitReader(c.out, size), nil
		}
	}
	return 0, 0, nil, fmt.Errorf("%w: %s is a %s", ErrDamaged, h, kind)
}

// end takes the newline that follows an object.
func (c *catFile) end() error {
	_, err := c.out.ReadByte()
	return err
}

func (c *catFile) close() {
	_ = c.in.Close()
	_ = c.cmd.Process.Kill() // it only reads, and may stand in the middle of an answer
	_ = c.cmd.Wait()
}
