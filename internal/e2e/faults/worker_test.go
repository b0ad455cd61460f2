package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A worker has an agent run commands that cannot be repeated, each of which leaves
// a line in a file.
type worker struct {
	w       *world
	id      clew.SessionID
	name    string
	resting atomic.Bool
}

func newWorker(w *world, i int) *worker {
	name := fmt.Sprintf("worker_%d", i)
	return &worker{w: w, id: w.create(name), name: name}
}

func (p *worker) live(ctx context.Context) {
	for n := 0; ctx.Err() == nil && !p.w.rest.Load(); n++ {
		key := fmt.Sprintf("%s-%d", p.name, n)
		if _, err := p.w.command(ctx, p.id, "do-"+key, clew.CommandUserMessage, clew.UserMessageData{Text: "do " + key}); err != nil && ctx.Err() == nil {
			p.w.broke(nothingLost, "%s was refused: %v", key, err)
		}
		if !p.w.idle(ctx, p.id) {
			break
		}
	}
	p.resting.Store(true)
}

// idle waits until a session has nothing to do.
func (w *world) idle(ctx context.Context, id clew.SessionID) bool {
	for turn := 0; pause(ctx, 20*time.Millisecond); turn++ {
		if s, err := w.look(ctx, id, turn); err == nil && s.Status == clew.StatusIdle {
			return true
		}
	}
	return false
}

// look asks for a session, each turn another node.
func (w *world) look(ctx context.Context, id clew.SessionID, turn int) (client.Session, error) {
	once, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	return w.api(w.nodes[turn%len(w.nodes)]).GetSession(once, id)
}

// lines are what the commands left, and how often.
func (p *worker) lines() map[string]int {
	b, err := os.ReadFile(filepath.Join(p.w.workspace(p.name), "ledger"))
	if err != nil && !os.IsNotExist(err) {
		p.w.t.Error(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(b)) {
		count[strings.TrimSpace(line)]++
	}
	return count
}

// An approver answers all that is asked. There are two, who look at the same
// moment and do not agree.
type approver struct {
	w   *world
	who int
}

func (p *approver) live(ctx context.Context) {
	asked, at := 0, p.who
	for pause(ctx, 15*time.Millisecond) {
		once, cancel := context.WithTimeout(ctx, 3*time.Second)
		api := p.w.api(p.w.nodes[at%len(p.w.nodes)])
		in, err := api.Inbox(once, "", 0)
		if err != nil {
			at++ // perhaps another node knows more
		}
		for _, item := range in.Items {
			if err != nil {
				break
			}
			if p.w.peer != nil && item.SessionID == p.w.peer.session {
				continue // the fault answers there
			}
			action := clew.ChoiceApprove
			if asked++; p.who == 1 && asked%3 == 0 {
				action = clew.ChoiceReject
			}
			if ask, ok := item.Question.Data.(*clew.HitlApprovalRequestData); ok && ask.Ask == clew.AskResumeTask {
				action = clew.ChoiceApprove // what is in doubt is not done again by it
			}
			_, _ = api.AnswerQuestion(once, item.Question.RequestID(), client.InboxAnswer{Action: action}) // the other one may have been first
		}
		cancel()
	}
}
