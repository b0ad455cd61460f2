package policy

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// remembered decides by what a person said of calls like this one. It stands beside
// the flags: what is refused or protected was dealt with before.
func (in Input) remembered(group tool.Group, line Line, lineErr error) (Decision, bool) {
	mine := in.rememberedRules(group)
	switch {
	case len(mine) == 0:
	case group == tool.GroupCommand:
		if in.startsNothing() || in.unclear(line, lineErr).code != "" {
			break
		}
		all := slices.Concat(mine, in.settingsRules())
		run, why := line.coveredBy(in.Action.Effect.Command, all)
		if run != "" {
			by := line.allowedBy(in.Action.Effect.Command, all)
			return Decision{Kind: Allow, Reason: allowedFor[by.Scope], Run: run, By: by}, true
		}
		// Who allowed it once wants to know why it is asked again.
		if why.code == clew.PolicyRuleTooWide || why.code == clew.PolicyRiskyArgument {
			return in.ask(group, why), true
		}
	case rememberable(group):
		want, name := "", in.Spec.Name
		if group == tool.GroupFetch {
			if want = in.host(); want == "" {
				break
			}
			name = want
		}
		if i := slices.IndexFunc(mine, func(r rule) bool { return r.pattern == want }); i >= 0 {
			return Decision{Kind: Allow, Reason: allowedFor[mine[i].scope], By: clew.AllowedBy{Scope: mine[i].scope, Rule: name}}, true
		}
	}
	return Decision{}, false
}

// allowedFor says for how long something was allowed.
var allowedFor = map[clew.AllowScope]string{
	clew.AllowedForTask: "it was allowed for this task", clew.AllowedForSession: "it was allowed for this session",
	clew.AllowedForWorkspace: "it was allowed for this folder", clew.AllowedAlways: "it was allowed for good",
	clew.AllowedBySettings: "a rule covers it",
}

// rememberedRules gives what people had remembered for calls of this tool, the
// narrowest scope first. Beyond the task it counts while auto-approval is on, and
// nothing counts in a workspace that nobody trusts as it is.
func (in Input) rememberedRules(group tool.Group) []rule {
	if !in.Trusted || in.Spec.Server != "" {
		return nil
	}
	var list []rule
	add := func(scope clew.AllowScope, pattern string) { list = append(list, rule{scope: scope, pattern: pattern}) }
	for _, r := range in.Remembered {
		if r.Tool == in.Spec.Name && (in.Values.AutoApproval || !r.WhileAuto) {
			add(clew.AllowedForTask, r.Pattern)
		}
	}
	if !in.Values.AutoApproval {
		return list
	}
	if group == tool.GroupCommand {
		for _, p := range in.Values.RememberedCommands {
			add(clew.AllowedForSession, p)
		}
	} else {
		for _, entry := range in.Values.RememberedTools {
			if name, host, _ := strings.Cut(entry, " "); name == in.Spec.Name {
				add(clew.AllowedForSession, host)
			}
		}
	}
	for _, r := range in.Values.KeptRules {
		if r.Tool == in.Spec.Name && r.Counts(in.Owner, in.Dir) {
			add(clew.AllowScope(r.Scope()), r.Pattern)
		}
	}
	slices.SortStableFunc(list, func(a, b rule) int { return rank(a.scope) - rank(b.scope) })
	return list
}

// rank orders scopes, the narrowest first.
func rank(s clew.AllowScope) int { return slices.Index(s.Values(), string(s)) }

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
	pattern := offer.Pattern
	if group == tool.GroupFetch {
		pattern = in.host()
		offer.Host = pattern
	}
	for _, scope := range []clew.RememberScope{clew.RememberTask, clew.RememberSession, clew.RememberWorkspace, clew.RememberAlways} {
		if Decide(in.with(scope, pattern)).Kind == Allow {
			offer.Scopes = append(offer.Scopes, scope)
		}
	}
	if len(offer.Scopes) == 0 {
		return nil
	}
	return offer
}

// with is the same call once a pattern is remembered, "" for the whole tool.
func (in Input) with(scope clew.RememberScope, pattern string) Input {
	v := &in.Values
	kept := settings.KeptRule{ID: "new", Owner: in.Owner, Tool: in.Spec.Name, Pattern: pattern}
	switch scope {
	case clew.RememberTask:
		in.Remembered = []clew.RememberedRule{{Tool: in.Spec.Name, Pattern: pattern}}
	case clew.RememberSession:
		if groupOf(in.Spec) == tool.GroupCommand {
			v.RememberedCommands = append(slices.Clip(v.RememberedCommands), pattern)
		} else {
			v.RememberedTools = append(slices.Clip(v.RememberedTools), strings.TrimSpace(in.Spec.Name+" "+pattern))
		}
	case clew.RememberWorkspace:
		if kept.Dir = in.Dir; in.Dir != "" {
			v.KeptRules = append(slices.Clip(v.KeptRules), kept)
		}
	case clew.RememberAlways:
		v.KeptRules = append(slices.Clip(v.KeptRules), kept)
	}
	return in
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
