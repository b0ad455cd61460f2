package ipc

import (
	"os"
	"path/filepath"
	"strconv"
)

// longest is what a socket address holds.
const longest = 107

// short gives a name for path that fits into a socket address: if it is too
// long, one by way of its directory. done lets the directory go.
func short(path string) (name string, done func(), err error) {
	if len(path) <= longest {
		return path, func() {}, nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	name = filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), filepath.Base(path))
	if _, err := os.Stat(filepath.Dir(name)); err != nil || len(name) > longest {
		_ = dir.Close()
		return "", nil, &TooLongError{path}
	}
	return name, func() { _ = dir.Close() }, nil
}
