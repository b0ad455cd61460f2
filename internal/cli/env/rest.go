package env

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
	"github.com/clew-run/clew/internal/toolchain"
)

const (
	defaultServer = "http://127.0.0.1:8000"
	// RequestTimeout bounds one request.
	RequestTimeout = 30 * time.Second
	// MaxAnswer bounds what a server answers.
	MaxAnswer = 64 << 20
)

// Remote finds the server that a command talks to.
type Remote struct {
	Server, Data string
	// Start lets a server be started in the background if none runs, where there never
	// was one, too; Own lets it be started in CI, where it ends with the command.
	Start, Own bool
	// Running takes only a server that runs already.
	Running bool
	// Quiet says nothing about the server that is found.
	Quiet bool
}

// Flags adds the flags that name a server.
func (r *Remote) Flags(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&r.Server, "server", "", "address of the server (CLEW_SERVER, default the one that runs in the data directory)")
	cmd.PersistentFlags().StringVar(&r.Data, "data", "", "data directory of the server, with its local socket and owner token (CLEW_DATA, default ~/.local/share/clew)")
}

// Line is a command for a person to paste. It repeats what was said of where the
// server is; the environment is there still.
func (r Remote) Line(words ...string) string {
	for _, flag := range [][2]string{{"--server", r.Server}, {"--data", r.Data}} {
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

// A Rest is the REST interface of a server with the caller's credentials.
type Rest struct {
	Base  *url.URL
	Token string
	At    Remote // how the caller named it
	Local bool   // its local socket vouched for it
	HTTP  *http.Client
}

// Line is a command for a person to paste that reaches the same server.
func (c *Rest) Line(words ...string) string { return c.At.Line(words...) }

// SeesFiles reports whether the server works on this machine's files: its local
// socket vouched for it, or it was named by an address of this machine. A proxy for
// TLS may stand before a server anywhere.
func (c *Rest) SeesFiles() bool {
	return c.Local || c.Base.Scheme == "http" && Loopback(c.Base.Hostname())
}

// Terminal is what commands of a new session may have of this terminal's
// environment: PATH and where toolchains are. It stays on this machine.
func (c *Rest) Terminal(environ []string) map[string]string {
	if !c.Local {
		return nil
	}
	return toolchain.Filter(environ)
}

// API is the published client, for all that it covers.
func (c *Rest) API() *client.API {
	return client.NewAPI(c.Base.String(), c.Token).WithHTTPClient(c.Bounded())
}

// PatientAPI is API for work on a repository, which takes as long as it takes.
func (c *Rest) PatientAPI() *client.API {
	return client.NewAPI(c.Base.String(), c.Token).WithHTTPClient(c.HTTP)
}

// Bounded is for requests that are answered soon.
func (c *Rest) Bounded() *http.Client {
	h := *c.HTTP
	h.Timeout = RequestTimeout
	return &h
}

// Dialing are the options of a connection to a session of this server.
func (c *Rest) Dialing(id clew.SessionID) client.Options {
	return client.Options{URL: c.Base.String(), Token: c.Token, Session: id, HTTPClient: c.HTTP}
}

// Connect finds the server and the credentials. What it gives with a
// *noTokenError works where none are needed.
func (a *App) Connect(r Remote) (*Rest, error) {
	address, socket, err := a.find(r)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(withScheme(address))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, Usagef("--server %q is not an http or https URL", address)
	}
	c := &Rest{Base: base, Token: a.Getenv(EnvPrefix + "TOKEN"), At: r, HTTP: http.DefaultClient}
	if socket != "" {
		c.Local = true
		c.HTTP = seek(socket, base)
	}
	if c.Token == "" {
		c.Token, err = a.ownerToken(r, base, socket != "")
	}
	var none *NoTokenError
	if errors.As(err, &none) && c.needsNoToken() {
		err = nil
	}
	return c, err
}

// needsNoToken reports whether the server lets everybody in, as with --auth off.
func (c *Rest) needsNoToken() bool {
	var me struct {
		Auth string `json:"auth"`
	}
	err := c.CallWithin(context.Background(), noTokenTimeout, http.MethodGet, "me", nil, &me)
	return err == nil && me.Auth == "off"
}

// noTokenTimeout bounds the question whether a token is needed. A server that does not
// answer it gets the advice about the token, which was there before.
const noTokenTimeout = 5 * time.Second

// withScheme lets an address be what serve takes for --listen.
func withScheme(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil && !strings.Contains(address, "/") {
		return "http://" + address
	}
	return address
}

// ownerToken reads DIR/token. It opens everything, so it is not given to
// another machine just because a flag names one: there CLEW_TOKEN must be set.
func (a *App) ownerToken(r Remote, base *url.URL, local bool) (string, error) {
	if !local && !Loopback(base.Hostname()) {
		return "", Usagef("set CLEW_TOKEN to talk to %s: the owner token in the data directory is for this machine only", base.Host)
	}
	name, err := a.TokenFile(r)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &NoTokenError{name}
	}
	return strings.TrimSpace(string(b)), err
}

// A NoTokenError says that there are no credentials to show.
type NoTokenError struct{ File string }

func (e *NoTokenError) Error() string {
	return fmt.Sprintf("no owner token in %s: name the server's data directory with --data, or set CLEW_TOKEN", e.File)
}

// TokenFile is where the token for a server lies.
func (a *App) TokenFile(r Remote) (string, error) {
	dir, err := a.dataDir(r)
	return filepath.Join(dir, "token"), err
}

// dataDir is the server's data directory, as far as the caller knows.
func (a *App) dataDir(r Remote) (string, error) {
	if r.Data != "" {
		return r.Data, nil
	}
	return a.defaultDataDir()
}

// DataDir is the data directory of a server on this machine: the one that is named, or
// the usual one.
func (a *App) DataDir(named string) (string, error) { return a.dataDir(Remote{Data: named}) }

// Loopback reports whether a host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// FirstOf gives the first text that is not empty.
func FirstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// Call sends a request to /api/v1, for keys, which the published client leaves
// to administrators, and decodes the answer into out, which may be nil. What the server refuses comes back as *clew.Error.
func (c *Rest) Call(ctx context.Context, method, path string, body, out any) error {
	return c.CallWithin(ctx, RequestTimeout, method, path, body, out)
}

// CallWithin is call with a limit of its own.
func (c *Rest) CallWithin(ctx context.Context, limit time.Duration, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	u := c.Base.JoinPath("/api/v1", path)
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
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return clew.WrapError(clew.ConnectionFailed, err, "no answer from %s", c.Base.Host)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer))
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
