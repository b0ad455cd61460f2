package call

import (
	"context"
	"encoding/base64"
	"errors"
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

// An Image is ready to be sent.
type Image struct {
	MediaType string
	Base64    string
}

// URL gives the image as a data URL.
func (i Image) URL() string { return "data:" + i.MediaType + ";base64," + i.Base64 }

// LoadImage reads a data URL, or a blob address by way of the request. What the
// bytes are counts, not what they are said to be: providers refuse a whole call
// over a wrong label.
func LoadImage(ctx context.Context, req llm.Request, address string) (Image, error) {
	data, err := imageBytes(ctx, req, address)
	if err != nil {
		return Image{}, err
	}
	if len(data) > maxImage {
		return Image{}, Refused(nil, "an image of the conversation is larger than %d MiB", maxImage>>20)
	}
	kind := http.DetectContentType(data)
	if !slices.Contains(imageTypes, kind) {
		return Image{}, Refused(nil, "an image of the conversation is neither PNG, JPEG, GIF nor WebP")
	}
	return Image{MediaType: kind, Base64: base64.StdEncoding.EncodeToString(data)}, nil
}

func imageBytes(ctx context.Context, req llm.Request, address string) ([]byte, error) {
	if strings.HasPrefix(address, "data:") {
		return dataURL(address)
	}
	if req.Image == nil {
		return nil, Refused(nil, "an image of the conversation cannot be loaded here")
	}
	_, data, err := req.Image(ctx, address)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, Refused(err, "an image of the conversation cannot be read")
	}
	return data, nil
}

func dataURL(address string) ([]byte, error) {
	head, body, ok := strings.Cut(strings.TrimPrefix(address, "data:"), ",")
	if !ok || !strings.HasSuffix(head, ";base64") {
		return nil, Refused(errors.New("no base64 data URL"), "an image of the conversation is no base64 data URL")
	}
	if base64.StdEncoding.DecodedLen(len(body)) > maxImage+3 {
		return nil, Refused(nil, "an image of the conversation is larger than %d MiB", maxImage>>20)
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return nil, Refused(err, "an image of the conversation is damaged")
	}
	return data, nil
}
