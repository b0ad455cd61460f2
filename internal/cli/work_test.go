package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/follow"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// workWithin bounds everything that a script waits for. It is never reached
// unless something is broken.
const workWithin = 90 * time.Second

// A workplace is what a script of testdata/work has: a scripted model, which
// waits at each delay until the script says go, and a server as a process of its
// own, which the script may kill.
type workplace struct {
	model  *llmtest.Server
	goOn   chan struct{}
	port   int
	home   string
	data   string
	cmd    *exec.Cmd
	exited chan struct{}
}

// Scripts that do what people do with agents: run, attach, inbox, answer, stop.
func TestWork(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/work",
		Setup: func(environ *testscript.Env) error {
			home, err := os.MkdirTemp("", "clew-work-") // sessions work in the script's directory, not beside the data
			if err != nil {
				return err
			}
			w := &workplace{goOn: make(chan struct{}), home: home, data: filepath.Join(home, "data")}
			environ.Values["workplace"] = w
			environ.Defer(w.close)
			environ.Setenv("HOME", home)
			environ.Setenv("CLEW_DATA", w.data)
			return os.MkdirAll(filepath.Join(environ.WorkDir, "project"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitCodeCommand, "serve": serveScript, "killserver": killScript, "go": goScript,
			"question": questionScript, "talk": talkScript, "lastline": lastLineScript, "kept": keptScript, "picture": pictureScript, "beginning": beginningScript,
		},
	})
}

func workplaceOf(ts *testscript.TestScript) *workplace {
	w, _ := ts.Value("workplace").(*workplace)
	return w
}

// serve starts the server, the first time with the model that model.yaml is.
func serveScript(ts *testscript.TestScript, _ bool, _ []string) {
	w := workplaceOf(ts)
	if w.model == nil {
		script, err := llmtest.Parse([]byte(ts.ReadFile(ts.MkAbs("model.yaml"))))
		ts.Check(err)
		w.model, err = llmtest.Start(script, llmtest.Options{Sleep: w.sleep})
		ts.Check(err)
		w.port, err = proc.FreePort()
		ts.Check(err)
		ts.Setenv("CLEW_SERVER", fmt.Sprintf("http://127.0.0.1:%d", w.port))
	}
	ts.Check(w.start(ts))
}

// sleep waits until the script says go.
func (w *workplace) sleep(ctx context.Context, _ time.Duration) error {
	select {
	case <-w.goOn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *workplace) start(ts *testscript.TestScript) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	profile, err := json.Marshal(map[string]any{"test": map[string]any{
		"provider": "anthropic", "model": "test-1", "base_url": w.model.URL(), "key_name": "test_key",
		"price_in": 3, "price_out": 15, "context_window": 200_000,
	}})
	if err != nil {
		return err
	}
	w.cmd = exec.Command(exe, "serve", "--listen", fmt.Sprintf("127.0.0.1:%d", w.port), "--data", w.data)
	w.cmd.Args[0] = "clew" // TestMain runs the program under this name
	w.cmd.Env = []string{
		"HOME=" + ts.Getenv("HOME"), "PATH=" + os.Getenv("PATH"), "CLEW_SET_MODEL_PROFILES=" + string(profile), "CLEW_SET_MODEL_PROFILE=test",
		"CLEW_SECRET_TEST_KEY=key", "CLEW_SECRETS_BACKEND=file", "CLEW_SET_MODEL_CRASH_RETRY=auto", "CLEW_LOG_LEVEL=warn",
		"CLEW_SET_COMMAND_SANDBOX=none", "CLEW_SET_PERMISSIONS=ask", "CLEW_LIMITS_LOCAL_CONNECTS_PER_MINUTE=0", "CLEW_LIMITS_REQUESTS_PER_MINUTE=0",
	}
	log, err := os.OpenFile(filepath.Join(ts.Getenv("HOME"), "server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	w.cmd.Stderr = log
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := w.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	w.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait() // it was killed
		close(exited)
	}(w.cmd, w.exited)
	if err != nil || !strings.HasPrefix(line, "clew: ready ") {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("ready line %q: %w\n%s", line, err, said)
	}
	return nil
}

// kill ends the server without a warning.
func killScript(ts *testscript.TestScript, _ bool, _ []string) { workplaceOf(ts).kill() }

func (w *workplace) kill() {
	if w.cmd != nil && w.exited != nil {
		_ = w.cmd.Process.Kill()
		<-w.exited
	}
}

func (w *workplace) close() {
	w.kill()
	if w.model != nil {
		_ = w.model.Close()
	}
	_ = os.RemoveAll(w.home)
}

// go lets the model go on after a delay.
func goScript(ts *testscript.TestScript, _ bool, _ []string) {
	select {
	case workplaceOf(ts).goOn <- struct{}{}:
	case <-time.After(workWithin):
		ts.Fatalf("the model does not wait")
	}
}

func ownToken(ts *testscript.TestScript) string {
	token, err := os.ReadFile(filepath.Join(workplaceOf(ts).data, "token"))
	ts.Check(err)
	return strings.TrimSpace(string(token))
}

// newestSession is the one that was made last. In the list, which follows what
// happens a moment later, another may stand before it.
func newestSession(ts *testscript.TestScript) string {
	page, err := client.NewAPI(ts.Getenv("CLEW_SERVER"), ownToken(ts)).ListSessions(context.Background(), "", "", 100)
	ts.Check(err)
	return string(slices.MaxFunc(page.Sessions, func(a, b client.Session) int { return cmp.Compare(a.CreatedMS, b.CreatedMS) }).ID)
}

// question waits until something is asked, and puts the id of the question and
// of its session into variables: question REQUEST SESSION. Of several it is the
// oldest, unless a third word names the session that asks.
func questionScript(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), workWithin)
	defer cancel()
	opts := client.Options{URL: ts.Getenv("CLEW_SERVER"), Token: ownToken(ts), Retry: follow.Patient}
	for change, err := range client.FollowInbox(ctx, opts) {
		ts.Check(err)
		for _, it := range change.Added {
			if len(args) > 2 && string(it.SessionID) != args[2] {
				continue
			}
			ts.Setenv(args[0], string(it.Question.RequestID()))
			if len(args) > 1 {
				ts.Setenv(args[1], string(it.SessionID))
			}
			return
		}
	}
}

// beginning puts the first characters of an id behind its req_ into a variable:
// beginning ID N NAME.
func beginningScript(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Setenv(args[2], args[0][:len(requestPrefix)+n])
}

// picture makes one: picture FILE.
func pictureScript(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(png.Encode(f, image.NewGray(image.Rect(0, 0, 1, 1))))
	ts.Check(f.Close())
}

// lastline checks fields of the last line of stdout, which is JSON: lastline
// status done.
func lastLineScript(ts *testscript.TestScript, _ bool, args []string) {
	if text := lastLineOf(ts, args[0]); text != args[1] {
		ts.Fatalf("%s is %q", args[0], text)
	}
}

// kept puts a field of that line into a variable: kept session_id SESSION.
func keptScript(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[1], lastLineOf(ts, args[0]))
}

func lastLineOf(ts *testscript.TestScript, field string) string {
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	var got map[string]any
	ts.Check(json.Unmarshal([]byte(lines[len(lines)-1]), &got))
	return fmt.Sprint(got[field])
}
