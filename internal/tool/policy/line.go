package policy

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCommand bounds the text that is parsed. A longer one is asked about.
const maxCommand = 16 << 10

// A Line is a command line as bash would read it.
type Line struct {
	// Commands is the whole line, if it is known to be nothing but simple
	// commands made of literal words. Otherwise it is empty.
	Commands []Simple
	// Unknown says what keeps the line from being known.
	Unknown string

	found []call // every simple command anywhere in it, as far as it can be told
}

// A Simple is one program with its arguments.
type Simple struct {
	Argv []string
	// Redirects are of three harmless kinds: 2>&1, >&2 and to /dev/null.
	Redirects []string
	// Then joins it to the next one: | && || or ;. Empty at the end.
	Then string
}

// Known reports whether the line is nothing but simple commands of literal
// words.
func (l Line) Known() bool { return l.Unknown == "" && len(l.Commands) > 0 }

// Script prints the line with every word quoted: bash has nothing left to
// expand, and nothing to read differently. Only for a known line.
func (l Line) Script() string {
	var b strings.Builder
	for _, c := range l.Commands {
		for i, word := range c.Argv {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(quote(word))
		}
		for _, r := range c.Redirects {
			b.WriteString(" " + r)
		}
		if c.Then != "" {
			b.WriteString(" " + c.Then + " ")
		}
	}
	return b.String()
}

func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// Parse reads a command line the way bash does. An error says that it is no
// valid text; what could be read before the error is still held against the
// deny list.
func Parse(command string) (Line, error) {
	if len(command) > maxCommand {
		err := fmt.Errorf("it is longer than %d bytes", maxCommand)
		return Line{Unknown: err.Error()}, err
	}
	stmts, err := parse(command)
	line := Line{found: calls(stmts)}
	if what := hidden(command); what != "" {
		line.Unknown = "it holds " + what
		return line, err
	}
	if err != nil {
		line.Unknown = "it cannot be parsed"
		return line, err
	}
	line.Commands, line.Unknown = flatten(stmts)
	if line.Unknown != "" {
		line.Commands = nil
	}
	return line, nil
}

// parse gives the statements up to the first error: bash too runs what comes
// before one. The parser may go on after an error, so the loop does not leave
// early; and should it panic, the text is one that cannot be parsed.
func parse(command string) (stmts []*syntax.Stmt, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the parser failed: %v", p)
		}
	}()
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	for stmt, failed := range parser.StmtsSeq(strings.NewReader(command)) {
		switch {
		case err != nil:
		case failed != nil:
			err = failed
		case stmt != nil:
			stmts = append(stmts, stmt)
		}
	}
	return stmts, err
}

func flatten(stmts []*syntax.Stmt) ([]Simple, string) {
	var all []Simple
	for i, s := range stmts {
		part, err := flattenStmt(s)
		if err != nil {
			return nil, err.Error()
		}
		if i+1 < len(stmts) {
			part[len(part)-1].Then = ";"
		}
		all = append(all, part...)
	}
	if len(all) == 0 {
		return nil, "it is empty"
	}
	return all, ""
}

func flattenStmt(s *syntax.Stmt) ([]Simple, error) {
	switch {
	case s.Negated:
		return nil, errors.New("it negates a command")
	case s.Background || s.Coprocess || s.Disown:
		return nil, errors.New("it runs a command in the background")
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		simple, err := flattenCall(cmd, s.Redirs)
		return []Simple{simple}, err
	case *syntax.BinaryCmd:
		return flattenBinary(cmd, s.Redirs)
	case nil:
		return nil, errors.New("it redirects without a command")
	}
	return nil, errors.New("it is more than simple commands in a row")
}

// flattenBinary keeps the order of the text. That is enough to print it again:
// the three operators bind in a printed line as they did in the one read.
func flattenBinary(cmd *syntax.BinaryCmd, redirs []*syntax.Redirect) ([]Simple, error) {
	if len(redirs) > 0 {
		return nil, errors.New("it redirects more than one command")
	}
	if cmd.Op != syntax.AndStmt && cmd.Op != syntax.OrStmt && cmd.Op != syntax.Pipe {
		return nil, fmt.Errorf("it joins commands with %s", cmd.Op)
	}
	x, err := flattenStmt(cmd.X)
	if err != nil {
		return nil, err
	}
	y, err := flattenStmt(cmd.Y)
	if err != nil {
		return nil, err
	}
	x[len(x)-1].Then = cmd.Op.String()
	return append(x, y...), nil
}

func flattenCall(cmd *syntax.CallExpr, redirs []*syntax.Redirect) (Simple, error) {
	var s Simple
	if len(cmd.Assigns) > 0 {
		return s, errors.New("it sets a variable")
	}
	for _, word := range cmd.Args {
		text, err := literal(word)
		if err != nil {
			return s, err
		}
		s.Argv = append(s.Argv, text)
	}
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return s, errors.New("it has no command")
	}
	for _, r := range redirs {
		text, err := redirect(r)
		if err != nil {
			return s, err
		}
		s.Redirects = append(s.Redirects, text)
	}
	return s, nil
}

// redirect prints one of the harmless redirections.
func redirect(r *syntax.Redirect) (string, error) {
	from := ""
	if r.N != nil {
		from = r.N.Value
	}
	if r.Word == nil || r.Hdoc != nil || (from != "" && from != "1" && from != "2") {
		return "", errors.New("it redirects")
	}
	to, err := literal(r.Word)
	if err != nil {
		return "", err
	}
	switch {
	case r.Op == syntax.RdrOut && to == "/dev/null":
		return from + ">/dev/null", nil
	case r.Op == syntax.DplOut && (to == "1" || to == "2"):
		return from + ">&" + to, nil
	}
	return "", errors.New("it redirects to a file")
}
