package decide

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// Whoever adds an event knows its id and time, also after some were dropped.
func TestTxKnowsWhatComes(t *testing.T) {
	s := &core.State{ID: "s", Seq: 4, TS: 1000}
	tx := NewTx(s, 7)
	if tx.FirstTS() != 1001 || tx.Now() != 7 {
		t.Fatalf("it begins at %d, decided at %d", tx.FirstTS(), tx.Now())
	}
	first := tx.Add(&clew.SessionRenamedData{Title: "a"})
	said := tx.Say(clew.Message{Text: "b"})
	if first != clew.MessageIDOf(5) || said != clew.MessageIDOf(6) || tx.FirstID() != first || tx.NextID() != clew.MessageIDOf(7) {
		t.Errorf("ids %s, %s, next %s", first, said, tx.NextID())
	}
	if e := tx.Since(1)[0]; e.Type != clew.EventMessageCreated || e.Data.(*clew.MessageCreatedData).Message.MessageID != said ||
		e.Data.(*clew.MessageCreatedData).Message.TS != 1002 {
		t.Errorf("said %+v", e)
	}
	tx.Truncate(1)
	if again := tx.Say(clew.Message{Text: "c"}); again != said || tx.Len() != 2 {
		t.Errorf("after a cut %s, %d events", again, tx.Len())
	}
}
