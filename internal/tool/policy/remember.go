package policy

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// remembered decides by what a person said of calls like this one in the task. It
// stands beside the flags: what is refused or protected was dealt with before.
func (in Input) remembered(group tool.Group, line Line, lineErr error) (Decision, bool) {
	patterns := in.forTask()
	const allowed = "it was allowed for this task"
	switch {
	case len(patterns) == 0:
	case group == tool.GroupCommand:
		if in.startsNothing() || in.unclear(line, lineErr).code != "" {
			break
		}
		all := rules(clew.AllowedForTask, patterns)
		if in.Values.AutoApproval && in.Values.AllowExecute {
			all = slices.Concat(all, in.allowedCommands())
		}
		run, why := line.coveredBy(in.Action.Effect.Command, all)
		if run != "" {
			return Decision{Kind: Allow, Reason: allowed, Run: run, By: in.rulesOf(line, patterns)}, true
		}
		// Who allowed it once wants to know why it is asked again.
		if why.code == clew.PolicyRuleTooWide || why.code == clew.PolicyRiskyArgument {
			return in.ask(group, why), true
		}
	case group == tool.GroupFetch:
		if host := in.host(); host != "" && slices.Contains(patterns, host) {
			return Decision{Kind: Allow, Reason: allowed, By: clew.AllowedBy{Scope: clew.AllowedForTask, Rule: host}}, true
		}
	case slices.Contains(patterns, "") && rememberable(group):
		return Decision{Kind: Allow, Reason: allowed, By: clew.AllowedBy{Scope: clew.AllowedForTask, Rule: in.Spec.Name}}, true
	}
	return Decision{}, false
}

// forTask gives the patterns that a person allowed for the task and the tool.
func (in Input) forTask() []string {
	if !in.Trusted || in.Spec.Server != "" {
		return nil
	}
	var patterns []string
	for _, r := range in.Remembered {
		if r.Tool == in.Spec.Name && (in.Values.AutoApproval || !r.WhileAuto) {
			patterns = append(patterns, r.Pattern)
		}
	}
	return patterns
}

// host is where a call wants to fetch from, "" if it is not told.
func (in Input) host() string {
	u, err := url.Parse(in.Action.Effect.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// rememberable reports whether a tool of the group can be allowed as a whole; of
// fetch it is one host.
func rememberable(group tool.Group) bool {
	return group == tool.GroupRead || group == tool.GroupEdit || group == tool.GroupFetch
}

// Offer says what may be remembered when a person approves the call, nil if
// nothing: only what would have an effect. It is found out by trying.
func Offer(in Input) *clew.RememberOffer {
	in.Counters = Counters{}
	if d := Decide(in); d.Kind != Ask || in.Spec.Server != "" {
		return nil
	}
	group := groupOf(in.Spec)
	offer := &clew.RememberOffer{WhileAuto: in.Values.AutoApproval}
	if group == tool.GroupCommand {
		offer.Pattern = Suggest(in.Action.Effect.Command)
		if offer.Pattern == "" {
			return nil
		}
		offer.Match, offer.NearMiss = Examples(in.Action.Effect.Command, offer.Pattern)
		offer.RunsWorkspace = RunsWorkspace(offer.Pattern)
	} else if !rememberable(group) {
		return nil
	}
	once := in
	once.Remembered = []clew.RememberedRule{{Tool: in.Spec.Name, Pattern: offer.Pattern}}
	if group == tool.GroupFetch {
		once.Remembered[0].Pattern = in.host()
	}
	if Decide(once).Kind == Allow {
		offer.Scopes = append(offer.Scopes, clew.RememberTask)
	}
	if group == tool.GroupCommand {
		longer := in
		longer.Values.RememberedCommands = append(slices.Clip(in.Values.RememberedCommands), offer.Pattern)
		if Decide(longer).Kind == Allow {
			offer.Scopes = append(offer.Scopes, clew.RememberSession)
		}
	}
	if len(offer.Scopes) == 0 {
		return nil
	}
	return offer
}

// maxPattern bounds a pattern that is remembered.
const maxPattern = 1000

// Problem says why a pattern is not one to remember, "" if it is.
func Problem(pattern string) string {
	words := strings.Fields(pattern)
	switch {
	case len(words) == 0:
		return "the pattern is empty"
	case len(pattern) > maxPattern:
		return "the pattern is too long"
	case pattern != strings.TrimSpace(pattern):
		return "the pattern begins or ends with a space"
	case hidden(pattern) != "":
		return "the pattern holds " + hidden(pattern)
	case strings.ContainsAny(pattern, "\n\t"):
		return "the pattern has more than one line, or a tab"
	case words[0] == "*":
		return "a star alone covers nothing: say which command"
	case strings.IndexFunc(words[0], func(r rune) bool { return r >= utf8.RuneSelf }) >= 0:
		return "the name of the command has letters that look like others"
	}
	return ""
}

// Covers reports whether a pattern covers a command once it is remembered.
func Covers(command, pattern string) bool {
	line, err := Parse(command)
	if err != nil || hidden(command) != "" || Problem(pattern) != "" {
		return false
	}
	run, _ := line.coveredBy(command, rules(clew.AllowedForTask, []string{pattern}))
	return run != ""
}

// WhyNot says for a person why a pattern whose words fit a command does not cover it,
// "" if that is plain to see.
func WhyNot(command, pattern string) string {
	line, err := Parse(command)
	words, star, ok := allowWords(pattern)
	if err != nil || !ok || len(line.Commands) == 0 {
		return ""
	}
	argv := line.Commands[0].Argv
	name := call(argv).name()
	_, wraps := wrappers[name]
	switch {
	case !startsWith(argv, words):
		return ""
	case wraps || ownBuiltins[name]:
		return name + " runs or changes other commands, so only the exact line can be allowed"
	case star && underStar(argv).why != "":
		return underStar(argv).why
	case len(line.Commands) > 1:
		return "the line has more commands, and the pattern has to cover each of them"
	}
	return ""
}

// Suggest gives a pattern that covers a command and commands much like it, "" if
// there is none.
func Suggest(command string) string {
	line, err := Parse(command)
	if err != nil {
		return ""
	}
	var candidates []string
	if line.Known() && len(line.Commands) == 1 && len(line.Commands[0].Redirects) == 0 {
		if star := starFor(line.Commands[0].Argv); star != "" {
			candidates = append(candidates, star)
		}
	}
	for _, c := range append(candidates, strings.TrimSpace(command)) {
		if Covers(command, c) {
			return c
		}
	}
	return ""
}

func plainWord(word string) bool {
	return word != "" && !strings.HasPrefix(word, "-") && strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf || !plain(r) || r == '/' }) < 0
}

// Examples gives a command that the pattern covers and one much like it that it
// does not, "" where there is none. If it covers something else than the command,
// that is shown.
func Examples(command, pattern string) (match, nearMiss string) {
	words, star := strings.CutSuffix(pattern, " *")
	var like, unlike []string
	if argv := strings.Fields(words); star && len(argv) > 0 {
		like = append(like, words+" something-else")
		if f, from := stars().find(argv); f != nil && from == len(argv) {
			unlike = append(unlike, words+" "+strings.Join(f.unlike, " "))
		}
	} else {
		unlike = append(unlike, words+" something-else")
	}
	for _, c := range append(like, command) {
		if c != command && Covers(c, pattern) || c == command && Covers(command, pattern) {
			match = c
			break
		}
	}
	for _, c := range append(unlike, words+" && rm something-else", "sudo "+words) {
		if !Covers(c, pattern) {
			nearMiss = c
			break
		}
	}
	return match, nearMiss
}
