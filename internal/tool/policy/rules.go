package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/tool"
)

// command decides on a command line. The deny list was looked at before.
func (in Input) command(line Line, lineErr error) Decision {
	if !in.Values.AllowExecute {
		return in.ask(tool.GroupCommand, because(clew.PolicyGroupOff, "commands need approval", "group", "command"))
	}
	if why := in.unclear(line, lineErr); why.code != "" {
		return in.ask(tool.GroupCommand, why)
	}
	all := slices.Concat(in.rememberedRules(tool.GroupCommand), in.settingsRules())
	run, why := line.coveredBy(in.Action.Effect.Command, all)
	if run == "" {
		return in.ask(tool.GroupCommand, why)
	}
	d := allow(why.text)
	d.Run, d.By = run, line.allowedBy(in.Action.Effect.Command, all)
	return d
}

// allowedBy names the rules that cover a command line, and the narrowest of their
// scopes: what somebody remembered says more than what stands in the settings.
func (l Line) allowedBy(command string, all []rule) clew.AllowedBy {
	by := clew.AllowedBy{Scope: clew.AllowedBySettings}
	var patterns []string
	for _, r := range l.covering(command, all) {
		patterns = append(patterns, r.pattern)
		if rank(r.scope) < rank(by.Scope) {
			by.Scope = r.scope
		}
	}
	by.Rule = strings.Join(patterns, ", ")
	return by
}

// covering gives those of the rules that cover a command line, in its order.
func (l Line) covering(command string, rules []rule) []rule {
	var used []rule
	if l.uncovered(rules).code == "" {
		for _, c := range l.Commands {
			i := slices.IndexFunc(rules, func(r rule) bool { return uncovered(c.Argv, []rule{r}).code == "" })
			if i >= 0 && !slices.Contains(used, rules[i]) {
				used = append(used, rules[i])
			}
		}
		return used
	}
	for _, r := range rules {
		if isWholeLine(r.pattern, command) {
			return []rule{r}
		}
	}
	return nil
}

// settingsRules is what the server's settings, or the session's own, allow.
func (in Input) settingsRules() []rule {
	if !in.Values.AutoApproval || !in.Values.AllowExecute {
		return nil
	}
	return rules(clew.AllowedBySettings, in.Values.AllowedCommands)
}

// unclear says why no pattern may decide on a command line, nothing if one may.
func (in Input) unclear(line Line, lineErr error) reason {
	effect, v := in.Action.Effect, in.Values
	switch {
	case hidden(effect.Command) != "":
		return because(clew.PolicyHiddenText, "the command holds "+hidden(effect.Command))
	case lineErr != nil:
		return because(clew.PolicyUnreadable, "the command line cannot be understood")
	case !runsThrough(effect.Argv, effect.Command):
		return because(clew.PolicyOtherShell, "bash does not run it as it stands")
	}
	if name := strangeVariable(effect.Environment, v.CommandEnv); name != "" {
		return because(clew.PolicySetsVariable, "it sets "+name, "name", name)
	}
	if pattern, hit := line.denied(v.DeniedCommands); hit != no {
		return because(clew.PolicyMaybeForbidden, fmt.Sprintf("it may be a forbidden command, %q", pattern), "pattern", pattern)
	}
	for _, c := range line.found {
		if why := in.Action.Wary[c.name()]; why != "" {
			return because(clew.PolicyChangedProgram, why, "program", c.name())
		}
	}
	return reason{}
}

// coveredBy gives the text to run if rules cover a command line, "" if they do
// not, and why.
func (l Line) coveredBy(command string, rules []rule) (run string, why reason) {
	why = l.uncovered(rules)
	switch {
	case why.code == "":
		return l.Script(), reason{text: "a rule covers it"}
	case slices.ContainsFunc(rules, func(r rule) bool { return isWholeLine(r.pattern, command) }):
		return strings.TrimSpace(command), reason{text: "a rule is this very line"}
	}
	return "", why
}

// uncovered says why the rules do not cover the whole line, nothing if they do.
func (l Line) uncovered(rules []rule) reason {
	if !l.Known() {
		return because(clew.PolicyUnknownLine, "no rule covers such a line: "+l.Unknown)
	}
	for _, c := range l.Commands {
		if why := uncovered(c.Argv, rules); why.code != "" {
			return why
		}
	}
	return reason{}
}

// runsThrough reports whether what would be started is bash with this very
// command and nothing of its own start-up files.
func runsThrough(argv []string, command string) bool {
	return len(argv) == 0 || (slices.Contains(bashes, argv[0]) && slices.Equal(argv[1:], []string{"--noprofile", "--norc", "-c", command}))
}

var bashes = []string{"bash", "/bin/bash", "/usr/bin/bash"}

// strangeVariable finds a variable that changes what a command line means and
// that no setting put there.
func strangeVariable(env, set map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if value, ok := set[name]; ok && value == env[name] {
			continue
		}
		if value, ok := quietVariables[name]; ok && value == env[name] {
			continue
		}
		if name == certificatesOfGit {
			continue
		}
		if slices.Contains(shellVariables, name) || slices.ContainsFunc(shellPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return name
		}
	}
	return ""
}

var (
	shellVariables = []string{"BASH_ENV", "ENV", "BASHOPTS", "SHELLOPTS", "PS4", "IFS", "CDPATH", "GLOBIGNORE", "PROMPT_COMMAND", "POSIXLY_CORRECT", "EXECIGNORE"}
	// quietVariables keep programs from waiting for somebody.
	quietVariables = map[string]string{"GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
	shellPrefixes  = []string{"LD_", "DYLD_", "BASH_FUNC_", "GIT_"}
)

// certificatesOfGit names a file of certificates, as SSL_CERT_FILE does: it comes from the
// person's terminal, and no command line means something else by it.
const certificatesOfGit = "GIT_SSL_CAINFO"

// Rewrite gives the input of a command tool with Run in place of the command.
// The call is prepared again with it, so that what starts is what was parsed.
func (d Decision) Rewrite(input json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil {
		return nil, err
	}
	if d.Kind != Allow || d.Run == "" || fields["command"] == nil {
		return nil, errors.New("no command was allowed")
	}
	command, err := json.Marshal(d.Run)
	if err != nil {
		return nil, err
	}
	fields["command"] = command
	return json.Marshal(fields)
}

// isWholeLine reports whether a pattern is this command line to the letter. One
// that ends in * is meant as a pattern: there the star is not the shell's.
func isWholeLine(pattern, command string) bool {
	pattern = strings.TrimSpace(pattern)
	return pattern != "" && pattern != "*" && !strings.HasSuffix(pattern, " *") && pattern == strings.TrimSpace(command)
}

// uncovered says why no rule covers a simple command, nothing if one does.
func uncovered(argv []string, rules []rule) reason {
	name := call(argv).name()
	if _, wraps := wrappers[name]; wraps || ownBuiltins[name] {
		return because(clew.PolicyRunsOthers, name+" runs or changes other commands: only the exact line can be allowed", "program", name)
	}
	if interpreters[name] || shells[name] || interpreters[unversioned(name)] {
		if len(argv) == 1 || slices.Contains(argv[1:], "-") {
			return because(clew.PolicyReadsInput, name+" would run what it is given as input", "program", name)
		}
	}
	why := because(clew.PolicyNoRule, "no rule allows "+name, "program", name)
	for _, r := range rules {
		p := r.pattern
		words, star, ok := allowWords(p)
		if !ok || !startsWith(argv, words) || (!star && len(argv) > len(words)) {
			continue
		}
		if star && r.scope != clew.AllowedBySettings {
			v := underStar(argv)
			switch {
			case v.why == "" || planted.Bug("options under a star not looked at"):
				return reason{}
			case !v.known:
				why = because(clew.PolicyRuleTooWide, fmt.Sprintf("the remembered rule %q no longer counts: %s", p, v.why), "pattern", p, "program", name)
			default:
				why = because(clew.PolicyRiskyArgument, fmt.Sprintf("the rule %q does not cover it: %s", p, v.why), "pattern", p)
			}
			continue
		}
		risk := risky(argv, len(words))
		if risk == "" {
			return reason{}
		}
		why = because(clew.PolicyRiskyArgument, fmt.Sprintf("the rule %q does not cover it: %s", p, risk), "pattern", p)
	}
	return why
}

// allowWords reads a pattern: literal words, and whether a star follows. One
// that is not a single simple command covers nothing but its own whole line.
func allowWords(pattern string) (words []string, star, ok bool) {
	rest, star := strings.CutSuffix(strings.TrimSpace(pattern), " *")
	line, err := Parse(rest)
	if err != nil || !line.Known() || len(line.Commands) != 1 || len(line.Commands[0].Redirects) > 0 {
		return nil, false, false
	}
	return line.Commands[0].Argv, star, true
}
