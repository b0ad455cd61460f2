package notebook

import (
	"time"

	"github.com/clew-run/clew"
)

// AnswerWithin sets how long a kernel may take to answer.
func (r *Runner) AnswerWithin(d time.Duration) { r.answerWithin = d }

// CheckpointWithin sets how long it may take to say what it knows.
func (r *Runner) CheckpointWithin(d time.Duration) { r.checkpointWithin = d }

// Joined counts the kernels that the runner is joined to.
func (r *Runner) Joined() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.live)
}

// Idle says that the notebook's kernel could be asked something.
func (r *Runner) Idle(id clew.SessionID, notebook string) bool { return r.asked(id, notebook) != nil }

// VariablesExpression asks a kernel what it knows.
var VariablesExpression = expression(variablesPy)
