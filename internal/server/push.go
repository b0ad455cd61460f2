package server

import (
	"context"

	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/inbox/push"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/tool/fetch"
)

// servePush opens what tells people through their browsers. keys is nil where
// there are no API keys.
func (s *Server) servePush(ctx, bg context.Context, keys *auth.Keys) error {
	table, err := s.journal.FadingTable(ctx, "PUSH", 0)
	if err != nil {
		return err
	}
	key, err := s.pushKey(ctx, table)
	if err != nil {
		return err
	}
	out := fetch.Outbound{Allow: func() []string { v, _ := s.shop.settings.For(nil); return v.PushAllow }}
	s.push = push.New(push.Options{
		Now: s.cfg.Clock.Now,
		Key: key, Table: table, Rows: s.questions.rows, Check: out.Check, Dial: out.Dial, Log: s.log,
		KeyInForce: func(ctx context.Context, id string) (bool, error) {
			if keys == nil {
				return false, nil
			}
			return keys.InForce(ctx, id)
		},
		PublicURL: func() string { v, _ := s.shop.settings.For(nil); return v.PublicURL },
	})
	s.work.Go(func() { s.push.Run(bg) })
	return nil
}

// pushKey gives the key by which push services know this installation. The first
// node that ever asks makes it. It lies where the key of answer links does, and
// not among the secrets: those are a node's own, and all nodes need this one.
func (s *Server) pushKey(ctx context.Context, table *journal.Table) (push.Key, error) {
	private, err := table.Once(ctx, "key", func() ([]byte, error) {
		private, err := push.NewKey()
		return []byte(private), err
	})
	if err != nil {
		return push.Key{}, err
	}
	s.cfg.Redactor.Add(string(private))
	return push.ReadKey(string(private))
}
