package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/server"
)

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

// The program against a real server: a plan that is approved, one that is
// changed first, one that is refused.
func TestRun(t *testing.T) {
	d := demo(t)
	for _, c := range []struct {
		name, in string
		args     []string
		want     []string
		err      string
	}{
		{name: "yes", args: []string{"--yes"}, want: []string{
			"session sess_", "-- Making a plan.", "overview: Write the results to overview.md. (after survey, figures)", "approved by owner",
			"begin  survey", "survey: 50% Reading the directory (1 of 2)", "done   check", "[100%]", "I wrote the overview to overview.md.", "4 of 4 steps done",
			"/reports/", "next: Open the reports",
		}},
		{name: "changed, beside the story", args: []string{"--session", string(d.Session)}, in: "Greet me.\nyes\n", want: []string{
			"plan, version 2", "wish: Greet me. (after check)", "done   wish", "5 of 5 steps done",
		}},
		{name: "no", in: "no\n", want: []string{"approve? "}, err: "the run was cancelled"},
		{name: "nobody there", want: []string{"approve? "}, err: "the plan waits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var out bytes.Buffer
			args := append([]string{"--server", d.URL, "--token-file", d.TokenFile}, c.args...)
			err := run(ctx, append(args, "Give me an overview."), strings.NewReader(c.in), &out)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("ended with %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in:\n%s", want, out.String())
				}
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {"--token-file", "/nowhere/at/all", "a"}, {"--what"}} {
		if err := run(t.Context(), args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("took %q", args)
		}
	}
}
