// Command commits checks the messages of the commits after a base: `area: verb object`
// and a body that says why.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// base is the last commit that was written before there were rules.
//
//go:embed base
var base string

// maxSubject is the longest subject that `git log --oneline` shows whole on a terminal
// of 80 columns.
const maxSubject = 72

// words are areas that are no directory of the tree.
var words = []string{"all", "build", "ci", "deps", "gate", "lint", "nightly", "release"}

var (
	subjectForm = regexp.MustCompile(`^([A-Za-z0-9_./-]+(?:, [A-Za-z0-9_./-]+)*): (\S.*)$`)
	trailer     = regexp.MustCompile(`(?m)^[A-Z][A-Za-z-]+: .*$`)
)

// habits are ways to write that readers stumble over. The first that matches is reported.
var habits = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)^(a|an|the|this|that|these|those|it|its|each|every|all|no|none|nothing|only|one|two|three|there|what|who|whose|whoever|where|when|while|which|how|of|in|on|at|for|from|after|before|beside|if|as) `), `begin with a verb: "resume from the last position"`},
	{regexp.MustCompile(`(?i)^(adds|added|adding|fixes|fixed|fixing|changes|changed|changing|makes|made|making|removes|removed|removing|updates|updated|updating|uses|used|using)\b`), `the imperative: "add", not "added"`},
	{regexp.MustCompile(`(?i)\b(what|who|whom|whose|whoever|whatever) `), `a noun in place of the clause: "output", not "what it prints"`},
	{regexp.MustCompile(`(?i)\b(nobody|somebody|anybody|everybody)\b`), `the role: "a client", "no process"`},
	{regexp.MustCompile(`(?i)\b(go|goes|going|gone|went) on\b|\banew\b|\b(came|comes|come) of\b|\b(thus|hence|lest|thereof|all the same|for ever)\b`), `everyday words: continue, again, result, still`},
	{regexp.MustCompile(`(?i)\b(is|are|was|were) (not |yet |still )?to [a-z]+\b`), `"must" or "will"`},
	{regexp.MustCompile(`\.$`), `no full stop`},
}

// A commit is what is checked of one.
type commit struct{ hash, subject, body string }

func main() {
	problems, checked, err := check(".", strings.TrimSpace(base))
	if err != nil {
		fmt.Fprintln(os.Stderr, "commits:", err)
		os.Exit(1)
	}
	fmt.Println(checked)
	for _, p := range problems {
		fmt.Println(p)
	}
	if len(problems) > 0 {
		fmt.Println("CONTRIBUTING.md says how to write them.")
		os.Exit(1)
	}
}

// check gives a line for each commit after the base that breaks a rule, and says what it
// looked at.
func check(dir, base string) (problems []string, checked string, err error) {
	if _, err := git(dir, "cat-file", "-e", base+"^{commit}"); err != nil {
		return nil, fmt.Sprintf("not checked: this clone does not have the base %.8s", base), nil
	}
	areas, err := areasOf(dir, base, "HEAD")
	if err != nil {
		return nil, "", err
	}
	commits, err := commitsAfter(dir, base)
	for _, c := range commits {
		if problem := c.problem(areas); problem != "" {
			problems = append(problems, fmt.Sprintf("%s %s\n    %s", c.hash, c.subject, problem))
		}
	}
	return problems, fmt.Sprintf("%d commits after %.8s, %d with a problem", len(commits), base, len(problems)), err
}

func commitsAfter(dir, base string) ([]commit, error) {
	out, err := git(dir, "log", "--no-merges", "--format=%h%x00%s%x00%b%x00", base+"..HEAD")
	if err != nil {
		return nil, err
	}
	var commits []commit
	for part := range slices.Chunk(strings.Split(out, "\x00"), 3) {
		if len(part) == 3 {
			commits = append(commits, commit{strings.TrimSpace(part[0]), part[1], part[2]})
		}
	}
	return commits, nil
}

// areasOf gives the paths of these trees and the names of their directories.
func areasOf(dir string, trees ...string) (map[string]bool, error) {
	areas := map[string]bool{}
	for _, w := range words {
		areas[w] = true
	}
	for _, tree := range trees {
		out, err := git(dir, "ls-tree", "-r", "-t", "--name-only", "--full-tree", tree)
		if err != nil {
			return nil, err
		}
		for name := range strings.Lines(out) {
			name = strings.TrimSpace(name)
			areas[name], areas[path.Base(name)] = true, true
			areas[strings.TrimPrefix(name, "internal/")] = true
		}
	}
	return areas, nil
}

// problem says what is wrong with a message, "" for nothing.
func (c commit) problem(areas map[string]bool) string {
	if strings.HasPrefix(c.subject, `Revert "`) {
		return c.emptyBody()
	}
	parts := subjectForm.FindStringSubmatch(c.subject)
	if parts == nil {
		return "the form is `area: verb object`"
	}
	for area := range strings.SplitSeq(parts[1], ", ") {
		if !areas[area] {
			return fmt.Sprintf("%q is no package and no path of the tree", area)
		}
	}
	// Names of modules are as long as they are.
	if n := len([]rune(c.subject)); n > maxSubject && !strings.HasPrefix(c.subject, "deps: bump ") {
		return fmt.Sprintf("the subject has %d characters, more than %d", n, maxSubject)
	}
	for _, h := range habits {
		if found := h.pattern.FindString(parts[2]); found != "" {
			return fmt.Sprintf("%q: %s", strings.TrimSpace(found), h.instead)
		}
	}
	return c.emptyBody()
}

func (c commit) emptyBody() string {
	if strings.TrimSpace(trailer.ReplaceAllString(c.body, "")) == "" {
		return "the body is empty: it says why"
	}
	return ""
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return string(out), nil
}
