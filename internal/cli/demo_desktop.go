package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/clew-run/clew/internal/cli/env"
)

// desktopStory is the story that kills its server, so the server is a process of its
// own; demoPartFlag says to a process that it is that one.
const (
	desktopStory = "desktop"
	demoPartFlag = "part"
)

// A demoPartModel is the first line that the server of a story reads: where its model
// is. When its input ends, so does the server, however the other process went.
type demoPartModel struct{ URL, Key string }

// demoPart is the server of a story whose model and whose person are in another process.
func demoPart(ctx context.Context, a *env.App, cfg env.Config, opts env.DemoOptions) error {
	in := bufio.NewReader(a.In)
	line, err := in.ReadBytes('\n')
	var m demoPartModel
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil {
		return env.Usagef("--%s is for clew demo itself", demoPartFlag)
	}
	opts.ModelURL, opts.ModelKey = m.URL, m.Key
	log, err := demoLog(a, cfg)
	if err != nil {
		return err
	}
	// Ctrl-C is for the process that started this one, which then ends our input.
	signal.Ignore(syscall.SIGINT)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	go func() { // ends with the input, or with the process
		_, _ = io.Copy(io.Discard, in)
		stop()
	}()
	return a.Server.Demo(ctx, cfg, opts, a.Out, log)
}

// demoDesktop plays the story on the desktop: it runs the model and the server, and
// does what a person would do, until ctx ends or a signal comes.
func demoDesktop(ctx context.Context, a *env.App, cfg env.Config, opts env.DemoOptions, open bool) (err error) {
	log, err := demoLog(a, cfg)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	d := env.DemoInfo{Session: "demo", Kept: cfg.Data != ""}
	if d.Kept {
		d.Data, err = filepath.Abs(cfg.Data)
	} else if d.Data, err = os.MkdirTemp("", "clew-demo-"); err == nil {
		defer func() { err = errors.Join(err, os.RemoveAll(d.Data)) }()
	}
	if err != nil {
		return err
	}
	d.TokenFile, d.Workspace = filepath.Join(d.Data, "token"), filepath.Join(d.Data, "workspaces", string(d.Session))
	m, err := a.Server.DemoModel(ctx, desktopStory, opts.Fast, log)
	if err != nil {
		return err
	}
	defer m.Close()
	s := &demoServer{a: a, data: d.Data, socket: cfg.Socket, model: demoPartModel{m.URL, m.Key}}
	if !opts.AnyPort {
		s.listen = cfg.Listen
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.stop()
	d.URL = s.url
	_, _ = fmt.Fprintf(a.Out, "clew: ready %s\n", d.URL)
	show := &demoShow{a: a, d: d, model: m, server: s, fast: opts.Fast}
	show.welcome(ctx, open)
	if err := show.play(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// A demoServer is the server of a story, as a process that is started again.
type demoServer struct {
	a                    *env.App
	data, listen, socket string
	model                demoPartModel

	url   string
	cmd   *exec.Cmd
	input io.Closer     // it runs as long as this is open
	ended chan struct{} // closed when it has
}

// start runs the server until it takes connections.
func (s *demoServer) start(ctx context.Context) error {
	args := []string{"demo", desktopStory, "--" + demoPartFlag, "--data", s.data}
	for _, flag := range [][2]string{{"--listen", s.listen}, {"--socket", s.socket}} {
		if flag[1] != "" {
			args = append(args, flag[0], flag[1])
		}
	}
	if s.a.JSON {
		args = append(args, "--json")
	}
	s.cmd = exec.Command(s.a.Program, args...) // not with ctx: it is asked to end first
	s.cmd.Env, s.cmd.Stderr = s.a.Environ, s.a.Err
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	s.input = in
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		defer close(ended)
		_ = cmd.Wait() // it says itself why it ended
	}(s.cmd, s.ended)
	_ = json.NewEncoder(in).Encode(s.model) // if it ended already, it says nothing below
	defer context.AfterFunc(ctx, func() { _ = in.Close() })()
	line, _ := bufio.NewReader(out).ReadString('\n')
	address, ready := strings.CutPrefix(strings.TrimSpace(line), "clew: ready ")
	if !ready {
		s.stop()
		return env.ErrReported // it said why
	}
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	s.url, s.listen = address, u.Host // from now on it is there
	return nil
}

// kill ends the server as a crash does.
func (s *demoServer) kill() {
	_ = s.cmd.Process.Kill()
	s.stop()
}

// stop ends the server and waits for that.
func (s *demoServer) stop() {
	_ = s.input.Close()
	<-s.ended
}
