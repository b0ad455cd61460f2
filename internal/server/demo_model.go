package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/clew-run/clew/internal/demo"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/settings"
)

// A DemoModel is the scripted model of a story, on a port of its own.
type DemoModel struct {
	URL, Key string

	gates *llmtest.Gates
	http  *http.Server
	done  chan struct{} // closed when the listener's goroutine has ended
}

// StartDemoModel plays the part of the model in a story until Close.
func StartDemoModel(ctx context.Context, story string, fast bool, log *slog.Logger) (*DemoModel, error) {
	s, _ := demo.Find(story)
	script, err := s.Script()
	if err != nil {
		return nil, fmt.Errorf("the demo's story: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &DemoModel{URL: "http://" + l.Addr().String(), Key: "demo-" + rand.Text(), gates: new(llmtest.Gates), done: make(chan struct{})}
	m.http = &http.Server{
		Handler:           llmtest.Handler(script, llmtest.Options{Key: m.Key, Fast: fast, Gates: m.gates}),
		ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() {
		defer close(m.done)
		if err := m.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the scripted model", "err", err)
		}
	}()
	return m, nil
}

// Open lets replies through that wait at a gate of the story.
func (m *DemoModel) Open(gate string) { m.gates.Open(gate) }

// Close ends the model.
func (m *DemoModel) Close() {
	_ = m.http.Close()
	<-m.done
}

// demoEnviron is the whole environment that the demo's server sees: the demo's own
// settings and nothing of the person's, no keys and no keyring. Of a demo that is not
// kept no kernel outlives its server.
func demoEnviron(modelURL, modelKey string, kept bool) ([]string, error) {
	profiles, err := json.Marshal(map[string]settings.Profile{"demo": {
		Provider: "anthropic", Model: "scripted-story", BaseURL: modelURL, KeyName: "demo_model_key", Thinking: "low",
	}})
	if err != nil {
		return nil, err
	}
	environ := []string{
		settings.EnvSecretsBackend + "=file", settings.EnvSecretPrefix + "DEMO_MODEL_KEY=" + modelKey,
		"CLEW_SET_MODEL_PROFILE=demo", "CLEW_SET_MODEL_PROFILES=" + string(profiles),
		// A call of the scripted model costs nothing, so one that a crash cut off
		// is made again unasked.
		"CLEW_SET_MODEL_CRASH_RETRY=auto",
		"CLEW_SET_AUTO_APPROVAL_ENABLED=true", "CLEW_SET_ALWAYS_ALLOW_READ_ONLY=true", "CLEW_SET_ALWAYS_ALLOW_WRITE=true",
	}
	if !kept {
		environ = append(environ, "CLEW_SET_SUPERVISOR_ORPHAN_SEC=0")
	}
	return environ, nil
}
