package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// near gives the words that somebody may have meant, the most likely first.
func near(word string, known []string) []string {
	var list []string
	for _, k := range known {
		begins := len(word) > 1 && strings.HasPrefix(k, word)
		if begins || distance(k, word) <= 1+min(1, len(word)/6) {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return distance(a, word) - distance(b, word) })
	return list
}

// meant is what an error says of the words that somebody may have meant, "" if
// there is none.
func meant(words []string) string {
	const most = 3
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(words[:min(len(words), most)], ", "))
}

// known refuses words that no command below this one has, and says which was
// probably meant.
func known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, append(sub.Aliases, sub.Name())...)
		}
	}
	what := firstOf(meant(near(args[0], names)), "; "+cmd.CommandPath()+" --help lists what there is")
	return usagef("%s has no command %q%s", cmd.CommandPath(), args[0], what)
}

// wrongFlag says which flag was probably meant.
func wrongFlag(cmd *cobra.Command, err error) error {
	word, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return &usageError{err}
	}
	var names []string
	for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
		flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	}
	return usagef("%w%s", err, meant(near("--"+word, names)))
}

// distance is how many letters apart two words are; two neighbours that changed
// places count as one.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1) // of the letters of a up to the last one
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
