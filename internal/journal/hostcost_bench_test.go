package journal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// BenchmarkHost is a command through the host without an engine behind it.
func BenchmarkHost(b *testing.B) {
	var m journaltest.Memory
	n := m.Node("a")
	h := session.NewHost(session.Config{Journal: n, Index: n, Log: quiet()})
	defer h.Close(context.Background())
	owner := clew.Principal{User: "owner", Role: clew.RoleOwner}
	id, err := h.Create(b.Context(), owner, session.NewSession{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, err := h.Do(b.Context(), id, clew.Command{
			Type: clew.CommandRenameSession, By: owner, ClientMessageID: clew.ClientMessageID(fmt.Sprint("c", i)),
			Data: &clew.RenameSessionData{Title: fmt.Sprintf("%0200d", i)},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
