package notebook

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

// Three cells, each of which writes a line and counts. The second one looks at what the
// first one left, so it would fail on files of another time.
var cells = []string{
	"open('log.txt', 'a').write('one\\n')\nn = 1",
	"lines = open('log.txt').read().split()\nassert lines == ['one'], lines\nopen('log.txt', 'a').write('two\\n')\nn += 1\nprint(n)",
	"open('log.txt', 'a').write('three\\n')\nn += 1\nprint(n)",
}

// A session is taken back with its files to before the third cell. The kernel is taken
// there by running the first two again: it knows what it knew, and the files are byte for
// byte those of the target, also where the server or the kernel is killed on the way.
//
// Covers: JUP-17, JUP-18
func TestRerun(t *testing.T) {
	t.Parallel()
	python := jupytertest.Python(t)
	bin := proc.Program(t, "crashpoints")
	for _, at := range []string{"calm", "rerun.files", "rerun.cell", "rerun.done", "the kernel"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			s := &rerun{story: story{Stage: proc.NewStage(t, proc.Setup{
				Program: bin, Session: "sess_rerun", Files: map[string]string{"readme.txt": "Hello.\n"},
				Env: map[string]string{"PATH": filepath.Dir(python) + ":/usr/bin:/bin"},
			}), dirs: map[string]bool{}}, at: at}
			t.Cleanup(func() { s.endKernels(t) })
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			s.tell(ctx)
		})
	}
}

// A rerun is the story of a session that is taken back.
type rerun struct {
	story
	at       string
	asked    int
	notebook string
	last     []string // what was on record when it was last looked at
}

func (s *rerun) tell(ctx context.Context) {
	t := s.T
	if s.at == "calm" || s.at == "the kernel" {
		s.Start()
	} else {
		s.Start("CLEW_CRASH_AT=" + s.at + ":1")
	}
	s.must(s.Create(ctx))
	s.must(s.Command(ctx, "policy", clew.CommandUpdateSettings, &clew.UpdateSettingsData{Settings: map[string]any{"kernel_after_rewind": "rerun"}}))
	s.must(s.Command(ctx, "open", clew.CommandNotebookOpen, &clew.NotebookOpenData{Path: "a.ipynb", New: true}))
	s.until(ctx, "the notebook", func(p *past) bool { return p.read })
	for i, code := range cells {
		if i == 1 && s.at == "the kernel" { // it waits for somebody, so that it can be killed there
			code += "\ninput('go? ')"
			go s.answer(ctx)
		}
		s.run(ctx, code)
	}
	p := s.until(ctx, "three cells", func(p *past) bool { return len(p.finished) == 3 })
	want := s.File("log.txt")
	if want != "one\ntwo\nthree\n" {
		t.Fatalf("the cells left %q:\n%s", want, strings.Join(s.last, "\n"))
	}
	s.back(ctx, p.output["three"])
	if s.at == "the kernel" {
		s.until(ctx, "the question of the second cell again", func(p *past) bool { return p.again == 2 && p.question != "" })
		kill9(t, s.kernel().pid)
	}
	if s.at != "calm" && s.at != "the kernel" {
		select {
		case <-s.Srv.Exited():
		case <-ctx.Done():
			t.Fatal("the server was not killed")
		}
		s.Start()
	}
	p = s.until(ctx, "the rerun", func(p *past) bool { return p.rerun != nil })
	if got := s.File("log.txt"); got != "one\ntwo\n" {
		t.Errorf("the files have %q", got)
	}
	if p.again > 2 {
		t.Errorf("%d runs began again", p.again)
	}
	if s.at == "the kernel" {
		if p.rerun.Status != clew.RerunStopped {
			t.Errorf("without its kernel it ended as %+v", *p.rerun)
		}
		if len(p.said) != 1 || !strings.Contains(p.said[0], "2 cells ran again. ") || !strings.Contains(p.said[0], "kernel") {
			t.Errorf("the transcript says %q", p.said)
		}
		return
	}
	if p.rerun.Status != clew.RerunOK {
		t.Errorf("it ended as %+v", *p.rerun)
	}
	if fmt.Sprint(p.said) != "[a.ipynb: all 2 cells ran again in a fresh kernel.]" {
		t.Errorf("the transcript says %q", p.said)
	}
	s.run(ctx, "print('n is', n)")
	p = s.until(ctx, "the next cell", func(p *past) bool { return len(p.finished) == 6 })
	if last := p.finished[5]; last.Status != clew.CellOK || last.ExecutionCount != 3 || p.texts["n is 2\n"] == "" {
		t.Errorf("the kernel knows something else: %+v, %v", last, p.texts)
	}
	if s.at == "calm" { // a server that is killed may leave one out
		s.until(ctx, "the last checkpoint", func(*past) bool { return len(s.checkpointsAfter(0)) == 5 })
		s.checkpoints()
	}
	p = s.until(ctx, "the file", func(p *past) bool { return p.saved != nil && p.saved.AsOf > p.ended })
	if p.saved.Conflict || p.saved.Problem != "" {
		t.Errorf("the file was not written: %+v", *p.saved)
	}
	if err := s.Command(ctx, "shut down", clew.CommandKernelShutdown, &clew.KernelShutdownData{}); err != nil {
		t.Error(err)
	}
}

// checkpoints asks for those after a time: exactly those that are later, without what was
// taken back.
func (s *rerun) checkpoints() {
	list := s.checkpointsAfter(0)
	hashes := map[string]int{}
	for _, c := range list {
		hashes[c.StateHash]++
	}
	if len(list) != 5 || hashes[list[0].StateHash] != 2 || hashes[list[1].StateHash] != 3 || list[1].CellIndex != 2 {
		s.T.Errorf("the checkpoints are %+v", list)
		return
	}
	if rest := s.checkpointsAfter(list[1].TS); len(rest) != 3 || rest[0] != list[2] {
		s.T.Errorf("after %d there are %+v", list[1].TS, rest)
	}
	if rest := s.checkpointsAfter(list[1].TS - 1); len(rest) != 4 {
		s.T.Errorf("after the moment before there are %+v", rest)
	}
}

type checkpoint struct {
	TS        int64  `json:"ts"`
	CellID    string `json:"cell_id"`
	CellIndex int    `json:"cell_index"`
	StateHash string `json:"state_hash"`
}

func (s *rerun) checkpointsAfter(ts int64) (list []checkpoint) {
	s.T.Helper()
	r, err := s.Call(s.Token(), "GET", fmt.Sprintf("/api/v1/sessions/%s/notebooks/%s/checkpoints?after=%d", s.Session, s.notebook, ts), nil)
	s.must(err)
	defer func() { _ = r.Body.Close() }()
	var body struct {
		Checkpoints []checkpoint `json:"checkpoints"`
	}
	s.must(json.NewDecoder(r.Body).Decode(&body))
	return body.Checkpoints
}

func (s *rerun) must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

func (s *rerun) run(ctx context.Context, code string) {
	s.T.Helper()
	s.asked++
	s.must(s.Command(ctx, fmt.Sprint("run ", s.asked), clew.CommandKernelExecute, &clew.KernelExecuteData{Code: code}))
	s.until(ctx, "a cell", func(p *past) bool { return len(p.finished)-p.again >= s.asked })
}

// back takes the session with its files to before the message that cell three showed.
func (s *rerun) back(ctx context.Context, message clew.MessageID) {
	s.T.Helper()
	if message == "" {
		s.T.Fatal("the third cell showed nothing")
	}
	err := s.Command(ctx, "back", clew.CommandRewind, &clew.RewindData{Target: clew.Target{MessageID: message}, RestoreCheckpoint: true})
	if err != nil && s.at == "calm" {
		s.T.Fatal(err)
	}
}

// answer answers the first question.
func (s *rerun) answer(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		if p, err := s.past(ctx); err == nil && p.question != "" {
			if s.Command(ctx, "answer", clew.CommandHitlInputResponse, &clew.HitlInputResponseData{RequestID: p.question, Value: "go"}) == nil {
				return
			}
		}
		<-tick.C
	}
}

// past is what the records tell.
type past struct {
	read     bool
	started  int
	again    int // runs that repeat another one
	finished []clew.CellFinishedData
	output   map[string]clew.MessageID // by the cell's word
	texts    map[string]clew.MessageID
	rerun    *clew.KernelRerunFinishedData
	said     []string       // of the kernel, without a cell
	question clew.RequestID // that is open
	saved    *clew.NotebookSavedData
	ended    clew.MessageID // the record of the last run's end
}

func (s *rerun) past(ctx context.Context) (*past, error) {
	list, _, err := s.Replay(ctx, s.Session)
	s.last = nil
	for _, r := range list {
		s.last = append(s.last, clew.Clip(r.Frame, 300))
	}
	p := &past{output: map[string]clew.MessageID{}, texts: map[string]clew.MessageID{}}
	repeats := map[string]bool{}
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.NotebookReadData:
			p.read, s.notebook = true, d.NotebookID
		case *clew.KernelRerunStartedData:
			for _, run := range d.Runs {
				repeats[run.RunID] = true
			}
		case *clew.CellStartedData:
			p.started++
			if repeats[d.RunID] {
				p.again++
			}
		case *clew.CellFinishedData:
			p.finished, p.ended = append(p.finished, *d), clew.MessageID(r.Env.MessageID)
		case *clew.NotebookSavedData:
			p.saved = d
		case *clew.MessageCreatedData:
			if m := d.Message; m.Cell == nil && m.Say == clew.SayKernelStatus {
				p.said = append(p.said, m.Text)
			}
			p.see(d.Message)
		case *clew.MessageUpdatedData:
			p.see(d.Message)
		case *clew.KernelRerunFinishedData:
			p.rerun = d
		case *clew.HitlInputRequestData:
			p.question = d.RequestID
		case *clew.HitlResolvedData:
			p.question = ""
		}
	}
	return p, err
}

func (p *past) see(m clew.Message) {
	if m.Cell == nil || m.Cell.Output != clew.OutputStream {
		return
	}
	p.texts[m.Text] = m.MessageID
	if m.Text == "3\n" {
		p.output["three"] = m.MessageID
	}
}

func (s *rerun) until(ctx context.Context, what string, is func(p *past) bool) *past {
	s.T.Helper()
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		p, err := s.past(ctx)
		if err == nil && is(p) {
			return p
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.T.Fatalf("%s: not in time: %v\n%s", what, err, strings.Join(s.last, "\n"))
		}
	}
}
