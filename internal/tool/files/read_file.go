package files

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed" // the description
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

const (
	maxReadLines  = 2000
	maxReadText   = 256 << 10 // bytes of one answer
	maxReadLine   = 2000      // characters of a line
	maxReadImage  = 5 << 20
	maxReadBudget = 64 << 20 // bytes looked at to find the lines asked for
	sniffed       = 8 << 10  // bytes that tell text from binary
)

//go:embed read_file.md
var readFileDoc string

var readFileSchema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "File, relative to the workspace"},
    "offset": {"type": "integer", "minimum": 1, "description": "First line to read, from 1"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 2000, "description": "Number of lines"}
  },
  "required": ["path"],
  "additionalProperties": false
}`)

type readFile struct{}

func (readFile) Spec() tool.Spec {
	return tool.Spec{
		Name: "read_file", Description: strings.TrimSpace(readFileDoc), Schema: readFileSchema,
		Class: clew.ClassReadOnly, Group: tool.GroupRead, Parallel: true,
	}
}

type readInput struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
	most   int    // bytes of text, 0 for maxReadText
}

func (readFile) Prepare(_ context.Context, call tool.Call) (*tool.Action, error) {
	in := readInput{Offset: 1, Limit: maxReadLines}
	if err := decode(call, &in); err != nil {
		return nil, err
	}
	if in.Offset < 1 || in.Limit < 1 {
		return nil, invalid("offset and limit start at 1")
	}
	in.Limit = min(in.Limit, maxReadLines)
	p, err := locateFile(call.Workspace, in.Path)
	if err != nil {
		return settle(nil, err)
	}
	return &tool.Action{
		Effect: clew.Effect{Summary: "Read " + p.label(), Paths: []string{p.real}},
		Ask:    clew.AskTool, Protected: p.secret(),
		Run: func(ctx context.Context, _ tool.Output) (tool.Result, error) {
			r, err := read(ctx, call.Workspace, p.real, in)
			if err != nil {
				return tool.Result{}, explain(p.asked, err)
			}
			return r, nil
		},
	}, nil
}

// locateFile finds a file that has to be there.
func locateFile(ws *tool.Workspace, name string) (place, error) {
	p, err := locate(ws, name)
	switch {
	case err != nil:
		return p, err
	case !p.exists():
		return p, invalid("%s does not exist", show(p.asked))
	case p.info.IsDir():
		return p, invalid("%s is a directory; list_files shows what it holds", show(p.asked))
	case !p.info.Mode().IsRegular():
		return p, refuse("%s is %s, not a file", show(p.asked), kind(p.info.Mode()))
	}
	return p, nil
}

func read(ctx context.Context, ws *tool.Workspace, real string, in readInput) (tool.Result, error) {
	if ws.Ignored(real, false) {
		return tool.Result{}, fs.ErrNotExist // by now
	}
	f, info, err := open(ws.Root, real)
	if err != nil {
		return tool.Result{}, err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, sniffed)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return tool.Result{}, err
	}
	head = head[:n]
	kind := http.DetectContentType(head)
	switch {
	case isImage(kind):
		return readImage(f, info.Size(), kind)
	case bytes.IndexByte(head, 0) >= 0:
		return tool.Result{}, invalid("%s is a binary file (%d bytes, %s) and cannot be shown as text", show(real), info.Size(), kind)
	}
	return readText(ctx, f, in)
}

func isImage(kind string) bool {
	return kind == "image/png" || kind == "image/jpeg" || kind == "image/gif" || kind == "image/webp"
}

func readImage(f *os.File, size int64, kind string) (tool.Result, error) {
	if size > maxReadImage {
		return tool.Result{}, invalid("the image is too large to be shown (%d bytes, %s; at most %d bytes)", size, kind, maxReadImage)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxReadImage))
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{
		Text:   fmt.Sprintf("Image, %s, %d bytes.", kind, len(b)),
		Images: []string{"data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b)},
	}, nil
}

// A page is the part of a text that one answer holds.
type page struct {
	out      strings.Builder
	line     int  // lines seen so far
	crlf     bool // a line ended in CR LF
	replaced bool // bytes that are no UTF-8
	more     bool // lines follow
}

func readText(ctx context.Context, f io.Reader, in readInput) (tool.Result, error) {
	left := &io.LimitedReader{R: f, N: maxReadBudget}
	r := bufio.NewReaderSize(left, 64<<10)
	var p page
	last := in.Offset + in.Limit - 1
	for {
		if err := ctx.Err(); err != nil {
			return tool.Result{}, err
		}
		if p.line == last || p.out.Len() >= cmp.Or(in.most, maxReadText) {
			_, err := r.Peek(1)
			p.more = err == nil
			break
		}
		text, size, err := readLine(r, p.line+1 >= in.Offset)
		if size == 0 && errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return tool.Result{}, err
		}
		p.line++
		if p.line >= in.Offset {
			p.add(text, size)
		}
	}
	if p.line < in.Offset && left.N > 0 && (p.line > 0 || in.Offset > 1) {
		return tool.Result{}, invalid("offset %d is beyond the end: the file has %d lines", in.Offset, p.line)
	}
	return tool.Result{Text: p.finish(left.N <= 0)}, nil
}

// readLine reads a line and gives its beginning and its full size in bytes. It
// keeps no more than is shown, however long the line is.
func readLine(r *bufio.Reader, wanted bool) (text []byte, size int, err error) {
	for {
		part, err := r.ReadSlice('\n')
		size += len(part)
		if room := maxReadLine*utf8.UTFMax - len(text); wanted && room > 0 {
			text = append(text, part[:min(room, len(part))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, size, err
		}
	}
}

func (p *page) add(text []byte, size int) {
	whole := len(text) == size
	line, ended := bytes.CutSuffix(text, []byte("\n"))
	if ended {
		if rest, ok := bytes.CutSuffix(line, []byte("\r")); ok {
			line, p.crlf = rest, true
		}
	}
	shown, cut := firstRunes(string(line), maxReadLine)
	if !utf8.ValidString(shown) {
		shown = strings.ToValidUTF8(shown, "\uFFFD")
		p.replaced = p.replaced || whole
	}
	fmt.Fprintf(&p.out, "%6d\t%s", p.line, shown)
	if cut || !whole {
		fmt.Fprintf(&p.out, " … (cut; the line has %d bytes)", size)
	}
	p.out.WriteByte('\n')
}

const moreFollows = "more lines follow"

func (p *page) finish(exhausted bool) string {
	var notes []string
	switch {
	case exhausted:
		notes = append(notes, fmt.Sprintf("stopped after %d MiB of the file; use search_files to find a place further on", maxReadBudget>>20))
	case p.more:
		notes = append(notes, fmt.Sprintf(moreFollows+"; continue with offset %d", p.line+1))
	case p.line == 0:
		notes = append(notes, "the file is empty")
	}
	if p.crlf {
		notes = append(notes, "lines end in CR LF")
	}
	if p.replaced {
		notes = append(notes, "bytes that are not UTF-8 are shown as \uFFFD")
	}
	if len(notes) > 0 {
		fmt.Fprintf(&p.out, "(%s)\n", strings.Join(notes, "; "))
	}
	return p.out.String()
}

// firstRunes cuts s after a number of characters.
func firstRunes(s string, limit int) (string, bool) {
	if len(s) <= limit {
		return s, false
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i], true
		}
		n++
	}
	return s, false
}
