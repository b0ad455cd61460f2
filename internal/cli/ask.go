package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
)

// An ask is a question that a person is being asked here. It reads what they
// type, line by line, until that makes an answer.
type ask struct {
	q    clew.Question
	step askStep
}

// An askStep is what the next line is about.
type askStep int

const (
	stepChoose  askStep = iota // one of the keys, or a value
	stepInstead                // what shall be done instead
	stepPattern                // what shall not be asked about again
)

// A heard line gives an answer, something to tell, or both are missing and the
// next line is wanted.
type heardLine struct {
	answer any    // one of the hitl_*_response structs
	tell   string // for the person
	more   bool   // show the question with all that there is
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

// prompt is what stands in front of what is typed.
func (k *ask) prompt() string {
	switch k.step {
	case stepInstead:
		return "What instead? "
	case stepPattern:
		return fmt.Sprintf("Always for this task, Enter takes %q: ", k.offer().Pattern)
	}
	if k.options() == nil {
		return "Answer: "
	}
	keys := []string{"yes"}
	if k.offer() != nil {
		keys = append(keys, "always")
	}
	if k.may(clew.ChoiceSkip) {
		keys = append(keys, "skip")
	}
	keys = append(keys, "no", "else", "?")
	for i, key := range keys {
		if len(key) > 1 {
			keys[i] = "[" + key[:1] + "]" + key[1:]
		}
	}
	return strings.Join(keys, " ") + " › "
}

// help explains the keys.
func (k *ask) help() string {
	lines := []string{"y  yes, this once"}
	if o := k.offer(); o != nil {
		about := "calls like this are not asked about again in this task"
		if o.Pattern != "" {
			about = fmt.Sprintf("commands like %q are not asked about again in this task; you can change the pattern", o.Pattern)
		}
		lines = append(lines, "a  always: yes, and "+about)
	}
	if k.may(clew.ChoiceSkip) {
		lines = append(lines, "s  skip this step")
	}
	instead := "e  no, and say what to do instead"
	if k.may(clew.ChoiceModify) {
		instead = "e  say what the plan should be instead"
	}
	lines = append(lines, "n  no", instead, "d  show all of it", "Ctrl-C leaves; the question stays open")
	return strings.Join(lines, "\n")
}

// take reads a line.
func (k *ask) take(line string) heardLine {
	line = strings.TrimSpace(line)
	switch {
	case k.step == stepInstead:
		return k.instead(line)
	case k.step == stepPattern:
		k.step = stepChoose
		return heardLine{answer: k.approve(&clew.Remember{Scope: k.offer().Scopes[0], Pattern: firstOf(line, k.offer().Pattern)})}
	case k.options() == nil:
		value, err := valueFor(k.q, line)
		if err != nil {
			return heardLine{tell: err.Error()}
		}
		return heardLine{answer: valueAnswer(k.q, value)}
	}
	return k.choose(strings.ToLower(line))
}

func (k *ask) choose(key string) heardLine {
	switch key {
	case "":
		return heardLine{}
	case "y", "yes":
		return heardLine{answer: k.approve(nil)}
	case "n", "no":
		return heardLine{answer: k.decide(clew.ChoiceReject, "")}
	case "s", "skip":
		if k.may(clew.ChoiceSkip) {
			return heardLine{answer: k.decide(clew.ChoiceSkip, "")}
		}
	case "a", "always":
		o := k.offer()
		switch {
		case o == nil:
			return heardLine{tell: "This is asked about each time."}
		case o.Pattern == "":
			return heardLine{answer: k.approve(&clew.Remember{Scope: o.Scopes[0]})}
		}
		k.step = stepPattern
		return heardLine{tell: fmt.Sprintf("It would cover %s, and not %s", o.Match, o.NearMiss)}
	case "e", "else", "edit":
		k.step = stepInstead
		return heardLine{}
	case "d", "diff":
		return heardLine{more: true}
	case "?", "h", "help":
		return heardLine{tell: k.help()}
	}
	return heardLine{tell: "Type y or n, or ? for what else there is."}
}

// instead takes words in place of a yes or a no; without any the question stands
// as before.
func (k *ask) instead(words string) heardLine {
	k.step = stepChoose
	switch {
	case words == "":
		return heardLine{}
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

// choicesOf lists what a question for a value offers, as people read it.
func choicesOf(q clew.Question) (labels []string, values []any) {
	switch d := q.Data.(type) {
	case *clew.HitlInputRequestData:
		for _, o := range d.Options {
			labels, values = append(labels, o.Label), append(values, o.Value)
		}
	case *clew.HitlClarificationData:
		for _, s := range d.Suggestions {
			labels, values = append(labels, s), append(values, s)
		}
	}
	return labels, values
}

// valueFor reads what was typed as what the question asks for. The number of a
// choice stands for it.
func valueFor(q clew.Question, text string) (any, error) {
	labels, values := choicesOf(q)
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(values) {
		return values[n-1], nil
	}
	for i, label := range labels {
		if strings.EqualFold(label, text) {
			return values[i], nil
		}
	}
	d, input := q.Data.(*clew.HitlInputRequestData)
	switch {
	case text == "" && input && d.DefaultValue != nil:
		return d.DefaultValue, nil
	case text == "" && (!input || d.Required):
		return nil, usagef("an answer is needed")
	case !input:
		return text, nil
	}
	return inputValue(d, text)
}

func inputValue(d *clew.HitlInputRequestData, text string) (any, error) {
	switch d.InputType {
	case clew.InputNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, usagef("%q is not a number", text)
		}
		return n, nil
	case clew.InputBoolean:
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			return true, nil
		case "n", "no", "false":
			return false, nil
		}
		return nil, usagef("%q is neither yes nor no", text)
	}
	if d.Strict && len(d.Options) > 0 {
		return nil, usagef("%q is none of the choices", text)
	}
	return text, nil
}

// valueAnswer is the answer that carries a value.
func valueAnswer(q clew.Question, value any) any {
	if d, ok := q.Data.(*clew.HitlInputRequestData); ok {
		return clew.HitlInputResponseData{RequestID: d.RequestID, Field: d.Field, Value: value}
	}
	return clew.HitlClarificationResponseData{RequestID: q.RequestID(), Value: value}
}
