package auth

import (
	"context"
	"errors"
	"time"

	"github.com/clew-run/clew"
)

// TicketLife is how long a ticket is good: long enough for a browser to start.
const TicketLife = time.Minute

// A TicketRecord is what is kept of a ticket: for whom it is, never itself.
type TicketRecord struct {
	User      clew.UserID `json:"user"`
	Role      clew.Role   `json:"role"`
	KeyID     string      `json:"key_id,omitempty"`  // of the key it was asked for with
	EndsMS    int64       `json:"ends_ms,omitempty"` // when the credentials it was asked for with end
	ExpiresMS int64       `json:"expires_ms"`
	Used      bool        `json:"used,omitempty"`
}

// ErrNoTicket is what a TicketStore's Take gives for a ticket that is unknown or
// was taken before.
var ErrNoTicket = errors.New("no such ticket")

// TicketStore keeps tickets for all nodes, by the hash of the ticket, and may
// forget them some time after TicketLife. Implementations are safe for
// concurrent use.
type TicketStore interface {
	Put(ctx context.Context, hash string, t TicketRecord) error
	// Take gives a ticket to one caller only, whichever node others ask.
	Take(ctx context.Context, hash string) (TicketRecord, error)
}

// NewTicket makes a ticket with which somebody, in practice another browser,
// can sign in as the caller: once, and soon.
func (s *SignIns) NewTicket(ctx context.Context, p clew.Principal) (ticket string, expiresMS int64, err error) {
	ticket = randomSecret()
	t := TicketRecord{
		User: p.User, Role: p.Role, KeyID: p.KeyID, EndsMS: p.ExpiresMS,
		ExpiresMS: s.keys.now().Add(TicketLife).UnixMilli(),
	}
	if err := s.tickets.Put(ctx, hashSecret(ticket), t); err != nil {
		return "", 0, clew.WrapError(clew.StorageFailed, err, "the ticket could not be stored")
	}
	return ticket, t.ExpiresMS, nil
}

// takeTicket says for whom a ticket was made and uses it up.
func (s *SignIns) takeTicket(ctx context.Context, ticket string) (clew.Principal, error) {
	if len(ticket) != secretLen || !clew.ValidID(ticket) {
		return clew.Principal{}, usedUp(clew.AuthFailed, errors.New("the ticket is malformed"))
	}
	t, err := s.tickets.Take(ctx, hashSecret(ticket))
	switch {
	case errors.Is(err, ErrNoTicket):
		return clew.Principal{}, usedUp(clew.AuthFailed, err)
	case err != nil:
		return clew.Principal{}, clew.WrapError(clew.Unavailable, err, "the ticket cannot be checked right now")
	case s.keys.now().UnixMilli() >= t.ExpiresMS:
		return clew.Principal{}, usedUp(clew.TokenExpired, errors.New("the ticket has expired"))
	}
	return clew.Principal{User: t.User, Role: t.Role, KeyID: t.KeyID, ExpiresMS: t.EndsMS}, nil
}

// usedUp tells somebody with a link what to do.
func usedUp(code clew.Code, cause error) *clew.Error {
	return clew.WrapError(code, cause, "this link was used already or is too old; run `clew open` again").Advised()
}
