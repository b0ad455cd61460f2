package clew

import (
	"regexp"
	"slices"
	"strings"
)

// maxMentions bounds the files that one message can mention.
const maxMentions = 20

// mention is @path or @"path" at the beginning of a word. The @ of an address, of a
// name in quotes or of \@path is none.
var mention = regexp.MustCompile(`(?:^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))`)

// Mentions lists the paths that a message mentions, each once, as they stand there:
// punctuation at the end may belong to the sentence. The server looks whether there is
// such a file when an agent hears the message.
func Mentions(text string) []string {
	var paths []string
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		path := m[1] + m[2] // one of them is empty
		if len(paths) < maxMentions && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Mention writes a path as a message mentions it. A directory ends in a slash.
func Mention(path string, directory bool) string {
	if directory {
		path += "/"
	}
	if strings.ContainsAny(path, " \t") || endsLikeSentence(path) {
		return `@"` + path + `"`
	}
	return "@" + path
}

// SentenceEnd are characters that may follow a path in a sentence.
const SentenceEnd = ".,;:!?)]}>'`…"

func endsLikeSentence(path string) bool { return strings.TrimRight(path, SentenceEnd) != path }
