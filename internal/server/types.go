package server

import (
	"fmt"
	"os"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// typesVariable names a file to which a server appends each type of command and
// event when it passes for the first time. The tests of the whole program set it:
// internal/requirements compares the record with what it claims.
const typesVariable = "RECORD_CLEW_TYPES"

// recordTypes gives nil if nobody wants a record, and for a worker that is not
// the usual one: it may make up events.
func recordTypes(worker session.Agent) (session.Types, error) {
	path := os.Getenv(typesVariable)
	if path == "" || worker != nil {
		return nil, nil //nolint:nilnil // no record is no error
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", typesVariable, err)
	}
	return &typeRecord{file: f}, nil
}

// A typeRecord appends whole lines, so that several servers can share a file. It
// is never closed: it ends with the process.
type typeRecord struct {
	file *os.File
	seen sync.Map
}

// Command implements session.Types.
func (r *typeRecord) Command(t clew.CommandType) { r.add("command " + string(t)) }

// Event implements session.Types.
func (r *typeRecord) Event(t clew.EventType) { r.add("event " + string(t)) }

func (r *typeRecord) add(line string) {
	if _, seen := r.seen.LoadOrStore(line, true); !seen {
		_, _ = r.file.WriteString(line + "\n") // a type that is missing shows
	}
}
