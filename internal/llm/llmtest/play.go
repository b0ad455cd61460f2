package llmtest

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/clew-run/clew/internal/llm"
)

// A voice says an answer in a vendor's way, streamed or in one piece.
type voice interface {
	// open begins a block of text, thinking or a tool call; the one before ends.
	open(b beat)
	piece(text string)
	ping()
	// fail ends the answer with an error, finish as it should end. Neither is
	// called after the other.
	fail(f Failure)
	finish()
}

// A sink writes an answer to the wire. After an error it writes no more.
type sink struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	begun bool
	err   error
	// binary puts each event in a frame of Amazon's event stream.
	binary bool
}

// begin sends the header, once.
func (s *sink) begin(status int, contentType string) {
	if s.begun {
		return
	}
	s.begun = true
	s.w.Header().Set("Content-Type", contentType)
	s.w.WriteHeader(status)
}

// raw sends bytes at once.
func (s *sink) raw(data string) {
	if s.err != nil {
		return
	}
	if _, s.err = io.WriteString(s.w, data); s.err == nil {
		s.err = s.rc.Flush()
	}
}

// event sends one server-sent event. Its name may be empty.
func (s *sink) event(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		s.err = err
		return
	}
	if s.binary {
		s.frame(name, text)
		return
	}
	s.begin(http.StatusOK, "text/event-stream")
	line := "data: " + string(text) + "\n\n"
	if name != "" {
		line = "event: " + name + "\n" + line
	}
	s.raw(line)
}

// document sends a whole answer.
func (s *sink) document(status int, data any) {
	if s.binary && status >= 400 {
		s.w.Header().Set("X-Amzn-ErrorType", amazonErrorType(status))
	}
	s.begin(status, "application/json")
	text, err := json.Marshal(data)
	if err != nil {
		s.err = err
		return
	}
	s.raw(string(text))
}

// A player plays a reply.
type player struct {
	sink  *sink
	voice voice
	form  func(status int, f Failure) any // an error as the vendor writes it
	sleep func(context.Context, time.Duration) error
	gates *Gates
	pace  time.Duration
	mime  string
	// google tells how long to wait in the error and not in a header.
	google bool
}

// play plays all of r. It returns when the client is gone, and panics with
// http.ErrAbortHandler to cut the connection.
func (p *player) play(ctx context.Context, r *reply) {
	for _, b := range r.beats {
		if p.sink.err != nil || ctx.Err() != nil {
			return
		}
		if !p.beat(ctx, b) {
			return
		}
	}
	if p.sink.err == nil {
		p.voice.finish()
	}
}

// beat plays one item and reports whether the reply goes on.
func (p *player) beat(ctx context.Context, b beat) bool {
	switch b.Kind {
	case ItemThinking, ItemText, ItemTool:
		return p.content(ctx, b)
	case ItemDelay:
		return p.sleep(ctx, b.Delay) == nil
	case ItemSlow:
		p.pace = b.Delay
	case ItemWait:
		return p.gates.wait(ctx, b.Text.Raw) == nil
	case ItemPing:
		p.voice.ping()
	case ItemMalformed:
		p.sink.begin(http.StatusOK, p.mime)
		p.sink.raw(b.Text.Raw)
	case ItemStatus:
		p.status(b.Status)
		return false
	case ItemError:
		p.voice.fail(b.Error)
		return false
	case ItemStall:
		<-ctx.Done()
		return false
	case ItemCut:
		panic(http.ErrAbortHandler)
	}
	return true
}

func (p *player) content(ctx context.Context, b beat) bool {
	p.voice.open(b)
	for _, text := range b.pieces {
		if p.pace > 0 && p.sleep(ctx, p.pace) != nil {
			return false
		}
		p.voice.piece(text)
		if p.sink.err != nil {
			return false
		}
	}
	return true
}

func (p *player) status(s Status) {
	if p.google {
		s.Failure.wait = s.RetryAfter
	} else if s.RetryAfter > 0 {
		h := p.sink.w.Header()
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(s.RetryAfter.Seconds()))))
		h.Set("Retry-After-Ms", strconv.FormatInt(s.RetryAfter.Milliseconds(), 10))
	}
	if s.Body != nil {
		p.sink.begin(s.Code, "application/json")
		p.sink.raw(*s.Body)
		return
	}
	f := s.Failure
	if f.Message == "" {
		f.Message = http.StatusText(s.Code) + " (scripted)"
	}
	p.sink.document(s.Code, p.form(s.Code, f))
}

// sleep waits for d or for the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stopNames has the vendors' words for the end of an answer.
var stopNames = map[Vendor]map[llm.StopReason]string{
	Anthropic: {llm.StopEnd: "end_turn", llm.StopToolUse: "tool_use", llm.StopMaxTokens: "max_tokens", llm.StopRefusal: "refusal"},
	OpenAI:    {llm.StopEnd: "stop", llm.StopToolUse: "tool_calls", llm.StopMaxTokens: "length", llm.StopRefusal: "content_filter"},
}
