package policy

import (
	"bytes"
	_ "embed" // for the table
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed stars.yaml
var starsFile []byte

// tableVersion is the form of the table that this code reads.
const tableVersion = 1

// stars is the table of commands that may have a star. It is read when it is first asked
// for: most processes never do. It is part of the program, so a fault in it is a fault of
// the program.
var stars = sync.OnceValue(func() table {
	t, err := readTable(starsFile)
	if err != nil {
		panic("stars.yaml: " + err.Error())
	}
	return t
})

// A table says for each program what a star may stand for.
type table map[string]*program

// A program has one form of arguments, or one for each of its subcommands.
type program struct {
	globals *form
	subs    []*form // those of two words before those of one
	alone   *form
}

// A form is what the arguments of a command may be.
type form struct {
	words    []string // of the subcommand
	options  map[string]*value
	operands []*value
	instead  []string
	dashdash *value
	after    *form
	oneDash  bool
	runs     bool     // code of the workspace
	unlike   []string // words that it does not allow
}

// The file as it is written.
type tableFile struct {
	Version  int
	Sets     map[string]formFile
	Programs map[string]programFile
}

type programFile struct {
	formFile `yaml:",inline"`
	Globals  *formFile
	Sub      map[string]formFile
}

type formFile struct {
	Flags    string
	Options  map[string]valueFile
	With     []string
	Operands valueList
	Instead  string
	Dashdash *valueFile
	After    *formFile
	Runs     string
	Unlike   string
	Dashes   string
}

// readTable reads a table. What it does not understand is an error, for what is taken for
// something else could allow something else.
func readTable(text []byte) (table, error) {
	var file tableFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return nil, err
	}
	if file.Version != tableVersion {
		return nil, fmt.Errorf("version %d is not known", file.Version)
	}
	t := table{}
	for _, name := range slices.Sorted(maps.Keys(file.Programs)) {
		p, err := file.program(file.Programs[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t[name] = p
	}
	return t, nil
}

func (f tableFile) program(in programFile) (*program, error) {
	p := &program{globals: &form{}}
	var err error
	if in.Globals != nil {
		if p.globals, err = f.form(*in.Globals); err != nil {
			return nil, err
		}
	}
	if len(in.Sub) == 0 {
		p.alone, err = f.complete(in.formFile)
		return p, err
	}
	for _, words := range slices.Sorted(maps.Keys(in.Sub)) {
		sub, err := f.complete(in.Sub[words])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", words, err)
		}
		sub.words = strings.Fields(words)
		p.subs = append(p.subs, sub)
	}
	slices.SortStableFunc(p.subs, func(a, b *form) int { return len(b.words) - len(a.words) })
	return p, nil
}

// complete reads the form of a command, which has an example of what it does not allow.
func (f tableFile) complete(in formFile) (*form, error) {
	out, err := f.form(in)
	if err == nil && (len(out.unlike) == 0 || out.refuses(out.unlike) == "") {
		err = fmt.Errorf("unlike: %q is not an example of what needs approval", in.Unlike)
	}
	return out, err
}

func (f tableFile) form(in formFile) (*form, error) {
	out := &form{options: map[string]*value{}, instead: strings.Fields(in.Instead), unlike: strings.Fields(in.Unlike)}
	for _, name := range in.With {
		set, ok := f.Sets[name]
		if !ok {
			return nil, fmt.Errorf("no set %q", name)
		}
		if err := out.add(set); err != nil {
			return nil, err
		}
	}
	if err := out.add(in); err != nil {
		return nil, err
	}
	for _, name := range out.instead {
		if out.options[name] == nil {
			return nil, fmt.Errorf("instead: %s is not an option", name)
		}
	}
	return out, f.rest(in, out)
}

// rest reads what is not options.
func (f tableFile) rest(in formFile, out *form) (err error) {
	if out.oneDash, err = choice("dashes", in.Dashes, "one"); err != nil {
		return err
	}
	if out.runs, err = choice("runs", in.Runs, "workspace"); err != nil {
		return err
	}
	for _, v := range in.Operands {
		operand, err := v.value()
		if err != nil {
			return err
		}
		out.operands = append(out.operands, operand)
	}
	if in.Dashdash != nil {
		if out.dashdash, err = in.Dashdash.value(); err != nil {
			return err
		}
	}
	if in.After != nil {
		out.after, err = f.form(*in.After)
	}
	return err
}

func choice(field, text, only string) (bool, error) {
	if text != "" && text != only {
		return false, fmt.Errorf("%s: %q is not known", field, text)
	}
	return text == only, nil
}

func (f *form) add(in formFile) error {
	for _, name := range strings.Fields(in.Flags) {
		if err := f.option(name, flag); err != nil {
			return err
		}
	}
	for name, v := range in.Options {
		value, err := v.value()
		if err == nil {
			err = f.option(name, value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (f *form) option(name string, v *value) error {
	switch {
	case len(name) < 2 || name[0] != '-' || name == "--" || strings.Contains(name, "="):
		return fmt.Errorf("%q is not an option", name)
	case f.options[name] != nil:
		return fmt.Errorf("%s is there twice", name)
	}
	f.options[name] = v
	return nil
}
