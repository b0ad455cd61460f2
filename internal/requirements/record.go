package requirements

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/clew-run/clew"
)

// A Record holds what passed through running servers: "event T" for each type of
// event that was sent, "command T" for each type of command that took effect.
type Record map[string]bool

// ReadRecord reads the lines that servers append to a file. Types that are not in
// the catalogues belong to other feeds than a session's.
func ReadRecord(r io.Reader) (Record, error) {
	record := Record{}
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		kind, name, _ := strings.Cut(s.Text(), " ")
		if name == "" || kind != "event" && kind != "command" {
			return nil, fmt.Errorf("record, line %d: %q is neither event nor command", n, s.Text())
		}
		record[s.Text()] = true
	}
	return record, s.Err()
}

// Unseen gives the types of events that were never sent, and those of commands
// that never took effect.
func (r Record) Unseen() (events, commands []string) {
	for _, e := range clew.Events {
		if !r["event "+string(e.Type)] {
			events = append(events, string(e.Type))
		}
	}
	for _, c := range clew.Commands {
		if !r["command "+string(c.Type)] {
			commands = append(commands, string(c.Type))
		}
	}
	return events, commands
}

// CheckRecord says where rows and record disagree. The types of a row that behaves
// are in the record; a type that is not is named by a row that does not behave.
func CheckRecord(rows []Row, record Record) error {
	var problems []error
	excused := map[string]bool{}
	for _, row := range rows {
		for _, t := range row.Types {
			excused[t] = excused[t] || row.State != Behaves
			for _, e := range entries(t) {
				if row.State == Behaves && !record[e] {
					problems = append(problems, fmt.Errorf("%s behaves, and no server saw %s", row.ID, e))
				}
			}
		}
	}
	events, commands := record.Unseen()
	for _, t := range append(events, commands...) {
		if !excused[t] {
			problems = append(problems, fmt.Errorf("no server saw %s, and no row says that it is not used", t))
		}
	}
	return errors.Join(problems...)
}
