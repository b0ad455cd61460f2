package server

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

// Two nodes see one ticket; of all who take it at once, one gets it.
func TestTicketsOfTwoNodes(t *testing.T) {
	j := engine(t)
	open := func() ticketStore {
		t.Helper()
		table, err := j.FadingTable(t.Context(), "TICKETS", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return ticketStore{table}
	}
	here, there := open(), open()
	want := auth.TicketRecord{User: "ada", Role: clew.RoleOwner, KeyID: "0123456789ab", ExpiresMS: 5}
	if err := here.Put(t.Context(), "aa", want); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	got := make(chan auth.TicketRecord, 8)
	for i := range 8 {
		store := here
		if i%2 == 0 {
			store = there
		}
		wg.Go(func() {
			rec, err := store.Take(t.Context(), "aa")
			if err == nil {
				got <- rec
			} else if !errors.Is(err, auth.ErrNoTicket) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(got)
	if len(got) != 1 || <-got != want {
		t.Errorf("%d took it", len(got)+1)
	}
	if _, err := there.Take(t.Context(), "bb"); !errors.Is(err, auth.ErrNoTicket) {
		t.Error(err)
	}
}

// A key that is dropped is gone, for readers and for those who list, and does
// not disturb those who watch.
func TestDroppedKey(t *testing.T) {
	table, err := engine(t).Table(t.Context(), "KEYS")
	if err != nil {
		t.Fatal(err)
	}
	store := keyStore{table}
	for _, id := range []string{"a", "b"} {
		if err := store.Put(t.Context(), auth.KeyRecord{ID: id, Browser: true, Parent: "p"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Drop(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(t.Context(), "a"); !errors.Is(err, auth.ErrNoKey) {
		t.Error(err)
	}
	list, err := store.List(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != "b" || !list[0].Browser || list[0].Parent != "p" {
		t.Errorf("%+v, %v", list, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_ = store.Watch(ctx, func(k auth.KeyRecord) {
		if k.ID != "b" {
			t.Errorf("told of %+v", k)
		}
		cancel()
	})
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("the key that is left was not told of")
	}
}
