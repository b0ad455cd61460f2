// Package marktest looks for texts that a test planted, in all files of a directory,
// also where they are compressed.
package marktest

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Find gives the files below dir that hold a mark, by mark. A file is looked at as
// it is, and so is everything in it that can be unpacked: zstd, as in the archive,
// and zlib, as in git's objects and packs.
func Find(dir string, marks ...string) (map[string][]string, error) {
	found := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a server that runs removes files
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, part := range append(unpacked(data), data) {
			for _, mark := range marks {
				if bytes.Contains(part, []byte(mark)) && !slices.Contains(found[mark], path) {
					found[mark] = append(found[mark], path)
				}
			}
		}
		return nil
	})
	return found, err
}

// most bounds what one stream may unpack to.
const most = 64 << 20

var (
	zstdStart  = []byte{0x28, 0xb5, 0x2f, 0xfd}
	zlibStarts = [][]byte{{0x78, 0x01}, {0x78, 0x5e}, {0x78, 0x9c}, {0x78, 0xda}}
)

// unpacked gives the content of every stream that begins somewhere in the data, as
// far as it can be read.
func unpacked(data []byte) (parts [][]byte) {
	each(data, zstdStart, func(rest []byte) {
		if r, err := zstd.NewReader(bytes.NewReader(rest)); err == nil {
			parts = append(parts, read(r))
			r.Close()
		}
	})
	for _, start := range zlibStarts {
		each(data, start, func(rest []byte) {
			if r, err := zlib.NewReader(bytes.NewReader(rest)); err == nil {
				parts = append(parts, read(r))
			}
		})
	}
	return parts
}

func each(data, start []byte, fn func(rest []byte)) {
	for at := 0; ; at++ {
		next := bytes.Index(data[at:], start)
		if next < 0 {
			return
		}
		at += next
		fn(data[at:])
	}
}

func read(r io.Reader) []byte {
	b, _ := io.ReadAll(io.LimitReader(r, most)) // what comes before an error counts
	return b
}
