package transcript

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// A script is a parsed transcript. steps[i] belongs to archive.Files[i].
type script struct {
	path    string
	archive *txtar.Archive
	steps   []step
}

// A step is one section. Which fields it uses depends on verb.
type step struct {
	verb string // setup, connect, server, client, close, leave, request, response, kill, restart, wait
	who  string // the client it is about
	body []string

	request request       // connect, request
	status  int           // connect (0 = must succeed), response
	pause   time.Duration // wait
}

// A request is an HTTP request or a WebSocket handshake.
type request struct {
	method, target, as string
	header             http.Header
	body               string
}

var named = map[string]bool{
	"connect": true, "server": true, "client": true, "close": true, "leave": true,
	"setup": false, "request": false, "response": false, "kill": false, "restart": false, "wait": false,
}

func load(path string) (*script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, data)
}

func parse(path string, data []byte) (*script, error) {
	s := &script{path: path, archive: txtar.Parse(data)}
	if len(s.archive.Files) == 0 {
		return nil, fmt.Errorf("%s has no sections", path)
	}
	for i, f := range s.archive.Files {
		st, err := parseStep(f)
		if err != nil {
			return nil, fmt.Errorf("%s, section %d (%s): %w", path, i+1, f.Name, err)
		}
		s.steps = append(s.steps, st)
	}
	return s, nil
}

func parseStep(f txtar.File) (step, error) {
	words := strings.Fields(f.Name)
	if len(words) == 0 {
		return step{}, fmt.Errorf("section without a name")
	}
	takesName, known := named[words[0]]
	switch {
	case !known:
		return step{}, fmt.Errorf("unknown step %q", words[0])
	case takesName && len(words) != 2:
		return step{}, fmt.Errorf("%s needs the name of one client", words[0])
	case !takesName && len(words) != 1:
		return step{}, fmt.Errorf("%s takes no name", words[0])
	}
	st := step{verb: words[0], body: lines(f.Data)}
	if takesName {
		st.who = words[1]
	}
	return st, st.parseBody()
}

func (st *step) parseBody() (err error) {
	switch st.verb {
	case "connect", "request":
		return st.parseRequest()
	case "response":
		if len(st.body) == 0 {
			return fmt.Errorf("a response needs a status")
		}
		st.status, err = strconv.Atoi(st.body[0])
		st.body = st.body[1:]
		return err
	case "wait":
		if len(st.body) != 1 {
			return fmt.Errorf("wait needs one duration")
		}
		st.pause, err = time.ParseDuration(st.body[0])
		return err
	case "close":
		if len(st.body) != 1 {
			return fmt.Errorf("close needs one line: the code and the reason")
		}
	case "server":
		return st.checkPatterns()
	}
	return nil
}

func (st *step) checkPatterns() error {
	for _, l := range st.body {
		if l == more {
			continue
		}
		if _, err := parseJSON([]byte(l)); err != nil {
			return fmt.Errorf("%s: %w", l, err)
		}
	}
	return nil
}

var headerLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*):\s*(.*)$`)

func (st *step) parseRequest() error {
	if len(st.body) == 0 {
		return fmt.Errorf("%s needs a request line", st.verb)
	}
	words := strings.Fields(st.body[0])
	if len(words) < 2 || len(words) > 3 {
		return fmt.Errorf("%q is not METHOD TARGET [as=USER]", st.body[0])
	}
	r := request{method: words[0], target: words[1], header: http.Header{}}
	if len(words) == 3 {
		as, ok := strings.CutPrefix(words[2], "as=")
		if !ok {
			return fmt.Errorf("%q is not as=USER", words[2])
		}
		r.as = as
	}
	rest := st.body[1:]
	for len(rest) > 0 {
		m := headerLine.FindStringSubmatch(rest[0])
		if m == nil {
			break
		}
		r.header.Add(m[1], m[2])
		rest = rest[1:]
	}
	if st.verb == "connect" && len(rest) > 0 {
		code, ok := strings.CutPrefix(rest[0], "status ")
		if !ok || len(rest) > 1 {
			return fmt.Errorf("%q is neither a header nor a status", rest[0])
		}
		var err error
		if st.status, err = strconv.Atoi(code); err != nil {
			return err
		}
		rest = nil
	}
	r.body = strings.Join(rest, "\n")
	st.request = r
	return nil
}

// lines splits a section and leaves out empty lines and comments.
func lines(data []byte) []string {
	var out []string
	for l := range strings.Lines(string(data)) {
		l = strings.TrimSpace(l)
		if l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

var times = regexp.MustCompile(`\{([^{}*]+)\*(\d+)\}`)

// expand puts kept values into a text that is sent. Braces that name nothing
// stay, because JSON is full of them.
func (v vars) expand(s string) string {
	s = times.ReplaceAllStringFunc(s, func(m string) string {
		p := times.FindStringSubmatch(m)
		n, err := strconv.Atoi(p[2])
		if err != nil {
			return m
		}
		return strings.Repeat(p[1], n)
	})
	return placeholder.ReplaceAllStringFunc(s, func(m string) string {
		if kept, ok := v[m[1:len(m)-1]]; ok {
			return plain(kept)
		}
		return m
	})
}

// outgoing gives the frames that a line of a client section stands for.
func (v vars) outgoing(line string) ([]string, error) {
	rest, ok := strings.CutPrefix(line, "repeat ")
	if !ok {
		return []string{v.expand(line)}, nil
	}
	count, text, ok := strings.Cut(rest, " ")
	n, err := strconv.Atoi(count)
	if !ok || err != nil {
		return nil, fmt.Errorf("%q is not repeat N TEXT", line)
	}
	out := make([]string, n)
	for i := range out {
		out[i] = v.expand(strings.ReplaceAll(text, "{n}", strconv.Itoa(i+1)))
	}
	return out, nil
}
