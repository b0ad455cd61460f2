package env

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/clew-run/clew"
)

// Stream sends a request whose body or answer may be large. The caller closes
// the answer's body. size is -1 if it is not known.
func (c *Rest) Stream(ctx context.Context, method, path string, query url.Values, body io.Reader, size int64) (*http.Response, error) {
	u := c.Base.JoinPath("/api/v1", path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, clew.WrapError(clew.ConnectionFailed, err, "no answer from %s", c.Base.Host)
	}
	if resp.StatusCode >= 300 {
		defer func() { _ = resp.Body.Close() }()
		answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		if err != nil {
			return nil, clew.WrapError(clew.ConnectionFailed, err, "the answer broke off")
		}
		return nil, refusal(resp.StatusCode, answer)
	}
	return resp, nil
}

// A ProgressReader counts what is read, and says so to a person who looks on.
type ProgressReader struct {
	io.Reader
	word string

	mu   sync.Mutex // a request's body may still be read when the answer is there
	N    int64
	w    io.Writer // nil if nobody looks on
	said time.Time
}

// Progress shows how much was read, on a terminal.
func (a *App) Progress(word string, r io.Reader) *ProgressReader {
	p := &ProgressReader{Reader: r, word: word, said: time.Now()}
	if f, ok := a.Err.(*os.File); ok && !a.JSON {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.w = f
		}
	}
	return p
}

// Read implements io.Reader.
func (p *ProgressReader) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.N += int64(n)
	if p.w != nil && time.Since(p.said) > 200*time.Millisecond {
		p.said = time.Now()
		_, _ = fmt.Fprintf(p.w, "\r%s %.1f MB ", p.word, float64(p.N)/1e6)
	}
	return n, err
}

// End takes the line away. It may be called twice.
func (p *ProgressReader) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil {
		_, _ = fmt.Fprint(p.w, "\r\033[K")
		p.w = nil
	}
}
