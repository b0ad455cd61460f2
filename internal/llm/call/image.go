package call

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/llm"
)

// maxImage bounds one image. Providers draw the line lower; this one keeps a
// history from filling the memory.
const maxImage = 10 << 20

// imageTypes are the kinds that both vendors take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// An Image is ready to be sent. The zero Image is one that cannot be: Unreadable
// goes in its place.
type Image struct {
	MediaType string
	Base64    string
}

// Unreadable tells the model of an image that it does not get.
const Unreadable = "(an image that is no longer readable)"

// Readable reports whether there is an image to send.
func (i Image) Readable() bool { return i.Base64 != "" }

// URL gives the image as a data URL.
func (i Image) URL() string { return "data:" + i.MediaType + ";base64," + i.Base64 }

// LoadImage reads a data URL, or a blob address by way of the request. What the
// bytes are counts, not what they are said to be: providers refuse a whole call
// over a wrong label. One that cannot be read or is none gives the zero Image:
// it stays in the history, and an error would end every later call as well. The
// only error is that ctx ended.
func LoadImage(ctx context.Context, req llm.Request, address string) (Image, error) {
	data := imageBytes(ctx, req, address)
	if err := ctx.Err(); err != nil {
		return Image{}, err
	}
	kind := http.DetectContentType(data)
	if len(data) > maxImage || !slices.Contains(imageTypes, kind) {
		return Image{}, nil
	}
	return Image{MediaType: kind, Base64: base64.StdEncoding.EncodeToString(data)}, nil
}

// imageBytes gives nil for what cannot be read.
func imageBytes(ctx context.Context, req llm.Request, address string) []byte {
	if strings.HasPrefix(address, "data:") {
		return dataURL(address)
	}
	if req.Image == nil {
		return nil
	}
	_, data, err := req.Image(ctx, address)
	if err != nil {
		return nil
	}
	return data
}

func dataURL(address string) []byte {
	head, body, ok := strings.Cut(strings.TrimPrefix(address, "data:"), ",")
	if !ok || !strings.HasSuffix(head, ";base64") || base64.StdEncoding.DecodedLen(len(body)) > maxImage+3 {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return nil
	}
	return data
}
