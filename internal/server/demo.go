package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/demo"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
)

// DemoOptions say how the demo is played.
type DemoOptions struct {
	Fast    bool // without delays
	AnyPort bool // if the address is taken, another port will do
	// Ready is told where everything is, after the ready line. It should return
	// soon. Its ctx ends with the demo.
	Ready func(ctx context.Context, d DemoInfo)
}

// DemoInfo says where the parts of a running demo are.
type DemoInfo struct {
	URL       string         `json:"url"`
	Session   clew.SessionID `json:"session_id"`
	Data      string         `json:"data"`
	TokenFile string         `json:"token_file"`
	Workspace string         `json:"workspace"`
	Kept      bool           `json:"kept"` // the data directory stays
	// Page opens the story in a browser, once. There is a ticket in it.
	Page string `json:"-"`
}

// Demo serves like Run, with a scripted model in place of a provider and a
// story that starts by itself. It needs no key and no network. With an empty
// cfg.Data it works in a directory of its own, which is gone afterwards.
func Demo(ctx context.Context, cfg Config, opts DemoOptions, stdout io.Writer, log *slog.Logger) (err error) {
	cfg.openGroups(log)
	d := DemoInfo{Session: demo.Session, Kept: cfg.Data != ""}
	if d.Kept {
		if d.Data, err = filepath.Abs(cfg.Data); err == nil {
			err = claimForDemo(d.Data)
		}
	} else if d.Data, err = os.MkdirTemp("", "clew-demo-"); err == nil {
		defer func() { err = errors.Join(err, os.RemoveAll(d.Data)) }()
	}
	if err != nil {
		return err
	}
	d.Workspace = filepath.Join(d.Data, "workspaces", string(demo.Session))
	d.TokenFile = filepath.Join(d.Data, "token")
	if err := demo.Lay(d.Workspace); err != nil {
		return fmt.Errorf("the sample workspace cannot be made: %w", err)
	}
	m, err := startModel(ctx, opts.Fast, log)
	if err != nil {
		return err
	}
	defer m.close()
	cfg.Data, cfg.Engine, cfg.Auth.Mode, cfg.Settings = d.Data, "embedded", "on", ""
	cfg.furnish = demo.Lay // each session has the sample project
	if cfg.Environ, err = m.environ(); err != nil {
		return err
	}
	s, err := Start(ctx, cfg, log)
	if opts.AnyPort && errors.Is(err, syscall.EADDRINUSE) {
		if host, _, splitErr := net.SplitHostPort(cfg.Listen); splitErr == nil {
			cfg.Listen = net.JoinHostPort(host, "0")
		}
		s, err = Start(ctx, cfg, log)
	}
	if err != nil {
		return err
	}
	if err := s.beginStory(ctx, d.Workspace); err != nil {
		s.Stop(context.WithoutCancel(ctx))
		return err
	}
	d.URL = s.URL()
	return s.serve(ctx, stdout, func() {
		if opts.Ready != nil {
			d.Page = s.demoPage(ctx)
			opts.Ready(ctx, d)
		}
	})
}

// demoMark is the file that says that a data directory is a demo's.
const demoMark = "demo.json"

// claimForDemo makes sure that a data directory is new or a demo's own: the
// demo's model and approvals have no place in a server that people work with.
func claimForDemo(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, demoMark)); err == nil {
		return nil
	}
	if len(entries) > 0 {
		return clew.Errorf(clew.SettingsInvalid, "%s is not empty and not an earlier demo's; give the demo a directory of its own", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, demoMark), []byte("{\"session_id\": \"demo\"}\n"), 0o600) // before anything else is there
}

// A demoModel is the scripted model on a port of its own.
type demoModel struct {
	http *http.Server
	url  string
	key  string
	done chan struct{} // closed when the listener's goroutine has ended
}

func startModel(ctx context.Context, fast bool, log *slog.Logger) (*demoModel, error) {
	script, err := demo.Story()
	if err != nil {
		return nil, fmt.Errorf("the demo's story: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &demoModel{url: "http://" + l.Addr().String(), key: "demo-" + rand.Text(), done: make(chan struct{})}
	m.http = &http.Server{
		Handler:           llmtest.Handler(script, llmtest.Options{Key: m.key, Fast: fast}),
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

func (m *demoModel) close() {
	_ = m.http.Close()
	<-m.done
}

// environ is the whole environment that the demo's server sees: the demo's own
// settings and nothing of the person's, no keys and no keyring.
func (m *demoModel) environ() ([]string, error) {
	profiles, err := json.Marshal(map[string]settings.Profile{"demo": {
		Provider: "anthropic", Model: "scripted-story", BaseURL: m.url, KeyName: "demo_model_key", Thinking: "low",
	}})
	if err != nil {
		return nil, err
	}
	return []string{
		settings.EnvSecretsBackend + "=file", settings.EnvSecretPrefix + "DEMO_MODEL_KEY=" + m.key,
		"CLEW_SET_MODEL_PROFILE=demo", "CLEW_SET_MODEL_PROFILES=" + string(profiles),
		// A call of the scripted model costs nothing, so one that a crash cut off
		// is made again unasked.
		"CLEW_SET_MODEL_CRASH_RETRY=auto",
		"CLEW_SET_AUTO_APPROVAL_ENABLED=true", "CLEW_SET_ALWAYS_ALLOW_READ_ONLY=true", "CLEW_SET_ALWAYS_ALLOW_WRITE=true",
	}, nil
}

// beginStory makes the session and says the first words. After a restart both
// are there already, and the story goes on by itself.
func (s *Server) beginStory(ctx context.Context, workspace string) error {
	owner := clew.Principal{User: auth.OwnerUser, Role: clew.RoleAdmin}
	_, err := s.host.Create(ctx, owner, session.NewSession{ID: demo.Session, Title: demo.Title, Workspace: workspace})
	if err != nil && clew.CodeOf(err) != clew.SessionExists {
		return err
	}
	w, err := s.host.Watch(ctx, demo.Session)
	if err != nil {
		return err
	}
	defer w.Close()
	if st, err := w.State(ctx); err != nil || len(st.Messages) > 0 {
		return err
	}
	cmd := clew.NewCommand(owner, &clew.UserMessageData{Text: demo.Task})
	cmd.ClientMessageID = "demo-begins"
	_, err = s.host.Do(ctx, demo.Session, cmd)
	return err
}
