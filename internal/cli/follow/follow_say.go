package follow

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// serverInfo is what the server was asked beside the stream.
type serverInfo struct{ me clew.UserID }

// learn hands something to the loop.
func (f *follower) learn(ctx context.Context, l serverInfo) {
	select {
	case f.learned <- l:
	case <-ctx.Done():
	}
}

// know takes in what was learned.
func (f *follower) know(l serverInfo) {
	if l.me != "" {
		f.me = l.me
	}
}

// whoami asks who we are, to tell our own answers from those of others. That it
// fails matters to nobody.
func whoami(ctx context.Context, c *env.Rest) serverInfo {
	var me struct {
		UserID clew.UserID `json:"user_id"`
	}
	_ = c.Call(ctx, http.MethodGet, "me", nil, &me)
	return serverInfo{me: me.UserID}
}

// speak says what the person said on the line. Words at an open approval deny it:
// they are told so, and what is nothing but a yes or a no is not sent.
func (f *follower) speak(ctx context.Context) {
	say, open := *f.o.Say, f.state.Questions
	if !f.o.Fresh { // one that opens meanwhile is not for these words
		say.MayAnswer = IDsOf(open)
	}
	switch {
	case say.Mode == clew.ModeRun: // a plan is a task of its own
	case NotForWords(open, say) != nil:
		f.note(Waiting, "! %s was not sent: a question is open, and a message does not approve or deny it. Answer the question.", Quoted(say.Text))
		f.o.Say, f.course = nil, client.NewWork("", &f.state) // what is under way is followed instead
		return
	case DeniedByWords(open) != nil:
		f.note(Waiting, "! A question is open: your words deny it, and tell the agent what to do instead.")
	}
	f.running.Go(func() {
		if f.json != nil {
			<-f.json.synced // what comes of the message is printed
		}
		f.carry(ctx, "", clew.CommandUserMessage, say)
	})
}

// IDsOf names questions, as those that words may answer.
func IDsOf(questions []clew.Question) []clew.RequestID {
	ids := []clew.RequestID{} // none is not any
	for _, q := range questions {
		ids = append(ids, q.RequestID())
	}
	return ids
}

// DeniedByWords is the open question that a message would deny, or whose plan it
// would change; nil if there is none.
func DeniedByWords(open []clew.Question) *clew.Question {
	for i := range open {
		switch open[i].Asking().WordsEffect {
		case clew.WordsDeny, clew.WordsChange:
			return &open[i]
		}
	}
	return nil
}

// NotForWords is the open question that a message which says nothing but yes or no
// seems to answer: words deny an act, change a plan and let all else go on, whatever
// they say.
func NotForWords(open []clew.Question, say clew.UserMessageData) *clew.Question {
	if _, plain := client.PlainYesNo(say.Text); !plain || len(say.Images) > 0 {
		return nil
	}
	for i := range open {
		if open[i].Asking().WordsEffect != clew.WordsAnswer {
			return &open[i]
		}
	}
	return nil
}

// Quoted is the beginning of a text in quotes, on one line.
func Quoted(text string) string {
	return fmt.Sprintf("%q", env.Cut(env.Plain(term.FirstLine(text)), 40))
}

// listen reads what is typed from now on, where there is a person. Of a paste that
// is under way the rest is dropped as it comes: if it were forgotten here, so would
// be where it ends.
func (f *follower) listen() error {
	in, _ := f.a.In.(*os.File)
	if !f.line.pasting {
		Forget(in)
	}
	board, err := openKeyboard(in, f.screen.w, f.keys)
	if err != nil {
		return err
	}
	f.board, f.away, f.screen.raw = board, false, ownNewlines
	notifyAside(f.aside)
	return nil
}

// stopListening gives the terminal back. It reports whether something was typed
// that nobody had taken yet.
func (f *follower) stopListening() (typed bool) {
	if f.board == nil {
		return false
	}
	f.screen.clearStatus()
	left := f.board.close(f.keys)
	f.board, f.line, f.screen.raw = nil, f.line.without(left), false
	return len(left) > 0
}

// putAside gives the terminal back and stops, as Ctrl-Z asks for, until the shell
// has us go on. What is typed is read again once the terminal is ours.
func (f *follower) putAside() {
	f.away = f.board != nil || f.away
	f.stopListening()
	f.line = lineEditor{}
	stopHere()
}

// readTyped reads what a person types while the agent works, once that can be told
// to it. A terminal that is the shell's is left alone.
func (f *follower) readTyped() {
	in, _ := f.a.In.(*os.File)
	if f.away && foreground(in) {
		_ = f.listen()
		return
	}
	if f.heeds || !f.state.Known() || !f.asks() || f.story == nil || !foreground(in) {
		return
	}
	if f.heeds = true; f.board != nil { // a question came first
		return
	}
	_ = f.listen() // without it there is nothing to hear, and questions say so
}

// steer tells the agent what was typed while it works. The words answer nothing:
// a question may be open that was not put to the person, such as one of another
// task, or one that we have not heard of.
func (f *follower) steer(ctx context.Context, line string) {
	words := strings.TrimSpace(line)
	_, plain := client.PlainYesNo(words)
	open := f.elsewhere()
	switch {
	case words == "":
		return
	case plain && len(open) > 0:
		f.note(Waiting, "! %s was not sent: a question is open in this session that is not asked here.", Quoted(words))
		f.howTo(open[0])
		return
	case plain || words == "?":
		f.note(Faint, "No question is open: %s was not sent. Type words, and the agent is told.", Quoted(words))
		return
	}
	if _, _, ok := term.Slash(line); ok {
		f.call(ctx, line)
		return
	}
	f.tell(ctx, words)
}

// tell sends words to the agent at work.
func (f *follower) tell(ctx context.Context, words string) {
	f.story.own[words]++
	f.running.Go(func() {
		_, err := f.cl.Do(ctx, clew.CommandUserMessage, clew.UserMessageData{
			Text: words, Delivery: clew.ArrivalSteer, MayAnswer: IDsOf(nil),
		})
		select {
		case f.sent <- sentCommand{told: words, err: err}:
		case <-ctx.Done():
		}
	})
}

// elsewhere are the open questions that nobody is asked here.
func (f *follower) elsewhere() []clew.Question {
	return slices.DeleteFunc(slices.Clone(f.state.Questions), func(q clew.Question) bool {
		return f.answered[q.RequestID()] || f.asking != nil && f.asking.Q.RequestID() == q.RequestID()
	})
}

// told says what became of words to the agent.
func (f *follower) told(words string, err error) {
	if err != nil {
		f.story.own[words]--
		f.note(Bad, "✕ The agent was not told %s: %s", Quoted(words), env.ErrorText(err))
		return
	}
	f.note(PlainInk, "told the agent: %s", words)
	if open := f.elsewhere(); len(open) > 0 && f.asking == nil {
		f.note(Waiting, "! A question is open in this session. Your words do not answer it.")
		f.howTo(open[0])
	}
}
