package env

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/clew-run/clew"
)

// A UsageError is the caller's mistake.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// Usagef is an error of the caller: wrong flags or arguments.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// ErrReported ends a command with exitFailure whose output said why already.
var ErrReported = errors.New("reported")

// IO is where a command reads, writes, and finds its environment.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Environ  []string // as os.Environ gives it
}

// An App is one run of the program.
type App struct {
	IO
	Server Backend
	JSON   bool   // --json
	Color  string // --color
	// Program is what a server in the background is started with; "" starts none.
	Program string
	owned   *StartedServer // that ends with this command
	// Told, if it is set, gets what is said about the server, in place of standard error.
	Told        func(text string)
	versionTold bool // that the server is of another version
	// Browse opens an address in a browser; nil is the system's way.
	Browse func(address string) error
}

// PrintError writes one line, so that scripts and people read the same, and below
// it what to do next.
func (a *App) PrintError(w io.Writer, err error) {
	switch {
	case errors.Is(err, ErrReported):
	case a.JSON:
		_ = json.NewEncoder(w).Encode(map[string]any{"error": errorBody(err)})
	case ExitCode(err) == ExitUsage && errors.As(err, new(*UsageError)):
		text := ErrorText(err)
		if !strings.Contains(text, "--help") {
			text += " (--help says more)"
		}
		_, _ = fmt.Fprintf(w, "clew: %s\n", text)
		if many := (*ambiguousError)(nil); errors.As(err, &many) {
			many.write(w)
		}
	default:
		_, _ = fmt.Fprintf(w, "clew: %s\n", ErrorText(err))
		if do := Advice(err); do != "" {
			_, _ = fmt.Fprintf(w, "  %s\n", do)
		}
	}
}

// ErrorText says what went wrong; the code of a wire error is for programs.
func ErrorText(err error) string {
	var e *clew.Error
	switch {
	case !errors.As(err, &e):
		return err.Error()
	case e.Err != nil:
		cause := e.Err
		if u := (*url.Error)(nil); errors.As(cause, &u) {
			cause = u.Err // the address is known, and its path helps nobody
		}
		return e.Message + ": " + cause.Error()
	}
	return e.Message
}

func errorBody(err error) map[string]string {
	var e *clew.Error
	var usage *UsageError
	switch {
	case errors.As(err, &e):
		body := map[string]string{"code": string(e.Code), "message": e.Message}
		if do := Advice(err); do != "" {
			body["hint"] = do
		}
		return body
	case errors.As(err, &usage):
		body := map[string]string{"code": "USAGE", "message": err.Error()}
		if many := (*ambiguousError)(nil); errors.As(err, &many) {
			body["hint"] = many.ids()
		}
		return body
	default:
		return map[string]string{"code": string(clew.Internal), "message": err.Error()}
	}
}

// Print writes v as JSON with --json, else calls text.
func (a *App) Print(v any, text func(w io.Writer) error) error {
	if !a.JSON {
		return text(a.Out)
	}
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Getenv looks a variable up in the program's environment.
func (a *App) Getenv(name string) string {
	value := ""
	for _, kv := range a.Environ { // the last one counts, as in os/exec
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}
