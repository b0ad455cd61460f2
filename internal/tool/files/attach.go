package files

import (
	"io"
	"io/fs"
	"path"

	"github.com/clew-run/clew/internal/tool"
)

// Attached reads a whole file of the workspace that goes along with an answer, by
// the rules of read_file. It gives the file's own name too.
func Attached(ws *tool.Workspace, name string, most int64) (string, []byte, error) {
	p, err := locateFile(ws, name)
	if err != nil {
		return "", nil, explain(name, err)
	}
	if ws.Ignored(p.real, false) {
		return "", nil, explain(p.asked, fs.ErrNotExist) // by now
	}
	f, _, err := open(ws.Root, p.real)
	if err != nil {
		return "", nil, explain(p.asked, err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return "", nil, explain(p.asked, err)
	}
	if int64(len(data)) > most {
		return "", nil, refuse("%s is larger than %d MB", show(p.asked), most>>20)
	}
	return path.Base(p.asked), data, nil
}
