package follow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// An Ask is a question that a person is being asked here. It reads what they
// type, line by line, until that makes an answer.
type Ask struct {
	Q    clew.Question
	step askStep
	// Seen says that all of it was shown. There is no yes before.
	Seen bool
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

// A Reaction to a line is an answer, something to show, something to tell, or all are
// missing and the next line is wanted.
type Reaction struct {
	Answer any    // one of the hitl_*_response structs
	More   bool   // show the question with all that there is, before tell
	Tell   string // for the person
}

// Options are the choices of a question; questions for a value have none.
func (k *Ask) Options() []clew.Choice {
	switch d := k.Q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return d.Options
	case *clew.HitlPlanReviewData:
		return d.Options
	}
	return nil
}

// May reports whether a choice is offered.
func (k *Ask) May(c clew.Choice) bool { return slices.Contains(k.Options(), c) }

// Offer is what of an approval can be remembered.
func (k *Ask) Offer() *clew.RememberOffer {
	if d, ok := k.Q.Data.(*clew.HitlApprovalRequestData); ok && d.Remember != nil && len(d.Remember.Scopes) > 0 {
		return d.Remember
	}
	return nil
}

// aboutAct reports whether a yes lets something be done, so that a no can have a
// reason and words can say what to do instead. Other questions ask whether to go
// on.
func (k *Ask) aboutAct() bool {
	d, ok := k.Q.Data.(*clew.HitlApprovalRequestData)
	return !ok || d.Tool != "" || d.Todo != nil || d.Effect != nil
}

// Prompt is what stands in front of what is typed.
func (k *Ask) Prompt() string {
	switch {
	case k.held:
		return "This question is new. Press Enter, then answer it › "
	case k.step == stepReason:
		return "No. Why? (Enter: no reason) › "
	case k.step == stepInstead:
		return "What instead? "
	case k.step == stepPattern:
		return fmt.Sprintf("Always for this task, Enter takes %q: ", k.Offer().Pattern)
	case k.Options() == nil:
		return "Answer: "
	}
	keys := []string{"yes", "no"}
	if k.Offer() != nil {
		keys = append(keys, "always")
	}
	if k.aboutAct() {
		keys = append(keys, "else")
	}
	if k.May(clew.ChoiceSkip) {
		keys = append(keys, "skip")
	}
	for i, key := range keys {
		keys[i] = "[" + key[:1] + "]" + key[1:]
	}
	return strings.Join(keys, " ") + " ? › "
}

// help explains the keys.
func (k *Ask) help() string {
	if k.Options() == nil {
		text := "Type the answer, then Enter."
		if labels, _ := client.Choices(k.Q); len(labels) > 0 {
			text = "Type the answer, or the number of a choice, then Enter."
		}
		return text + "\nCtrl-C leaves; the question stays open."
	}
	lines := []string{"y  yes, this once", "n  no"}
	if k.aboutAct() {
		lines[1] = "n  no; you may say why"
	}
	if o := k.Offer(); o != nil {
		about := "calls like this are not asked about again in this task"
		if o.Pattern != "" {
			about = fmt.Sprintf("commands like %q are not asked about again in this task; you can change the pattern", o.Pattern)
		}
		lines = append(lines, "a  always: yes, and "+about)
	}
	switch {
	case k.May(clew.ChoiceModify):
		lines = append(lines, "e  something else: say what the plan should be instead")
	case k.aboutAct():
		lines = append(lines, "e  something else: no, and say what to do instead")
	}
	if k.May(clew.ChoiceSkip) {
		lines = append(lines, "s  skip this step")
	}
	lines = append(lines, "?  all of the question, and this", "Ctrl-C leaves; the question stays open.")
	return strings.Join(lines, "\n")
}

// Take reads a line.
func (k *Ask) Take(line string) Reaction {
	line = strings.TrimSpace(line)
	switch {
	case k.held:
		k.held = false
		return Reaction{}
	case k.step == stepReason:
		k.step = stepChoose
		return Reaction{Answer: k.decide(clew.ChoiceReject, line)}
	case k.step == stepInstead:
		return k.instead(line)
	case k.step == stepPattern:
		k.step = stepChoose
		return Reaction{Answer: k.approve(&clew.Remember{Scope: k.Offer().Scopes[0], Pattern: env.FirstOf(line, k.Offer().Pattern)})}
	case line == "?":
		return k.whole(k.help())
	case k.Options() == nil:
		value, err := ValueFor(k.Q, line)
		if err != nil {
			return Reaction{Tell: err.Error()}
		}
		return Reaction{Answer: valueAnswer(k.Q, value)}
	}
	return k.choose(line)
}

// whole has the question shown with all that there is.
func (k *Ask) whole(tell string) Reaction {
	k.Seen = true
	return Reaction{More: true, Tell: tell}
}

func (k *Ask) choose(line string) Reaction {
	key, words, _ := strings.Cut(line, " ")
	key = strings.TrimRight(strings.ToLower(key), ",.!")
	if words != "" && key != "n" && key != "no" {
		key = ""
	}
	switch key {
	case "y", "yes", "a", "always":
		if !k.Seen {
			return k.whole("Now you have seen all of it. What is your answer?")
		}
		if key[0] == 'a' {
			return k.always()
		}
		return Reaction{Answer: k.approve(nil)}
	case "n", "no":
		if k.aboutAct() && words == "" {
			k.step = stepReason
			return Reaction{}
		}
		return Reaction{Answer: k.decide(clew.ChoiceReject, strings.TrimSpace(words))}
	case "s", "skip":
		if k.May(clew.ChoiceSkip) {
			return Reaction{Answer: k.decide(clew.ChoiceSkip, "")}
		}
	case "e", "else", "edit":
		if k.aboutAct() {
			k.step = stepInstead
			return Reaction{}
		}
	}
	if line == "" {
		return Reaction{}
	}
	return Reaction{Tell: "Type y or n, or ? for what else there is."}
}

func (k *Ask) always() Reaction {
	o := k.Offer()
	switch {
	case o == nil:
		return Reaction{Tell: "This is asked about each time."}
	case o.Pattern == "":
		return Reaction{Answer: k.approve(&clew.Remember{Scope: o.Scopes[0]})}
	}
	k.step = stepPattern
	return Reaction{Tell: fmt.Sprintf("It would cover %s, and not %s", o.Match, o.NearMiss)}
}

// instead takes words in place of a yes or a no; without any the question stands
// as before.
func (k *Ask) instead(words string) Reaction {
	k.step = stepChoose
	_, plain := client.PlainYesNo(words)
	switch {
	case words == "":
		return Reaction{}
	case plain:
		return Reaction{Tell: fmt.Sprintf("%q is not what to do instead. Type y or n.", words)}
	case k.May(clew.ChoiceModify):
		return Reaction{Answer: clew.HitlPlanResponseData{RequestID: k.Q.RequestID(), Action: clew.ChoiceModify, Instruction: words}}
	}
	return Reaction{Answer: k.decide(clew.ChoiceReject, words)}
}

func (k *Ask) approve(remember *clew.Remember) any {
	if remember == nil {
		return k.decide(clew.ChoiceApprove, "")
	}
	return clew.HitlApprovalResponseData{RequestID: k.Q.RequestID(), Action: clew.ChoiceApprove, Remember: remember}
}

func (k *Ask) decide(c clew.Choice, comment string) any {
	if _, plan := k.Q.Data.(*clew.HitlPlanReviewData); plan {
		return clew.HitlPlanResponseData{RequestID: k.Q.RequestID(), Action: c, Comment: comment}
	}
	return clew.HitlApprovalResponseData{RequestID: k.Q.RequestID(), Action: c, Comment: comment}
}
