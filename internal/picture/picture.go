// Package picture makes image files ready to be sent with a message, for all clients
// that send files of their own machine.
package picture

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // decoders
	"image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// What a message may carry: a frame is a megabyte at most, and text needs some of it.
const (
	Most           = 4
	mostCharacters = 880_000
	longestSide    = 1568 // models look at nothing finer
	mostBytes      = 64 << 20
	mostPixels     = 100_000_000
)

var (
	types   = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	endings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}
)

// Named reports whether a file's name is that of an image.
func Named(name string) bool { return slices.Contains(endings, strings.ToLower(filepath.Ext(name))) }

// ShareOf is how many characters of data URL each of n images of a message may have.
func ShareOf(n int) int { return mostCharacters / max(n, 1) }

// Read gives an image file as a data URL of at most so many characters. One that is
// larger is sent smaller, as a JPEG.
func Read(name string, most int) (url string, err error) {
	data, err := read(name)
	if err != nil {
		return "", err
	}
	kind := http.DetectContentType(data)
	if !slices.Contains(types, kind) {
		return "", fmt.Errorf("%s is no PNG, JPEG, GIF or WebP picture", name)
	}
	if url = dataURL(kind, data); len(url) <= most {
		return url, nil
	}
	if data = shrunk(data, most); data == nil {
		return "", fmt.Errorf("%s is too large to be sent", name)
	}
	return dataURL("image/jpeg", data), nil
}

func read(name string) ([]byte, error) {
	info, err := os.Stat(name)
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return nil, fmt.Errorf("%s cannot be read: %w", name, path.Err)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", name)
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%s is larger than %d MB", name, mostBytes>>20)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, mostBytes))
}

func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// shrunk makes the image as small as it has to be, nil if it cannot be done.
func shrunk(data []byte, most int) []byte {
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || size.Width*size.Height > mostPixels {
		return nil
	}
	whole, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	width, height := float64(size.Width), float64(size.Height)
	scale := min(1, longestSide/max(width, height))
	for range 8 {
		small := image.NewRGBA(image.Rect(0, 0, max(1, int(width*scale)), max(1, int(height*scale))))
		draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src) // JPEG knows no transparency
		draw.ApproxBiLinear.Scale(small, small.Bounds(), whole, whole.Bounds(), draw.Over, nil)
		var out bytes.Buffer
		if jpeg.Encode(&out, small, &jpeg.Options{Quality: 85}) != nil {
			return nil
		}
		if len(dataURL("image/jpeg", out.Bytes())) <= most {
			return out.Bytes()
		}
		scale *= 0.75
	}
	return nil
}
