package marktest_test

import (
	"bytes"
	"compress/zlib"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/clew-run/clew/internal/e2e/marktest"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var deflated bytes.Buffer
	w := zlib.NewWriter(&deflated)
	_, _ = w.Write([]byte("some words, mark-3, and more"))
	_ = w.Close()
	for name, data := range map[string][]byte{
		"plain":      []byte("here is mark-1"),
		"sub/frames": append([]byte("head"), z.EncodeAll([]byte("here is mark-2 and so on and so on"), z.EncodeAll([]byte("another frame"), nil))...),
		"pack":       append([]byte("PACK\x00\x78\x01"), deflated.Bytes()...),
		"none":       bytes.Repeat([]byte("mark-"), 100),
	} {
		path := filepath.Join(dir, name)
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := marktest.Find(dir, "mark-1", "mark-2", "mark-3", "mark-4")
	if err != nil || len(found) != 3 || len(found["mark-1"]) != 1 || len(found["mark-2"]) != 1 || len(found["mark-3"]) != 1 {
		t.Errorf("%v, %v", found, err)
	}
}
