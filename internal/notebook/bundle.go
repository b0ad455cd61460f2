package notebook

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew/internal/session/blob"
)

const (
	maxInline      = 8 << 10 // of one MIME type; more is a blob
	maxInlinePlain = 2 << 10 // of text/plain, which is the message's text too
	maxTypes       = 32      // of one output
	maxDisplays    = 1_000   // that one kernel can update
	maxName        = 256
	maxModelImages = 4
)

// A mimeBundle is an output by MIME type, as a message has it.
type mimeBundle struct {
	data   map[string]any
	images []string // addresses
	inline int      // bytes
}

// bundle makes what a message has of a MIME bundle. What cannot be stored is named with
// the reason: an output is no reason to end a run.
func bundle(ctx context.Context, data map[string]json.RawMessage, put func(context.Context, []byte) (string, error)) mimeBundle {
	b := mimeBundle{data: map[string]any{}}
	for _, mime := range slices.Sorted(maps.Keys(data)) {
		if len(b.data) == maxTypes || len(mime) > maxName {
			break
		}
		b.data[mime] = b.value(ctx, mime, data[mime], put)
	}
	for _, mime := range []string{"image/png", "image/jpeg"} {
		if v, ok := b.data[mime].(map[string]any); ok && v["blob"] != nil {
			b.images = append(b.images, blob.Scheme+v["blob"].(string))
		}
	}
	return b
}

func (b *mimeBundle) value(ctx context.Context, mime string, raw json.RawMessage, put func(context.Context, []byte) (string, error)) any {
	limit := maxInline
	if mime == "text/plain" {
		limit = maxInlinePlain
	}
	var text string
	isText := json.Unmarshal(raw, &text) == nil
	content := []byte(raw)
	if isText {
		content = []byte(text)
	}
	if isText && strings.HasPrefix(mime, "image/") && mime != "image/svg+xml" {
		if decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")); err == nil {
			content, limit = decoded, 0
		}
	}
	if !isText && looksLarge(raw) {
		limit = -1
	}
	if len(content) <= limit {
		b.inline += len(content)
		if isText {
			return text
		}
		return raw
	}
	address, err := put(ctx, content)
	if err != nil {
		return map[string]any{"bytes": len(content), "problem": err.Error()}
	}
	return map[string]any{"blob": address, "bytes": len(content)}
}

// looksLarge reports whether a value of the kernel could be taken for the address of a
// blob: it would let the kernel have what others stored.
func looksLarge(raw json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object["blob"] != nil
}

// plainText is the text form of a bundle.
func plainText(data map[string]json.RawMessage) string {
	var text string
	if json.Unmarshal(data["text/plain"], &text) != nil {
		return ""
	}
	return text
}

// cutText bounds a message's text.
func cutText(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if len(text) <= maxText {
		return text
	}
	half := maxText/2 - 16
	return wholeRunes(text, half) + "\n…\n" + strings.ToValidUTF8(text[len(text)-half:], "")
}

// wholeRunes is the beginning of a text, of at most some bytes.
func wholeRunes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:max(most, 0)]
}

// short bounds a name that a kernel gives.
func short(name string) string {
	return wholeRunes(strings.ToValidUTF8(name, string(utf8.RuneError)), maxName)
}

const (
	wordsFirst = 24 << 10 // of what a model gets of a run
	wordsLast  = 8 << 10
)

var colours = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// words is what a model gets of a run: the beginning and the end.
type words struct {
	first, last []byte
	cut         int // bytes between them
}

func (w *words) add(text string) {
	if n := wordsFirst - len(w.first); n > 0 && w.cut == 0 && len(w.last) == 0 {
		part := wholeRunes(text, n)
		w.first = append(w.first, part...)
		text = text[len(part):]
	}
	if len(text) > wordsLast {
		w.cut += len(text) - wordsLast
		text = text[len(text)-wordsLast:]
	}
	w.last = append(w.last, text...)
	if over := len(w.last) - wordsLast; over > wordsLast {
		w.cut += over
		w.last = append([]byte(nil), w.last[over:]...)
	}
}

// addBlock adds text that begins on a line of its own.
func (w *words) addBlock(text string) {
	if text == "" {
		return
	}
	end := w.last
	if len(end) == 0 {
		end = w.first
	}
	if len(end) > 0 && end[len(end)-1] != '\n' {
		w.add("\n")
	}
	w.add(text + "\n")
}

// String is the text without colours.
func (w *words) String() string {
	first, last := string(w.first), strings.ToValidUTF8(string(w.last), "")
	if w.cut > 0 {
		first += "\n… some output was left out …\n"
	}
	return colours.ReplaceAllString(first+last, "")
}
