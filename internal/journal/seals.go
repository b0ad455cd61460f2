package journal

import (
	"context"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
)

// seals remembers the newest seals of the sessions that were read last: whoever
// reads a session mostly does so several times in a row. They are only read.
type seals struct {
	mu   sync.Mutex
	last map[clew.SessionID]*archive.Seal
}

const (
	sealsMax    = 32
	sealSizeMax = 1 << 20 // a larger one is read again
)

func (s *seals) latest(ctx context.Context, j *Journal, id clew.SessionID) (*archive.Seal, error) {
	s.mu.Lock()
	have := s.last[id]
	s.mu.Unlock()
	seal, err := j.archive.LatestOr(ctx, id, have)
	if err != nil || seal == nil || seal == have || seal.Size() > sealSizeMax {
		return seal, archiveError(id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || len(s.last) >= sealsMax {
		s.last = map[clew.SessionID]*archive.Seal{}
	}
	s.last[id] = seal
	return seal, nil
}

func (s *seals) forget(id clew.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.last, id)
}
