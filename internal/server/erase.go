package server

import (
	"context"

	"github.com/clew-run/clew/internal/erase"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/settings"
)

// openEraser opens what deletes sessions.
func (s *Server) openEraser(ctx context.Context, index *journal.Index, table *journal.Erasures) (err error) {
	if s.drafts, err = s.journal.OpenDrafts(ctx); err != nil {
		return err
	}
	s.eraser = erase.New(erase.Options{
		Host: s.host, Table: table, Files: erasedFiles{s.files, s.git, s.search}, Home: s.cfg.ownWorkspace, Clock: s.cfg.Clock, Log: s.log,
		Settings: func() settings.Values { v, _ := s.shop.settings.For(nil); return v },
		Store:    journal.Eraser{Journal: s.journal, Index: index, Inbox: s.questions.rows, Drafts: s.drafts, BlobUse: s.blobs, Seal: s.host.Seal, Own: s.host.Own},
	})
	return nil
}
