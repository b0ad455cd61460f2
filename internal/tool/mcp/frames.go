package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxStray is how many lines that are no messages a server may print. Some
// greet the world on their standard output; one that goes on is broken.
const maxStray = 100

var errNotMCP = errors.New("it does not speak MCP on its standard output")

// frames passes on the lines that are JSON. What else a server prints goes to
// its stray output and does not break the connection.
type frames struct {
	in    *bufio.Reader
	limit int
	stray io.Writer
	count int
	rest  []byte
}

func newFrames(in io.Reader, limit int, stray io.Writer) *frames {
	return &frames{in: bufio.NewReaderSize(in, 64<<10), limit: limit, stray: stray}
}

func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.line()
		if len(bytes.TrimSpace(line)) > 0 {
			if err := f.take(line); err != nil {
				return 0, err
			}
		}
		if err != nil && len(f.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// line reads up to the end of a line, or of the stream.
func (f *frames) line() ([]byte, error) {
	var line []byte
	for {
		part, err := f.in.ReadSlice('\n')
		if len(line)+len(part) > f.limit {
			return nil, fmt.Errorf("it sent a message of more than %d bytes", f.limit)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (f *frames) take(line []byte) error {
	line = bytes.TrimSpace(line)
	if (line[0] == '{' || line[0] == '[') && json.Valid(line) {
		line = append(line, '\n')
		f.rest = line
		return nil
	}
	if f.count++; f.count > maxStray {
		return errNotMCP
	}
	_, err := f.stray.Write(append(line[:min(len(line), 200):min(len(line), 200)], '\n'))
	return err
}
