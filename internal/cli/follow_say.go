package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// learned is what the server was asked beside the stream.
type learned struct {
	me    clew.UserID
	tasks []clew.HistoryItem
}

// learn hands something to the loop.
func (f *follower) learn(ctx context.Context, l learned) {
	select {
	case f.learned <- l:
	case <-ctx.Done():
	}
}

// know takes in what was learned.
func (f *follower) know(l learned) {
	if l.me != "" {
		f.me = l.me
	}
	if l.tasks != nil {
		f.course.tasks(l.tasks)
	}
}

// whoami asks who we are, to tell our own answers from those of others. That it
// fails matters to nobody.
func (c *rest) whoami(ctx context.Context) learned {
	var me struct {
		UserID clew.UserID `json:"user_id"`
	}
	_ = c.call(ctx, http.MethodGet, "me", nil, &me)
	return learned{me: me.UserID}
}

// tasksOf are the tasks that a session has, nil if nobody says.
func (c *rest) tasksOf(ctx context.Context, id clew.SessionID) learned {
	var out struct {
		Tasks []clew.HistoryItem `json:"tasks"`
	}
	if err := c.call(ctx, http.MethodGet, "sessions/"+url.PathEscape(string(id))+"/tasks", nil, &out); err != nil {
		return learned{}
	}
	return learned{tasks: append([]clew.HistoryItem{}, out.Tasks...)}
}

// speak says what the person said on the line. Words at an open approval deny it:
// they are told so, and what is nothing but a yes or a no is not sent.
func (f *follower) speak(ctx context.Context) {
	say := *f.o.say
	q := deniedByWords(openOf(f.view.State))
	if say.Mode == clew.ModeRun { // a plan is a task of its own
		q = nil
	}
	if q != nil {
		if _, plain := client.PlainYesNo(say.Text); plain && len(say.Images) == 0 {
			f.note(waiting, "! %s was not sent: a question is open, and words deny it. Answer the question.", quoted(say.Text))
			f.o.say, f.course = nil, newCourse("") // what is under way is followed instead
			f.course.state(&f.view.State)
			return
		}
		f.note(waiting, "! A question is open: your words deny it, and tell the agent what to do instead.")
	}
	f.running.Go(func() {
		if !f.o.fresh {
			f.learn(ctx, f.c.tasksOf(ctx, f.o.session))
		}
		f.carry(ctx, "", clew.CommandUserMessage, say)
	})
}

// deniedByWords is the open question that a message would deny, or whose plan it
// would change; nil if there is none.
func deniedByWords(open []clew.Question) *clew.Question {
	for i, q := range open {
		switch d := q.Data.(type) {
		case *clew.HitlPlanReviewData:
			return &open[i]
		case *clew.HitlApprovalRequestData:
			if d.Ask.IsInteractive() || d.Ask == clew.AskCompletionResult || d.Limit == "budget" {
				return &open[i]
			}
		}
	}
	return nil
}

func quoted(text string) string { return fmt.Sprintf("%q", cut(plain(oneLine(text)), 40)) }

// listen reads what is typed from now on, where there is a person.
func (f *follower) listen() error {
	in, _ := f.a.In.(*os.File)
	board, err := openKeyboard(in, f.keys)
	if err != nil {
		return err
	}
	f.board, f.line, f.screen.raw = board, typedLine{}, ownNewlines
	return nil
}

// stopListening gives the terminal back. It reports whether something was typed
// that nobody had taken yet.
func (f *follower) stopListening() (typed bool) {
	if f.board == nil {
		return false
	}
	f.screen.clearStatus()
	typed = f.board.close(f.keys)
	f.board, f.line, f.screen.raw = nil, typedLine{}, false
	return typed
}

// hearken reads what a person types while the agent works, once that can be told
// to it. A terminal that is the shell's is left alone.
func (f *follower) hearken() {
	in, _ := f.a.In.(*os.File)
	if f.heeds || !f.view.Known || !f.asks() || f.story == nil || !foreground(in) {
		return
	}
	if f.heeds = true; f.board != nil { // a question came first
		return
	}
	_ = f.listen() // without it there is nothing to hear, and questions say so
}

// steer tells the agent what was typed while it works. Words could answer a
// question that is open but was not put to the person, such as one of another
// task: then they are not sent.
func (f *follower) steer(ctx context.Context, words string) {
	words = strings.TrimSpace(words)
	_, plain := client.PlainYesNo(words)
	open := openOf(f.view.State)
	switch {
	case words == "":
		return
	case len(open) > 0:
		f.note(waiting, "! %s was not sent: a question is open in this session, and words could answer it.", quoted(words))
		f.howTo(open[0])
		return
	case plain || words == "?":
		f.note(faint, "No question is open: %s was not sent. Type words, and the agent is told.", quoted(words))
		return
	case f.reopening:
		f.note(waiting, "! %s was not sent: the session was just taken back. Look at what is open now.", quoted(words))
		return
	}
	f.story.own[words]++
	f.running.Go(func() {
		_, err := f.cl.Do(ctx, clew.CommandUserMessage, clew.UserMessageData{Text: words, Delivery: clew.ArrivalSteer})
		select {
		case f.sent <- sentCommand{told: words, err: err}:
		case <-ctx.Done():
		}
	})
}

// told says what became of words to the agent.
func (f *follower) told(words string, err error) {
	if err != nil {
		f.story.own[words]--
		f.note(bad, "✕ The agent was not told %s: %s", quoted(words), errorText(err))
		return
	}
	f.note(plainInk, "told the agent: %s", words)
}
