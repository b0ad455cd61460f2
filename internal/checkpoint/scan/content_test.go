package scan

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A file that is read a second time is the same only if it has the very bytes
// and ends where they end, also at the edges of the buffer.
func TestSame(t *testing.T) {
	const edge = 32 << 10
	for _, size := range []int{0, 1, edge - 1, edge, edge + 1, 2 * edge, 3*edge + 7} {
		data := bytes.Repeat([]byte("0123456"), size/7+1)[:size]
		for name, c := range map[string]struct {
			file []byte
			want bool
		}{
			"same":    {data, true},
			"longer":  {append(bytes.Clone(data), 'x'), false},
			"shorter": {data[:max(0, size-1)], size == 0},
			"other":   {append(bytes.Clone(data[:max(0, size-1)]), 'x'), false},
		} {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := new(worker).same(f, data)
			if err != nil || got != c.want {
				t.Errorf("%d bytes, %s: same is %v, %v; want %v", size, name, got, err, c.want)
			}
			_ = f.Close()
		}
	}
}
