package policy

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// A rule is a pattern and where it stands: in the settings, or remembered with an
// answer for the task or the session.
type rule struct {
	pattern string
	scope   clew.AllowScope
}

func rules(scope clew.AllowScope, patterns []string) []rule {
	list := make([]rule, len(patterns))
	for i, p := range patterns {
		list[i] = rule{pattern: p, scope: scope}
	}
	return list
}

// find gives the form of a command's arguments, with the index of the first of them; nil
// if the table does not have the command. The name has to be the very one: a program of
// the same name elsewhere is another one.
func (t table) find(argv []string) (f *form, from int) {
	p := t[argv[0]]
	switch {
	case p == nil:
		return nil, 0
	case p.alone != nil:
		return p.alone, 1
	}
	from = 1
	for from < len(argv) && strings.HasPrefix(argv[from], "-") {
		n, why := p.globals.take(argv[from:])
		if why != "" {
			return nil, 0
		}
		from += n
	}
	for _, sub := range p.subs {
		if startsWith(argv[from:], sub.words) {
			return sub, from + len(sub.words)
		}
	}
	return nil, 0
}

// refuses says which of the words the form does not allow, "" if it allows all.
func (f *form) refuses(words []string) string {
	var operands []string
	first := 0
	for i := 0; i < len(words); {
		word := words[i]
		switch {
		case word == "--":
			if why := f.refusesAfter(words[i+1:]); why != "" {
				return why
			}
			i = len(words)
		case strings.HasPrefix(word, "-"):
			n, why := f.take(words[i:])
			if why != "" {
				return why
			}
			name, _, _ := strings.Cut(word, "=")
			if slices.Contains(f.instead, name) {
				first = 1
			}
			i += n
		default:
			operands = append(operands, word)
			i++
		}
	}
	return f.refusesOperands(operands, first)
}

// refusesOperands holds operands against their types, from the first that there is.
func (f *form) refusesOperands(words []string, first int) string {
	for i, word := range words {
		n := min(first+i, len(f.operands)-1)
		if n < 0 || !f.operands[n].allows(word) {
			return word
		}
	}
	return ""
}

// refusesAfter is for the words after --.
func (f *form) refusesAfter(words []string) string {
	switch {
	case f.after != nil:
		return f.after.refuses(words)
	case f.dashdash == nil:
		return "--"
	}
	i := slices.IndexFunc(words, func(w string) bool { return !f.dashdash.allows(w) })
	if i >= 0 {
		return words[i]
	}
	return ""
}

// take reads the option that the words begin with, and says how many words it has; or
// which word it does not allow.
func (f *form) take(words []string) (n int, refused string) {
	word := words[0]
	if v := f.options[word]; v != nil {
		switch {
		case v.allows == nil || v.optional:
			return 1, ""
		case len(words) < 2 || strings.HasPrefix(words[1], "-") || !v.allows(words[1]):
			return 0, word
		}
		return 2, ""
	}
	if name, text, ok := strings.Cut(word, "="); ok && (f.oneDash || strings.HasPrefix(word, "--")) {
		if v := f.options[name]; v != nil && v.allows != nil && v.allows(text) {
			return 1, ""
		}
		return 0, word
	}
	if f.oneDash || strings.HasPrefix(word, "--") || !f.letters(word) {
		return 0, word
	}
	return 1, ""
}

// letters reports whether a word with one dash is a number, a short option with its value,
// or several flags.
func (f *form) letters(word string) bool {
	if f.options["-NUM"] != nil && types["number"](word[1:]) {
		return true
	}
	if len(word) < 3 {
		return false
	}
	if v := f.options[word[:2]]; v != nil && v.glued && v.allows(word[2:]) {
		return true
	}
	for i := 1; i < len(word); i++ {
		if v := f.options["-"+word[i:i+1]]; v == nil || v.allows != nil {
			return false
		}
	}
	return true
}

// A verdict is what the table says of a command under a star.
type verdict struct {
	known bool   // the table has the command
	why   string // it is not covered, for people
	form  *form
	from  int // the index of its first argument
}

// underStar says whether a star that was suggested or remembered covers a command. What
// an administrator wrote into the settings is not asked about here: there the person
// named the command, and not clew.
func underStar(argv []string) verdict {
	f, from := stars().find(argv)
	if f == nil {
		return verdict{why: subcommandOf(argv) + " may run or change anything, so only the exact line can be remembered"}
	}
	v := verdict{known: true, form: f, from: from}
	if word := f.refuses(argv[from:]); word != "" {
		v.why = word + " is not known to be harmless for " + strings.Join(argv[:from], " ")
	}
	return v
}

// subcommandOf names a command for people.
func subcommandOf(argv []string) string {
	name := call(argv).name()
	if len(argv) > 1 && stars()[argv[0]] != nil && plainWord(argv[1]) {
		name += " " + argv[1]
	}
	return name
}

// starFor is the pattern with a star that is suggested for a command, "" if there is
// none.
func starFor(argv []string) string {
	v := underStar(argv)
	if v.why != "" {
		return ""
	}
	return strings.Join(argv[:v.from], " ") + " *"
}

// RunsWorkspace reports whether commands that a pattern with a star covers run code of the
// workspace, such as its tests. For an exact line a person sees what it runs.
func RunsWorkspace(pattern string) bool {
	words, star, ok := allowWords(pattern)
	if !ok || !star {
		return false
	}
	p := stars()[words[0]]
	if f, _ := stars().find(words); f != nil {
		return f.runs
	}
	return p != nil && slices.ContainsFunc(p.subs, func(f *form) bool { return f.runs })
}
