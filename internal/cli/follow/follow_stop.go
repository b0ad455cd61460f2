package follow

import (
	"context"
	"time"

	"github.com/clew-run/clew"
)

// interruptWithin bounds how long a command that has to end waits for its work to stop.
const interruptWithin = 10 * time.Second

// interrupt stops the work that this command began, because the command ends before it.
// What it did stays, and it can be taken up again. A message that still waits is taken
// out of the queue. In a session with other work, only a task that is known is stopped.
func (f *follower) interrupt(ctx context.Context) outcome {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), interruptWithin)
	defer cancel()
	typ, data := clew.CommandInterrupt, any(clew.InterruptData{})
	if f.course.Task() == "" && !f.o.Fresh {
		id := f.queued()
		if id == "" {
			return outcome{Status: EndedLeft}
		}
		typ, data = clew.CommandRemoveQueued, clew.RemoveQueuedData{MessageID: id}
	}
	if _, err := f.c.API().Command(ctx, f.o.Session, "", typ, data); err != nil {
		return outcome{EndedLeft, "the work could not be stopped"}
	}
	return outcome{EndedStopped, "this command ended before the work (--stop-on-exit)"}
}

// queued is the message that was said here and waits, "" if it does not.
func (f *follower) queued() clew.MessageID {
	for _, q := range f.state.Queue {
		if f.said != "" && q.ClientMessageID == f.said {
			return q.MessageID
		}
	}
	return ""
}
