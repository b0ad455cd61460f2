package session

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/blob"
)

// keptBlobs are Blobs in memory.
type keptBlobs map[string][]byte

func (b keptBlobs) PutBlob(_ context.Context, _ blob.For, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	address := hex.EncodeToString(sum[:])
	b[address] = data
	return address, nil
}

func (b keptBlobs) Blob(_ context.Context, address string) ([]byte, error) {
	data, ok := b[address]
	if !ok {
		return nil, errors.New("no such blob")
	}
	return data, nil
}

// Refers implements References: the session has all but what is foreign.
func (b keptBlobs) Refers(_ context.Context, id clew.SessionID, address string) (bool, error) {
	return id == "s1" && b[address] != nil && !strings.Contains(string(b[address]), "foreign"), nil
}

const (
	pngStart  = "\x89PNG\r\n\x1a\n"
	webpStart = "RIFF\x10\x00\x00\x00WEBPVP8 "
)

func imageURL(kind, data string) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(data))
}

func TestStoreImage(t *testing.T) {
	blobs := keptBlobs{}
	put := func(text string) string {
		address, err := blobs.PutBlob(t.Context(), blob.For{}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	stored, page, foreign := put(pngStart+"stored"), put("<html>"), put(pngStart+"foreign")
	h := &Host{cfg: Config{Blobs: blobs, References: blobs}}
	for name, c := range map[string]struct {
		url string
		ok  bool
	}{
		"png":             {imageURL("image/png", pngStart+"x"), true},
		"jpeg":            {imageURL("image/jpeg", "\xff\xd8\xff\xe0"), true},
		"old gif":         {imageURL("image/gif", "GIF87a"), true},
		"gif":             {imageURL("image/gif", "GIF89a"), true},
		"webp":            {imageURL("image/webp", webpStart), true},
		"largest":         {imageURL("image/png", pngStart+strings.Repeat("x", maxImage-len(pngStart))), true},
		"too large":       {imageURL("image/png", pngStart+strings.Repeat("x", maxImage-len(pngStart)+1)), false},
		"far too large":   {"data:image/png;base64," + strings.Repeat("A", 2*maxImage), false},
		"a page":          {imageURL("image/png", "<html>"), false},
		"a sound":         {imageURL("image/webp", "RIFF\x10\x00\x00\x00WAVEfmt "), false},
		"cut short":       {imageURL("image/webp", webpStart[:12]), false},
		"empty":           {imageURL("image/png", ""), false},
		"another type":    {imageURL("image/svg+xml", pngStart), false},
		"damaged":         {"data:image/png;base64,!!!", false},
		"no base64":       {"data:image/png,x", false},
		"web address":     {"https://example.org/x.png", false},
		"stored":          {BlobScheme + stored, true},
		"a stored page":   {BlobScheme + page, false},
		"of another":      {BlobScheme + foreign, false},
		"not stored":      {BlobScheme + strings.Repeat("0", 64), false},
		"upper case":      {BlobScheme + strings.ToUpper(stored), false},
		"a path":          {BlobScheme + "../../token", false},
		"long enough":     {BlobScheme + strings.Repeat("/", 64), false},
		"bare address":    {stored, false},
		"nothing":         {"", false},
		"two schemes":     {BlobScheme + BlobScheme + stored, false},
		"with a new line": {BlobScheme + stored + "\n", false},
	} {
		d := &clew.UserMessageData{Images: []string{c.url}}
		err := h.storeImages(t.Context(), "s1", "ann", d)
		if c.ok {
			if err != nil || blobs[strings.TrimPrefix(d.Images[0], BlobScheme)] == nil {
				t.Errorf("%s: %q %v", name, d.Images, err)
			}
			continue
		}
		if clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestImagesOfAMessage(t *testing.T) {
	h := &Host{cfg: Config{Blobs: keptBlobs{}}}
	images := make([]string, maxImages+1)
	for i := range images {
		images[i] = imageURL("image/png", pngStart)
	}
	for _, data := range []any{
		&clew.UserMessageData{Images: images}, &clew.NewTaskData{Images: images},
		&clew.AskResponseData{Images: images},
	} {
		if err := h.storeImages(t.Context(), "s1", "ann", data); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%T with too many: %v", data, err)
		}
	}
	d := &clew.UserMessageData{Images: images[1:]}
	if err := h.storeImages(t.Context(), "s1", "ann", d); err != nil || !strings.HasPrefix(d.Images[maxImages-1], BlobScheme) {
		t.Errorf("%q %v", d.Images[maxImages-1], err)
	}
}
