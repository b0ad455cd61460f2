package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/clew-run/clew/internal/llm/llmtest"
)

// held is the wait that lasts until the test says so: a script cannot know when
// the test has seen enough.
const held = time.Hour

// A stage plays one script after the other. It is safe for concurrent use.
type stage struct {
	mu    sync.Mutex // guards all below
	model *llmtest.Server
	gate  chan struct{} // closed while waits of an hour go on
	gates *llmtest.Gates
}

func newStage() *stage {
	s := &stage{gate: make(chan struct{})}
	s.begin(&llmtest.Script{})
	return s
}

func (s *stage) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /control/script", s.play)
	mux.HandleFunc("POST /control/release", func(http.ResponseWriter, *http.Request) { s.release() })
	mux.HandleFunc("POST /control/hold", func(http.ResponseWriter, *http.Request) { s.hold() })
	mux.HandleFunc("POST /control/open/{name}", s.open)
	mux.HandleFunc("GET /control/requests", s.requests)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.current().ServeHTTP(w, r) })
	return mux
}

func (s *stage) current() *llmtest.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

// play takes a new script. Answers that are under way end as they began.
func (s *stage) play(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	script, err := llmtest.Parse(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(script)
}

func (s *stage) begin(script *llmtest.Script) {
	s.gates = new(llmtest.Gates)
	s.model = llmtest.New(script, llmtest.Options{Sleep: s.sleep, Gates: s.gates})
}

func (s *stage) open(_ http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gates.Open(r.PathValue("name"))
}

func (s *stage) requests(w http.ResponseWriter, _ *http.Request) {
	model := s.current()
	answer := struct {
		Requests int      `json:"requests"`
		Problems []string `json:"problems"`
	}{len(model.Requests()), []string{}}
	for _, r := range model.Unmatched() {
		answer.Problems = append(answer.Problems, r.Problem)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the test has left then
}

func (s *stage) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.gate: // it is open
	default:
		close(s.gate)
	}
}

func (s *stage) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.gate:
		s.gate = make(chan struct{})
	default:
	}
}

func (s *stage) sleep(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	if d < held {
		gate = nil
	}
	select {
	case <-timer.C:
		return nil
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
