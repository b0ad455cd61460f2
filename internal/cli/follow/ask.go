package follow

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// An Ask is a question that a person is being asked here. It reads what they
// type, line by line, until that makes an answer.
type Ask struct {
	Q    clew.Question
	step askStep
	// scope is for how long a yes holds, once that is chosen.
	scope clew.RememberScope
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
	stepScope                  // for how long it shall not be asked again
	stepPattern                // what shall not be asked about again
)

// A Reaction to a line is an answer, something to show, something to tell, or all are
// missing and the next line is wanted.
type Reaction struct {
	Answer *client.InboxAnswer
	More   bool   // show the question with all that there is, before tell
	Tell   string // for the person
}

// Prompt is what stands in front of what is typed.
func (k *Ask) Prompt() string {
	switch {
	case k.held:
		return "This question is new. Press Enter, then answer it › "
	case k.step == stepReason:
		return "No. Why? (Enter: no reason) › "
	case k.step == stepInstead:
		return "What should it do instead? "
	case k.step == stepPattern:
		return fmt.Sprintf("Which commands? Enter takes %q: ", ask.Offer(k.Q).Pattern)
	case k.step == stepScope:
		text := "For how long? "
		for _, s := range ask.Offer(k.Q).Scopes {
			text += "[" + string(s[:1]) + "]" + string(s[1:]) + " "
		}
		return text + "› "
	case ask.Options(k.Q) == nil:
		return "Answer: "
	}
	text := ""
	for _, c := range ask.Keys(k.Q) {
		rest, ok := strings.CutPrefix(c.Word, c.Key)
		if !ok {
			rest = " " + c.Word
		}
		text += "[" + c.Key + "]" + rest + " "
	}
	return text + "? › "
}

// help explains the keys.
func (k *Ask) help() string {
	if ask.Options(k.Q) == nil {
		text := "Type the answer, then Enter."
		if labels, _ := client.Choices(k.Q); len(labels) > 0 {
			text = "Type the answer, or the number of a choice, then Enter."
		}
		return text + "\nCtrl-C leaves; the question stays open."
	}
	lines := []string{"y  yes, this once", "n  no"}
	if ask.AboutAct(k.Q) {
		lines[1] = "n  no; you may say why"
	}
	if o := ask.Offer(k.Q); o != nil {
		lines = append(lines, "a  always: yes, and do not ask again about")
		for _, s := range o.Scopes {
			lines = append(lines, fmt.Sprintf("     %-9s  %s", s, ask.Covers(k.Q, s, o.Pattern)))
		}
	}
	switch {
	case ask.May(k.Q, clew.ChoiceModify):
		lines = append(lines, "e  edit: say what the plan should be instead")
	case ask.AboutAct(k.Q):
		lines = append(lines, "e  edit: no, and say what to do instead")
	}
	if ask.May(k.Q, clew.ChoiceSkip) {
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
		return decided(clew.ChoiceReject, line)
	case k.step == stepInstead:
		return k.instead(line)
	case k.step == stepScope:
		return k.chooseScope(strings.ToLower(line))
	case k.step == stepPattern:
		k.step = stepChoose
		return k.remember(env.FirstOf(line, ask.Offer(k.Q).Pattern))
	case line == "?":
		return k.whole(k.help())
	case ask.Options(k.Q) == nil:
		value, err := ask.ParseValue(k.Q, line)
		if err != nil {
			return Reaction{Tell: err.Error()}
		}
		return Reaction{Answer: &client.InboxAnswer{Value: value}}
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
		return decided(clew.ChoiceApprove, "")
	case "n", "no":
		if ask.AboutAct(k.Q) && words == "" {
			k.step = stepReason
			return Reaction{}
		}
		return decided(clew.ChoiceReject, words)
	case "s", "skip":
		if ask.May(k.Q, clew.ChoiceSkip) {
			return decided(clew.ChoiceSkip, "")
		}
	case "e", "else", "edit":
		if ask.AboutAct(k.Q) {
			k.step = stepInstead
			return Reaction{}
		}
	}
	if line == "" {
		return Reaction{}
	}
	return Reaction{Tell: "Type y or n, or ? for what else there is."}
}

// always asks for how long, where there is a choice.
func (k *Ask) always() Reaction {
	o := ask.Offer(k.Q)
	switch {
	case o == nil:
		return Reaction{Tell: ask.NoOffer(k.Q) + "."}
	case len(o.Scopes) == 1:
		return k.hold(o.Scopes[0])
	}
	k.step = stepScope
	var lines []string
	for _, s := range o.Scopes {
		lines = append(lines, fmt.Sprintf("%-9s  %s", s, ask.Covers(k.Q, s, o.Pattern)))
	}
	return Reaction{Tell: strings.Join(lines, "\n")}
}

// chooseScope takes a scope by its name or first letter; without one the question
// stands as before.
func (k *Ask) chooseScope(line string) Reaction {
	if line == "" {
		k.step = stepChoose
		return Reaction{}
	}
	for _, s := range ask.Offer(k.Q).Scopes {
		if line == string(s) || line == string(s[:1]) {
			return k.hold(s)
		}
	}
	return Reaction{Tell: "Type one of the letters. Enter alone goes back to the question."}
}

// hold is a yes for a scope; of commands the pattern is asked for.
func (k *Ask) hold(scope clew.RememberScope) Reaction {
	k.scope = scope
	o := ask.Offer(k.Q)
	if o.Pattern == "" {
		k.step = stepChoose
		return k.remember("")
	}
	k.step = stepPattern
	tell := fmt.Sprintf("It would cover %s, and not %s", o.Match, o.NearMiss)
	if o.RunsWorkspace {
		tell += ". " + ask.RunsWorkspace
	}
	return Reaction{Tell: tell}
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
	}
	if name, _, ok := term.Slash(words); ok { // no command is what to do instead
		return Reaction{Tell: term.NoCommand(name, nil)}
	}
	a := ask.Instead(k.Q, words)
	return Reaction{Answer: &a}
}

func decided(c clew.Choice, words string) Reaction {
	a := ask.Decide(c, words)
	return Reaction{Answer: &a}
}

// remember is a yes, and what is not asked about again.
func (k *Ask) remember(pattern string) Reaction {
	r := decided(clew.ChoiceApprove, "")
	r.Answer.Remember = &clew.Remember{Scope: k.scope, Pattern: pattern}
	return r
}
