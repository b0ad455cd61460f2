package object

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"

	"github.com/clew-run/clew/internal/git"
)

// command makes a call of git on the bare repository dir. From a size on files are
// streamed, and never stored as differences.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	return git.Bare(ctx, dir, append([]string{"-c", "core.bigFileThreshold=" + strconv.Itoa(maxInMemory)}, args...)...)
}

// Git runs a plumbing command to its end.
func Git(ctx context.Context, dir string, in io.Reader, out io.Writer, args ...string) error {
	return git.Run(command(ctx, dir, args...), in, out)
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
