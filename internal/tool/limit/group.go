package limit

import (
	"os"
	"time"

	"github.com/clew-run/clew"
)

// Groups are control groups: one for each command that runs, below one for each
// user. They are safe for concurrent use.
type Groups interface {
	// New makes the group of a command.
	New(Share) (Group, error)
	// Held says what these groups hold; the limits of a process hold the rest.
	Held() Held
}

// A Share is what a command gets of the machine.
type Share struct {
	User    string // whose command it is
	Call    string // which no other command has at that time
	Command Limits // of the command
	Total   Limits // of all commands of the user together
}

// Held says which limits control groups hold.
type Held struct{ Memory, Processes, CPU bool }

// A Group holds a command with all that it starts.
type Group interface {
	// Join puts a process into the group, with all that it starts from then on.
	Join(pid int) error
	// Dir is the group as an open directory, for a process to be started in it.
	Dir() *os.File
	// Processes lists those in the group.
	Processes() []int
	// Kill ends all of them, and whatever they start meanwhile.
	Kill()
	// Reached says which limit the command met, "" for none.
	Reached() clew.CommandLimit
	// Close kills what is left and removes the group. It reports whether nothing is left.
	Close(within time.Duration) bool
}
