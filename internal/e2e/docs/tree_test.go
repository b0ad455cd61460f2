//go:build linux

package docs

import (
	"fmt"
	"regexp"
	"strings"
)

// A tree is what clew help --json says.
type tree struct {
	Command  string
	Usage    string
	Examples []string
	Flags    []flag
	Commands []tree
}

type flag struct {
	Name, Shorthand, Type string
}

var (
	placeholder = regexp.MustCompile(`^([A-Z][A-Z_]*|…)$`)
	number      = regexp.MustCompile(`^-\d*$`)
)

// each calls a function for this command and all below it.
func (tr tree) each(do func(tree)) {
	do(tr)
	for _, c := range tr.Commands {
		c.each(do)
	}
}

// check finds the command that the words name and looks at its flags and at how many
// arguments it takes. What is missing is no mistake: a sentence may speak of a command
// without its arguments.
func (tr tree) check(words []string) error {
	for len(words) > 0 && len(tr.Commands) > 0 && !strings.HasPrefix(words[0], "-") {
		if placeholder.MatchString(words[0]) {
			return nil
		}
		if strings.Contains(words[0], ".") && tr.most() != 0 { // a file, for a command that takes one beside its own commands
			break
		}
		var sub *tree
		for _, name := range strings.Split(words[0], "|") {
			if sub = tr.find(name); sub == nil {
				if words[0] == "help" {
					return tr.check(words[1:])
				}
				return fmt.Errorf("%s has no command %s", tr.Command, name)
			}
		}
		tr, words = *sub, words[1:]
	}
	args := 0
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			return nil
		}
		if !strings.HasPrefix(word, "-") || number.MatchString(word) {
			args++
			continue
		}
		name, _, valued := strings.Cut(word, "=")
		f := tr.flag(name)
		if f == nil {
			return fmt.Errorf("%s has no flag %s", tr.Command, name)
		}
		if !valued && f.Type != "bool" && name != "--yes" {
			i++
		}
	}
	if most := tr.most(); most >= 0 && args > most {
		return fmt.Errorf("%s takes %d arguments, not %d", tr.Command, most, args)
	}
	return nil
}

func (tr tree) find(name string) *tree {
	for i, c := range tr.Commands {
		if c.Command[strings.LastIndexByte(c.Command, ' ')+1:] == name {
			return &tr.Commands[i]
		}
	}
	return nil
}

func (tr tree) flag(word string) *flag {
	for i, f := range tr.Flags {
		if word == "--"+f.Name || word == "-"+f.Shorthand && f.Shorthand != "" {
			return &tr.Flags[i]
		}
	}
	return nil
}

// most is how many arguments the command takes, -1 if any number.
func (tr tree) most() int {
	if strings.ContainsAny(tr.Usage, "…") || strings.Contains(tr.Usage, "...") {
		return -1
	}
	n := 0
	fields := strings.Fields(strings.TrimPrefix(tr.Usage, tr.Command))
	for i := 0; i < len(fields); i++ {
		switch {
		case fields[i] == "[flags]":
		case strings.HasPrefix(fields[i], "-"):
			i++ // and its value
		default:
			n++
		}
	}
	return n
}

// callsOf gives the arguments of each call of a program in a line. In a sentence only
// code that begins with the program is one.
func callsOf(line, program string, fenced bool) [][]string {
	var calls [][]string
	var call []string
	in, first := false, true
	end := func() {
		if in {
			calls = append(calls, call)
		}
		call, in, first = nil, false, true
	}
	for _, tok := range tokens(asUser.ReplaceAllString(line, "")) {
		switch {
		case tok.operator:
			end()
			if !fenced {
				return calls
			}
		case in && tok.quoted:
			call = append(call, "TEXT")
		case in:
			if word := strings.Trim(tok.text, "[]"); word != "" {
				call = append(call, word)
			}
		case first && (tok.text == program || tok.text == "bin/"+program):
			in = true
		case !leading.MatchString(tok.text):
			first = false
		}
	}
	end()
	return calls
}

var (
	asUser  = regexp.MustCompile(`^sudo (-u \S+ )?`)
	leading = regexp.MustCompile(`^([A-Za-z_]+=.*|if|then|else|while|until|do|!)$`) // what may stand before a command
)

type token struct {
	text     string
	operator bool
	quoted   bool
}

// tokens cuts a line into words as a shell does, nearly: | inside a word parts choices.
func tokens(line string) []token {
	var list []token
	var word strings.Builder
	quoted, begun := false, false
	flush := func() {
		if begun {
			list = append(list, token{text: word.String(), quoted: quoted})
		}
		word.Reset()
		quoted, begun = false, false
	}
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case c == '\'' || c == '"':
			begun, quoted = true, word.Len() == 0
			for i++; i < len(runes) && runes[i] != c; i++ {
				word.WriteRune(runes[i])
			}
		case c == '#' && !begun:
			return list
		case c == ' ' || c == '\t':
			flush()
		case c == ';' || c == '&' || c == '(' || c == ')' || c == '<' || c == '>' || c == '|' && (!begun || i+1 == len(runes) || runes[i+1] == ' '):
			flush()
			list = append(list, token{operator: true})
		default:
			begun = true
			word.WriteRune(c)
		}
	}
	flush()
	return list
}
