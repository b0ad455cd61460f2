package ipc

import (
	"context"
	"iter"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
)

// Host is what the socket needs of the sessions. HostOf makes one from a
// *session.Host.
type Host interface {
	Access(ctx context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error)
	Create(ctx context.Context, by clew.Principal, s session.NewSession) (clew.SessionID, error)
	Do(ctx context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error)
	Watch(ctx context.Context, id clew.SessionID) (Watch, error)
}

// Watch is one follower's hold on a session.
type Watch interface {
	Feed() *feed.Feed
	Epoch() string
	State(ctx context.Context) (clew.SessionState, error)
	Read(ctx context.Context, from, to uint64) iter.Seq2[clew.Record, error]
	Close()
}

// HostOf lets a session host serve a socket.
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
