package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/server"
)

func TestRules(t *testing.T) {
	var r rules
	for _, rule := range []string{"go test *", "git status", "make"} {
		if err := r.add(rule); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]bool{
		"go test": true, "go test ./...": true, "git status": true, "make": true,
		"go": false, "git status -s": false, "make all": false, "go vet": false, "": false,
		"go test; rm -rf x": false, "go test $(x)": false, "go test\nrm": false, "go test `x`": false, "go test | sh": false,
		"go test ./... > f": false, "go test 'a'": false, "go test \u202e": false,
	} {
		if got := r.refuse(command) == ""; got != want {
			t.Errorf("%q: approved %t", command, got)
		}
	}
	for _, rule := range []string{"", " ", "*", "* x"} {
		if r.add(rule) == nil {
			t.Errorf("took %q", rule)
		}
	}
}

// demo runs the demo's server until the test ends.
func demo(t *testing.T) server.DemoInfo {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ready, done := make(chan server.DemoInfo, 1), make(chan error, 1)
	cfg := server.DefaultConfig()
	cfg.Listen = "127.0.0.1:0"
	go func() {
		done <- server.Demo(ctx, cfg, server.DemoOptions{
			Fast: true, Ready: func(_ context.Context, d server.DemoInfo) { ready <- d },
		}, io.Discard, slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case d := <-ready:
		return d
	case err := <-done:
		done <- nil
		t.Fatal(err)
	}
	return server.DemoInfo{}
}

// The bot works on a real session: it lets the checks run, and the one question
// that is not about a command is left to a person.
func TestBotApproves(t *testing.T) {
	text, out := play(t, "sh check.sh", 3)
	if !strings.Contains(text, "all 6 checks pass") || out != strings.Repeat("approve \"sh check.sh\"\n", 3) {
		t.Errorf("%s\n%s", text, out)
	}
}

func TestBotRejects(t *testing.T) {
	text, out := play(t, "sh other.sh", 1)
	if !strings.Contains(text, "Stopped because you denied a step") || out != "reject \"sh check.sh\"\n" {
		t.Errorf("%s\n%s", text, out)
	}
}

// lines takes what the bot writes, a line at a time.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// play has the bot answer commands and a person everything else. It gives the
// story's result and the first lines that the bot said.
func play(t *testing.T, allow string, count int) (result, said string) {
	t.Helper()
	d := demo(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	token, err := os.ReadFile(d.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	out := make(lines, 100)
	ended := make(chan error, 1)
	botCtx, stopBot := context.WithCancel(ctx)
	go func() {
		ended <- run(botCtx, []string{"--server", d.URL, "--session", string(d.Session), "--token-file", d.TokenFile, "--allow", allow}, out)
	}()
	c, err := client.Dial(ctx, client.Options{URL: d.URL, Session: d.Session, Token: strings.TrimSpace(string(token)), ResumeFrom: client.FromStart})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for env, err := range c.Follow(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
		if err != nil {
			continue
		}
		switch data := ev.Data.(type) {
		case *clew.HitlInputRequestData:
			if _, err := c.Answer(ctx, clew.HitlInputResponseData{RequestID: data.RequestID, Value: "Read it as 12.50"}); err != nil {
				t.Fatal(err)
			}
		case *clew.CompleteData:
			for range count { // the bot may hear of its answer after us
				select {
				case line := <-out:
					said += line
				case <-ctx.Done():
					t.Fatalf("the bot said only %q", said)
				}
			}
			stopBot()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			return data.Response.Text, said
		}
	}
	t.Fatal("the story did not end")
	return "", ""
}
