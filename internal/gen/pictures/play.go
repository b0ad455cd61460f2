package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/server"
)

// script is a model that keeps a list.
const script = `
- when: {last_user: Start a list, tool_result: write_file}
  times: 0
  reply: [{text: Here it is.}]
- when: {last_user: Start a list}
  times: 0
  reply: [{tool: {name: write_file, id: c1, input: {path: list.txt, content: "apples\n"}}}]
- when: {last_user: Add pears, tool_result: write_file}
  times: 0
  reply: [{text: Pears are on it.}]
- when: {last_user: Add pears}
  times: 0
  reply: [{tool: {name: write_file, id: c2, input: {path: list.txt, content: "apples\npears\n"}}}]
- when: {last_user: Add plums, tool_result: write_file}
  times: 0
  reply: [{text: Plums are on it.}]
- when: {last_user: Add plums}
  times: 0
  reply: [{tool: {name: write_file, id: c3, input: {path: list.txt, content: "apples\nplums\n"}}}]
- when: {last_user: Add figs, tool_result: write_file}
  times: 0
  reply: [{text: Figs are on it.}]
- when: {last_user: Add figs}
  times: 0
  reply: [{tool: {name: write_file, id: c4, input: {path: list.txt, content: "apples\nfigs\n"}}}]
`

const session clew.SessionID = "sess_shopping"

// A story is a session at the times that are drawn.
type story struct {
	begun, rewound, undone, forked scene
}

// A scene is a session at one time, as its records and its views have it.
type scene struct {
	name  clew.SessionID
	marks []mark
	seen  []line
	file  string
}

// A line is a message as people see it.
type line struct {
	user bool
	text string
}

// A player plays the session.
type player struct {
	srv   *server.Server
	token string
	dir   string
}

func play(ctx context.Context) (_ story, err error) {
	dir, err := os.MkdirTemp("", "clew-pictures-")
	if err != nil {
		return story{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	model, err := llmtest.Start(llmtest.MustParse(script), llmtest.Options{Fast: true})
	if err != nil {
		return story{}, err
	}
	defer func() { _ = model.Close() }()
	cfg := server.DefaultConfig()
	cfg.Data, cfg.Listen = filepath.Join(dir, "data"), "127.0.0.1:0"
	cfg.Environ = []string{
		"CLEW_SECRETS_BACKEND=file", "CLEW_SECRET_PICTURE_KEY=sk-picture-0123456789", "CLEW_SET_MODEL_PROFILE=picture",
		fmt.Sprintf(`CLEW_SET_MODEL_PROFILES={"picture":{"provider":"anthropic","model":"picture-1","base_url":%q,"key_name":"picture_key"}}`, model.URL()),
		"CLEW_SET_AUTO_APPROVAL_ENABLED=true", "CLEW_SET_ALWAYS_ALLOW_READ_ONLY=true", "CLEW_SET_ALWAYS_ALLOW_WRITE=true",
	}
	srv, err := server.Start(ctx, cfg, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return story{}, err
	}
	defer srv.Stop(context.WithoutCancel(ctx))
	token, err := os.ReadFile(filepath.Join(cfg.Data, "token"))
	if err != nil {
		return story{}, err
	}
	p := &player{srv: srv, token: strings.TrimSpace(string(token)), dir: dir}
	return p.play(ctx)
}

func (p *player) play(ctx context.Context) (s story, err error) {
	work, aside := filepath.Join(p.dir, "work"), filepath.Join(p.dir, "aside")
	if err := errors.Join(os.Mkdir(work, 0o700), os.Mkdir(aside, 0o700)); err != nil {
		return s, err
	}
	if _, err := p.api().CreateSession(ctx, client.NewSession{SessionID: session, Title: "Shopping", Workspace: work}); err != nil {
		return s, err
	}
	if err := p.say(ctx, session, "Start a list"); err != nil {
		return s, err
	}
	pears, err := p.sayAt(ctx, session, "Add pears")
	if err != nil {
		return s, err
	}
	if s.begun, err = p.scene(ctx, session, work); err != nil {
		return s, err
	}
	back := clew.RewindData{Target: clew.Target{MessageID: pears}, RestoreCheckpoint: true}
	if err := p.do(ctx, clew.CommandRewind, back); err != nil {
		return s, err
	}
	if err := p.say(ctx, session, "Add plums"); err != nil {
		return s, err
	}
	if s.rewound, err = p.scene(ctx, session, work); err != nil {
		return s, err
	}
	if err := p.do(ctx, clew.CommandUndoRewind, clew.UndoRewindData{}); err != nil {
		return s, err
	}
	if s.undone, err = p.scene(ctx, session, work); err != nil {
		return s, err
	}
	const fork clew.ClientMessageID = "fork"
	if _, err := p.api().Command(ctx, session, fork, clew.CommandForkSession, clew.ForkSessionData{MessageID: pears, Title: "Figs", Workspace: aside}); err != nil {
		return s, err
	}
	page, err := p.api().ListSessions(ctx, "Figs", "", 1)
	if err != nil || len(page.Sessions) != 1 {
		return s, errors.Join(err, errors.New("the fork is not in the list"))
	}
	other := page.Sessions[0].ID
	if err := p.say(ctx, other, "Add figs"); err != nil {
		return s, err
	}
	s.forked, err = p.scene(ctx, other, aside)
	return s, err
}

func (p *player) api() *client.API { return client.NewAPI(p.srv.URL(), p.token) }

func (p *player) do(ctx context.Context, typ clew.CommandType, data any) error {
	_, err := p.api().Command(ctx, session, "", typ, data)
	return err
}

func (p *player) say(ctx context.Context, id clew.SessionID, text string) error {
	_, err := p.sayAt(ctx, id, text)
	return err
}

// sayAt says something, waits until the agent is done with it, and gives the id
// of the message.
func (p *player) sayAt(ctx context.Context, id clew.SessionID, text string) (clew.MessageID, error) {
	r, err := p.api().Command(ctx, id, "", clew.CommandUserMessage, clew.UserMessageData{Text: text})
	if err != nil {
		return "", err
	}
	c, err := client.Dial(ctx, client.Options{URL: p.srv.URL(), Token: p.token, Session: id, ResumeFrom: string(r.Records[0])})
	if err != nil {
		return "", err
	}
	defer c.Close()
	for env, err := range c.Follow(ctx) {
		if err != nil {
			return "", err
		}
		if env.Type == string(clew.EventTaskIdle) {
			return r.Records[0], nil
		}
	}
	return "", errors.New("the stream ended")
}

// scene reads a session as it is now.
func (p *player) scene(ctx context.Context, id clew.SessionID, work string) (scene, error) {
	s := scene{name: id}
	page, err := p.api().Messages(ctx, id, client.PageOf{Limit: 200})
	if err != nil {
		return s, err
	}
	for _, m := range page.Messages {
		if m.Type == clew.TypeSay && m.Text != "" {
			s.seen = append(s.seen, line{m.Role == clew.SpeakerUser, m.Text})
		}
	}
	b, err := os.ReadFile(filepath.Join(work, "list.txt"))
	if err != nil {
		return s, err
	}
	s.file = strings.Join(strings.Fields(string(b)), ", ")
	m := marker{player: p, id: id, files: map[string]string{}}
	for r, err := range p.srv.Journal().Read(ctx, id, 1, math.MaxUint64) {
		if err == nil {
			err = m.add(ctx, r)
		}
		if err != nil {
			return s, err
		}
	}
	s.marks = m.marks
	return s, nil
}
