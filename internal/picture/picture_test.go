package picture_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/picture"
)

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// noise is an image that does not compress.
func noise(t *testing.T, width, height int) []byte {
	t.Helper()
	img, dice := image.NewRGBA(image.Rect(0, 0, width, height)), rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{uint8(dice.Uint32()), uint8(dice.Uint32()), uint8(dice.Uint32()), 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A small image is sent as it is, a large one smaller, so that it fits into a message.
func TestReadFits(t *testing.T) {
	small := noise(t, 10, 10)
	url, err := picture.Read(write(t, "a.png", small), picture.ShareOf(4))
	if err != nil || url != "data:image/png;base64,"+base64.StdEncoding.EncodeToString(small) {
		t.Errorf("%.60s, %v", url, err)
	}
	for _, size := range [][2]int{{900, 900}, {2000, 20}} {
		url, err = picture.Read(write(t, "b.png", noise(t, size[0], size[1])), picture.ShareOf(4))
		body, ok := strings.CutPrefix(url, "data:image/jpeg;base64,")
		if err != nil || size[0] == 900 != ok || len(url) > picture.ShareOf(4) {
			t.Fatalf("%v: %.60s with %d characters, %v", size, url, len(url), err)
		}
		if !ok {
			continue
		}
		data, _ := base64.StdEncoding.DecodeString(body)
		if got, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || got.Width != got.Height {
			t.Errorf("it is %+v, %v", got, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		filepath.Join(dir, "none.png"):     "none.png cannot be read: no such file or directory",
		dir:                                "is a directory",
		"/dev/null":                        "is no file",
		write(t, "x.png", []byte("words")): "is no PNG, JPEG, GIF or WebP picture",
		write(t, "y.png", []byte("\x89PNG\r\n\x1a\n"+strings.Repeat("x", 1<<20))): "is too large to be sent",
	} {
		if _, err := picture.Read(name, picture.ShareOf(1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !picture.Named("/a/B.PNG") || picture.Named("a.go") {
		t.Error("names")
	}
}
