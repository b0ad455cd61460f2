package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
	"github.com/clew-run/clew/internal/picture"
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
const maxText = 4 << 20

// readText puts the message together: the words of the line, then the file, then
// what is piped or redirected in. A - asks for standard input of any kind.
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
	alone := len(args) == 0 && t.file == "" && len(t.images) == 0
	asked := len(words) < len(args) || alone && !history.OnTerminal(a)
	if asked || piped(a.In) {
		b, err := readInput(a, asked)
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

// piped reports whether standard input is a pipe or a file, which somebody may have
// sent along. Elsewhere it is a terminal, a device, or a socket that nobody closes.
func piped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode()&os.ModeNamedPipe != 0 || info.Mode().IsRegular())
}

// inputWithin is how long a pipe that nobody asked for may stay silent. Services and
// CI give programs pipes into which nobody ever writes.
const inputWithin = 3 * time.Second

// readInput reads standard input to its end. What nobody asked for may stay silent
// for a while only.
func readInput(a *env.App, asked bool) ([]byte, error) {
	in := bufio.NewReader(io.LimitReader(a.In, maxText+1))
	began := make(chan error, 1)
	go func() {
		_, err := in.Peek(1)
		began <- err
	}()
	var silent <-chan time.Time
	if !asked {
		silent = time.After(inputWithin)
	}
	select {
	case err := <-began:
		if err != nil && err != io.EOF { //nolint:errorlint // Peek gives the reader's own error
			return nil, err
		}
		return io.ReadAll(in)
	case <-silent:
		_, _ = fmt.Fprintln(a.Err, "Nothing came on standard input; continuing without it. To leave it out at once: < /dev/null")
		return nil, nil
	}
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
		url, err := picture.Read(name, picture.ShareOf(len(names)))
		if err != nil {
			return nil, env.Usagef("%w", err)
		}
		urls = append(urls, url)
	}
	return urls, nil
}
