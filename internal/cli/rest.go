package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

const (
	defaultServer  = "http://127.0.0.1:8000"
	requestTimeout = 30 * time.Second
	maxAnswer      = 64 << 20
)

// remote finds the server that a command talks to.
type remote struct {
	server, data string
}

func (r *remote) flags(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&r.server, "server", "", "address of the server (CLEW_SERVER, default the one that runs in the data directory)")
	cmd.PersistentFlags().StringVar(&r.data, "data", "", "data directory of the server, with its local socket and owner token (CLEW_DATA, default ~/.local/share/clew)")
}

// line is a command for a person to paste. It repeats what was said of where the
// server is; the environment is there still.
func (r remote) line(words ...string) string {
	for _, flag := range [][2]string{{"--server", r.server}, {"--data", r.data}} {
		if flag[1] != "" {
			words = append(words, flag[0], flag[1])
		}
	}
	text := program()
	for _, word := range words {
		text += " " + quote(word)
	}
	return text
}

// A rest is the REST interface of a server with the caller's credentials.
type rest struct {
	base  *url.URL
	token string
	at    remote // how the caller named it
	local bool   // its local socket vouched for it
	http  *http.Client
}

// line is a command for a person to paste that reaches the same server.
func (c *rest) line(words ...string) string { return c.at.line(words...) }

// api is the published client, for all that it covers.
func (c *rest) api() *client.API {
	return client.NewAPI(c.base.String(), c.token).WithHTTPClient(c.bounded())
}

// bounded is for requests that are answered soon.
func (c *rest) bounded() *http.Client {
	h := *c.http
	h.Timeout = requestTimeout
	return &h
}

// dialing are the options of a connection to a session of this server.
func (c *rest) dialing(id clew.SessionID) client.Options {
	return client.Options{URL: c.base.String(), Token: c.token, Session: id, HTTPClient: c.http}
}

// connect finds the server and the credentials. What it gives with a
// *noTokenError works where none are needed.
func (a *app) connect(r remote) (*rest, error) {
	address, socket, err := a.find(r)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(withScheme(address))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, usagef("--server %q is not an http or https URL", address)
	}
	c := &rest{base: base, token: a.getenv(envPrefix + "TOKEN"), at: r, http: http.DefaultClient}
	if socket != "" {
		c.local = true
		c.http = seek(socket, base)
	}
	if c.token == "" {
		c.token, err = a.ownerToken(r, base, socket != "")
	}
	return c, err
}

// withScheme lets an address be what serve takes for --listen.
func withScheme(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil && !strings.Contains(address, "/") {
		return "http://" + address
	}
	return address
}

// ownerToken reads DIR/token. It opens everything, so it is not given to
// another machine just because a flag names one: there CLEW_TOKEN must be set.
func (a *app) ownerToken(r remote, base *url.URL, local bool) (string, error) {
	if !local && !loopback(base.Hostname()) {
		return "", usagef("set CLEW_TOKEN to talk to %s: the owner token in the data directory is for this machine only", base.Host)
	}
	name, err := a.tokenFile(r)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &noTokenError{name}
	}
	return strings.TrimSpace(string(b)), err
}

// A noTokenError says that there are no credentials to show.
type noTokenError struct{ file string }

func (e *noTokenError) Error() string {
	return fmt.Sprintf("no owner token in %s: name the server's data directory with --data, or set CLEW_TOKEN", e.file)
}

func (a *app) tokenFile(r remote) (string, error) {
	dir, err := a.dataDir(r)
	return filepath.Join(dir, "token"), err
}

// dataDir is the server's data directory, as far as the caller knows.
func (a *app) dataDir(r remote) (string, error) {
	if r.data != "" {
		return r.data, nil
	}
	return a.defaultDataDir()
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// call sends a request to /api/v1, for keys, which the published client leaves
// to administrators, and decodes the answer into out, which may be nil. What the server refuses comes back as *clew.Error.
func (c *rest) call(ctx context.Context, method, path string, body, out any) error {
	return c.callWithin(ctx, requestTimeout, method, path, body, out)
}

// callWithin is call with a limit of its own.
func (c *rest) callWithin(ctx context.Context, limit time.Duration, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	u := c.base.JoinPath("/api/v1", path)
	var send io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		send = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), send)
	if err != nil {
		return err
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return clew.WrapError(clew.ConnectionFailed, err, "no answer from %s", c.base.Host)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return clew.WrapError(clew.ConnectionFailed, err, "the answer broke off")
	}
	if resp.StatusCode >= 300 {
		return refusal(resp.StatusCode, answer)
	}
	if out == nil || len(answer) == 0 {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// refusal reads the server's error, flat or under "error".
func refusal(status int, answer []byte) error {
	type fields struct {
		Code    clew.Code `json:"code"`
		Message string    `json:"message"`
	}
	var body struct {
		fields
		Error fields `json:"error"`
	}
	_ = json.Unmarshal(answer, &body)
	f := body.fields
	if f.Code == "" {
		f = body.Error
	}
	if f.Code != "" {
		return clew.Errorf(f.Code, "%s", f.Message)
	}
	if status == http.StatusUnauthorized {
		return clew.Errorf(clew.AuthFailed, "the server refused the credentials")
	}
	return clew.Errorf(clew.Internal, "the server answered %d %s", status, http.StatusText(status))
}
