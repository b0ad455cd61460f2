package llmtest

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options change how a script is played.
type Options struct {
	// Key is the only key that is accepted. With none, any key is.
	Key string
	// Fast leaves out all delays.
	Fast bool
	// Listener is where Start listens; a free port of 127.0.0.1 if nil.
	Listener net.Listener
	// Sleep waits in place of the clock, for tests that look at the delays.
	Sleep func(context.Context, time.Duration) error
	// Gates are those that replies wait at. Without them no reply waits.
	Gates *Gates
}

// maxBody bounds a request.
const maxBody = 64 << 20

// A Server plays a script. It is safe for concurrent use.
type Server struct {
	script *Script
	opts   Options
	mux    *http.ServeMux
	http   *http.Server // nil without Start
	url    string
	done   chan struct{} // closed when the listener's goroutine has ended
	forget bool          // keep no requests

	mu            sync.Mutex // guards all below
	conversations map[string]*conversation
	requests      []*Request
	arrived       chan struct{} // closed and replaced with each request
	closed        bool
	playing       sync.WaitGroup // added to under mu, and not after closed
}

// New gives a server that somebody else listens for: it is an http.Handler.
func New(script *Script, opts Options) *Server {
	switch {
	case opts.Fast:
		opts.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	case opts.Sleep == nil:
		opts.Sleep = sleep
	}
	s := &Server{
		script: script, opts: opts, mux: http.NewServeMux(),
		conversations: map[string]*conversation{}, arrived: make(chan struct{}),
	}
	for path, vendor := range map[string]Vendor{
		"/v1/messages": Anthropic, "/v1/chat/completions": OpenAI, "/v1/responses": Responses,
		"/openai/v1/chat/completions": OpenAI, "/openai/v1/responses": Responses, // Azure's
		"/v1beta/models/{call}": Gemini, "/v1/models/{call}": Gemini, "/model/{model}/{call}": Bedrock,
		"/v1/projects/{project}/locations/{region}/publishers/anthropic/models/{call}": Vertex,
	} {
		s.mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, vendor) })
	}
	return s
}

// Handler gives a handler that plays the script and keeps no requests, for
// programs that run for long.
func Handler(script *Script, opts Options) http.Handler {
	s := New(script, opts)
	s.forget = true
	return s
}

// Start plays the script on a port of its own until Close.
func Start(script *Script, opts Options) (*Server, error) {
	l := opts.Listener
	if l == nil {
		var err error
		if l, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
	}
	s := New(script, opts)
	s.url = "http://" + l.Addr().String()
	s.done = make(chan struct{})
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // ends with Close, or with its listener
	}()
	return s, nil
}

// URL is where the server listens: Anthropic's base URL. OpenAI's is URL/v1,
// Azure's URL/openai/v1. The others' is the bare URL too.
func (s *Server) URL() string { return s.url }

// Close cuts all connections and returns when every answer has ended.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	var err error
	if s.http != nil {
		err = s.http.Close()
		<-s.done
	}
	s.playing.Wait()
	return err
}

// Requests lists the requests so far, refused ones too, in the order they came.
// Requests without a valid key are not among them.
func (s *Server) Requests() []Request {
	return s.list(func(*Request) bool { return true })
}

// Unmatched lists the requests that were refused as invalid, or that no step
// answered, or whose step has a template that failed. Problem says which.
func (s *Server) Unmatched() []Request {
	return s.list(func(r *Request) bool { return r.Problem != "" })
}

func (s *Server) list(want func(*Request) bool) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.requests {
		if want(r) {
			c := *r
			c.Messages = slices.Clone(r.Messages)
			out = append(out, c)
		}
	}
	return out
}

// Await returns when n requests have arrived in all.
func (s *Server) Await(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		have, arrived := len(s.requests), s.arrived
		s.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	s.playing.Add(1)
	s.mu.Unlock()
	defer s.playing.Done()
	s.mux.ServeHTTP(w, r)
}

func (s *Server) serve(w http.ResponseWriter, hr *http.Request, vendor Vendor) {
	p := &player{sink: &sink{w: w, rc: http.NewResponseController(w)}, sleep: s.opts.Sleep, gates: s.opts.Gates, form: errorForms[vendor]}
	p.google, p.sink.binary = vendor == Gemini || vendor == Vertex, vendor == Bedrock
	refuse := func(no *refusal) { p.sink.document(no.status, p.form(no.status, no.failure)) }

	key := keyOf(hr.Header, vendor)
	if no := checkKey(key, s.opts.Key); no != nil {
		refuse(no)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, hr.Body, maxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			refuse(&refusal{http.StatusRequestEntityTooLarge, Failure{Message: "the request is too large"}})
		}
		return // otherwise the client left
	}
	req, reply, no := s.answer(hr, body, vendor, key)
	if no != nil {
		refuse(no)
		return
	}
	p.perform(hr.Context(), req, reply)
}

// keyOf takes the key from where the vendor's clients put it.
func keyOf(h http.Header, vendor Vendor) string {
	bearer, _ := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	own := "Api-Key" // Azure's
	switch vendor {
	case Anthropic:
		own = "X-Api-Key"
	case Gemini:
		own = "X-Goog-Api-Key"
	case Bedrock:
		return bedrockKey(h.Get("Authorization"))
	}
	if key := h.Get(own); key != "" {
		return key
	}
	return bearer
}

var errorForms = map[Vendor]func(int, Failure) any{
	Anthropic: anthropicError, OpenAI: openaiError, Responses: openaiError,
	Gemini: googleError, Bedrock: amazonError, Vertex: googleError,
}

func (p *player) perform(ctx context.Context, req *Request, r *reply) {
	p.mime = "application/json"
	if req.Stream {
		p.mime = "text/event-stream"
	}
	switch req.Vendor {
	case OpenAI:
		p.voice = &openaiVoice{sink: p.sink, req: req, reply: r}
	case Responses:
		p.voice = &responsesVoice{sink: p.sink, req: req, reply: r}
	case Gemini:
		p.voice = &geminiVoice{sink: p.sink, req: req, reply: r}
	default:
		p.voice = &anthropicVoice{sink: p.sink, req: req, reply: r}
	}
	p.play(ctx, r)
}

// answer decodes, records and matches a request.
func (s *Server) answer(hr *http.Request, body []byte, vendor Vendor, key string) (*Request, *reply, *refusal) {
	var req *Request
	var no *refusal
	model, verb, _ := strings.Cut(hr.PathValue("call"), ":")
	switch vendor {
	case OpenAI:
		req, no = decodeOpenAI(body)
	case Responses:
		req, no = decodeResponses(body)
	case Gemini:
		req, no = decodeGemini(model, verb == "streamGenerateContent", body)
	case Bedrock:
		req, no = decodeCloud(vendor, hr.PathValue("model"), model == "invoke-with-response-stream", body)
	case Vertex:
		req, no = decodeCloud(vendor, model, verb == "streamRawPredict", body)
	default:
		req, no = decodeAnthropic(hr.Header, body)
	}
	req.Body = body
	req.identify(key)

	s.mu.Lock()
	defer s.mu.Unlock()
	var r *reply
	if no == nil {
		r, no = s.match(req)
	}
	if no != nil {
		req.Problem = no.failure.Message
	}
	if !s.forget {
		s.requests = append(s.requests, req)
	}
	close(s.arrived)
	s.arrived = make(chan struct{})
	return req, r, no
}

// match finds the reply to a valid request. The lock is held.
func (s *Server) match(req *Request) (*reply, *refusal) {
	c := s.conversations[req.Conversation]
	if c == nil {
		c = newConversation(len(s.script.Steps))
		s.conversations[req.Conversation] = c
	}
	c.enter(req)
	if no := c.checkLed(req); no != nil {
		return nil, no
	}
	step, caught, why := c.pick(s.script, req)
	if step == nil {
		return nil, badRequest("scripted model: %s", why)
	}
	r, err := newReply(step, scene{req, caught})
	if err != nil {
		return nil, badRequest("scripted model: %v", err)
	}
	if req.sealed {
		maps.Copy(c.led, r.led())
	}
	return r, nil
}
