package client

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A state of another journal moves the position only with the word that explains it: if
// the connection ends in between, the cursor is still the old journal's and is lost then.
func TestPositionBetweenStateAndCursorLost(t *testing.T) {
	p, err := newPosition(clew.ViewRecords, string(clew.MessageIDOf(7)), "e1")
	if err != nil {
		t.Fatal(err)
	}
	envelope := func(typ clew.EventType, data string) wire.Envelope {
		return wire.Envelope{Type: string(typ), Data: json.RawMessage(data)}
	}
	state := func(last uint64) wire.Envelope {
		return envelope(clew.EventSessionState, fmt.Sprintf(`{"last_message_id":%q,"epoch":"e2"}`, clew.MessageIDOf(last)))
	}
	stands := func(seq uint64, epoch string) {
		t.Helper()
		if from, e := p.resumeFrom(); from != string(clew.MessageIDOf(seq)) || e != epoch {
			t.Errorf("it stands at %s of %s, want %d of %s", from, e, seq, epoch)
		}
	}
	for _, last := range []uint64{2, 9} { // a shorter journal and a longer one
		p.connected()
		if _, err := p.take(state(last)); err != nil {
			t.Fatal(err)
		}
		stands(7, "e1")
		if _, err := p.take(envelope(clew.EventSyncComplete, `{}`)); err == nil {
			t.Error("another journal is taken without a word about it")
		}
		stands(7, "e1")
	}
	p.connected()
	if _, err := p.take(state(9)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.take(envelope(clew.EventError, `{"code":"CURSOR_LOST"}`)); err != nil {
		t.Fatal(err)
	}
	stands(9, "e2")
}
