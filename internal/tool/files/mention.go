package files

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/clew-run/clew/internal/tool"
)

// maxMentionedEntries bounds the listing of a directory that a message mentions.
const maxMentionedEntries = 200

// A Mentioned is a file or directory that a person mentions in a message, as a model
// gets it: what read_file or list_files would give.
type Mentioned struct {
	Path      string // relative to the workspace, as it was asked for
	Directory bool
	Cut       bool // the text says so, and how to read on
	tool.Result
}

// ReadMentioned reads what a message mentions, by the rules of the file tools, with at
// most so many bytes of text. There is none if nothing lies there: then the words are
// just words. What holds secrets is refused, as the person did not say that they mean it.
func ReadMentioned(ctx context.Context, ws *tool.Workspace, name string, most int) (*Mentioned, error) {
	p, err := locate(ws, name)
	var wrong *tool.InputError
	switch {
	case errors.As(err, &wrong) || err == nil && !p.exists():
		return nil, nil
	case err != nil:
		return nil, err
	case p.secret():
		return nil, refuse("it may hold secrets")
	case !p.info.IsDir() && !p.info.Mode().IsRegular():
		return nil, refuse("it is %s, not a file", kind(p.info.Mode()))
	}
	m := &Mentioned{Path: p.asked, Directory: p.info.IsDir()}
	if m.Directory {
		m.Text, err = list(ctx, ws, p.real, listInput{Limit: maxMentionedEntries})
	} else {
		m.Result, err = read(ctx, ws, p.real, readInput{Offset: 1, Limit: maxReadLines, most: most})
		m.Cut = strings.Contains(m.Text, "\n("+moreFollows) // lines of the file begin with their number
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // by now
	}
	if err != nil {
		return nil, explain(p.asked, err)
	}
	return m, nil
}
