package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/wire"
)

// storyWithin is a generous limit on a story without delays. The design asks for
// 20 s on a machine that does nothing else; the time is in the test's log.
const storyWithin = 60 * time.Second

// A played demo is the program as a process of its own.
type played struct {
	t    *testing.T
	cmd  *exec.Cmd
	info env.DemoInfo
	out  bytes.Buffer // stderr after the first line, to be read after stop
	read chan struct{}
}

// startDemo runs clew demo --json, whose first line on stderr says where all is.
func startDemo(t *testing.T, args ...string) *played {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &played{t: t, read: make(chan struct{})}
	p.cmd = exec.Command(exe, append([]string{"demo", "--fast", "--no-open", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	p.cmd.Args[0] = "clew" // TestMain runs the program under this name
	p.cmd.Env = append(os.Environ(), "CLEW_SET_MODEL_PROFILE=elsewhere", "CLEW_DATA=/nowhere", "ANTHROPIC_API_KEY=canary-key-of-the-person")
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	ready, _ := bufio.NewReader(stdout).ReadString('\n')
	lines := bufio.NewReader(stderr)
	first, _ := lines.ReadString('\n')
	go func() {
		defer close(p.read)
		_, _ = io.Copy(&p.out, lines)
	}()
	if err := json.Unmarshal([]byte(first), &p.info); err != nil || ready != "clew: ready "+p.info.URL+"\n" {
		t.Fatalf("ready line %q, then %q: %v", ready, first, err)
	}
	return p
}

// end sends a signal and waits for the process.
func (p *played) end(sig syscall.Signal) {
	p.t.Helper()
	_ = p.cmd.Process.Signal(sig)
	<-p.read
	err := p.cmd.Wait()
	if sig == syscall.SIGTERM && err != nil {
		p.t.Errorf("the demo ended with %v:\n%s", err, p.out.String())
	}
	if strings.Contains(p.out.String(), "canary") {
		p.t.Error("a key of the person's is in the log")
	}
}

// play answers every question until the story is complete, or until the record
// with number until has been seen. It reports which, and what was asked.
func (p *played) play(until uint64, answer string) (complete bool, asked map[string]int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), storyWithin)
	defer cancel()
	token, err := os.ReadFile(p.info.TokenFile)
	if err != nil {
		p.t.Fatal(err)
	}
	c, err := client.Dial(ctx, client.Options{URL: p.info.URL, Session: p.info.Session, Token: strings.TrimSpace(string(token)), ResumeFrom: client.FromStart})
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	var open openQuestions
	asked = map[string]int{}
	for environ, err := range c.Follow(ctx) {
		if err != nil {
			p.t.Fatalf("the story ended with %v", err)
		}
		asked["type "+environ.Type]++
		if environ.Type == string(clew.EventComplete) {
			return true, asked
		}
		if until > 0 && environ.Seq() >= until {
			return false, asked
		}
		for _, q := range open.in(p.t, environ) {
			if _, err := c.Answer(ctx, reply(asked, q, answer)); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	p.t.Fatal("the connection ended before the story did")
	return false, nil
}

// openQuestions finds questions in records. What is older than the state is settled,
// or stands there.
type openQuestions struct{ known uint64 }

func (o *openQuestions) in(t *testing.T, env wire.Envelope) []clew.Question {
	t.Helper()
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		t.Fatal(err)
	}
	s, state := ev.Data.(*clew.SessionState)
	switch {
	case state && s.HitlPending != nil:
		o.known, _ = s.LastMessageID.Seq()
		return append([]clew.Question{*s.HitlPending}, s.HitlQueue...)
	case state:
		o.known, _ = s.LastMessageID.Seq()
	case slices.Contains(clew.QuestionTypes, ev.Type) && env.Seq() > o.known:
		return []clew.Question{clew.Question(ev)}
	}
	return nil
}

// reply says yes, or gives the answer, and counts the question.
func reply(asked map[string]int, q clew.Question, answer string) any {
	switch d := q.Data.(type) {
	case *clew.HitlInputRequestData:
		asked["question"] += len(d.Options)
		return clew.HitlInputResponseData{RequestID: d.RequestID, Value: answer}
	case *clew.HitlApprovalRequestData:
		asked[string(d.Ask)]++
	}
	return clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: clew.ChoiceApprove}
}

// The whole story on a clean machine: no key, no network, nothing of the
// person's own, and nothing left behind.
func TestDemoPlaysToTheEnd(t *testing.T) {
	start := time.Now()
	p := startDemo(t)
	complete, asked := p.play(0, "Read it as 12.50")
	t.Logf("the story took %s", time.Since(start).Round(time.Millisecond))
	if !complete || asked[string(clew.AskCommand)] != 3 || asked["question"] != 2 {
		t.Errorf("complete %t, asked %v", complete, asked)
	}
	for _, typ := range []clew.EventType{
		clew.EventAgentResponse, clew.EventToolProgress, clew.EventPlanGenerated, clew.EventTaskSpawned, clew.EventPlanModified,
	} {
		if asked["type "+string(typ)] == 0 {
			t.Errorf("the story has no %s", typ)
		}
	}
	checks := exec.CommandContext(t.Context(), "sh", "check.sh")
	checks.Dir = p.info.Workspace
	if out, err := checks.CombinedOutput(); err != nil || !strings.Contains(string(out), "6 checks, all passed") {
		t.Errorf("%v:\n%s", err, out)
	}
	p.end(syscall.SIGTERM)
	if _, err := os.Stat(p.info.Data); p.info.Kept || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was left behind: %v", p.info.Data, err)
	}
}

// Killed again and again, and started with the same directory, the story goes
// on where it stood and ends.
func TestDemoSurvivesKills(t *testing.T) {
	data := filepath.Join(t.TempDir(), "demo")
	for _, until := range []uint64{20, 58, 90, 150} {
		p := startDemo(t, "--data", data)
		if complete, _ := p.play(until, "Refuse the line"); complete {
			t.Fatalf("the story was over before record %d", until)
		}
		p.end(syscall.SIGKILL)
	}
	p := startDemo(t, "--data", data)
	complete, asked := p.play(0, "Refuse the line")
	if !complete {
		t.Errorf("asked %v", asked)
	}
	till, err := os.ReadFile(filepath.Join(p.info.Workspace, "till.sh"))
	if err != nil || strings.Count(string(till), "octal") != 1 || strings.Count(string(till), "needs two decimal places") != 1 {
		t.Errorf("till.sh: %v\n%s", err, till)
	}
	p.end(syscall.SIGTERM)
	if _, err := os.Stat(filepath.Join(data, "token")); err != nil {
		t.Errorf("--data was not kept: %v", err)
	}
}

// The demo does not settle in a directory that people work with.
func TestDemoLeavesOtherDirectoriesAlone(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "token"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := call(t, env.RealServer, nil, "demo", "--data", data, "--listen", "127.0.0.1:0")
	if got.code != env.ExitFailure || !strings.Contains(got.errOut, "a directory of its own") {
		t.Errorf("%+v", got)
	}
}

// What a newcomer sees: where it is and how to answer, with the token's file
// and never the token.
func TestDemoWelcome(t *testing.T) {
	data := t.TempDir()
	token := filepath.Join(data, "it's a token")
	if err := os.WriteFile(token, []byte("canary-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := env.Backend{Demo: func(ctx context.Context, cfg env.Config, opts env.DemoOptions, out io.Writer, _ *slog.Logger) error {
		if !opts.Fast || !opts.AnyPort || cfg.Data != "" || cfg.Listen != "127.0.0.1:8000" {
			t.Errorf("%+v %+v", opts, cfg)
		}
		_, _ = io.WriteString(out, "clew: ready http://127.0.0.1:1\n")
		opts.Ready(ctx, env.DemoInfo{URL: "http://127.0.0.1:1", Session: "demo", Data: data, TokenFile: token})
		return nil
	}}
	got := call(t, server, []string{"HOME=" + data}, "demo", "--fast", "--no-open")
	if got.code != env.ExitOK || got.out != "clew: ready http://127.0.0.1:1\n" {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{"clew show demo --server http://127.0.0.1:1", "clew rewind demo --server http://127.0.0.1:1", "clew attach demo --server http://127.0.0.1:1", "clew inbox --server http://127.0.0.1:1", "use --data DIR to keep it"} {
		if !strings.Contains(got.errOut, want) {
			t.Errorf("no %q in:\n%s", want, got.errOut)
		}
	}
	for line := range strings.Lines(got.errOut) {
		if !strings.Contains(line, data) && len(strings.TrimRight(line, "\n")) > 79 {
			t.Errorf("a terminal of 80 columns breaks %q", line)
		}
	}
	if strings.Contains(got.errOut, "canary-token") {
		t.Error("the token is shown")
	}
}

// After a rewind the questions that are open again are told again.
func TestDemoTellsOfAnOpenQuestionAgain(t *testing.T) {
	n := newNarrator(env.DemoInfo{URL: "http://127.0.0.1:1", Session: "demo", Data: "/d"})
	hear := func(d clew.StateChangedData) string {
		t.Helper()
		return n.hear(stateFrame(t, &d))
	}
	asked := &clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "req_1"}, Question: "Which one?"}
	state := clew.StatePut{Question: []clew.Question{clew.Question(clew.NewEvent(asked))}}
	if text := hear(clew.StateChangedData{To: clew.MessageIDOf(1), Put: state}); !strings.Contains(text, "Which one?") {
		t.Errorf("a question: %q", text)
	}
	if text := hear(clew.StateChangedData{To: clew.MessageIDOf(2), Put: state}); text != "" {
		t.Errorf("told twice: %q", text)
	}
	state.Status = &clew.StatusInfo{LastMove: &clew.LastMove{Kind: clew.KindRewind, MessageID: clew.MessageIDOf(3), Removed: 3}}
	text := hear(clew.StateChangedData{From: clew.MessageIDOf(2), To: clew.MessageIDOf(3), Put: state})
	for _, want := range []string{"3 messages", "clew undo demo --server http://127.0.0.1:1 --data /d\n", "Which one?"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q after a rewind: %q", want, text)
		}
	}
}

// stateFrame is a change as a server sends it.
func stateFrame(t *testing.T, d *clew.StateChangedData) wire.Envelope {
	t.Helper()
	raw, err := clew.MarshalData(d)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Envelope{Type: string(clew.EventStateChanged), Data: raw}
}

// Of the configuration the demo takes the limits, and nothing that would lead to
// what a person's own server keeps.
func TestDemoTakesTheLimits(t *testing.T) {
	a := &env.App{IO: env.IO{Environ: []string{"HOME=/home/ada", "CLEW_LIMITS_MESSAGES_PER_MINUTE=7", "CLEW_DATA=/theirs", "CLEW_AUTH_MODE=off"}}}
	cfg, err := demoConfig(a)
	if err != nil {
		t.Fatal(err)
	}
	want := env.DefaultConfig()
	want.Limits.MessagesPerMinute = 7
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got %+v", cfg)
	}
}
