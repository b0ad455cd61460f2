package follow

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
)

// asks reports whether there is a person here to ask.
func (f *follower) asks() bool {
	in, ok := f.a.In.(*os.File)
	return ok && f.o.Ask && !f.a.JSON && f.screen.live && env.IsTerminal(in)
}

// handleQuestion deals with the questions that are open: it answers by rule, asks the
// person, or ends because there is nobody to ask.
func (f *follower) handleQuestion(ctx context.Context) *outcome {
	if f.o.Say != nil && f.course.Task() == "" {
		return nil // the message has not arrived yet
	}
	var next *clew.Question
	for _, q := range f.course.Questions() {
		if id := q.RequestID(); f.answered[id] {
			continue
		} else if answer := f.byRule(q); answer != nil {
			f.note(Waiting, "! approved by --yes: %s", ask.Line(q))
			f.answer(ctx, q, *answer)
		} else if next == nil {
			next = &q
		}
	}
	switch {
	case next == nil:
		f.taken = f.taken || f.asking != nil // a rewind elsewhere took it away
		f.stopAsking()
		return nil
	case f.asking != nil && f.asking.Q.RequestID() == next.RequestID():
		return nil
	case f.asks():
		return f.startAsking(*next)
	}
	return f.noAnswerer(*next)
}

// moved forgets what was answered before a rewind. Somebody took back what was
// decided: --yes does not decide it again.
func (f *follower) moved(first bool) {
	to := f.state.Status.LastMove
	if to == nil || to.MessageID == f.move {
		return
	}
	f.move = to.MessageID
	if first || to.Failed != "" || to.Kind == clew.KindFiles {
		return
	}
	clear(f.answered)
	for _, q := range f.state.Questions {
		id := q.RequestID()
		if f.o.Yes.answer(q) != nil && !f.refused[id] {
			f.note(Waiting, "! The session was rewound: --yes does not answer questions that are open again.")
		}
		f.refused[id] = true
	}
}

// byRule is the answer that --yes gives, nil if it gives none. What was refused
// once would be refused for ever: that is for a person. So is what a rewind opened
// again.
func (f *follower) byRule(q clew.Question) *client.InboxAnswer {
	if f.refused[q.RequestID()] {
		return nil
	}
	return f.o.Yes.answer(q)
}

// noAnswerer is what becomes of a question that nobody here can answer.
func (f *follower) noAnswerer(q clew.Question) *outcome {
	id := q.RequestID()
	if !f.shown[id] {
		f.shown[id] = true
		f.show(q, "")
		if !f.a.JSON {
			f.howTo(q)
		}
	}
	if f.o.Wait || !f.o.UntilDone {
		return nil
	}
	if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok && (d.Limit == "budget" || d.Limit == "month" || d.Limit == "time") {
		return &outcome{EndedBudget, d.Reason}
	}
	return &outcome{EndedQuestion, ask.Line(q)}
}

// howTo says how to answer from elsewhere.
func (f *follower) howTo(q clew.Question) {
	f.screen.Paste(Faint, "    ", "Answer it with\n  "+f.c.Line(AnswerWords(q)...)+"\nor in the browser:\n  "+f.c.Line("open", string(f.o.Session)))
}

// show shows a question and reports whether that was all of it.
func (f *follower) show(q clew.Question, more string) (all bool) {
	if f.a.JSON {
		return true
	}
	if f.story != nil {
		f.story.para("question")
	}
	return f.screen.Question(q, f.now(), more)
}

// now is the server's time, by which deadlines count.
func (f *follower) now() time.Time { return time.Now().Add(f.skew) }

// startAsking puts a question to the person. What they typed before it was there
// is dropped: it was not meant for this one, and neither is the rest of it that
// they are still typing.
func (f *follower) startAsking(q clew.Question) *outcome {
	held := f.taken || f.asking != nil || len(f.line.Text) > 0
	f.stopAsking()
	held = f.stopListening() || held || f.line.pasting
	all := f.show(q, "? shows it")
	if err := f.listen(); err != nil { // no keyboard after all
		f.o.Ask = false
		return f.noAnswerer(q)
	}
	f.asking, f.taken = &Ask{Q: q, Seen: all, held: held}, false
	return nil
}

// stopAsking takes the question away. What was typed for it is dropped.
func (f *follower) stopAsking() {
	if f.asking != nil {
		f.screen.clearStatus()
		f.asking, f.line = nil, f.line.emptied()
	}
	if !f.heeds { // nobody reads what is typed between questions
		f.away = false
		f.stopListening()
	}
}

// typed takes keys.
func (f *follower) typed(ctx context.Context, b []byte) *outcome {
	if b == nil && f.asking == nil { // nobody is there any more, or we are in the background
		f.stopListening()
		return nil
	}
	if b == nil {
		return &outcome{Status: EndedLeft}
	}
	switch f.line.feed(b, f.asking == nil && several(b)) {
	case keyLeave:
		return &outcome{Status: EndedLeft}
	case keyEnter:
		line := string(f.line.Text)
		f.line = f.line.emptied()
		if f.asking != nil {
			f.entered(ctx, line)
		} else {
			f.steer(ctx, line)
		}
	}
	return nil
}

// entered takes a line that the person ended with Enter.
func (f *follower) entered(ctx context.Context, line string) {
	k := f.asking
	f.screen.clearStatus()
	f.screen.Block(Faint, "    ", k.Prompt()+line)
	heard := k.Take(line)
	if heard.More {
		f.show(k.Q, "")
	}
	if heard.Tell != "" {
		f.screen.Block(PlainInk, "    ", heard.Tell)
	}
	if heard.Answer != nil {
		f.answer(ctx, k.Q, *heard.Answer)
		f.stopAsking()
	}
}

// answer sends an answer.
func (f *follower) answer(ctx context.Context, q clew.Question, answer client.InboxAnswer) {
	id := q.RequestID()
	f.answered[id] = true
	command, data := ask.Response(q, answer)
	f.do(ctx, id, command, data)
}

// resolved tells how a question was settled that somebody answered elsewhere, or
// nobody in time.
func (f *follower) resolved(q *clew.SettledQuestion) {
	if f.answered[q.RequestID] && q.Action != clew.ResolvedCancelled {
		return
	}
	if f.asking != nil && f.asking.Q.RequestID() == q.RequestID {
		f.stopAsking()
		f.taken = true
	}
	i := Faint
	if q.ByTimeout {
		i = Waiting
	}
	text := ask.Elsewhere(q.MessageAnswer, q.By != "" && q.By == f.me)
	f.note(i, "◇ %s.", strings.ToUpper(text[:1])+text[1:])
}
