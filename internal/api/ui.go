package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// pages are the addresses that the web UI has of its own: it shows what belongs
// there, so all of them get the same file.
var pages = []string{
	"/{$}", "/sign-in", "/inbox", "/history", "/search", "/usage", "/settings", "/settings/{page...}", "/mcp", "/admin", "/admin/{page...}",
	"/s/{id}", "/s/{id}/{page...}", "/design",
}

// uiTypes are the kinds of files that the UI is made of. The system's own table
// differs from machine to machine.
var uiTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".webp": "image/webp", ".woff2": "font/woff2",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".wasm": "application/wasm", ".txt": "text/plain; charset=utf-8",
}

// uiHeaders have the page load nothing of others, run no script but its own
// files, and be shown in no frame. What agents and strangers wrote cannot run in
// it, whatever gets past the UI's own care.
var uiHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
		"connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; " +
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types clew dompurify 'allow-duplicates'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy": "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), " +
		"microphone=(), midi=(), payment=(), serial=(), usb=(), xr-spatial-tracking=()",
}

// framePage holds the pages that agents wrote: the HTML of windows.
const framePage = "frame.html"

// framePolicy gives it an origin that has nothing and lets it load nothing,
// wherever it is opened. Its own script puts the page in; those of the page run
// only where a person said so, in a frame that was asked for with "run". The UI's own
// script that draws diagrams runs in such a frame as well. A page of a tool server may
// reach the hosts that a person let it.
func framePolicy(content []byte, ask frameRequest) string {
	scripts := "'unsafe-inline'"
	if !ask.run {
		_, script, _ := bytes.Cut(content, []byte("<script>"))
		script, _, _ = bytes.Cut(script, []byte("</script>"))
		sum := sha256.Sum256(script)
		scripts = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	load, connect := "", "'none'"
	if len(ask.load) > 0 {
		load = " " + strings.Join(ask.load, " ")
	}
	if len(ask.connect) > 0 {
		connect = strings.Join(ask.connect, " ")
	}
	return "sandbox allow-scripts; default-src 'none'; script-src " + scripts + load + "; style-src 'unsafe-inline'" + load + "; img-src data: blob:" + load + "; " +
		"font-src data:" + load + "; media-src data: blob:" + load + "; connect-src " + connect + "; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
}

// A frameRequest is how the frame was asked for: whether scripts run in it and, if so,
// which hosts they may reach and load from.
type frameRequest struct {
	run           bool
	connect, load []string
}

// readFrameRequest reads it. A host that cannot be taken to the letter is refused: it
// could say more in the policy than a host.
func readFrameRequest(q url.Values) (frameRequest, error) {
	ask := frameRequest{run: q.Has("run")}
	if !ask.run {
		return ask, nil
	}
	ask.connect, ask.load = q["connect"], q["load"]
	for _, list := range [][]string{ask.connect, ask.load} {
		if len(list) > clew.AppOriginsMax || slices.ContainsFunc(list, func(o string) bool { return !clew.ValidOrigin(o) }) {
			return ask, clew.Errorf(clew.InvalidMessage, "connect and load name at most %d hosts, such as https://api.example.org", clew.AppOriginsMax)
		}
	}
	return ask, nil
}

// uiRoutes serve the web UI. It holds nothing secret, so everybody may have it.
func (a *API) uiRoutes() error {
	if a.o.UI == nil {
		return nil
	}
	page := Route{Open: true, Page: true}
	index, err := newUIFile(a.o.UI, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		for _, p := range pages {
			a.add("GET "+p, page, unbuilt)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("api: web UI: %w", err)
	}
	for _, p := range pages {
		a.add("GET "+p, page, index.serve)
	}
	a.index = index
	return fs.WalkDir(a.o.UI, ".", func(name string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(path.Base(name), ".") || name == "index.html" || name == "index.html.gz"
		if err != nil || entry.IsDir() || hidden {
			return err
		}
		if plain, packed := strings.CutSuffix(name, ".gz"); packed {
			if _, err := fs.Stat(a.o.UI, plain); err == nil {
				return nil // it comes with that one
			}
			name = plain
		}
		f, err := newUIFile(a.o.UI, name)
		if err != nil {
			return fmt.Errorf("api: web UI: %w", err)
		}
		a.add("GET /"+name, page, f.serve)
		return nil
	})
}

// elsewhere answers at an address that nothing has. Somebody who opens it in a browser
// gets the UI, which says so and leads on; a program gets an error.
func (a *API) elsewhere(program http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		opened := r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
		if a.index == nil || !opened || strings.HasPrefix(r.URL.Path, "/api/") {
			program(w, r)
			return
		}
		a.index.serve(missingPage{w}, r)
	}
}

// A missingPage is the UI at an address that it does not have.
type missingPage struct{ http.ResponseWriter }

func (w missingPage) WriteHeader(status int) {
	if status == http.StatusOK {
		status = http.StatusNotFound
	}
	w.ResponseWriter.WriteHeader(status)
}

// A uiFile is a file of the UI, and what was made of it at the build.
type uiFile struct {
	files  fs.FS
	name   string
	tag    string // of its content
	packed bool   // there is NAME.gz beside it, or in place of it
	frame  []byte // framePage's content, for its policy
}

func newUIFile(files fs.FS, name string) (*uiFile, error) {
	data, err := fs.ReadFile(files, name)
	packed, packedErr := fs.ReadFile(files, name+".gz")
	if errors.Is(err, fs.ErrNotExist) && packedErr == nil {
		data, err = packed, nil
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	f := &uiFile{files: files, name: name, tag: hex.EncodeToString(sum[:16]), packed: packedErr == nil}
	if name == framePage {
		f.frame = data
	}
	return f, nil
}

func (f *uiFile) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range uiHeaders {
		h.Set(name, value)
	}
	if f.name == framePage {
		ask, err := readFrameRequest(r.URL.Query())
		if err != nil {
			writeError(w, r, err)
			return
		}
		h.Set("Content-Security-Policy", framePolicy(f.frame, ask))
	}
	h.Set("Content-Type", uiTypes[path.Ext(f.name)])
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/octet-stream")
	}
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(f.name, "assets/") { // these have a hash in their names
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if f.name == "sw.js" {
		h.Set("Service-Worker-Allowed", "/")
	}
	name, tag := f.name, f.tag
	if f.packed {
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r) {
			h.Set("Content-Encoding", "gzip")
			name, tag = name+".gz", tag+"-gz"
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	file, err := f.files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		f.serveUnpacked(w, r)
		return
	}
	if err != nil {
		writeError(w, r, err)
		return
	}
	defer func() { _ = file.Close() }()
	content, ok := file.(io.ReadSeeker)
	if !ok {
		writeError(w, r, fmt.Errorf("%s cannot be read from the middle", name))
		return
	}
	http.ServeContent(w, r, "", time.Time{}, content)
}

// serveUnpacked serves a file that is only there packed to a client that does not
// take it so.
func (f *uiFile) serveUnpacked(w http.ResponseWriter, r *http.Request) {
	packed, err := fs.ReadFile(f.files, f.name+".gz")
	if err != nil {
		writeError(w, r, err)
		return
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		writeError(w, r, err)
		return
	}
	data, err := io.ReadAll(unpack)
	if err != nil {
		writeError(w, r, err)
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// takesGzip reports whether the client takes an answer in gzip.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, weighed := strings.Cut(strings.ReplaceAll(part, " ", ""), ";q=")
		if !strings.EqualFold(coding, "gzip") {
			continue
		}
		q, err := strconv.ParseFloat(weight, 64)
		return !weighed || err == nil && q > 0
	}
	return false
}

// unbuilt stands in for a UI that is not in the program.
func unbuilt(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	for name, value := range uiHeaders {
		h.Set(name, value)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	_, _ = io.WriteString(w, unbuiltPage) // fails only if the client is gone
}

const unbuiltPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>clew</title>
<h1>clew is running, without its web UI</h1>
<p>This program was built without it. In the source tree, <code>make web build</code> builds both;
then start the server again. It needs Node.</p>
<p>Everything else works: the command line (<code>clew --help</code>), REST
(<a href="/openapi.json">/openapi.json</a>) and the WebSocket (<a href="/asyncapi.json">/asyncapi.json</a>).</p>
</html>
`
