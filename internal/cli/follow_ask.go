package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// asking is a question that the person here has before them.
type asking struct {
	ask
	typed typedLine
	board *keyboard
}

// questions are those that are open and belong to what is followed.
func (f *follower) questions() []clew.Question {
	var list []clew.Question
	s := f.view.State
	if s.HitlPending != nil {
		list = append(list, *s.HitlPending)
	}
	list = append(list, s.HitlQueue...)
	mine := list[:0:0]
	for _, q := range list {
		if f.course.mine(askerOf(q)) {
			mine = append(mine, q)
		}
	}
	return mine
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
		} else if answer := f.o.yes.answer(q); answer != nil {
			f.note(waiting, "! approved by --yes: %s", whatFor(q))
			f.answer(ctx, id, answer)
		} else if next == nil {
			next = &q
		}
	}
	switch {
	case next == nil:
		f.stopAsking()
		return nil
	case f.asking != nil && f.asking.q.RequestID() == next.RequestID():
		return nil
	case f.asks():
		return f.startAsking(*next)
	}
	return f.nobody(*next)
}

// whatFor is the question in a line.
func whatFor(q clew.Question) string {
	if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok && d.Effect != nil && d.Effect.Command != "" {
		return fmt.Sprintf("%s (in %s)", oneLine(d.Effect.Command), d.Effect.Directory)
	}
	return oneLine(questionTitle(q))
}

// nobody is what becomes of a question that nobody here can answer.
func (f *follower) nobody(q clew.Question) *outcome {
	id := q.RequestID()
	if !f.shown[id] {
		f.shown[id] = true
		f.show(q, false)
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

func (f *follower) show(q clew.Question, full bool) {
	if f.a.json {
		return
	}
	if f.story != nil {
		f.story.para("question")
	}
	f.screen.question(q, f.now(), full)
}

// now is the server's time, by which deadlines count.
func (f *follower) now() time.Time { return time.Now().Add(f.skew) }

// startAsking puts a question to the person.
func (f *follower) startAsking(q clew.Question) *outcome {
	f.stopAsking()
	f.show(q, false)
	in, _ := f.a.In.(*os.File)
	board, err := openKeyboard(in, f.keys)
	if err != nil { // no keyboard after all
		f.o.ask = false
		return f.nobody(q)
	}
	f.screen.raw = true
	f.asking = &asking{ask: ask{q: q}, board: board}
	if f.story != nil {
		f.story.hold = true
	}
	return nil
}

// stopAsking gives the terminal back.
func (f *follower) stopAsking() {
	if f.asking == nil {
		return
	}
	f.screen.clearStatus()
	f.asking.board.close(f.keys)
	f.screen.raw = false
	f.asking = nil
	if f.story != nil {
		f.story.hold = false
		f.story.flow()
	}
}

// typed takes keys.
func (f *follower) typed(ctx context.Context, b []byte) *outcome {
	if f.asking == nil {
		return nil
	}
	if b == nil {
		return &outcome{Status: endedLeft}
	}
	k := f.asking
	switch k.typed.feed(b) {
	case keyLeave:
		return &outcome{Status: endedLeft}
	case keyEnter:
		line := string(k.typed.text)
		k.typed = typedLine{}
		f.entered(ctx, line)
	}
	return nil
}

// entered takes a line that the person ended with Enter.
func (f *follower) entered(ctx context.Context, line string) {
	k := f.asking
	f.screen.clearStatus()
	f.screen.block(faint, "    ", k.prompt()+line)
	heard := k.take(line)
	if heard.tell != "" {
		f.screen.block(plainInk, "    ", heard.tell)
	}
	if heard.more {
		f.show(k.q, true)
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
	}
	switch {
	case d.ByTimeout:
		f.note(waiting, "◇ Nobody answered in time: %s.", settledAs(d))
	case d.Action == clew.ResolvedCancelled:
		f.note(faint, "◇ The question is off%s.", because(d.Comment))
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
