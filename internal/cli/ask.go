package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// An ask is a question that a person is being asked here. It reads what they
// type, line by line, until that makes an answer.
type ask struct {
	q    clew.Question
	step askStep
	// seen says that all of it was shown. There is no yes before.
	seen bool
	// held says that the question came while the person typed, or took the place of
	// another that they were about to answer: what they type first may be meant for
	// something else.
	held bool
}

// An askStep is what the next line is about.
type askStep int

const (
	stepChoose  askStep = iota // one of the keys, or a value
	stepReason                 // why not
	stepInstead                // what shall be done instead
	stepPattern                // what shall not be asked about again
)

// A heard line gives an answer, something to show, something to tell, or all are
// missing and the next line is wanted.
type heardLine struct {
	answer any    // one of the hitl_*_response structs
	more   bool   // show the question with all that there is, before tell
	tell   string // for the person
}

// options are the choices of a question; questions for a value have none.
func (k *ask) options() []clew.Choice {
	switch d := k.q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return d.Options
	case *clew.HitlPlanReviewData:
		return d.Options
	}
	return nil
}

func (k *ask) may(c clew.Choice) bool { return slices.Contains(k.options(), c) }

func (k *ask) offer() *clew.RememberOffer {
	if d, ok := k.q.Data.(*clew.HitlApprovalRequestData); ok && d.Remember != nil && len(d.Remember.Scopes) > 0 {
		return d.Remember
	}
	return nil
}

// aboutAct reports whether a yes lets something be done, so that a no can have a
// reason and words can say what to do instead. Other questions ask whether to go
// on.
func (k *ask) aboutAct() bool {
	d, ok := k.q.Data.(*clew.HitlApprovalRequestData)
	return !ok || d.Tool != "" || d.Todo != nil || d.Effect != nil
}

// prompt is what stands in front of what is typed.
func (k *ask) prompt() string {
	switch {
	case k.held:
		return "This question is new. Press Enter, then answer it › "
	case k.step == stepReason:
		return "No. Why? (Enter: no reason) › "
	case k.step == stepInstead:
		return "What instead? "
	case k.step == stepPattern:
		return fmt.Sprintf("Always for this task, Enter takes %q: ", k.offer().Pattern)
	case k.options() == nil:
		return "Answer: "
	}
	keys := []string{"yes", "no"}
	if k.offer() != nil {
		keys = append(keys, "always")
	}
	if k.aboutAct() {
		keys = append(keys, "else")
	}
	if k.may(clew.ChoiceSkip) {
		keys = append(keys, "skip")
	}
	for i, key := range keys {
		keys[i] = "[" + key[:1] + "]" + key[1:]
	}
	return strings.Join(keys, " ") + " ? › "
}

// help explains the keys.
func (k *ask) help() string {
	if k.options() == nil {
		text := "Type the answer, then Enter."
		if labels, _ := client.Choices(k.q); len(labels) > 0 {
			text = "Type the answer, or the number of a choice, then Enter."
		}
		return text + "\nCtrl-C leaves; the question stays open."
	}
	lines := []string{"y  yes, this once", "n  no"}
	if k.aboutAct() {
		lines[1] = "n  no; you may say why"
	}
	if o := k.offer(); o != nil {
		about := "calls like this are not asked about again in this task"
		if o.Pattern != "" {
			about = fmt.Sprintf("commands like %q are not asked about again in this task; you can change the pattern", o.Pattern)
		}
		lines = append(lines, "a  always: yes, and "+about)
	}
	switch {
	case k.may(clew.ChoiceModify):
		lines = append(lines, "e  something else: say what the plan should be instead")
	case k.aboutAct():
		lines = append(lines, "e  something else: no, and say what to do instead")
	}
	if k.may(clew.ChoiceSkip) {
		lines = append(lines, "s  skip this step")
	}
	lines = append(lines, "?  all of the question, and this", "Ctrl-C leaves; the question stays open.")
	return strings.Join(lines, "\n")
}

// take reads a line.
func (k *ask) take(line string) heardLine {
	line = strings.TrimSpace(line)
	switch {
	case k.held:
		k.held = false
		return heardLine{}
	case k.step == stepReason:
		k.step = stepChoose
		return heardLine{answer: k.decide(clew.ChoiceReject, line)}
	case k.step == stepInstead:
		return k.instead(line)
	case k.step == stepPattern:
		k.step = stepChoose
		return heardLine{answer: k.approve(&clew.Remember{Scope: k.offer().Scopes[0], Pattern: firstOf(line, k.offer().Pattern)})}
	case line == "?":
		return k.whole(k.help())
	case k.options() == nil:
		value, err := valueFor(k.q, line)
		if err != nil {
			return heardLine{tell: err.Error()}
		}
		return heardLine{answer: valueAnswer(k.q, value)}
	}
	return k.choose(line)
}

// whole has the question shown with all that there is.
func (k *ask) whole(tell string) heardLine {
	k.seen = true
	return heardLine{more: true, tell: tell}
}

func (k *ask) choose(line string) heardLine {
	key, words, _ := strings.Cut(line, " ")
	key = strings.TrimRight(strings.ToLower(key), ",.!")
	if words != "" && key != "n" && key != "no" {
		key = ""
	}
	switch key {
	case "y", "yes", "a", "always":
		if !k.seen {
			return k.whole("Now you have seen all of it. What is your answer?")
		}
		if key[0] == 'a' {
			return k.always()
		}
		return heardLine{answer: k.approve(nil)}
	case "n", "no":
		if k.aboutAct() && words == "" {
			k.step = stepReason
			return heardLine{}
		}
		return heardLine{answer: k.decide(clew.ChoiceReject, strings.TrimSpace(words))}
	case "s", "skip":
		if k.may(clew.ChoiceSkip) {
			return heardLine{answer: k.decide(clew.ChoiceSkip, "")}
		}
	case "e", "else", "edit":
		if k.aboutAct() {
			k.step = stepInstead
			return heardLine{}
		}
	}
	if line == "" {
		return heardLine{}
	}
	return heardLine{tell: "Type y or n, or ? for what else there is."}
}

func (k *ask) always() heardLine {
	o := k.offer()
	switch {
	case o == nil:
		return heardLine{tell: "This is asked about each time."}
	case o.Pattern == "":
		return heardLine{answer: k.approve(&clew.Remember{Scope: o.Scopes[0]})}
	}
	k.step = stepPattern
	return heardLine{tell: fmt.Sprintf("It would cover %s, and not %s", o.Match, o.NearMiss)}
}

// instead takes words in place of a yes or a no; without any the question stands
// as before.
func (k *ask) instead(words string) heardLine {
	k.step = stepChoose
	_, plain := client.PlainYesNo(words)
	switch {
	case words == "":
		return heardLine{}
	case plain:
		return heardLine{tell: fmt.Sprintf("%q is not what to do instead. Type y or n.", words)}
	case k.may(clew.ChoiceModify):
		return heardLine{answer: clew.HitlPlanResponseData{RequestID: k.q.RequestID(), Action: clew.ChoiceModify, Instruction: words}}
	}
	return heardLine{answer: k.decide(clew.ChoiceReject, words)}
}

func (k *ask) approve(remember *clew.Remember) any {
	if remember == nil {
		return k.decide(clew.ChoiceApprove, "")
	}
	return clew.HitlApprovalResponseData{RequestID: k.q.RequestID(), Action: clew.ChoiceApprove, Remember: remember}
}

func (k *ask) decide(c clew.Choice, comment string) any {
	if _, plan := k.q.Data.(*clew.HitlPlanReviewData); plan {
		return clew.HitlPlanResponseData{RequestID: k.q.RequestID(), Action: c, Comment: comment}
	}
	return clew.HitlApprovalResponseData{RequestID: k.q.RequestID(), Action: c, Comment: comment}
}
