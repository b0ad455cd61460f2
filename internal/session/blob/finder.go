package blob

import (
	"context"
	"iter"
	"math"
	"sync"

	"github.com/clew-run/clew"
)

// Records are those of all sessions, wherever they are loaded.
type Records interface {
	Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error]
}

// remembered is how many sessions a Finder knows the references of. One entry is
// small but for sessions with very many blobs.
const remembered = 256

// A Finder knows which session refers to which blob. The first question about a
// session reads all its records, later ones what came since. It is safe for
// concurrent use.
type Finder struct {
	records Records

	mu       sync.Mutex
	sessions map[clew.SessionID]*references
	order    []clew.SessionID // oldest first
}

// references are those of one session up to a record.
type references struct {
	mu   sync.Mutex
	head clew.Head
	has  map[string]bool
}

// NewFinder makes a Finder.
func NewFinder(records Records) *Finder {
	return &Finder{records: records, sessions: map[clew.SessionID]*references{}}
}

// Refers reports whether a record of the session refers to the blob.
func (f *Finder) Refers(ctx context.Context, id clew.SessionID, address string) (bool, error) {
	s := f.session(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has[address] {
		return true, nil
	}
	err := s.catchUp(ctx, f.records, id)
	return s.has[address], err
}

func (f *Finder) session(id clew.SessionID) *references {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s, ok := f.sessions[id]; ok {
		return s
	}
	if len(f.order) == remembered {
		delete(f.sessions, f.order[0])
		f.order = f.order[1:]
	}
	s := &references{has: map[string]bool{}}
	f.sessions[id], f.order = s, append(f.order, id)
	return s
}

// catchUp reads what was recorded since. It begins with the last record that it
// knows: if that is another one now, so is the session, and all is read anew.
func (s *references) catchUp(ctx context.Context, records Records, id clew.SessionID) error {
	same, err := s.readOn(ctx, records, id)
	if err != nil || same {
		return err
	}
	s.head, s.has = clew.Head{}, map[string]bool{}
	_, err = s.readOn(ctx, records, id)
	return err
}

// readOn reads from the last known record on. It reports whether that is still the
// same.
func (s *references) readOn(ctx context.Context, records Records, id clew.SessionID) (same bool, err error) {
	known := s.head
	same = known.Seq == 0
	var last clew.Record
	defer func() {
		if last.Seq > 0 {
			s.head = last.After() // a hash for each record would cost most of the time
		}
	}()
	for r, err := range records.Read(ctx, id, max(known.Seq, 1), math.MaxInt64) {
		if err != nil {
			return same, err
		}
		if same = same || r.After() == known; !same {
			return false, nil
		}
		s.note(r)
		last = r
	}
	return same, nil
}

func (s *references) note(r clew.Record) {
	for _, address := range References(r) {
		s.has[address] = true
	}
	for _, address := range Missing(r) {
		delete(s.has, address)
	}
}
