package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/anthropic"
)

// A stage is what the figures of a turn are measured on: a model of the bench's
// own, and a clew server with the usual agent that uses it.
type stage struct {
	b        *bench
	model    *model
	clew     *child
	addr     string
	dir      string
	sessions int
	record   int // bytes of a record, in the last turn
}

// turns measures what clew adds to a model's tokens and to a tool call.
func (b *bench) turns() (err error) {
	s := &stage{b: b, dir: filepath.Join(b.dir, "turn")}
	if s.model, err = startModel(); err != nil {
		return err
	}
	defer s.model.stop()
	if s.clew, err = startRole("clew", "-model", s.model.url, "-dir", s.dir); err != nil {
		return err
	}
	defer s.clew.end()
	var where address
	if err := s.clew.ask("where", nil, &where); err != nil {
		return err
	}
	s.addr = where.Addr
	if err := s.tokens(); err != nil {
		return err
	}
	if err := s.calls(); err != nil {
		return err
	}
	return s.todos()
}

// bareProvider is the provider that clew uses, without clew.
func bareProvider(url string) *anthropic.Provider {
	return anthropic.New(anthropic.Options{
		BaseURL: url, Key: func(context.Context) (string, error) { return "none", nil },
	})
}

// connect opens a new session with a tiny file in its workspace.
func (s *stage) connect() (*socket, error) {
	id := string(sessionName("turn", s.sessions))
	s.sessions++
	place := filepath.Join(s.dir, "workspaces", id)
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(place, tinyFile), []byte("tiny\n"), 0o600); err != nil {
		return nil, err
	}
	sock, err := dial(s.addr, "")
	if err != nil {
		return nil, err
	}
	if err := sock.upgrade("/ws/"+id, ""); err != nil {
		sock.close()
		return nil, err
	}
	return sock, sock.until(greeting)
}

// turnLimit is what a turn may take before the bench gives up.
const turnLimit = time.Minute

// tokenWindow is the number of tokens over which a p99 is taken: a quarter of a
// second, as deltaWindow and for the same reason.
const tokenWindow = 250

// tokens measures how late a model's tokens are at a client of clew, and bare.
func (s *stage) tokens() error {
	s.b.logf("tokens")
	var through, bare samples
	var added []float64
	for range s.b.rounds(s.b.size.tokenRounds, 0.5) {
		late, err := s.tokensThrough()
		if err != nil {
			return err
		}
		plain, err := s.tokensBare()
		if err != nil {
			return err
		}
		for at := 0; at < len(late); at += tokenWindow {
			end := min(at+tokenWindow, len(late))
			added = append(added, ms(late[at:end].p99()-plain[at:end].p99()))
		}
		through, bare = append(through, late...), append(bare, plain...)
	}
	s.b.figures.TokenP99MS = round(median(added))
	s.b.detail("token", map[string]any{
		"per_second": 1000, "tokens": len(through), "tokens_bare": len(bare), "added_p50_ms": ms(through.p50() - bare.p50()),
		"clew_p50_ms": ms(through.p50()), "clew_p99_ms": ms(through.p99()), "bare_p50_ms": ms(bare.p50()), "bare_p99_ms": ms(bare.p99()),
		"windows": len(added), "added_p99_ms": added,
	})
	return nil
}

func (s *stage) tokensThrough() (samples, error) {
	sock, err := s.connect()
	if err != nil {
		return nil, err
	}
	defer sock.close()
	var e latencyProbe
	if _, err := e.turn(sock, fmt.Sprintf("bench tokens %d", s.b.size.tokens), turnLimit); err != nil {
		return nil, err
	}
	return e.late, s.complete(e.late)
}

// tokensBare makes the model call that clew made last, without clew.
func (s *stage) tokensBare() (samples, error) {
	req, err := requestOf(*s.model.last.Load())
	if err != nil {
		return nil, err
	}
	var e latencyProbe
	_, err = bareProvider(s.model.url).Stream(context.Background(), req, func(d llm.Delta) error {
		e.hear([]byte(d.Text))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e.late, s.complete(e.late)
}

func (s *stage) complete(late samples) error {
	if len(late) != s.b.size.tokens {
		return fmt.Errorf("%d of %d tokens came", len(late), s.b.size.tokens)
	}
	return nil
}
