package transfer

import (
	"cmp"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A builder makes the records of a session from files. What they tell is put in
// order of time first; only places in the files are kept until then.
type builder struct {
	*importJob
	now    int64
	lastTS int64 // of the newest message
	steps  []step
	ends   []func(ts int64) error // what comes after all steps
	pics   imageCodec

	unheard func() error // what was said and the model has not been told
}

// A step is something that the files tell.
type step struct {
	ts int64
	do func(ts int64) error
}

func (t *importJob) builder() *builder {
	return &builder{importJob: t, now: t.Now(), pics: imageCodec{ctx: t.ctx, blobs: t.Blobs, by: t.by}}
}

// at plans a step. Those with the same time stay in the order of the calls.
func (b *builder) at(ts int64, do func(ts int64) error) {
	b.steps = append(b.steps, step{ts, do})
}

// build writes the session: its first record, then all steps.
func (b *builder) build(created int64) error {
	slices.SortStableFunc(b.steps, func(x, y step) int { return cmp.Compare(x.ts, y.ts) })
	if len(b.steps) > 0 && (created <= 0 || created > b.steps[0].ts) {
		created = b.steps[0].ts - 1
	}
	err := b.add(created, &clew.SessionCreatedData{Owner: b.up.By.User, Title: b.title, Workspace: b.up.Workspace})
	for _, s := range b.steps {
		if err != nil {
			return err
		}
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		err = s.do(s.ts)
	}
	if err == nil {
		err = b.hear()
	}
	for _, end := range b.ends {
		if err == nil {
			err = end(b.survey.head.TS)
		}
	}
	return err
}

// sane keeps a time of a file within what a session can have.
func (b *builder) sane(ts int64) int64 { return min(max(ts, 0), b.now) }

// next is the id of the record that comes now.
func (b *builder) next() clew.MessageID { return clew.MessageIDOf(b.survey.head.Seq + 1) }

func (b *builder) add(ts int64, data any) error {
	ev := clew.NewEvent(data)
	raw, err := clew.MarshalData(data)
	if err != nil {
		return err
	}
	if len(raw) > b.limits.Element {
		return tooLarge("a message is larger than %d bytes", b.limits.Element)
	}
	return b.write(b.survey.head.Write(b.id, 1, max(b.sane(ts), 1), clew.Draft{By: b.up.By.User, Type: ev.Type, Data: raw}))
}

// say adds a message to the transcript. Its own time is kept if that leaves the
// messages in order.
func (b *builder) say(ts int64, m clew.Message) (err error) {
	m.MessageID = b.next()
	if m.Images, err = b.pics.storeAll(m.Images); err != nil {
		return err
	}
	if m.TS <= b.lastTS || m.TS > b.now {
		m.TS = max(b.sane(ts), b.lastTS+1)
	}
	b.lastTS = m.TS
	return b.add(ts, &clew.MessageCreatedData{Message: m})
}

// A job is a task in the making.
type job struct {
	ref     clew.TaskRef
	item    fileItem
	agent   clew.AgentID
	message clew.MessageID // its newest in the transcript
	tools   map[string]string
	open    map[string]bool // calls of the last answer that wait for results
	began   int64
	room    historyBudget
}

func newJob(item fileItem, agent clew.AgentID) *job {
	id := clew.TaskID(item.ID)
	return &job{
		item: item, agent: agent, tools: map[string]string{},
		ref: clew.TaskRef{TaskID: id, RootTaskID: id, MonitorID: clew.MainMonitor},
	}
}

func (b *builder) begin(ts int64, j *job) error {
	return b.add(ts, &clew.TaskCreatedData{
		TaskRef: j.ref, Task: j.item.Task, Mode: j.item.Mode, Workspace: j.item.Workspace, AgentID: j.agent,
	})
}

// end leaves a task at rest: calls without a result get one, and nothing goes on
// by itself.
func (b *builder) end(ts int64, j *job) error {
	if u := j.item.usage(); u != (clew.Usage{}) {
		if err := b.add(ts, &clew.TaskTokenUsageUpdatedData{TaskRef: j.ref, TokenUsage: u, ToolUsage: map[string]clew.ToolUsage{}}); err != nil {
			return err
		}
	}
	switch clew.TaskStatus(j.item.Status) {
	case clew.TaskStatusCompleted:
		return b.add(ts, &clew.TaskCompletedData{
			TaskRef: j.ref, TokenUsage: j.item.usage(), ToolUsage: map[string]clew.ToolUsage{}, ResultSummary: j.item.CompletionResultSummary,
		})
	case clew.TaskStatusAborted:
		return b.add(ts, &clew.TaskAbortedData{TaskRef: j.ref})
	case clew.TaskStatusActive, clew.TaskStatusDelegated:
	}
	return b.add(ts, &clew.TaskIdleData{TaskRef: j.ref})
}

// speak adds a message of the task to the transcript.
func (b *builder) speak(ts int64, j *job, m clew.Message) error {
	m.TaskID = j.ref.TaskID
	if m.AgentID == "" && m.Role == clew.SpeakerAssistant {
		m.AgentID = j.agent
	}
	j.message = b.next()
	return b.say(ts, m)
}

// tell adds a message to the task's model history.
func (b *builder) tell(ts int64, j *job, m clew.ModelMessage) error {
	m.MessageID = j.message
	return b.add(ts, &clew.ModelMessageData{TaskID: j.ref.TaskID, AgentID: j.agent, MonitorID: clew.MainMonitor, Message: m})
}

// converse adds what was said to both. The model hears it right before somebody
// speaks again: what happens in between keeps its time.
func (b *builder) converse(ts int64, j *job, m clew.Message) error {
	if err := b.hear(); err != nil {
		return err
	}
	if err := b.speak(ts, j, m); err != nil {
		return err
	}
	b.unheard = func() error {
		err := b.tell(b.survey.head.TS, j, clew.ModelMessage{
			Role: m.Role, TS: m.TS, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: m.Text}},
		})
		if err != nil {
			return err
		}
		j.room.add(m)
		return b.makeRoom(j)
	}
	return nil
}

func (b *builder) hear() error {
	tell := b.unheard
	b.unheard = nil
	if tell == nil {
		return nil
	}
	return tell()
}

// finish leaves all tasks at rest, children before their parents, and only then:
// nothing that the files tell is put off by it.
func (b *builder) finish(jobs []*job) {
	for _, j := range slices.Backward(jobs) {
		b.ends = append(b.ends, func(ts int64) error { return b.end(ts, j) })
	}
	b.focus(jobs)
}

// focus puts the newest root that is not over in focus, so that the next
// message goes on with it.
func (b *builder) focus(jobs []*job) {
	for _, j := range slices.Backward(jobs) {
		if j.ref.ParentTaskID == "" && j.item.Status != string(clew.TaskStatusCompleted) && j.item.Status != string(clew.TaskStatusAborted) {
			b.ends = append(b.ends, func(ts int64) error { return b.add(ts, &clew.TaskFocusedData{TaskRef: j.ref}) })
			return
		}
	}
}

// madeUp is the id of a task that the files do not name.
func (b *builder) madeUp() string { return "task_" + shortHash(string(b.id), 24) }

// mainAgent is whose task it is if nothing else is said.
const mainAgent = core.MainAgent
