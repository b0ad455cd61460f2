package call

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/clew-run/clew/internal/llm"
)

func TestKinds(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		kind   llm.Kind
		text   string // part of the message
	}{
		"anthropic overloaded":   {529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindOverloaded, "Overloaded"},
		"rate limit":             {429, `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`, llm.KindOverloaded, "slow down"},
		"no body":                {503, ``, llm.KindOverloaded, "Service Unavailable"},
		"proxy page":             {502, `<html>Bad gateway</html>`, llm.KindUnstable, "Bad Gateway"},
		"timeout":                {408, `{}`, llm.KindUnstable, ""},
		"key refused":            {401, `{"error":{"message":"Incorrect API key provided: sk-abcd********wxyz."}}`, llm.KindAuth, "[redacted]"},
		"forbidden":              {403, `{"error":{"type":"permission_error","message":"no"}}`, llm.KindAuth, "no"},
		"no money, openai":       {429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, llm.KindQuota, "quota"},
		"no money, anthropic":    {400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, llm.KindQuota, "credit"},
		"no money, openrouter":   {402, `{"error":{"code":402,"message":"Insufficient credits"}}`, llm.KindQuota, "credits"},
		"too long, openai":       {400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, llm.KindContext, "8192"},
		"too long, anthropic":    {400, `{"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000"}}`, llm.KindContext, "210000"},
		"too long, llama.cpp":    {400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, llm.KindContext, "context"},
		"too large":              {413, `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, llm.KindContext, "size"},
		"bad request":            {400, `{"error":{"message":"unknown field","type":"invalid_request_error"}}`, llm.KindRequest, "unknown field"},
		"no such model":          {404, `{"error":"model 'x' not found"}`, llm.KindRequest, "not found"},
		"fastapi":                {422, `{"detail":"field required"}`, llm.KindRequest, "field required"},
		"old vllm":               {400, `{"object":"error","message":"bad","type":"BadRequestError","code":400}`, llm.KindRequest, "bad"},
		"redirect":               {307, ``, llm.KindRequest, "base_url"},
		"error under 200":        {200, `{"error":{"code":429,"message":"busy"}}`, llm.KindOverloaded, "busy"},
		"answer without streams": {200, `{"id":"x","choices":[]}`, llm.KindUnstable, "without a stream"},
		"too many, google":       {429, `{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}`, llm.KindOverloaded, "quota"},
		"bad key, google":        {400, `{"error":{"code":400,"message":"API key not valid","details":[{"reason":"API_KEY_INVALID"}]}}`, llm.KindAuth, "not valid"},
		"too long, google":       {400, `{"error":{"code":400,"message":"The input token count (9) exceeds the maximum"}}`, llm.KindContext, "exceeds"},
		"a list, google":         {404, `[{"error":{"code":404,"message":"no such model"}}]`, llm.KindRequest, "no such model"},
		"too long, amazon":       {400, `{"message":"Input is too long for requested model."}`, llm.KindContext, "too long"},
		"server error":           {500, `{"error":{"type":"invalid_request_error","message":"oops"}}`, llm.KindUnstable, "oops"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Failure(t.Context(), &StatusError{Status: c.status, Body: []byte(c.body)}, nil)
			e := llm.AsError(err)
			if e.Kind != c.kind || !strings.Contains(e.Message, c.text) || e.Message == "" {
				t.Errorf("got %s %q, want %s with %q", e.Kind, e.Message, c.kind, c.text)
			}
		})
	}
}

func TestInStream(t *testing.T) {
	for body, kind := range map[string]llm.Kind{
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`: llm.KindOverloaded,
		`{"type":"error","error":{"type":"api_error","message":"Internal"}}`:          llm.KindUnstable,
		`{"type":"error","error":{"type":"throttlingException","message":"slow"}}`:    llm.KindOverloaded,
		`{"type":"error","error":{"type":"validationException","message":"bad"}}`:     llm.KindRequest,
		`{"type":"error","error":{"type":"accessDeniedException","message":"no"}}`:    llm.KindAuth,
		`{"error":{"code":502,"message":"upstream"}}`:                                 llm.KindUnstable,
		`{"error":{"code":429,"message":"busy"}}`:                                     llm.KindOverloaded,
		`{"error":{"type":"invalid_request_error","message":"no"}}`:                   llm.KindRequest,
		`broken`: llm.KindUnstable,
	} {
		if e := InStream([]byte(body), nil); e.Kind != kind || e.Status != 0 || e.Message == "" {
			t.Errorf("%s: got %s, status %d", body, e.Kind, e.Status)
		}
	}
}

func TestCauses(t *testing.T) {
	secret := "sk-ant-canary-0123456789"
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Failure(gone, io.ErrUnexpectedEOF, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped call gives %v", err)
	}
	if err := Failure(t.Context(), ErrStalled, nil); !errors.Is(err, ErrStalled) || !llm.AsError(err).Temporary() {
		t.Errorf("a stall gives %v", err)
	}
	err := llm.AsError(Failure(t.Context(), errors.New("Post http://u:pw@host/: key "+secret), Secrets{secret}))
	if text := err.Error() + err.Err.Error(); strings.Contains(text, "canary") || strings.Contains(text, "pw@") {
		t.Errorf("a secret is in %q", text)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		header, value string
		want          time.Duration
	}{
		"seconds":      {"Retry-After", "7", 7 * time.Second},
		"fraction":     {"Retry-After", "0.5", 500 * time.Millisecond},
		"date":         {"Retry-After", now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second},
		"past date":    {"Retry-After", now.Add(-time.Hour).Format(http.TimeFormat), 0},
		"milliseconds": {"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		"days":         {"Retry-After", "1e30", maxRetryAfter},
		"negative":     {"Retry-After", "-5", 0},
		"not a number": {"Retry-After", "NaN", 0},
		"nonsense":     {"Retry-After", "soon", 0},
		"nothing":      {"X", "", 0},
	} {
		if got := retryAfter(http.Header{c.header: {c.value}}, now); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestClean(t *testing.T) {
	secret := "my+odd/key=with-canary-in-it"
	for name, text := range map[string]string{
		"whole":     "refused: my+odd/key=with-canary-in-it!",
		"escaped":   "refused: my%2Bodd%2Fkey%3Dwith-canary-in-it",
		"cut off":   "refused: my+odd/key=with-can…",
		"bearer":    "header Authorization: Bearer canary-token",
		"other key": "you sent sk-proj-canarycanary and x-api-key: canary2",
		"google":    "AIzaSycanarycanary is not valid",
		"address":   "dial https://user:canary@host/v1",
	} {
		if got := (Secrets{secret}).Clean(text); strings.Contains(got, "canary") || strings.Contains(got, "with-can") {
			t.Errorf("%s: %q", name, got)
		}
	}
	got := Secrets{""}.Clean("a\x1b[31mb\r\nc\u202ed\x00" + strings.Repeat("é", 600) + "\xff")
	if len(got) > maxMessage || !utf8.ValidString(got) || !strings.HasPrefix(got, "a[31mb  cdé") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	if plain := "the key-value store of task-runner is api-first"; Secrets(nil).Clean("monkey business") != "monkey business" || !strings.Contains(Secrets(nil).Clean(plain), "store of task-runner") {
		t.Errorf("plain words were taken out: %q", Secrets(nil).Clean(plain))
	}
}
