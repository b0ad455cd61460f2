package cli

import (
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
)

// textFlags say what to say besides the words on the line.
type textFlags struct {
	file   string
	images []string
}

func (t *textFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.file, "file", "", "file with the text, or with more of it")
	cmd.Flags().StringArrayVar(&t.images, "image", nil, "picture to send along: PNG, JPEG, GIF or WebP; may be repeated")
}

// What may be read: more is no message to an agent.
const (
	maxText  = 4 << 20
	maxImage = 20 << 20
)

// readText puts the message together: the words of the line, then the file, then
// standard input if - stands on the line, or if there is nothing else and it is
// not a terminal.
func readText(a *env.App, t textFlags, args []string) (string, error) {
	words := slices.DeleteFunc(slices.Clone(args), func(w string) bool { return w == "-" })
	parts := []string{strings.Join(words, " ")}
	if t.file != "" {
		b, err := readFile(t.file, maxText)
		if err != nil {
			return "", err
		}
		parts = append(parts, string(b))
	}
	piped := len(args) == 0 && t.file == "" && len(t.images) == 0 && !history.OnTerminal(a)
	if piped || len(words) < len(args) {
		b, err := io.ReadAll(io.LimitReader(a.In, maxText+1))
		if err != nil {
			return "", err
		}
		if len(b) > maxText {
			return "", env.Usagef("standard input is more than %d MB: name a file in the workspace instead", maxText>>20)
		}
		parts = append(parts, string(b))
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" })
	return strings.TrimSpace(strings.ToValidUTF8(strings.Join(parts, "\n\n"), "\uFFFD")), nil
}

func readFile(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, env.Usagef("%s cannot be read: %w", name, err)
	case info.IsDir():
		return nil, env.Usagef("%s is a directory", name)
	case info.Size() > most:
		return nil, env.Usagef("%s is larger than %d MB", name, most>>20)
	}
	return os.ReadFile(name)
}

// readImages makes data URLs of picture files.
func readImages(names []string) ([]string, error) {
	var urls []string
	for _, name := range names {
		b, err := readFile(name, maxImage)
		if err != nil {
			return nil, err
		}
		kind := http.DetectContentType(b)
		if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) {
			return nil, env.Usagef("%s is no PNG, JPEG, GIF or WebP picture", name)
		}
		urls = append(urls, "data:"+kind+";base64,"+base64.StdEncoding.EncodeToString(b))
	}
	return urls, nil
}
