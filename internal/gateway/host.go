package gateway

import (
	"context"
	"iter"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/view"
)

// Host is what the gateway needs of the sessions. HostOf makes one from a
// *session.Host.
type Host interface {
	Access(ctx context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error)
	Create(ctx context.Context, by clew.Principal, s session.NewSession) (clew.SessionID, error)
	Do(ctx context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error)
	Watch(ctx context.Context, id clew.SessionID) (Watch, error)
}

// Watch is one reader's hold on a session. The feed's frames must be made by
// Frame.
type Watch interface {
	Feed() *feed.Feed
	Epoch() string
	State(ctx context.Context) (clew.SessionState, error)
	Since(ctx context.Context, cursor uint64) (c *view.Change, pos uint64, err error)
	Read(ctx context.Context, from, to uint64) iter.Seq2[clew.Record, error]
	Messages(ctx context.Context, limit, offset int, before clew.MessageID) (clew.MessagesPage, error)
	Close()
}

// HostOf lets a session host serve a gateway.
func HostOf(h *session.Host) Host { return hostAdapter{h} }

type hostAdapter struct{ *session.Host }

// Watch only changes the result's type to the interface.
func (a hostAdapter) Watch(ctx context.Context, id clew.SessionID) (Watch, error) {
	w, err := a.Host.Watch(ctx, id)
	if err != nil {
		return nil, err
	}
	return w, nil
}
