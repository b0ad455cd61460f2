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
	maxJobs   = 10          // running at once, in a session
	maxEnded  = 20          // remembered after their end
	settle    = time.Second // how long the first output is waited for
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
	last     int
	starting int
	over     bool // the session ended: what still starts is stopped
	jobs     []*job
}

func (s *Shell) sessionJobs(id clew.SessionID) *jobs {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs[id] == nil {
		s.jobs[id] = &jobs{}
	}
	return s.jobs[id]
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

// settled ends a reservation; p is nil if nothing came of it.
func (js *jobs) settled(p *process) *job {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.starting--
	if p == nil {
		return nil
	}
	js.last++
	j := &job{p, fmt.Sprintf("%s%d", jobPrefix, js.last)}
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

// runBackground starts a plan and tells its first output. The command has no
// time limit unless one was asked for.
func (s *Shell) runBackground(ctx context.Context, session clew.SessionID, pl plan, timeoutSec int) (tool.Result, error) {
	js := s.sessionJobs(session)
	if err := js.reserve(); err != nil {
		return tool.Result{}, err
	}
	p, err := s.start(pl, newOutput(keepBackground, nil))
	j := js.settled(p)
	if err != nil {
		return tool.Result{}, err
	}
	if timeoutSec > 0 {
		// Firing after its end does nothing, so nobody needs to stop it.
		time.AfterFunc(time.Duration(timeoutSec)*time.Second, func() { p.Stop(stoppedByLimit) })
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
