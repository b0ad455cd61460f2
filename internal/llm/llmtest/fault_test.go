package llmtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
)

// streamed is what a client got of a stream before it ended.
type streamed struct {
	text string
	err  error
}

// An sdk reads a stream through a vendor's SDK. It calls each on every piece of
// text.
type sdk func(ctx context.Context, s *Server, each func(string)) streamed

var sdks = map[Vendor]sdk{
	Anthropic: func(ctx context.Context, s *Server, each func(string)) (out streamed) {
		client := anthropicClient(s)
		stream := client.Messages.NewStreaming(ctx, anthropicParams("go"))
		for stream.Next() {
			if text := stream.Current().Delta.Text; text != "" {
				out.text += text
				each(text)
			}
		}
		out.err = stream.Err()
		return out
	},
	OpenAI: func(ctx context.Context, s *Server, each func(string)) (out streamed) {
		client := openaiClient(s)
		stream := client.Chat.Completions.NewStreaming(ctx, openaiParams("go"))
		for stream.Next() {
			for _, c := range stream.Current().Choices {
				if c.Delta.Content != "" {
					out.text += c.Delta.Content
					each(c.Delta.Content)
				}
			}
		}
		out.err = stream.Err()
		return out
	},
	Responses: func(ctx context.Context, s *Server, each func(string)) (out streamed) {
		client := openaiClient(s)
		stream := client.Responses.NewStreaming(ctx, responsesParams("go"))
		for stream.Next() {
			switch e := stream.Current(); e.Type {
			case "response.output_text.delta":
				out.text += e.Delta
				each(e.Delta)
			case "error": // the SDK leaves it to its caller
				out.err = errors.New(e.Code + ": " + e.Message)
				return out
			}
		}
		out.err = stream.Err()
		return out
	},
}

func nothing(string) {}

// statusOf gives the HTTP status that an SDK's error holds.
func statusOf(err error) (int, *http.Response) {
	var a *anthropic.Error
	if errors.As(err, &a) {
		return a.StatusCode, a.Response
	}
	var o *openai.Error
	if errors.As(err, &o) {
		return o.StatusCode, o.Response
	}
	return 0, nil
}

// wordsOf gives all that an SDK's error says.
func wordsOf(err error) string {
	var o *openai.Error
	if errors.As(err, &o) {
		return o.RawJSON()
	}
	return err.Error()
}

// forAll runs a test over all wires.
func forAll(t *testing.T, test func(t *testing.T, read sdk)) {
	t.Helper()
	for vendor, read := range sdks {
		t.Run(string(vendor), func(t *testing.T) { test(t, read) })
	}
}

// A refused call is followed by a good one, as a retry meets it.
func TestStatus(t *testing.T) {
	forAll(t, func(t *testing.T, read sdk) {
		s := start(t, `
- reply:
  - status: 429
    retry_after: 1500ms
    message: slow down
- reply:
  - status: 503
    body: "<html>gone</html>"
- reply:
  - status: 400
    type: context_length_exceeded
- reply: [{text: fine}]
`, Options{})
		got := read(t.Context(), s, nothing)
		code, resp := statusOf(got.err)
		if code != 429 || resp.Header.Get("Retry-After") != "2" || resp.Header.Get("Retry-After-Ms") != "1500" || !strings.Contains(wordsOf(got.err), "slow down") {
			t.Errorf("%d %v", code, got.err)
		}
		if code, _ := statusOf(read(t.Context(), s, nothing).err); code != 503 {
			t.Errorf("status %d", code)
		}
		if err := read(t.Context(), s, nothing).err; !strings.Contains(wordsOf(err), "context_length_exceeded") {
			t.Errorf("error %v", err)
		}
		if got := read(t.Context(), s, nothing); got.err != nil || got.text != "fine" {
			t.Errorf("%+v", got)
		}
	})
}

func TestCut(t *testing.T) {
	forAll(t, func(t *testing.T, read sdk) {
		s := start(t, "- reply:\n  - text: half of\n  - cut: true\n- reply:\n  - cut: true\n", Options{})
		got := read(t.Context(), s, nothing)
		if got.text != "half of" || !errors.Is(got.err, io.ErrUnexpectedEOF) {
			t.Errorf("%+v", got)
		}
		got = read(t.Context(), s, nothing)
		if code, _ := statusOf(got.err); got.err == nil || code != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestMalformed(t *testing.T) {
	forAll(t, func(t *testing.T, read sdk) {
		s := start(t, "- reply:\n  - text: half\n  - malformed: \"event: content_block_delta\\ndata: {\\\"oops\\n\\n\"\n  - text: more\n", Options{})
		if got := read(t.Context(), s, nothing); got.text != "half" || got.err == nil {
			t.Errorf("%+v", got)
		}
	})
}

// Bytes that are no text go to the wire as they are.
func TestMalformedBytes(t *testing.T) {
	s := start(t, "- reply:\n  - malformed: !!binary //4A\n  - cut: true\n", Options{})
	resp := send(t, s, OpenAI, []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`), testKey)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if !bytes.Equal(data, []byte{0xff, 0xfe, 0}) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%x %v", data, err)
	}
}

func TestErrorInTheStream(t *testing.T) {
	forAll(t, func(t *testing.T, read sdk) {
		s := start(t, "- reply:\n  - text: half\n  - error: {type: overloaded_error, message: too many}\n", Options{})
		got := read(t.Context(), s, nothing)
		if got.text != "half" || got.err == nil || !strings.Contains(got.err.Error(), "too many") {
			t.Errorf("%+v", got)
		}
	})
}

// An unfinished input reaches the client as it is.
func TestRawInput(t *testing.T) {
	s := start(t, "- reply:\n  - tool: {name: x, raw: '{\"path\": \"a'}\n  - cut: true\n", Options{})
	client := anthropicClient(s)
	stream := client.Messages.NewStreaming(t.Context(), anthropicParams("go"))
	input := ""
	for stream.Next() {
		input += stream.Current().Delta.PartialJSON
	}
	if input != `{"path": "a` || !errors.Is(stream.Err(), io.ErrUnexpectedEOF) {
		t.Errorf("%q %v", input, stream.Err())
	}
}

// A stall lasts until the client leaves, and does not keep the server from
// ending.
func TestStall(t *testing.T) {
	forAll(t, func(t *testing.T, read sdk) {
		s := start(t, "- times: 2\n  reply:\n  - text: half\n  - stall: true\n", Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if got := read(ctx, s, func(string) { cancel() }); got.text != "half" || !errors.Is(got.err, context.Canceled) {
			t.Errorf("%+v", got)
		}
		closed := make(chan error, 1)
		got := read(t.Context(), s, func(string) {
			go func() { closed <- s.Close() }()
		})
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if got.text != "half" || got.err == nil {
			t.Errorf("%+v", got)
		}
	})
}

func TestDelays(t *testing.T) {
	var waits []time.Duration
	record := func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	const script = "- times: 0\n  reply:\n  - delay: 1h\n  - text: a b\n  - slow: {per_token: 2h}\n  - text: c d\n  - slow: {per_token: 0s}\n  - text: e f\n"
	s := start(t, script, Options{Sleep: record})
	if got := ask(t, s, OpenAI, "x"); got != "a bc de f" {
		t.Errorf("got %q", got)
	}
	if want := []time.Duration{time.Hour, 2 * time.Hour, 2 * time.Hour}; len(waits) != 3 || waits[0] != want[0] || waits[1] != want[1] || waits[2] != want[2] {
		t.Errorf("waits: %v", waits)
	}
	fast := start(t, script, Options{Fast: true})
	if got := ask(t, fast, OpenAI, "x"); got != "a bc de f" {
		t.Errorf("got %q", got)
	}
}

// A client that leaves during a delay ends it.
func TestDelayEndsWithItsClient(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := sleep(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
}

func TestHandlerAndListener(t *testing.T) {
	script := MustParse("- times: 0\n  reply: [{text: ok}]\n")
	h := httptest.NewServer(Handler(script, Options{}))
	defer h.Close()
	if got := ask(t, &Server{url: h.URL}, Anthropic, "x"); got != "ok" {
		t.Errorf("got %q", got)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(script, Options{Listener: l})
	if err != nil {
		t.Fatal(err)
	}
	if s.URL() != "http://"+l.Addr().String() || ask(t, s, OpenAI, "x") != "ok" {
		t.Errorf("url %s", s.URL())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The events go out one by one, not when the answer is whole.
func TestPiecesAreFlushed(t *testing.T) {
	next := make(chan struct{})
	s := start(t, "- reply:\n  - text: one\n  - delay: 1s\n  - text: two\n", Options{Sleep: func(ctx context.Context, _ time.Duration) error {
		select {
		case <-next:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}})
	resp := send(t, s, OpenAI, []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`), testKey)
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "one") {
			close(next)
		}
		if strings.Contains(lines.Text(), "two") {
			return
		}
	}
	t.Errorf("the stream ended: %v", lines.Err())
}
