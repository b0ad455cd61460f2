package settings

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/nightly"
)

// awkward has characters that every encoding treats in its own way.
const awkward = `sk-canary/<"q" & ü>+\end`

func TestSecretDoesNotShow(t *testing.T) {
	s := NewSecret(canary)
	type holder struct {
		Open   Secret
		closed Secret
		Inside *Secret
	}
	h := holder{s, s, &s}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "s", s, "h", h)
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "s", s, "h", h)
	texts := []string{s.String(), string(encoded(t, s)), string(encoded(t, h)), string(encoded(t, map[string]any{"a": []any{s}})), log.String(), errors.Join(fmt.Errorf("with %v", s)).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		texts = append(texts, fmt.Sprintf(verb, s), fmt.Sprintf(verb, h), fmt.Sprintf(verb, &h))
	}
	for _, text := range texts {
		if strings.Contains(text, "canary") || strings.Contains(text, hex.EncodeToString([]byte("canary"))) {
			t.Errorf("shows itself: %s", text)
		}
	}
	if s.Reveal() != canary || (Secret{}).Reveal() != "" || fmt.Sprint(s) != hidden {
		t.Error("not itself")
	}
}

func TestRedactForms(t *testing.T) {
	for _, secret := range []string{canary, awkward, "AKIA-canary-1", "12345678"} {
		r := NewRedactor()
		r.Add(secret)
		r.Add(secret)
		quoted, plain := encoded(t, secret), new(bytes.Buffer)
		e := json.NewEncoder(plain)
		e.SetEscapeHTML(false)
		if err := e.Encode(secret); err != nil {
			t.Fatal(err)
		}
		forms := []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), string(quoted), plain.String(), fmt.Sprintf("%q", secret),
			hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
			base64.StdEncoding.EncodeToString([]byte("u:" + secret)), base64.StdEncoding.EncodeToString([]byte("user:" + secret + "!")), base64.URLEncoding.EncodeToString([]byte("abc:" + secret)),
		}
		for _, form := range forms {
			got := r.Redact("before " + form + " after")
			if !strings.Contains(got, hidden) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || !r.Contains(form) {
				t.Errorf("%s is left as %s", form, got)
			}
		}
	}
	r := NewRedactor()
	r.Add("short")
	r.Add("")
	if got := r.Redact("a short text"); got != "a short text" || r.Contains("short") {
		t.Errorf("%q", got)
	}
}

func TestRedactorPrefersTheLonger(t *testing.T) {
	r := NewRedactor()
	r.Add("canary-one")
	r.Add("canary-one-and-two")
	if got := r.Redact("canary-one canary-one-and-two"); got != hidden+" "+hidden {
		t.Errorf("%q", got)
	}
}

// However a text is cut into writes, it comes out as if it were one.
func TestWriterFindsSplitSecrets(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		r := NewRedactor()
		secrets := []string{"canary-one", "canary-one-and-two", awkward}
		for _, s := range secrets {
			r.Add(s)
		}
		parts := rapid.SliceOf(rapid.SampledFrom(append(secrets, "canary-", "c", "text ", "sk-", "\n", "é"))).Draw(t, "parts")
		text := strings.Join(parts, "")
		var out bytes.Buffer
		w := r.Writer(&out)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "write")
			if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
				t.Fatal(got, err)
			}
			if r.Contains(out.String()) {
				t.Fatalf("a secret came through: %q", out.String())
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := r.Redact(text); out.String() != want {
			t.Fatalf("got %q, want %q", out.String(), want)
		}
	})
}

type stringer struct{ text string }

func (s stringer) String() string { return s.text }

// Covers: SET-16
func TestLogHandlerHidesSecrets(t *testing.T) {
	r := NewRedactor()
	r.Add(awkward)
	for name, base := range map[string]func(*bytes.Buffer) slog.Handler{
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
	} {
		var out bytes.Buffer
		log := slog.New(r.Handler(base(&out)))
		log.Info("message "+awkward, "k", awkward, "err", fmt.Errorf("failed: %w", errors.New(awkward)), slog.Group("g", "in", awkward),
			"any", map[string]any{"deep": []string{awkward}}, "bytes", []byte(awkward), "stringer", stringer{awkward}, "struct", struct{ Field string }{awkward},
			"url", url.QueryEscape(awkward), "fine", 42, awkward, "key")
		log.With("with", awkward).WithGroup(awkward).Info("x", "k", awkward)
		if strings.Contains(out.String(), "canary") || r.Contains(out.String()) {
			t.Errorf("%s: %s", name, out.String())
		}
		if !strings.Contains(out.String(), "42") || strings.Count(out.String(), hidden) < 12 {
			t.Errorf("%s lost too much: %s", name, out.String())
		}
		if log.Enabled(t.Context(), slog.LevelDebug) {
			t.Error("level is not passed on")
		}
	}
}

// Covers: SET-16, SET-21
func TestCanaryAppearsNowhere(t *testing.T) {
	var logs bytes.Buffer
	redactor := NewRedactor()
	log := slog.New(redactor.Handler(slog.NewJSONHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug})))
	dir := t.TempDir()
	secrets, err := OpenSecrets(t.Context(), SecretsOptions{Dir: dir, Environ: []string{EnvSecretsBackend + "=file"}, Redactor: redactor, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMemory()
	s, err := Open(t.Context(), Options{Store: m, Secrets: secrets, Redactor: redactor, Log: log,
		File: writeFile(t, "s.yaml", "openai_api_key: "+canary+"-file\nmodel_profiles: {a: {api_key: "+canary+"-nested}}\ncustom_instructions: my key is "+canary+"\n"), Environ: []string{"CLEW_SET_GEMINI_API_KEY=" + canary + "-env"}})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	show := func(v any, err error) {
		shown = append(shown, fmt.Sprintf("%+v %v", v, err))
	}
	s.Subscribe(func(changed []string) { show(changed, nil) })
	ctx := t.Context()
	show(nil, s.SaveProfile(ctx, "work", map[string]any{"provider": "openai", "api_key": canary}))
	show(nil, s.SaveProfile(ctx, "bad name", map[string]any{"api_key": canary}))
	show(nil, s.SaveProfile(ctx, "work", map[string]any{"api_key": []any{canary}}))
	show(nil, s.Set(ctx, "anthropic_api_key", canary+"-set"))
	for _, key := range []string{"openai_api_key", "mode", "ui", "model_profiles", "custom_instructions", "command_sandbox", "budget_usd", "mcp_servers"} {
		for _, value := range []any{canary, map[string]any{"api_key": canary}, map[string]any{"x": map[string]any{"token": canary}}, []any{canary}} {
			if key == "ui" || key == "custom_instructions" {
				value = map[string]any{"token": value}
			}
			show(s.Update(ctx, map[string]any{key: value}))
			show(s.Import(ctx, map[string]any{key: value}))
			show(nil, s.CheckSession(map[string]any{key: value}))
		}
	}
	show(s.Update(ctx, map[string]any{"custom_instructions": "my key is " + canary}))
	show(s.Export(), nil)
	show(string(encoded(t, s.Export())), nil)
	show(s.Problems(), nil)
	show(s.LoadProfile(ctx, "work"))
	value, _, err := s.Get(ctx, "anthropic_api_key")
	show(value, err)
	log.Error("oops "+canary, "cause", errors.New(canary+"-file"), "nested", "x"+canary+"-nested")
	for _, text := range append(shown, logs.String()) {
		if strings.Contains(text, "canary") {
			t.Errorf("a secret shows: %s", text)
		}
	}
	if b := encoded(t, m.values); strings.Contains(string(b), "canary") {
		t.Errorf("a secret is stored in the open: %s", b)
	}
}
