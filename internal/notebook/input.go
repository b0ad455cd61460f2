package notebook

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/decide"
)

//go:embed waiting.py
var waitingPy string

const maxPrompt = 2 << 10

// inputLost is what people are told of a cell that waits, perhaps, for what nobody was asked.
const inputLost = "the cell may wait for input that was lost; interrupt it"

// A prompt is what the code of a cell asks for.
type prompt struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// An input is the question that the code of a run asks.
type input struct {
	question clew.RequestID // the last one of this run
	prompt   string
	password bool
	from     kernel.Message // the kernel's
	answered bool           // the kernel has the answer
	found    bool           // nobody heard it: the kernel was found waiting
}

// ask asks people for what the code wants to read.
func (e *execution) ask(ctx context.Context, m kernel.Message) error {
	var q prompt
	if json.Unmarshal(m.Content, &q) != nil {
		return nil
	}
	if e.input.found && !e.input.answered { // it is asked already
		e.input.from, e.input.found = m, false
		return nil
	}
	return e.put(ctx, m, wholeRunes(q.Prompt, maxPrompt), q.Password)
}

func (e *execution) put(ctx context.Context, from kernel.Message, prompt string, password bool) error {
	if err := e.flush(ctx, true); err != nil { // what was printed before it is read first
		return err
	}
	r, err := e.desk.Report(ctx, decide.AskCellInput{RunID: e.run.ID, Prompt: prompt, Password: password})
	if err != nil {
		return err
	}
	crash.At("input.asked")
	e.input = input{question: r.Question, prompt: prompt, password: password, from: from}
	return nil
}

// answer hands what somebody said to the kernel, once.
func (e *execution) answer(ctx context.Context, v session.NotebookView) error {
	a := v.Answer
	if a == nil || e.input.question == "" || a.RequestID != e.input.question || e.input.answered {
		return nil
	}
	if a.Lost { // only passwords are
		return e.put(ctx, e.input.from, e.input.prompt, true)
	}
	e.input.answered = true
	// Before it is sent: one that is sent twice may be the answer to something else.
	if err := e.kernel.process.NoteAnswer(string(a.RequestID)); err != nil {
		e.cfg.Log.Warn("that a question of a cell was answered could not be noted", "session", e.view.Session, "err", err)
	}
	if a.Declined {
		e.stop(ctx)
		return nil
	}
	if err := e.kernel.client.Reply(ctx, e.input.from, []byte(a.Value)); err != nil { // if the connection has ended, follow sees that
		e.cfg.Log.Warn("an answer did not reach the kernel", "session", e.view.Session, "err", err)
	}
	crash.At("input.sent")
	return nil
}

// A found is what a kernel says that its cell waits for.
type found struct {
	prompt *prompt // nil for nothing
	known  bool    // false if the kernel cannot tell
}

// resumeInput takes over the question of a run that another server began. One that went
// to the dead server is found in the kernel, and so is whether an answer has arrived.
// What the kernel says comes through e.found; stop waits until that has ended.
func (e *execution) resumeInput(ctx context.Context) (stop func()) {
	if id := e.view.Notebook.Run.RequestID; id != "" {
		e.input = input{question: id}
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	said, ended := make(chan found, 1), make(chan struct{})
	e.found = said
	go func() {
		defer close(ended)
		q, known := e.waiting(ctx)
		said <- found{q, known}
	}()
	return func() { cancel(); <-ended }
}

// takeOver goes on with the question that the kernel waits for. It is the last one on
// record until that was answered; then it is one that nobody heard, in the same words
// perhaps, and people are asked. They are asked once more, too, if the server died just
// before it sent the answer; of a kernel that cannot tell people are told that it may wait.
func (e *execution) takeOver(ctx context.Context, f found) error {
	if e.input.question != "" || f.known && f.prompt == nil {
		return nil // it was asked meanwhile, or nothing is
	}
	q := f.prompt
	if a := e.view.Answer; a != nil && !e.kernel.process.Answered(string(a.RequestID)) {
		e.input = input{question: a.RequestID}
		if q != nil {
			e.input.prompt, e.input.password = q.Prompt, q.Password
		}
		return e.answer(ctx, e.view)
	}
	if q == nil && e.view.Answer == nil {
		return nil
	}
	if q == nil { // it asked once, so it may ask again, and this server would not know
		return e.change(ctx, &e.view.Notebook, clew.KernelChangedData{KernelID: e.kernel.id, State: clew.KernelBusy, Reason: inputLost}, "")
	}
	err := e.put(ctx, kernel.Message{}, q.Prompt, q.Password)
	e.input.found = true
	return err
}

// waiting says what the cell waits for, nil for nothing. It is known of kernels of Python
// that answer beside a cell.
func (e *execution) waiting(ctx context.Context) (q *prompt, known bool) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	k := e.kernel
	if k.info.Language.Name != "python" || k.within(ctx) == "" {
		return nil, false
	}
	const key = "waiting"
	r, ok := k.evaluate(ctx, e.run.MsgID+"-"+rand.Text(), map[string]string{key: expression(waitingPy)})
	if !ok || r[key] == "" {
		return nil, false
	}
	return q, json.Unmarshal([]byte(r[key]), &q) == nil
}
