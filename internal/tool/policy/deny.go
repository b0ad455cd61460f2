package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Scripts inside of scripts are followed so far, and no more commands than that
// are looked at: wrappers in wrappers could be made to take for ever. Such a
// line is never covered, so it is asked about.
const (
	maxDepth = 6
	maxCalls = 4000
)

// A call is a simple command as far as its words can be told.
type call []string

func (c call) name() string { return path.Base(c[0]) }

// A finder collects the simple commands of a line.
type finder struct{ calls []call }

// calls finds every simple command in a syntax tree: in substitutions, in
// functions, behind wrappers, and in texts that a shell would run.
func calls(stmts []*syntax.Stmt) []call {
	var f finder
	f.stmts(stmts, 0)
	return f.calls
}

func (f *finder) stmts(stmts []*syntax.Stmt, depth int) {
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c := callOf(n); len(c) > 0 {
				f.add(c, depth)
			}
			return true
		})
	}
}

// add takes a command, and those that it would run itself.
func (f *finder) add(c call, depth int) {
	if len(f.calls) >= maxCalls {
		return
	}
	f.calls = append(f.calls, c)
	if depth >= maxDepth {
		return
	}
	for _, inner := range peel(c) {
		f.add(inner, depth+1)
	}
	for _, script := range scripts(c) {
		// What a text that does not parse would do is unknown, and asked about.
		stmts, _ := parse(script)
		f.stmts(stmts, depth+1)
	}
}

func callOf(n syntax.Node) call {
	var c call
	switch n := n.(type) {
	case *syntax.CallExpr:
		for _, word := range n.Args {
			c = append(c, guess(word)...)
		}
	case *syntax.DeclClause:
		c = call{n.Variant.Value}
	case *syntax.LetClause:
		c = call{"let"}
	case *syntax.CoprocClause:
		c = call{"coproc"}
	case *syntax.TimeClause:
		c = call{"time"}
	}
	return c
}

// peel gives the commands behind a wrapper. Which word is the command depends
// on options that are not all known; where it is open, each candidate counts.
func peel(c call) []call {
	if c.name() == "find" {
		return peelFind(c)
	}
	skip, ok := wrappers[c.name()]
	if !ok {
		return nil
	}
	var all []call
	for i := 1; i < len(c); i++ {
		word, afterOption := c[i], strings.HasPrefix(c[i-1], "-") && i > 1
		switch {
		case strings.HasPrefix(word, "-") || strings.Contains(word, "="):
			continue
		case afterOption && i+1 < len(c):
			all = append(all, c[i:]) // the option's value, or the command
			continue
		case skip > 0:
			skip--
			continue
		}
		return append(all, c[i:])
	}
	return all
}

func peelFind(c call) []call {
	var all []call
	for i, word := range c {
		if slices.Contains(findRuns, word) && i+1 < len(c) {
			all = append(all, c[i+1:])
		}
	}
	return all
}

// scripts gives the arguments that the command may hand to a shell.
func scripts(c call) []string {
	name := c.name()
	_, wraps := wrappers[name]
	switch {
	case name == "eval" || name == "watch" || name == "ssh":
		return []string{strings.Join(c[1:], " ")}
	case wraps || shells[name] || name == "trap" || name == "command" || name == "mapfile" || name == "readarray":
		var all []string
		for i, word := range c[1:] {
			option := i > 0 && strings.HasPrefix(c[i], "-") && strings.ContainsAny(c[i], "cS")
			if option || strings.ContainsAny(word, " \t\n;|&$`()<>") || name == "trap" {
				all = append(all, strings.TrimLeft(strings.TrimPrefix(word, "-S"), " "))
			}
		}
		return all
	}
	return nil
}

// certainty says how sure a deny pattern fits.
type certainty int

const (
	no certainty = iota
	maybe
	surely
)

// denied finds the pattern that forbids something in the line. A pattern fits
// by first words; options before the second word do not hide it.
func (l Line) denied(patterns []string) (pattern string, hit certainty) {
	for _, p := range patterns {
		words := denyWords(p)
		for _, c := range l.found {
			if h := c.fits(words); h > hit {
				pattern, hit = p, h
			}
		}
	}
	return pattern, hit
}

func denyWords(pattern string) []string {
	if line, err := Parse(strings.TrimSuffix(pattern, " *")); err == nil && line.Known() && len(line.Commands) == 1 {
		return line.Commands[0].Argv
	}
	return strings.Fields(strings.TrimSuffix(pattern, " *"))
}

func (c call) fits(words []string) certainty {
	if len(words) == 0 || c.name() != path.Base(words[0]) {
		return no
	}
	if startsWith(c[1:], words[1:]) || startsWith(withoutOptions(c[1:]), words[1:]) {
		return surely
	}
	if slices.Contains(c, unknownWord) || inOrder(c[1:], words[1:]) {
		return maybe
	}
	return no
}

func startsWith(words, first []string) bool {
	return len(words) >= len(first) && slices.Equal(words[:len(first)], first)
}

func withoutOptions(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
}

// inOrder reports whether all wanted words come up in order.
func inOrder(words, wanted []string) bool {
	for _, w := range words {
		if len(wanted) > 0 && w == wanted[0] {
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}
