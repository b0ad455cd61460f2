package transfer

import (
	"archive/tar"
	"errors"
	"io"
	"path"
	"strings"
)

// A tarReader reads an archive of strangers: plain files with harmless names,
// not too many and not too large.
type tarReader struct {
	tar    *tar.Reader
	limits Limits
	n      int
	size   int64
}

func newTarReader(src io.Reader, limits Limits) *tarReader {
	return &tarReader{tar: tar.NewReader(src), limits: limits}
}

// next gives the name and size of the next file, "" at the end.
func (t *tarReader) next() (name string, size int64, err error) {
	for {
		h, err := t.tar.Next()
		if errors.Is(err, io.EOF) {
			return "", 0, nil
		}
		if err != nil {
			return "", 0, failed(err, "the archive")
		}
		if t.n++; t.n > t.limits.Entries {
			return "", 0, tooLarge("the archive has more than %d files", t.limits.Entries)
		}
		if err := checkName(h.Name); err != nil {
			return "", 0, err
		}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
		default:
			return "", 0, bad("%q in the archive is no plain file", h.Name)
		}
		// The size is what it unpacks to, holes included.
		if t.size += h.Size; h.Size < 0 || t.size > t.limits.Unpacked {
			return "", 0, tooLarge("the archive unpacks to more than %d bytes", t.limits.Unpacked)
		}
		return path.Clean(h.Name), h.Size, nil
	}
}

func checkName(name string) error {
	if name == "" || len(name) > 1024 || path.IsAbs(name) || strings.ContainsAny(name, "\\\x00\r\n") {
		return bad("%.100q is not a name for a file", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return bad("%.100q leads out of the archive", name)
		}
	}
	return nil
}

// piece stores the file that next named.
func (t *tarReader) piece(s *spool) (ref, error) {
	r := ref{off: s.size}
	n, err := io.Copy(s, t.tar)
	r.n = int(n)
	return r, failed(err, "the archive")
}

// small reads a file of a few kilobytes.
func (t *tarReader) small(name string, size int64) ([]byte, error) {
	if size > 4<<20 {
		return nil, tooLarge("%s is too large", name)
	}
	b, err := io.ReadAll(t.tar)
	return b, failed(err, "the archive")
}

// maxPadding is what may follow an archive: tar fills its last block.
const maxPadding = 1 << 20

// drain reads to the end, so that the sums of what is around the archive are
// checked, and refuses what hides behind it.
func drain(src io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(src, maxPadding+1))
	if err != nil {
		return failed(err, "the file")
	}
	if n > maxPadding {
		return bad("something follows the archive")
	}
	return nil
}
