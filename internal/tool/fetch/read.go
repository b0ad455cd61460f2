package fetch

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tool"
)

// read takes an answer's text, up to the limit. The limit is on what comes out
// of decompression, so a small answer cannot become a large one.
func read(resp *http.Response, req request) (tool.Result, error) {
	head := fmt.Sprintf("%s %s\n%s", resp.Request.Method, resp.Request.URL, resp.Status)
	kind := resp.Header.Get("Content-Type")
	if kind != "" {
		head += "\nContent-Type: " + oneLine(kind)
	}
	result := tool.Result{IsError: resp.StatusCode >= 400}
	if req.Method == http.MethodHead {
		result.Text = head + headLines(resp.Header)
		return result, nil
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return result, fmt.Errorf("the answer is packed as %q, which is not read", oneLine(encoding))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(req.MaxBytes)+1))
	if err != nil {
		return result, fmt.Errorf("the answer broke off: %w", err)
	}
	cut := len(body) > req.MaxBytes
	body = body[:min(len(body), req.MaxBytes)]
	media := mediaType(kind, body)
	if !isText(media) {
		return result, fmt.Errorf("the answer is %s, not text", media)
	}
	text := strings.ToValidUTF8(string(body), "\uFFFD")
	if media == "text/html" || media == "application/xhtml+xml" {
		text = term.HTMLText(body)
	}
	if cut {
		text += fmt.Sprintf("\n[cut after %d bytes]", req.MaxBytes)
	}
	result.Text = head + "\n\n" + text
	return result, nil
}

func mediaType(header string, body []byte) string {
	media, _, err := mime.ParseMediaType(header)
	if err != nil {
		media, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	// A wrong label does not make bytes into text.
	if bytes.IndexByte(body, 0) >= 0 {
		return "application/octet-stream"
	}
	return media
}

var textTypes = []string{
	"application/json", "application/xml", "application/javascript", "application/ecmascript", "application/yaml",
	"application/x-yaml", "application/toml", "application/x-ndjson", "application/sql", "application/graphql", "image/svg+xml",
}

func isText(media string) bool {
	return strings.HasPrefix(media, "text/") || slices.Contains(textTypes, media) ||
		strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml")
}

// headLines gives the headers that say something about the content.
func headLines(h http.Header) string {
	var b strings.Builder
	for _, name := range []string{"Content-Length", "Last-Modified", "Etag"} {
		if v := h.Get(name); v != "" {
			b.WriteString("\n" + name + ": " + oneLine(v))
		}
	}
	return b.String()
}

// oneLine keeps a header short and on its line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return s[:min(len(s), 200)]
}
