package project

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// CommandFolders are where a workspace has commands of its own. Of two with the
// same name the first counts.
var CommandFolders = []string{".clew/commands", ".claude/commands"}

// PersonalCommands is where a Folder of the person's own has them.
const PersonalCommands = "commands"

const (
	maxCommands    = 200
	maxCommandText = 32 << 10
)

// A Command is a text that a person sends by its name: /name arguments.
type Command struct {
	Name         string // a/b.md is a:b
	Description  string
	ArgumentHint string
	Mode         string // to work in, "" for the present one
	Path         string
	body         string
}

var (
	commandName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*(:[A-Za-z0-9][A-Za-z0-9_.-]*)*$`)
	commandLine = regexp.MustCompile(`^/([A-Za-z0-9][A-Za-z0-9_.:-]*)(?:\s+|$)`)
	placeholder = regexp.MustCompile(`\$(ARGUMENTS|[1-9])`)
)

// Commands finds the commands of folders, and what is wrong with those that are
// left out.
func Commands(folders ...Folder) (list []Command, faults []Fault) {
	known := map[string]bool{}
	for _, f := range folders {
		for _, dir := range append(slices.Clone(CommandFolders), PersonalCommands) {
			for _, name := range f.under(dir) {
				if path.Ext(name) != ".md" || depth(dir, name) > skillDepth {
					continue
				}
				c, err := readCommand(f, dir, name)
				if err != nil {
					faults = append(faults, Fault{f.Label + name, err.Error()})
				} else if !known[c.Name] && len(list) < maxCommands {
					known[c.Name] = true
					list = append(list, c)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return list, faults
}

func readCommand(f Folder, dir, file string) (Command, error) {
	var head struct {
		Description  string `yaml:"description"`
		ArgumentHint any    `yaml:"argument-hint"` // [file] is a list in YAML
		Mode         string `yaml:"mode"`
	}
	name := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(file, dir+"/"), ".md"), "/", ":")
	if !commandName.MatchString(name) {
		return Command{}, fmt.Errorf("%q is no name of a command: letters, digits, _ . and -", name)
	}
	body, err := frontMatter(f.Files[file], &head)
	if err != nil {
		return Command{}, err
	}
	if body = strings.TrimSpace(body); body == "" {
		return Command{}, fmt.Errorf("it has no text")
	}
	if len(body) > maxCommandText {
		return Command{}, fmt.Errorf("it is longer than %d KiB", maxCommandText>>10)
	}
	first, _, _ := strings.Cut(body, "\n")
	hint := ""
	if head.ArgumentHint != nil {
		hint = fmt.Sprint(head.ArgumentHint)
	}
	return Command{
		Name: name, Description: cmp.Or(strings.Join(strings.Fields(head.Description), " "), strings.TrimSpace(strings.TrimLeft(first, "# "))),
		ArgumentHint: hint, Mode: head.Mode, Path: f.Label + file, body: body,
	}, nil
}

// Called tells whether a text calls a command: it begins with /name. A path such as
// /etc/hosts does not.
func Called(text string) (name, arguments string, ok bool) {
	m := commandLine.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], strings.TrimSpace(text[len(m[0]):]), true
}

// FindCommand looks a command up by its name.
func FindCommand(list []Command, name string) (Command, bool) {
	i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return list[i], true
}

// Expand gives the text that a command stands for. $ARGUMENTS is all that was said
// behind the name, $1 to $9 are its words, of which the last one that the text has
// takes the rest. Where the text has neither, the arguments are its last paragraph.
// Nothing in the arguments is expanded.
func (c Command) Expand(arguments string) string {
	used := 0
	found := placeholder.FindAllStringSubmatch(c.body, -1)
	for _, m := range found {
		if m[1] != "ARGUMENTS" {
			used = max(used, int(m[1][0]-'0'))
		}
	}
	if len(found) == 0 {
		return strings.TrimSpace(c.body + "\n\n" + arguments)
	}
	words := splitWords(arguments, used)
	return placeholder.ReplaceAllStringFunc(c.body, func(m string) string {
		if m == "$ARGUMENTS" {
			return arguments
		}
		if i := int(m[1] - '1'); i < len(words) {
			return words[i]
		}
		return ""
	})
}

// splitWords splits a text at spaces as a shell does, with quotes and backslashes,
// into at most n words. The last one is the rest as it was written, if there is
// more of it than one word.
func splitWords(text string, n int) (words []string) {
	for text = strings.TrimSpace(text); text != "" && n > 0; {
		word, rest := firstWord(text)
		if len(words) == n-1 && rest != "" {
			return append(words, text)
		}
		words, text = append(words, word), rest
	}
	return words
}

// firstWord takes a word from the front of a text that begins with one.
func firstWord(text string) (word, rest string) {
	var b strings.Builder
	quote := rune(0)
	escaped := false
	for i, r := range text {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && strings.ContainsRune(" \t\n", r):
			return b.String(), strings.TrimSpace(text[i:])
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), ""
}
