package shell

import (
	"context"
	_ "embed" // the descriptions
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

const (
	maxJobs   = 10            // running at once, in a session
	maxEnded  = 20            // remembered after their end
	maxAge    = 4 * time.Hour // how long one runs, and how long its end is remembered
	settle    = time.Second   // how long the first output is waited for
	jobPrefix = "cmd_"
)

//go:embed read_output.md
var readDescription string

//go:embed stop_command.md
var stopDescription string

var idSchema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "The id that execute_command gave."}
  },
  "required": ["id"],
  "additionalProperties": false
}`)

// A job is a background command.
type job struct {
	*process
	id string
}

// jobs are the background commands of a session, oldest first.
type jobs struct {
	mu       sync.Mutex
	starting int
	over     bool // the session ended: what still starts is stopped
	jobs     []*job
}

// reserveJob makes room for one more in a session, or says that there is none.
// Who gets room gives it back with settleJob.
func (s *Shell) reserveJob(id clew.SessionID) (*jobs, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other := range s.jobs {
		s.dropIfEmpty(other)
	}
	js := s.jobs[id]
	if js == nil {
		js = &jobs{}
	}
	if err := js.reserve(); err != nil {
		return nil, err
	}
	s.jobs[id] = js
	return js, nil
}

// settleJob ends a reservation; p is nil if nothing came of it.
func (s *Shell) settleJob(id clew.SessionID, js *jobs, p *process) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastJob++
	j := js.settled(p, s.lastJob)
	if s.jobs[id] == js { // the session may have ended meanwhile
		s.dropIfEmpty(id)
	}
	return j
}

// dropIfEmpty forgets what ended long ago in a session, and the session if that
// was all. The caller holds s.mu.
func (s *Shell) dropIfEmpty(id clew.SessionID) {
	if s.jobs[id].forget(time.Now().Add(-maxAge)) {
		delete(s.jobs, id)
	}
}

func (js *jobs) list() []*job {
	js.mu.Lock()
	defer js.mu.Unlock()
	return slices.Clone(js.jobs)
}

func (s *Shell) findJob(session clew.SessionID, id string) *job {
	s.mu.Lock()
	js := s.jobs[session]
	s.mu.Unlock()
	if js == nil {
		return nil
	}
	for _, j := range js.list() {
		if j.id == id {
			return j
		}
	}
	return nil
}

// forget drops what ended before a time and reports whether nothing is left.
func (js *jobs) forget(before time.Time) (empty bool) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.jobs = slices.DeleteFunc(js.jobs, func(j *job) bool {
		return j.ended() && j.started.Add(j.took).Before(before)
	})
	return len(js.jobs) == 0 && js.starting == 0
}

// reserve makes room for one more, or says that there is none.
func (js *jobs) reserve() error {
	js.mu.Lock()
	defer js.mu.Unlock()
	running := js.starting
	for _, j := range js.jobs {
		if !j.ended() {
			running++
		}
	}
	if running >= maxJobs {
		return clew.Errorf(clew.ToolExecutionFailed, "%d commands run in the background already: stop one first", maxJobs)
	}
	for i := 0; len(js.jobs)-running >= maxEnded && i < len(js.jobs); {
		if js.jobs[i].ended() {
			js.jobs = slices.Delete(js.jobs, i, i+1)
		} else {
			i++
		}
	}
	js.starting++
	return nil
}

// settled is settleJob among these.
func (js *jobs) settled(p *process, n int) *job {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.starting--
	if p == nil {
		return nil
	}
	j := &job{p, fmt.Sprintf("%s%d", jobPrefix, n)}
	js.jobs = append(js.jobs, j)
	if js.over {
		j.Stop(stoppedBySession)
	}
	return j
}

// end stops them all and waits.
func (js *jobs) end() {
	js.mu.Lock()
	js.over = true
	js.mu.Unlock()
	list := js.list()
	for _, j := range list {
		j.Stop(stoppedBySession)
	}
	for _, j := range list {
		<-j.done
	}
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// runBackground starts a plan and tells its first output. The command ends after
// maxAge unless another limit was asked for.
func (s *Shell) runBackground(ctx context.Context, session clew.SessionID, pl plan, timeoutSec int) (tool.Result, error) {
	js, err := s.reserveJob(session)
	if err != nil {
		return tool.Result{}, err
	}
	pl.limit = s.longest
	if timeoutSec > 0 {
		pl.limit = time.Duration(timeoutSec) * time.Second
	}
	p, err := s.start(pl, newOutput(keepBackground, nil))
	j := s.settleJob(session, js, p)
	if err != nil {
		return tool.Result{}, err
	}
	t := time.NewTimer(settle)
	defer t.Stop()
	select {
	case <-p.out.first:
	case <-p.done:
	case <-t.C:
	case <-ctx.Done():
		p.Stop(stoppedByCancel)
		<-p.done
	}
	r := j.report()
	r.Text = fmt.Sprintf("Started in the background as %s.\n\n%s", j.id, r.Text)
	return r, nil
}

// report gives what is new since the last report, and how the job is.
func (j *job) report() tool.Result {
	if j.ended() {
		return j.result()
	}
	text := j.out.Take()
	return tool.Result{
		Text: join(text, fmt.Sprintf("[%s still runs, for %s now]", j.id, time.Since(j.started).Round(time.Millisecond))),
		Say:  clew.SayCommandOutput, Shown: strings.TrimRight(text, "\n"),
	}
}

// prepareJob is Prepare for the tools that name a job.
func (s *Shell) prepareJob(call tool.Call, verb string, run func(context.Context, *job) tool.Result) (*tool.Action, error) {
	var in struct {
		ID string `json:"id"`
	}
	if err := decode(call.Input, &in); err != nil {
		return nil, err
	}
	j := s.findJob(call.SessionID, in.ID)
	if j == nil {
		return nil, &tool.InputError{Message: fmt.Sprintf(
			"there is no background command %q in this session; they end when the server stops", in.ID)}
	}
	return &tool.Action{
		Effect: clew.Effect{Summary: verb + " " + j.id, Command: j.plan.argv[len(j.plan.argv)-1], Directory: j.plan.dir},
		Ask:    clew.AskTool,
		Run: func(ctx context.Context, _ tool.Output) (tool.Result, error) {
			return run(ctx, j), nil
		},
	}, nil
}

type readOutput struct{ shell *Shell }

func (readOutput) Spec() tool.Spec {
	return tool.Spec{
		Name: "read_output", Description: strings.TrimSpace(readDescription), Schema: idSchema,
		Class: clew.ClassReadOnly, Group: tool.GroupCommand,
	}
}

func (t readOutput) Prepare(_ context.Context, call tool.Call) (*tool.Action, error) {
	return t.shell.prepareJob(call, "read the output of", func(_ context.Context, j *job) tool.Result {
		r := j.report()
		r.IsError = false // reading did not fail
		return r
	})
}

type stopCommand struct{ shell *Shell }

func (stopCommand) Spec() tool.Spec {
	return tool.Spec{
		Name: "stop_command", Description: strings.TrimSpace(stopDescription), Schema: idSchema,
		Class: clew.ClassRepeatable, Group: tool.GroupCommand,
	}
}

func (t stopCommand) Prepare(_ context.Context, call tool.Call) (*tool.Action, error) {
	return t.shell.prepareJob(call, "stop", func(ctx context.Context, j *job) tool.Result {
		j.Stop(stoppedByTool)
		select {
		case <-j.done:
		case <-ctx.Done(): // it ends all the same
		}
		r := j.report()
		r.IsError = false
		return r
	})
}
