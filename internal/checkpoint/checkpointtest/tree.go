// Package checkpointtest makes workspaces for tests and measurements.
package checkpointtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// inDirectory is the number of files in a directory.
const inDirectory = 100

// Fill makes a tree of text files below root, a hundred to a directory, which
// have size bytes together. It is the same tree each time.
func Fill(root string, files int, size int64) error {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([][]byte, 4000)
	for i := range words {
		words[i] = fmt.Appendf(nil, "%x", r.Uint64()>>(r.IntN(40)+8))
	}
	each := int(size / int64(files))
	var b bytes.Buffer
	for i := range files {
		name := filepath.Join(root, Name(i))
		if i%inDirectory == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
		}
		b.Reset()
		for b.Len() < each {
			b.Write(words[r.IntN(len(words))])
			b.WriteByte(" \n\t("[r.IntN(4)])
		}
		if err := os.WriteFile(name, b.Bytes()[:each], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Name is the path of a tree's i-th file below its root.
func Name(i int) string {
	dir := i / inDirectory
	return fmt.Sprintf("group%02d/dir%03d/file%05d.txt", dir%25, dir, i)
}
