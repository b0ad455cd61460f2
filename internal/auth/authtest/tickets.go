package authtest

import (
	"context"
	"sync"

	"github.com/clew-run/clew/internal/auth"
)

// MemoryTickets is an auth.TicketStore in memory. The zero value is empty and
// ready.
type MemoryTickets struct {
	mu   sync.Mutex
	rows map[string]auth.TicketRecord
}

var _ auth.TicketStore = (*MemoryTickets)(nil)

// Put keeps a ticket.
func (m *MemoryTickets) Put(_ context.Context, hash string, t auth.TicketRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = make(map[string]auth.TicketRecord)
	}
	m.rows[hash] = t
	return nil
}

// Take gives a ticket once.
func (m *MemoryTickets) Take(_ context.Context, hash string) (auth.TicketRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.rows[hash]
	if !ok || t.Used {
		return auth.TicketRecord{}, auth.ErrNoTicket
	}
	t.Used = true
	m.rows[hash] = t
	return t, nil
}

// Hashes lists what tickets are kept by.
func (m *MemoryTickets) Hashes() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for hash := range m.rows {
		list = append(list, hash)
	}
	return list
}
