package policy

import (
	"context"
	"iter"
	"maps"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/clew-run/clew/internal/nightly"
)

// A source is a command with the options that the installed program says it has, those of
// the table, and operands with which it really works.
type source struct {
	words   []string // program and subcommand
	options []string
	tails   [][]string
}

// searched are the commands that lines are built for: all of the table, and those that
// have no star but must not come to have one. By day it is only what starts at once and
// compiles nothing.
func searched() []source {
	all := commands()
	if !nightly.On() {
		return sourcesOf(slices.DeleteFunc(all, func(words []string) bool {
			f, _ := stars().find(words)
			_, slow := byDay[words[0]]
			return f.runs || slow
		}))
	}
	for name, subs := range map[string]string{
		"git": "clone fetch pull push ls-remote grep commit merge rebase am apply add checkout switch branch tag stash worktree shortlog describe format-patch " +
			"cherry-pick revert config archive submodule remote bisect reset restore clean rev-list ls-tree cat-file reflog",
		"go": "run generate tool install env get mod fmt fix clean", "npm": "exec run install test config", "cargo": "run build install fmt doc",
		"docker": "run exec build cp compose", "kubectl": "exec run cp apply edit debug",
	} {
		for sub := range strings.FieldsSeq(subs) {
			all = append(all, []string{name, sub})
		}
	}
	for _, name := range []string{"python3", "make", "curl", "find", "tar", "rsync", "ssh", "awk", "xargs", "sort", "gcc"} {
		all = append(all, []string{name})
	}
	return sourcesOf(all)
}

func sourcesOf(all [][]string) []source {
	var sources []source
	for _, words := range all {
		if installed(words[0]) {
			sources = append(sources, source{words: words, options: optionsOf(words), tails: tailsOf(words)})
		}
	}
	return sources
}

// tails are operands with which a command gets as far as looking at its options.
var tails = map[string][]string{
	"git clone": {". y"}, "git fetch": {"./other"}, "git pull": {"./other main"}, "git push": {"./other HEAD:refs/heads/z"}, "git ls-remote": {"./other"}, "git rebase": {"HEAD~1"}, "git grep": {"two"},
	"git merge": {"side"}, "git blame": {"a.txt", "HEAD -- a.txt"}, "git log": {"", "HEAD", "-- a.txt"}, "git show": {"", "HEAD", "HEAD:a.txt"}, "git diff": {"", "HEAD~1", "main side -- a.txt"},
	"git status": {"", "sub"}, "git rev-parse": {"HEAD"}, "git ls-files": {"", "-- sub"}, "git branch --list": {"", "ma*"}, "git commit": {"--allow-empty -m m"},
	"go build": {"./p", "-o /dev/null ./c"}, "go test": {"./p"}, "go vet": {"./p"}, "go list": {"./p", "./..."}, "go doc": {"./p"}, "go version": {"", "evil"}, "go run": {"./c"},
	"grep": {"hi sub/h.txt", "-r hi ."}, "rg": {"hi", "hi sub"}, "sed": {"1p a.txt"}, "jq": {". b.json"}, "diff": {"a.txt c.c", "-r p c"}, "stat": {"a.txt"}, "file": {"a.txt a.txt.gz", "evil"}, "which": {"git"},
	"ls": {"", "sub"}, "cat": {"a.txt"}, "head": {"a.txt", "a.txt c.c"}, "tail": {"a.txt", "a.txt c.c"}, "wc": {"a.txt"}, "du": {"", "sub"}, "df": {"", "."}, "tree": {"", "sub"}, "echo": {"x"},
	"cargo test": {"", "t", "-- --nocapture"}, "cargo clippy": {"", "-- -D warnings"}, "npm ls": {"", "dep"}, "npm view": {"dep"}, "docker logs": {"x"}, "docker inspect": {"x"},
	"kubectl get": {"pods"}, "kubectl describe": {"pod x"}, "kubectl logs": {"x"}, "find": {". -name a.txt"}, "tar": {"cf /dev/null a.txt"}, "awk": {"1 a.txt"}, "sort": {"a.txt"}, "gcc": {"c.c"}, "curl": {"file:///tmp/w/a.txt"},
}

func tailsOf(words []string) [][]string {
	var all [][]string
	for _, text := range tails[strings.Join(words, " ")] {
		all = append(all, strings.Fields(text))
	}
	if len(all) == 0 {
		all = [][]string{nil}
	}
	return all
}

var optionWord = regexp.MustCompile(`(?m)(?:^|[\s,\[|(])(--?[A-Za-z0-9.][A-Za-z0-9-]*)`)

// optionsOf reads the options of a command from its own help, and adds those of the table
// and some that help texts leave out.
func optionsOf(words []string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var helps [][]string
	switch words[0] {
	case "git":
		helps = [][]string{{"git", words[1], "-h"}}
	case "go":
		helps = [][]string{{"go", "help", words[1]}, {"go", "help", "build"}, {"go", "help", "testflag"}}
	case "curl":
		helps = [][]string{{"curl", "--help", "all"}}
	case "echo", "pwd": // the shell's own
	default:
		helps = [][]string{append(slices.Clone(words), "--help")}
	}
	found := map[string]bool{"-u": true, "-x": true, "--exec": true, "-O": true, "-c": true, "-o": true, "-i": true, "-e": true, "-f": true, "--output": true, "--config": true, "--help": true}
	for _, help := range helps {
		text, _ := exec.CommandContext(ctx, help[0], help[1:]...).CombinedOutput() // many end with an error after it
		for _, m := range optionWord.FindAllStringSubmatch(string(text), -1) {
			found[strings.TrimSuffix(m[1], ".")] = true
		}
	}
	if f, _ := stars().find(words); f != nil {
		for name := range f.options {
			found[strings.Replace(name, "NUM", "7", 1)] = true
		}
	}
	delete(found, "-")
	return slices.Sorted(maps.Keys(found))
}

// payloads run or write something if a program takes them for a command, a file or a
// setting.
var payloads = []string{"./evil", "evil", "WROTE", "sub/evil", "-linkmode=external -extld=./evil", "touch WROTE;true", "!./evil", "|./evil", "$(./evil)", "`./evil`", "ext::./evil %S", "%G?", "core.pager=./evil", "file:WROTE"}

// plainValues are such that most options take one of them.
var plainValues = append([]string{"1", "x", "5m", "a.txt", "HEAD", "./p", "main", "-1", "+2", "4k", "1,2", "2020-01-01", "{{.}}", "%h", "%s"}, choices()...)

// choices are all values that the table lists for some option.
func choices() []string {
	var file any
	if err := yaml.Unmarshal(starsFile, &file); err != nil {
		panic(err)
	}
	found := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				if list, ok := inner.([]any); ok && name == "oneof" {
					for _, text := range list {
						if s, ok := text.(string); ok {
							found[s] = true
						}
					}
				}
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(file)
	return slices.Sorted(maps.Keys(found))
}

// spellings are the ways to write an option with a value: as a word of its own, behind =,
// in the same word, shortened, and with the other number of dashes.
func spellings(option, value string) [][]string {
	all := [][]string{{option, value}, {option + "=" + value}, {option + value}}
	if long, ok := strings.CutPrefix(option, "--"); ok {
		return append(all, []string{option[:len(option)-1] + "=" + value}, []string{"-" + long + "=" + value})
	}
	return append(all, []string{"-" + option + "=" + value}, []string{"-" + option, value})
}

// each gives, in random order of options, every option with every spelling of every
// payload, and those of the table with the values that they may take.
func (s source) each(rng *rand.Rand) iter.Seq[[]string] {
	f, _ := stars().find(s.words)
	options := slices.Clone(s.options)
	rng.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	return func(yield func([]string) bool) {
		for _, option := range options {
			values := payloads
			if f != nil && f.options[option] != nil {
				values = slices.Concat(plainValues, payloads)
			}
			for words := range s.spelled(option, values) {
				if !yield(words) {
					return
				}
			}
		}
	}
}

// spelled gives an option alone, and with each value in each spelling.
func (s source) spelled(option string, values []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for i, tail := range s.tails {
			if !yield(slices.Concat(s.words, []string{option}, tail)) {
				return
			}
			for j, value := range values {
				if i > 0 && j%len(s.tails) != i { // each value with one of the others
					continue
				}
				for _, words := range spellings(option, value) {
					if !yield(slices.Concat(s.words, words, tail)) {
						return
					}
				}
			}
		}
	}
}

// random gives a line of some options and operands, most of them such that the table has
// them.
func (s source) random(rng *rand.Rand) []string {
	f, _ := stars().find(s.words)
	var listed []string
	if f != nil {
		listed = slices.Sorted(maps.Keys(f.options))
	}
	words := slices.Clone(s.words)
	for range 1 + rng.IntN(5) {
		value := pick(rng, plainValues)
		if rng.IntN(2) == 0 {
			value = pick(rng, payloads)
		}
		option := pick(rng, s.options)
		if len(listed) > 0 && rng.IntN(8) > 0 {
			option = pick(rng, listed)
		}
		switch {
		case rng.IntN(4) == 0:
			words = append(words, value)
		case f != nil && f.options[option] == flag:
			words = append(words, option)
		default:
			all := spellings(option, value)
			words = append(words, all[rng.IntN(len(all))]...)
		}
	}
	return append(words, s.tails[rng.IntN(len(s.tails))]...)
}

func pick(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }

// written prints words as a line of bash, quoted where they have to be.
func written(words []string) string {
	text := slices.Clone(words)
	for i, w := range text {
		if strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) >= 0 || w == "" {
			text[i] = quote(w)
		}
	}
	return strings.Join(text, " ")
}
