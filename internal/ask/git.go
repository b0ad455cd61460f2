package ask

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
)

// statBar is how many signs show the lines of a file at most.
const statBar = 40

// DiffStat says in a line for each file, and one for all, what changed.
func DiffStat(d client.Diff) []string {
	if len(d.Files) == 0 {
		return []string{"No changes."}
	}
	width, digits, most := 0, 1, 1
	for _, f := range d.Files {
		width = max(width, term.Width(statName(f)))
		digits = max(digits, len(fmt.Sprint(f.Added+f.Deleted)))
		most = max(most, f.Added+f.Deleted)
	}
	var lines []string
	for _, f := range d.Files {
		name := statName(f)
		line := name + strings.Repeat(" ", width-term.Width(name)) + " | "
		switch {
		case f.Binary:
			line += "binary"
		case f.Added+f.Deleted == 0:
			line += f.Status
		default:
			line += fmt.Sprintf("%*d %s%s", digits, f.Added+f.Deleted, strings.Repeat("+", bar(f.Added, most)), strings.Repeat("-", bar(f.Deleted, most)))
		}
		lines = append(lines, line)
	}
	sum := fmt.Sprintf("(%s, +%d −%d)", term.Count(max(d.Count, len(d.Files)), "file"), d.Added, d.Deleted)
	if len(lines) == 1 && d.Count <= 1 {
		return []string{lines[0] + "   " + sum}
	}
	if more := d.Count - len(d.Files); more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return append(lines, sum)
}

func statName(f client.Change) string {
	if f.OldPath != "" {
		return term.CleanLine(f.OldPath) + " → " + term.CleanLine(f.Path)
	}
	return term.CleanLine(f.Path)
}

// bar is how many signs stand for some lines.
func bar(n, most int) int {
	if most <= statBar || n == 0 {
		return n
	}
	return max(1, n*statBar/most)
}

// CommitChoices are the answers to CommitQuestion.
const CommitChoices = "[y]es  [e]dit the message  [n]o"

// CommitQuestion says what a commit would do: the first line asks, the message
// follows, and then what a person should know.
func CommitQuestion(p client.CommitPreview, message string) []string {
	lines := []string{fmt.Sprintf("Commit %s on %s?", term.Count(len(p.Files), "file"), term.CleanLine(p.Branch))}
	for line := range strings.SplitSeq(strings.TrimSpace(message), "\n") {
		lines = append(lines, strings.TrimRight("  "+term.CleanLine(line), " "))
	}
	notes := commitNotes(p, message)
	if len(notes) > 0 {
		lines = append(append(lines, ""), notes...)
	}
	return lines
}

func commitNotes(p client.CommitPreview, message string) []string {
	var notes []string
	if p.MessageWhy != "" && message == p.Message {
		notes = append(notes, "The message is not by the model: "+term.CleanLine(p.MessageWhy)+".")
	}
	if p.Others > 0 {
		notes = append(notes, term.Goes(p.Others, "other changed file", "is", "are")+" left out: the session did not change "+map[bool]string{true: "it", false: "them"}[p.Others == 1]+".")
	}
	if len(p.Hooks) > 0 {
		notes = append(notes, "Hooks do not run: "+term.CleanLine(strings.Join(p.Hooks, ", "))+". To run one in the sandbox, tell the agent: git hook run "+term.CleanLine(p.Hooks[0]))
	}
	return notes
}

// Committed says that a commit was made.
func Committed(c client.Committed) string {
	return fmt.Sprintf("Committed %s on %s. Not pushed.", c.Commit[:min(7, len(c.Commit))], term.CleanLine(c.Branch))
}

// ResolveRequest is what an agent is told that is to resolve conflicts.
func ResolveRequest(m client.Merged) string {
	return fmt.Sprintf("Merging %s into this work tree has conflicts in: %s. The files have conflict markers in them. "+
		"Resolve them so that both changes keep their meaning, remove all markers, and run the tests. Do not commit.", m.Into, strings.Join(m.Conflicts, ", "))
}
