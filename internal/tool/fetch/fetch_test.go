package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// publicIP stands for a host on the internet; the test dialer leads it to the
// test server, after the check that a real socket would have had.
const publicIP = "93.184.215.14"

// A web is a test server that answers for every public name.
type web struct {
	*httptest.Server
	dialed atomic.Int32
	lookup Lookup
}

func newWeb(t *testing.T, h http.HandlerFunc) *web {
	t.Helper()
	w := &web{Server: httptest.NewServer(h)}
	t.Cleanup(w.Close)
	w.lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr(publicIP)}, nil
	}
	return w
}

func (w *web) tool(allow ...string) *Tool {
	t := New(Options{
		Allow:  func(clew.SessionID) []string { return allow },
		Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) { return w.lookup(ctx, host) },
	})
	t.dialer = func(check control) dialFunc {
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			if err := check(network, address, nil); err != nil {
				return nil, err
			}
			w.dialed.Add(1)
			return (&net.Dialer{}).DialContext(ctx, network, w.Listener.Addr().String())
		}
	}
	return t
}

func prepare(t *Tool, input string) (*tool.Action, error) {
	return t.Prepare(context.Background(), tool.Call{Input: json.RawMessage(input)})
}

// get prepares and runs a call, as it is after an approval.
func get(t *testing.T, f *Tool, url string) (tool.Result, error) {
	t.Helper()
	input, err := json.Marshal(map[string]string{"url": url})
	if err != nil {
		t.Fatal(err)
	}
	action, err := prepare(f, string(input))
	if err != nil {
		return tool.Result{}, err
	}
	if action.Refused != "" {
		return tool.Result{}, fmt.Errorf("refused: %s", action.Refused)
	}
	return action.Run(t.Context(), nil)
}

func TestFetchGivesText(t *testing.T) {
	w := newWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Authorization", "Cookie", "Referer"} {
			if r.Header.Get(name) != "" {
				t.Errorf("%s was sent", name)
			}
		}
		switch r.URL.Path {
		case "/page":
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			http.SetCookie(rw, &http.Cookie{Name: "a", Value: "b"})
			_, _ = io.WriteString(rw, "<title>T</title><script>evil()</script><p>Hello <b>you</b>,\n  see <a href='/x'>this</a>.<ul><li>one<li>two</ul><pre>a\n  b</pre>")
		case "/json":
			rw.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(rw, `{"a":1}`)
		case "/gone":
			http.Error(rw, "gone", http.StatusGone)
		case "/hop":
			http.Redirect(rw, r, "/json", http.StatusFound)
		case "/bin":
			_, _ = rw.Write([]byte{0x7f, 'E', 'L', 'F', 0, 1})
		case "/lie":
			rw.Header().Set("Content-Type", "text/plain")
			_, _ = rw.Write([]byte{'a', 0, 1})
		}
	})
	f := w.tool("example.org")
	cases := []struct{ path, want, fails string }{
		{"/page", "T\n\nHello you, see this (/x).\n\n- one\n- two\n\na\n  b", ""},
		{"/json", `{"a":1}`, ""},
		{"/gone", "410 Gone", ""},
		{"/hop", `{"a":1}`, ""},
		{"/bin", "", "not text"},
		{"/lie", "", "not text"},
	}
	for _, c := range cases {
		got, err := get(t, f, "http://example.org"+c.path)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v", c.path, err)
			}
			continue
		}
		if err != nil || !strings.Contains(got.Text, c.want) || strings.Contains(got.Text, "evil") || got.IsError != (c.path == "/gone") {
			t.Errorf("%s: %q, %v", c.path, got.Text, err)
		}
	}
	action, err := prepare(f, `{"url":"http://example.org/json","method":"HEAD"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := action.Run(t.Context(), nil); err != nil || !strings.Contains(got.Text, "Content-Length: 7") {
		t.Errorf("HEAD: %q, %v", got.Text, err)
	}
}

func TestInput(t *testing.T) {
	f := New(Options{Allow: func(clew.SessionID) []string { return []string{"example.org"} }})
	for _, input := range []string{
		``, `{}`, `[]`, `{"url":""}`, `{"url":"example.org"}`, `{"url":"file:///etc/passwd"}`, `{"url":"gopher://example.org"}`,
		`{"url":"http://"}`, `{"url":"http:example.org"}`, `{"url":"http://user@example.org"}`, `{"url":"http://example.org@evil.test"}`,
		`{"url":"http://example.org:x"}`, `{"url":"http://[::1%25eth0]/"}`, `{"url":"http://exa mple.org"}`, `{"url":"http://example.org/\n"}`,
		`{"url":"http://example.org","method":"POST"}`, `{"url":"http://example.org","max_bytes":-1}`, `{"url":"http://example.org","max_bytes":99999999}`,
		`{"url":"http://example.org","headers":{"a":"b"}}`,
	} {
		if action, err := prepare(f, input); err == nil {
			t.Errorf("%s is taken: %+v", input, action.Effect)
		}
	}
	action, err := prepare(f, `{"url":"HTTPS://EXAMPLE.org.:443/a?b#c"}`)
	if err != nil || action.Refused != "" || action.Effect.URL != "https://example.org/a?b" {
		t.Errorf("%+v, %v", action, err)
	}
	if s := f.Spec(); s.Class != clew.ClassReadOnly || s.Group != tool.GroupFetch || !json.Valid(s.Schema) || s.Description == "" {
		t.Errorf("%+v", s)
	}
}

func TestRedirectsAreCheckedAgain(t *testing.T) {
	target := ""
	w := newWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/loop" {
			http.Redirect(rw, r, "/loop", http.StatusFound)
			return
		}
		http.Redirect(rw, r, target, http.StatusFound)
	})
	f := w.tool("example.org")
	for _, target = range []string{
		"http://169.254.169.254/latest/meta-data/", "http://evil.test/", "http://example.org:8080/", "http://127.0.0.1/", "http://[::1]/",
		"http://2852039166/", "http://example.org@169.254.169.254/", "//evil.test/", "file:///etc/passwd", "http://example.org.evil.test/",
	} {
		before := w.dialed.Load()
		if got, err := get(t, f, "http://example.org/"); err == nil {
			t.Errorf("to %s: %q", target, got.Text)
		}
		if n := w.dialed.Load() - before; n != 1 {
			t.Errorf("to %s: %d connections", target, n)
		}
	}
	before := w.dialed.Load()
	if _, err := get(t, f, "http://example.org/loop"); err == nil || !strings.Contains(err.Error(), "redirects") {
		t.Errorf("a loop: %v", err)
	}
	if n := w.dialed.Load() - before; n != maxRedirects+1 {
		t.Errorf("a loop made %d connections", n)
	}
}

func TestRebindingIsSeenAtTheSocket(t *testing.T) {
	w := newWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://example.org/again", http.StatusFound)
	})
	for _, second := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd00:ec2::254"} {
		asked := 0
		w.lookup = func(context.Context, string) ([]netip.Addr, error) {
			asked++
			if asked == 1 {
				return []netip.Addr{netip.MustParseAddr(publicIP)}, nil
			}
			return []netip.Addr{netip.MustParseAddr(second)}, nil
		}
		before := w.dialed.Load()
		if _, err := get(t, w.tool("example.org"), "http://example.org/"); err == nil || !strings.Contains(err.Error(), "not a public address") {
			t.Errorf("%s: %v", second, err)
		}
		if n := w.dialed.Load() - before; n != 1 || asked != 2 {
			t.Errorf("%s: %d connections, %d lookups", second, n, asked)
		}
	}
}

func TestTheRealSocketIsChecked(t *testing.T) {
	hits := atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		_, _ = io.WriteString(rw, "inside")
	}))
	defer s.Close()
	addr := netip.MustParseAddrPort(s.Listener.Addr().String())
	open := func(url string, allow ...string) (tool.Result, error) {
		f := New(Options{
			Allow:  func(clew.SessionID) []string { return allow },
			Lookup: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{addr.Addr()}, nil },
		})
		return get(t, f, url)
	}
	name := fmt.Sprintf("example.org:%d", addr.Port())
	if got, err := open("http://"+name, name); err == nil {
		t.Errorf("a listed name that means this machine: %q", got.Text)
	}
	if got, err := open("http://"+addr.String(), addr.Addr().String()); err == nil {
		t.Errorf("an address listed without its port: %q", got.Text)
	}
	if hits.Load() != 0 {
		t.Errorf("%d requests came through", hits.Load())
	}
	if got, err := open("http://"+addr.String(), addr.String()); err != nil || !strings.Contains(got.Text, "inside") {
		t.Errorf("an address listed with its port: %q, %v", got.Text, err)
	}
	if got, err := open("http://"+name, name, addr.String()); err != nil || !strings.Contains(got.Text, "inside") {
		t.Errorf("a name and its address, both listed: %q, %v", got.Text, err)
	}
}

func TestProxiesAreNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	w := newWeb(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "direct") })
	if got, err := get(t, w.tool("example.org"), "http://example.org"); err != nil || !strings.Contains(got.Text, "direct") {
		t.Errorf("%q, %v", got.Text, err)
	}
}

func TestLargeAndSlowAnswersAreBounded(t *testing.T) {
	zeros := bytes.Repeat([]byte("a"), 1<<20)
	w := newWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := rw.Write(zeros); err != nil {
					return
				}
			}
		case "/bomb":
			rw.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(rw)
			for range 200 {
				if _, err := z.Write(zeros); err != nil {
					return
				}
			}
			_ = z.Close()
		case "/packed":
			rw.Header().Set("Content-Encoding", "br")
			_, _ = rw.Write([]byte("x"))
		case "/headers":
			rw.Header().Set("X-Long", strings.Repeat("a", 1<<20))
		case "/slow":
			_, _ = rw.Write([]byte("a"))
			rw.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/silent":
			<-r.Context().Done()
		}
	})
	f := w.tool("example.org")
	for _, path := range []string{"/endless", "/bomb"} {
		got, err := get(t, f, "http://example.org"+path)
		if err != nil || len(got.Text) > defaultBytes+300 || !strings.HasSuffix(got.Text, "[cut after 524288 bytes]") {
			t.Errorf("%s: %d bytes, %v", path, len(got.Text), err)
		}
	}
	for _, path := range []string{"/packed", "/headers"} {
		if got, err := get(t, f, "http://example.org"+path); err == nil {
			t.Errorf("%s: %d bytes", path, len(got.Text))
		}
	}
	f.timeout = 100 * time.Millisecond
	for _, path := range []string{"/slow", "/silent"} {
		if _, err := get(t, f, "http://example.org"+path); err == nil || !strings.Contains(err.Error(), "no complete answer within") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
