package files

import (
	"io"

	"github.com/clew-run/clew/internal/tool"
)

// ReadText reads the beginning of a file of the workspace as the file tools would:
// by the same rules on links, on what is hidden and on what is no file. It gives
// the path without links, at most the first limit bytes, and the size of it all.
func ReadText(ws *tool.Workspace, name string, limit int64) (real string, data []byte, size int64, err error) {
	p, err := locate(ws, name)
	if err != nil {
		return "", nil, 0, err
	}
	f, info, err := open(ws.Root, p.real)
	if err != nil {
		return "", nil, 0, err
	}
	defer func() { _ = f.Close() }()
	data, err = io.ReadAll(io.LimitReader(f, limit))
	return p.real, data, info.Size(), err
}
