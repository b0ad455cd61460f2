package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// openOf are the open questions of a session, the oldest first.
func openOf(s clew.SessionState) []clew.Question {
	var list []clew.Question
	if s.HitlPending != nil {
		list = append(list, *s.HitlPending)
	}
	return append(list, s.HitlQueue...)
}

// questions are those that are open and belong to what is followed.
func (f *follower) questions() []clew.Question {
	return slices.DeleteFunc(openOf(f.view.State), func(q clew.Question) bool { return !f.course.mine(askerOf(q)) })
}

// askerOf is the task whose agent asks.
func askerOf(q clew.Question) clew.TaskID {
	if d := q.Asking(); d != nil {
		return d.TaskID
	}
	return ""
}

// asks reports whether there is a person here to ask.
func (f *follower) asks() bool {
	in, ok := f.a.In.(*os.File)
	return ok && f.o.ask && !f.a.json && f.screen.live && isTerminal(in)
}

// consider deals with the questions that are open: it answers by rule, asks the
// person, or ends because there is nobody to ask.
func (f *follower) consider(ctx context.Context) *outcome {
	if f.o.say != nil && f.course.task == "" {
		return nil // the message has not arrived yet
	}
	var next *clew.Question
	for _, q := range f.questions() {
		if id := q.RequestID(); f.answered[id] {
			continue
		} else if answer := f.byRule(q); answer != nil {
			f.note(waiting, "! approved by --yes: %s", whatFor(q))
			f.answer(ctx, id, answer)
		} else if next == nil {
			next = &q
		}
	}
	switch {
	case next == nil:
		f.taken = f.taken || f.asking != nil // a rewind elsewhere took it away
		f.stopAsking()
		return nil
	case f.asking != nil && f.asking.q.RequestID() == next.RequestID():
		return nil
	case f.asks():
		return f.startAsking(*next)
	}
	return f.nobody(*next)
}

// takenBack forgets what was open before a rewind.
func (f *follower) takenBack() {
	f.view.State.HitlPending, f.view.State.HitlQueue = nil, nil
	clear(f.answered)
	f.reopening = true
}

// reopened takes in what is open after a rewind. Somebody took back what was
// decided: --yes does not decide it again.
func (f *follower) reopened() {
	if !f.reopening {
		return
	}
	f.reopening = false
	for _, q := range openOf(f.view.State) {
		id := q.RequestID()
		if f.o.yes.answer(q) != nil && !f.refused[id] {
			f.note(waiting, "! The session was taken back: --yes does not answer what is open again.")
		}
		f.refused[id] = true
	}
}

// byRule is the answer that --yes gives, nil if it gives none. What was refused
// once would be refused for ever: that is for a person. So is what a rewind opened
// again.
func (f *follower) byRule(q clew.Question) any {
	if f.refused[q.RequestID()] {
		return nil
	}
	return f.o.yes.answer(q)
}

// whatFor is the question in a line.
func whatFor(q clew.Question) string {
	if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok && d.Effect != nil {
		switch e := d.Effect; {
		case e.Command != "":
			return fmt.Sprintf("%s (in %s)", oneLine(e.Command), e.Directory)
		case e.Server != "":
			return e.Summary
		}
	}
	return oneLine(questionTitle(q))
}

// nobody is what becomes of a question that nobody here can answer.
func (f *follower) nobody(q clew.Question) *outcome {
	id := q.RequestID()
	if !f.shown[id] {
		f.shown[id] = true
		f.show(q, "")
		if !f.a.json {
			f.howTo(q)
		}
	}
	if f.o.wait || !f.o.untilDone {
		return nil
	}
	if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok {
		switch {
		case d.Limit == "budget" || d.Limit == "time":
			return &outcome{endedBudget, d.Reason}
		case d.Ask == clew.AskAPIReqFailed:
			return &outcome{endedFailed, d.Reason}
		}
	}
	return &outcome{endedQuestion, questionTitle(q)}
}

// howTo says how to answer from elsewhere.
func (f *follower) howTo(q clew.Question) {
	f.screen.block(faint, "    ", "Answer it with\n  "+f.c.line(answerWords(q)...)+"\nor in the browser:\n  "+f.c.line("open", string(f.o.session)))
}

// show shows a question and reports whether that was all of it.
func (f *follower) show(q clew.Question, more string) (all bool) {
	if f.a.json {
		return true
	}
	if f.story != nil {
		f.story.para("question")
	}
	return f.screen.question(q, f.now(), more)
}

// now is the server's time, by which deadlines count.
func (f *follower) now() time.Time { return time.Now().Add(f.skew) }

// startAsking puts a question to the person. What they typed before it was there
// is dropped: it was not meant for this one, and neither is the rest of it that
// they are still typing.
func (f *follower) startAsking(q clew.Question) *outcome {
	held := f.taken || f.asking != nil || len(f.line.text) > 0
	f.stopAsking()
	held = f.stopListening() || held || f.line.pasting
	all := f.show(q, "? shows it")
	if err := f.listen(); err != nil { // no keyboard after all
		f.o.ask = false
		return f.nobody(q)
	}
	f.asking, f.taken = &ask{q: q, seen: all, held: held}, false
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
		return &outcome{Status: endedLeft}
	}
	switch f.line.feed(b, f.asking == nil && several(b)) {
	case keyLeave:
		return &outcome{Status: endedLeft}
	case keyEnter:
		line := string(f.line.text)
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
	f.screen.block(faint, "    ", k.prompt()+line)
	heard := k.take(line)
	if heard.more {
		f.show(k.q, "")
	}
	if heard.tell != "" {
		f.screen.block(plainInk, "    ", heard.tell)
	}
	if heard.answer != nil {
		f.answer(ctx, k.q.RequestID(), heard.answer)
		f.stopAsking()
	}
}

// answer sends an answer.
func (f *follower) answer(ctx context.Context, id clew.RequestID, answer any) {
	f.answered[id] = true
	f.do(ctx, id, answerCommand(answer), answer)
}

// answerCommand is the command that carries an answer.
func answerCommand(answer any) clew.CommandType {
	switch answer.(type) {
	case clew.HitlPlanResponseData:
		return clew.CommandHitlPlanResponse
	case clew.HitlInputResponseData:
		return clew.CommandHitlInputResponse
	case clew.HitlClarificationResponseData:
		return clew.CommandHitlClarificationResponse
	}
	return clew.CommandHitlApprovalResponse
}

// resolved tells how a question was settled that somebody answered elsewhere, or
// nobody in time.
func (f *follower) resolved(env wire.Envelope) {
	ev, err := clew.DecodeEvent(clew.EventHitlResolved, env.Data)
	if err != nil {
		return
	}
	d, ok := ev.Data.(*clew.HitlResolvedData)
	ours := ok && f.answered[d.RequestID]
	if !ok || ours && d.Action != clew.ResolvedCancelled {
		return
	}
	if f.asking != nil && f.asking.q.RequestID() == d.RequestID {
		f.stopAsking()
		f.taken = true
	}
	switch {
	case d.ByTimeout:
		f.note(waiting, "◇ Nobody answered in time: %s.", settledAs(d))
	case d.Action == clew.ResolvedCancelled:
		f.note(faint, "◇ The question is off%s.", because(d.Comment))
	case d.ResolvedBy != "" && d.ResolvedBy == f.me:
		f.note(faint, "◇ You answered elsewhere: %s.", settledAs(d))
	default:
		f.note(faint, "◇ Answered elsewhere by %s: %s.", firstOf(string(d.ResolvedBy), "somebody"), settledAs(d))
	}
}

func settledAs(d *clew.HitlResolvedData) string {
	if d.Action == clew.ResolvedAnswer {
		return fmt.Sprintf("%v", d.Value)
	}
	return string(d.Action)
}
