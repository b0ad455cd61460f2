package server

import (
	"context"
	"path/filepath"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/search"
)

// openSearch opens the search index. It is a cache: a server that cannot have one
// serves all the same.
func (s *Server) openSearch() {
	x, err := search.Open(filepath.Join(s.cfg.Data, "search"), s.log)
	if err != nil {
		s.log.Error("there is no search index", "err", err)
		return
	}
	s.search = x
}

// followJournals keeps the search index up to date.
func (s *Server) followJournals(ctx context.Context, lists *journal.Index) {
	if s.search != nil {
		s.search.Follow(ctx, search.Source{Journal: s.journal, List: s.host.List, Watch: lists.Watch})
	}
}

// appended passes on that a session of this node has new records.
func (s *Server) appended(id clew.SessionID, first uint64) {
	s.tellSocket(id, first)
	s.noticed(id)
}

// noticed has the search index look at a session.
func (s *Server) noticed(id clew.SessionID) {
	if s.search != nil {
		s.search.Notice(id)
	}
}

// finder is the search index for the API, nil if there is none.
func (s *Server) finder() api.Search {
	if s.search == nil {
		return nil
	}
	return s.search
}
