package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/demo"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session"
)

// DemoOptions say how the demo is played.
type DemoOptions struct {
	Story   string // its name, "" for the first one
	Fast    bool   // without delays
	AnyPort bool   // if the address is taken, another port will do
	// ModelURL and ModelKey are those of a DemoModel that somebody else runs. Without
	// them the demo runs its own.
	ModelURL, ModelKey string
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
// story. It needs no key and no network. With an empty
// cfg.Data it works in a directory of its own, which is gone afterwards.
func Demo(ctx context.Context, cfg Config, opts DemoOptions, stdout io.Writer, log *slog.Logger) (err error) {
	cfg.openGroups(log)
	story, known := demo.Find(opts.Story)
	if !known {
		return clew.Errorf(clew.SettingsInvalid, "there is no story %q", opts.Story)
	}
	d := DemoInfo{Session: demo.Session, Kept: cfg.Data != ""}
	if d.Kept {
		if d.Data, err = filepath.Abs(cfg.Data); err == nil {
			err = claimForDemo(d.Data, story.Name)
		}
	} else if d.Data, err = os.MkdirTemp("", "clew-demo-"); err == nil {
		defer func() { err = errors.Join(err, os.RemoveAll(d.Data)) }()
	}
	if err != nil {
		return err
	}
	d.Workspace = filepath.Join(d.Data, "workspaces", string(demo.Session))
	d.TokenFile = filepath.Join(d.Data, "token")
	if err := layStory(story, d); err != nil {
		return fmt.Errorf("the sample workspace cannot be made: %w", err)
	}
	if opts.ModelURL == "" {
		m, err := StartDemoModel(ctx, story.Name, opts.Fast, log)
		if err != nil {
			return err
		}
		defer m.Close()
		opts.ModelURL, opts.ModelKey = m.URL, m.Key
	}
	cfg.Data, cfg.Engine, cfg.Auth.Mode, cfg.Settings = d.Data, "embedded", "on", ""
	cfg.furnish = demo.Lay // each session has the sample project
	if cfg.Environ, err = demoEnviron(opts.ModelURL, opts.ModelKey, d.Kept); err != nil {
		return err
	}
	cfg.kernelEnviron = os.Environ() // of the person, to find a Python with
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
	if err := s.beginStory(ctx, story, d); err != nil {
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

// A demoClaim is what it says.
type demoClaim struct {
	Session clew.SessionID `json:"session_id"`
	Story   string         `json:"story,omitempty"`
}

// claimForDemo makes sure that a data directory is new or was made by the same story:
// the demo's model and approvals have no place in a server that people work with, and
// one story's model does not know the other.
func claimForDemo(dir, story string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var claim demoClaim
	if b, err := os.ReadFile(filepath.Join(dir, demoMark)); err == nil {
		_ = json.Unmarshal(b, &claim) // a broken mark is still a demo's
		if first := demo.Stories[0].Name; cmp.Or(claim.Story, first) != story {
			return clew.Errorf(clew.SettingsInvalid, "%s has the story %q of an earlier demo; give this one a directory of its own", dir, cmp.Or(claim.Story, first))
		}
		return nil
	}
	if len(entries) > 0 {
		return clew.Errorf(clew.SettingsInvalid, "%s is not empty and not an earlier demo's; give the demo a directory of its own", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(demoClaim{demo.Session, story})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, demoMark), b, 0o600) // before anything else is there
}

// layStory puts the files of the sessions where they work.
func layStory(story demo.Story, d DemoInfo) error {
	err := demo.Lay(d.Workspace)
	if story.Beside != nil && err == nil {
		err = story.Beside.Lay(d.workspaceOf(story.Beside.Session))
	}
	return err
}

func (d *DemoInfo) workspaceOf(id clew.SessionID) string {
	return filepath.Join(d.Data, "workspaces", string(id))
}

// beginStory makes the sessions and says the first words. After a restart all of it
// is there already, and the story goes on by itself.
func (s *Server) beginStory(ctx context.Context, story demo.Story, d DemoInfo) error {
	owner := clew.Principal{User: auth.OwnerUser, Role: clew.RoleAdmin}
	if err := s.putBeside(ctx, owner, story.Beside, d); err != nil {
		return err
	}
	_, err := s.host.Create(ctx, owner, session.NewSession{ID: demo.Session, Title: story.Title, Workspace: d.Workspace})
	if err != nil && clew.CodeOf(err) != clew.SessionExists {
		return err
	}
	if story.Task == "" {
		return nil
	}
	w, err := s.host.Watch(ctx, demo.Session)
	if err != nil {
		return err
	}
	defer w.Close()
	if st, err := w.State(ctx); err != nil || len(st.Messages) > 0 {
		return err
	}
	cmd := clew.NewCommand(owner, &clew.UserMessageData{Text: story.Task})
	cmd.ClientMessageID = "demo-begins"
	_, err = s.host.Do(ctx, demo.Session, cmd)
	return err
}

// putBeside makes the session beside the story, before it, so that it is listed behind
// it. Its first words are a draft: a person sends them.
func (s *Server) putBeside(ctx context.Context, owner clew.Principal, b *demo.Beside, d DemoInfo) error {
	if b == nil {
		return nil
	}
	_, err := s.host.Create(ctx, owner, session.NewSession{ID: b.Session, Title: b.Title, Workspace: d.workspaceOf(b.Session)})
	if clew.CodeOf(err) == clew.SessionExists {
		return nil
	}
	if err == nil {
		_, err = s.drafts.Put(ctx, owner.User, b.Session, journal.Draft{Text: b.Task}, 0)
	}
	return err
}
