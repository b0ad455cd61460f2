//go:build linux

package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/supervisor"
)

// What people say in the story of the notebook.
const (
	sayPlot  = "Which day of the week sells best? Load sales.csv and plot it."
	saySave  = "Write the totals to totals.csv."
	sayUsual = "Use the usual price of each item."
)

// startData plays clew demo with a PATH that has this Python, "" for none that can run cells.
func startData(t *testing.T, python string, args ...string) *story {
	t.Helper()
	bin := t.TempDir()
	if python != "" {
		bin = filepath.Dir(python)
	} else {
		proc.Must(t, os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	}
	s := &story{t: t, told: map[string]string{}}
	s.cmd = exec.Command(proc.Program(t, ""), append([]string{"demo", "--fast", "--no-open", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	s.cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return strings.HasPrefix(name, "CLEW_") || slices.Contains([]string{"PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "JUPYTER_PATH", "JUPYTER_DATA_DIR"}, name)
	})
	s.cmd.Env = append(s.cmd.Env, "PATH="+bin+":"+gitDir(t), "HOME="+t.TempDir())
	stdout, err := s.cmd.StdoutPipe()
	proc.Must(t, err)
	stderr, err := s.cmd.StderrPipe()
	proc.Must(t, err)
	proc.Must(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	ready, _ := bufio.NewReader(stdout).ReadString('\n')
	s.lines = bufio.NewScanner(stderr)
	if !s.lines.Scan() || json.Unmarshal(s.lines.Bytes(), s) != nil || ready != "clew: ready "+s.URL+"\n" {
		t.Fatalf("ready line %q, then %q", ready, s.lines.Text())
	}
	return s
}

// gitDir is a directory with git and bwrap and without any Python.
func gitDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"git", "bwrap", "sh"} {
		if path, err := exec.LookPath(name); err == nil {
			proc.Must(t, os.Symlink(path, filepath.Join(dir, name)))
		}
	}
	return dir
}

// A talk is what a person sees of a session, and does there.
type talk struct {
	*story
	id    clew.SessionID
	c     *client.Client
	state client.Replica
	asked []string // what was asked, in order
}

func (s *story) talk(ctx context.Context, id clew.SessionID) *talk {
	s.t.Helper()
	c, err := client.Dial(ctx, client.Options{URL: s.URL, Session: id, Token: s.token(), View: clew.ViewState})
	proc.Must(s.t, err)
	s.t.Cleanup(c.Close)
	return &talk{story: s, id: id, c: c}
}

// until follows the session and answers all questions until it is as wanted, which it may
// be already: several changes can come in one.
func (k *talk) until(ctx context.Context, what string, fits func(*client.Replica) bool) {
	k.t.Helper()
	if k.state.Known() && fits(&k.state) {
		return
	}
	answered := map[clew.RequestID]bool{}
	for frame, err := range k.c.Follow(ctx) {
		if err != nil {
			books, _ := json.Marshal(k.state.Notebooks)
			k.t.Fatalf("%s: %v; the notebooks are %s, the questions %d", what, err, books, len(k.state.Questions))
		}
		_, err = k.state.Take(frame)
		proc.Must(k.t, err)
		if !k.state.Known() {
			continue
		}
		for _, q := range k.state.Questions {
			if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok && !answered[q.RequestID()] {
				answered[q.RequestID()] = true
				k.asked = append(k.asked, d.Effect.Command)
				_, err := k.c.Answer(ctx, clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: clew.ChoiceApprove})
				proc.Must(k.t, err)
			}
		}
		if fits(&k.state) {
			return
		}
	}
	k.t.Fatalf("%s: the connection ended", what)
}

// say says something, answers what is asked and gives the agent's last words.
func (k *talk) say(ctx context.Context, text string) string {
	k.t.Helper()
	_, err := k.api().Command(ctx, k.id, "", clew.CommandUserMessage, clew.UserMessageData{Text: text})
	proc.Must(k.t, err)
	last := ""
	k.until(ctx, text, func(st *client.Replica) bool {
		said := slices.IndexFunc(st.Messages, func(m clew.Message) bool { return m.Role == clew.SpeakerUser && m.Text == text })
		if said < 0 || len(st.Agents) > 0 || len(st.Queue) > 0 {
			return false
		}
		last = ""
		for _, m := range st.Messages[said:] {
			if m.Say == clew.SayCompletionResult && !m.Partial {
				last = m.Text
			}
		}
		return last != ""
	})
	return last
}

// outputs are what the cells of the notebook show, by their ids.
func (k *talk) outputs() map[string]string {
	shown := map[string]string{}
	for _, c := range k.state.Cells {
		text := string(c.Status)
		for _, m := range k.state.Messages {
			if slices.Contains(c.Outputs, m.MessageID) {
				text += "\n" + m.Text
				if len(m.Images) > 0 {
					text += fmt.Sprintf("\n[%d image]", len(m.Images))
				}
			}
		}
		shown[c.CellID] = text
	}
	return shown
}

func (k *talk) wantOutput(cell string, parts ...string) {
	k.t.Helper()
	text := k.outputs()[cell]
	for _, part := range parts {
		if !strings.Contains(text, part) {
			k.t.Errorf("%q is not in cell %s: %s", part, cell, text)
		}
	}
}

// The story of the notebook, with a real kernel: a wrong column and its repair, a plot, a
// file that an approved cell writes, and a fork with another model of the data. With the
// demo its kernels end.
func TestNotebookStory(t *testing.T) {
	s := startData(t, jupytertest.Python(t))
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	k := s.talk(ctx, "notebook")
	draft, err := s.draft(ctx, "notebook")
	proc.Must(t, err)
	if draft != sayPlot {
		t.Errorf("the message that is ready is %q", draft)
	}

	if got := k.say(ctx, sayPlot); !strings.Contains(got, "2026-10-14,wine,3,849") || !strings.Contains(got, saySave) {
		t.Errorf("it ended with %q", got)
	}
	k.wantOutput("load", "ok", "56 lines")
	k.wantOutput("totals", "ok", "Wed  2862.22")
	k.wantOutput("plot", "ok", "[1 image]")
	if !slices.ContainsFunc(k.state.Messages, func(m clew.Message) bool { return m.Cell != nil && strings.Contains(m.Text, "KeyError") }) {
		t.Error("nothing went wrong")
	}
	for _, m := range k.state.Messages {
		if m.Tool != nil && m.Tool.Status != clew.ToolComplete && m.ToolCallID != "run_first" {
			t.Errorf("call %s of %s: %+v", m.ToolCallID, m.Tool.Name, m.Tool)
		}
	}
	k.saved(ctx)
	k.say(ctx, saySave)
	totals := filepath.Join(s.Data, "workspaces", "notebook", "totals.csv")
	if b, err := os.ReadFile(totals); err != nil || !strings.Contains(string(b), "Wed,2862.22") {
		t.Errorf("%v\n%s", err, b)
	}
	if n := len(k.asked); n != 4 || !strings.Contains(k.asked[0], `sale["amount"]`) || !strings.Contains(k.asked[3], `open("totals.csv", "w")`) {
		t.Errorf("asked about\n%s", strings.Join(k.asked, "\n---\n"))
	}

	k.rewind(ctx, saySave)
	if _, err := os.Stat(totals); !os.IsNotExist(err) {
		t.Errorf("after the rewind the file is there: %v", err)
	}
	k.rerun(ctx)
	k.say(ctx, saySave) // the new kernel knows what the first one knew
	if b, err := os.ReadFile(totals); err != nil || !strings.Contains(string(b), "Wed,2862.22") {
		t.Errorf("%v\n%s", err, b)
	}

	k.saved(ctx)

	s.forkUsual(ctx)
	root := supervisor.LookForRoot(s.Data)
	if n := len(supervisor.List(root)); n != 2 {
		t.Errorf("%d kernels run", n)
	}
	s.end(syscall.SIGTERM)
	proc.Eventually(t, "no kernel is left", within, func() bool {
		return !slices.ContainsFunc(supervisor.List(root), func(p supervisor.Found) bool { return p.Running })
	})
}

// saved waits until the file has all of the notebook, which nobody else has changed.
func (k *talk) saved(ctx context.Context) {
	k.t.Helper()
	k.until(ctx, "the file of the notebook", func(st *client.Replica) bool {
		n := st.Notebooks[0]
		return !n.Unsaved || n.Conflict || n.Problem != ""
	})
	if n := k.state.Notebooks[0]; n.Conflict || n.Problem != "" {
		k.t.Errorf("the notebook was not saved: conflict %t, %s", n.Conflict, n.Problem)
	}
}

// rewind takes the session back to before what was said, files included.
func (k *talk) rewind(ctx context.Context, before string) {
	k.t.Helper()
	i := slices.IndexFunc(k.state.Messages, func(m clew.Message) bool { return m.Role == clew.SpeakerUser && m.Text == before })
	if i < 0 {
		k.t.Fatalf("nobody said %q", before)
	}
	_, err := k.api().Command(ctx, k.id, "", clew.CommandRewind, clew.RewindData{Target: clew.Target{MessageID: k.state.Messages[i].MessageID}, RestoreCheckpoint: true})
	proc.Must(k.t, err)
	k.until(ctx, "the rewind", func(st *client.Replica) bool { return st.Status.LastMove != nil })
}

// rerun answers the question about the kernel, and waits until a fresh one is where the
// notebook is.
func (k *talk) rerun(ctx context.Context) {
	k.t.Helper()
	var asked *clew.HitlInputRequestData
	k.until(ctx, "the question about the kernel", func(st *client.Replica) bool {
		for _, q := range st.Questions {
			asked, _ = q.Data.(*clew.HitlInputRequestData)
		}
		return asked != nil
	})
	if asked.Kernel == nil || asked.Kernel.Cells != 3 {
		k.t.Errorf("asked about %+v", asked)
	}
	_, err := k.c.Answer(ctx, clew.HitlInputResponseData{RequestID: asked.RequestID, Value: "rerun"})
	proc.Must(k.t, err)
	k.until(ctx, "the rerun", func(st *client.Replica) bool {
		n := st.Notebooks[0]
		return n.Rerun != nil && n.Rerun.Status.Over() && !n.Kernel.Ahead && n.Kernel.State == clew.KernelIdle
	})
	if r := k.state.Notebooks[0].Rerun; r.Status != clew.RerunOK || r.Done != r.Total {
		k.t.Errorf("the rerun ended with %+v", r)
	}
}

// forkUsual forks the session, and the fork adds up in another way.
func (s *story) forkUsual(ctx context.Context) {
	s.t.Helper()
	t := s.t
	beside := filepath.Join(t.TempDir(), "usual")
	fork := s.clew("fork", "notebook", "-2", "--workspace", beside, "--json")
	var made struct {
		SessionID clew.SessionID `json:"session_id"`
	}
	proc.Must(t, json.Unmarshal([]byte(fork), &made))
	f := s.talk(ctx, made.SessionID)
	if got := f.say(ctx, sayUsual); !strings.Contains(got, "**Saturday** sells best: 620.43") {
		t.Errorf("the fork ended with %q", got)
	}
	f.wantOutput("totals", "ok", "Wed   340.69")
	f.wantOutput("plot", "ok", "[1 image]")
	if _, err := os.Stat(filepath.Join(beside, "totals.csv")); !os.IsNotExist(err) {
		t.Errorf("the fork has a file of later: %v", err)
	}
}

// Without a Python that has a kernel, the session says how to get one.
func TestNotebookStoryWithoutPython(t *testing.T) {
	s := startData(t, "")
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	k := s.talk(ctx, "notebook")
	if got := k.say(ctx, sayPlot); !strings.Contains(got, "pip install ipykernel") {
		t.Errorf("it ended with %q", got)
	}
	if len(k.asked) > 0 {
		t.Errorf("asked about %q", k.asked)
	}
	s.end(syscall.SIGTERM)
}

func (s *story) draft(ctx context.Context, id clew.SessionID) (string, error) {
	var d struct{ Text string }
	err := s.api().Call(ctx, "GET", "/sessions/"+string(id)+"/draft", nil, nil, &d)
	return d.Text, err
}

func (s *story) clew(args ...string) string {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), proc.Program(s.t, ""), append(args, "--data", s.Data)...).Output()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
