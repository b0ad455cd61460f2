package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/journal"
)

// keyStore keeps API keys in a table of the engine, so that all nodes know
// them.
type keyStore struct{ table *journal.Table }

func (k keyStore) Get(ctx context.Context, id string) (auth.KeyRecord, error) {
	var rec auth.KeyRecord
	b, _, err := k.table.Get(ctx, id)
	if errors.Is(err, journal.ErrNoRow) {
		return rec, auth.ErrNoKey
	}
	if err != nil {
		return rec, err
	}
	return rec, json.Unmarshal(b, &rec)
}

func (k keyStore) Put(ctx context.Context, rec auth.KeyRecord) error {
	b, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return k.table.Put(ctx, rec.ID, b)
}

func (k keyStore) Drop(ctx context.Context, id string) error { return k.table.Drop(ctx, id) }

func (k keyStore) List(ctx context.Context) ([]auth.KeyRecord, error) {
	rows, err := k.table.List(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]auth.KeyRecord, 0, len(rows))
	for _, b := range rows {
		var rec auth.KeyRecord
		if err := json.Unmarshal(b, &rec); err != nil {
			return nil, err
		}
		keys = append(keys, rec)
	}
	return keys, nil
}

func (k keyStore) Watch(ctx context.Context, fn func(auth.KeyRecord)) error {
	return k.table.Watch(ctx, func(_ string, b []byte) {
		var rec auth.KeyRecord
		if json.Unmarshal(b, &rec) == nil {
			fn(rec)
		}
	})
}

// ticketStore keeps tickets in a table of the engine, so that a browser may
// come to another node than the one that made its ticket.
type ticketStore struct{ table *journal.Table }

func (t ticketStore) Put(ctx context.Context, hash string, rec auth.TicketRecord) error {
	b, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return t.table.Put(ctx, hash, b)
}

// Take marks the row as used. Of two who do so at once the engine refuses one,
// who then sees the mark.
func (t ticketStore) Take(ctx context.Context, hash string) (rec auth.TicketRecord, err error) {
	err = t.table.Change(ctx, hash, func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, auth.ErrNoTicket
		}
		var was auth.TicketRecord
		if err := json.Unmarshal(old, &was); err != nil {
			return nil, err
		}
		if was.Used {
			return nil, auth.ErrNoTicket
		}
		rec, was.Used = was, true
		return json.Marshal(was)
	})
	return rec, err
}
