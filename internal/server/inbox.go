package server

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/clew-run/clew/internal/inbox"
	"github.com/clew-run/clew/internal/journal"
)

// questions is what people are asked, over all sessions.
type questions struct {
	rows  *journal.Inbox
	inbox *inbox.Inbox
	links *inbox.Links
}

// openQuestions is called before there are sessions, serveQuestions after.
func (s *Server) openQuestions(ctx context.Context) (err error) {
	s.questions.rows, err = s.journal.OpenInbox(ctx)
	return err
}

func (s *Server) serveQuestions(ctx, bg context.Context) error {
	key, err := s.linkKey(ctx)
	if err != nil {
		return err
	}
	q := &s.questions
	q.inbox = inbox.New(q.rows, inbox.Of(s.host), func() int64 { return s.cfg.Clock.Now().UnixMilli() })
	q.links = inbox.NewLinks(q.inbox, key)
	changed := make(chan struct{}, 1)
	s.shop.settings.Subscribe(func([]string) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	n := &inbox.Notifier{Notices: q.rows.Notices, Links: q.links, Webhook: s.webhook, Secret: s.webhookSecret, Now: s.cfg.Clock.Now, Log: s.log}
	s.work.Go(func() { n.Run(bg, changed) })
	return nil
}

// linkKey gives the key that signs answer links. The first node that ever asks
// makes it.
func (s *Server) linkKey(ctx context.Context) ([]byte, error) {
	table, err := s.journal.Table(ctx, "LINKS")
	if err != nil {
		return nil, err
	}
	return table.Once(ctx, "key", func() ([]byte, error) {
		key := make([]byte, 32)
		_, err := rand.Read(key)
		return key, err
	})
}

// webhook is how notices go out as of now.
func (s *Server) webhook() inbox.Webhook {
	v, _ := s.shop.settings.For(nil)
	w := inbox.Webhook{URL: v.NotifyWebhook, PublicURL: v.PublicURL, LinkFor: time.Duration(v.NotifyLinkSec) * time.Second}
	if w.PublicURL == "" {
		w.PublicURL = s.URL()
	}
	return w
}

func (s *Server) webhookSecret(ctx context.Context) (string, error) {
	secret, _, err := s.shop.secrets.Get(ctx, "webhook_secret")
	return secret, err
}
