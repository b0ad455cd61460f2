package env

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clew-run/clew/internal/term"
)

// Meant is what an error says of the words that somebody may have meant, "" if
// there is none.
func Meant(words []string) string {
	const most = 3
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(words[:min(len(words), most)], ", "))
}

// Known refuses words that no command below this one has, and says which was
// probably meant.
func Known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, append(sub.Aliases, sub.Name())...)
		}
	}
	what := FirstOf(Meant(term.Suggest(args[0], names)), "; "+cmd.CommandPath()+" --help lists what there is")
	return Usagef("%s has no command %q%s", cmd.CommandPath(), args[0], what)
}

// WrongFlag says which flag was probably meant.
func WrongFlag(cmd *cobra.Command, err error) error {
	word, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		text, _, _ := strings.Cut(err.Error(), ": strconv.") // for programmers
		if text != err.Error() {
			return Usagef("%s: not a number", text)
		}
		return &UsageError{err}
	}
	var names []string
	for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
		flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	}
	return Usagef("%w%s", err, Meant(term.Suggest("--"+word, names)))
}
