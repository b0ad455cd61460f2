package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/clew-run/clew/internal/checkpoint/retention"
	"github.com/clew-run/clew/internal/transfer"
)

// temporary is where sessions on their way in or out wait. It is on the disk that
// is meant for them.
func (c Config) temporary() string { return filepath.Join(c.Data, "tmp") }

// emptyTemporary removes what an earlier run left there. Nobody else works on the
// data directory: the journal is open.
func (s *Server) emptyTemporary() error {
	err := errors.Join(os.RemoveAll(s.cfg.temporary()), os.MkdirAll(s.cfg.temporary(), 0o700))
	if err != nil {
		return fmt.Errorf("the directory for temporary files: %w", err)
	}
	return nil
}

// exporter reads the journal, which all nodes share, so it works for sessions of
// other nodes, too.
func (s *Server) exporter() *transfer.Exporter {
	return &transfer.Exporter{Records: s.journal, Blobs: s.blobs, Checkpoints: bundleStore{s.files}, Dir: s.cfg.temporary()}
}

func (s *Server) importer() *transfer.Importer {
	return &transfer.Importer{
		Sessions: s.host, Blobs: s.blobs, Checkpoints: bundleStore{s.files}, Place: s.shop.place, Room: s.reserve.Room, Access: s.host.Access, Dir: s.cfg.temporary(),
		Now: func() int64 { return s.cfg.Clock.Now().UnixMilli() },
	}
}

// bundleStore only changes a result's type to the interface.
type bundleStore struct{ *retention.Keeper }

// Unpack implements transfer.Checkpoints.
func (p bundleStore) Unpack(ctx context.Context, from io.Reader) (transfer.Unpacked, error) {
	got, err := p.Keeper.Unpack(ctx, from)
	if err != nil {
		return nil, err
	}
	return got, nil
}
