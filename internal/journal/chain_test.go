package journal

import (
	"encoding/json"
	"testing"

	"github.com/clew-run/clew"
)

// A record that is sound in itself and does not follow from the one before it is
// damage: somebody changed the past, or wrote another one.
func TestRecordOfAnotherChain(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.create("whole", 1)
	_, subject := g.j.sessionSubject("spoilt")
	first := clew.Head{}.Next("spoilt", 1, 1, "ann", clew.EventSessionRenamed, json.RawMessage(`{"title":"a"}`))
	other := clew.Head{}.Next("spoilt", 1, 1, "ann", clew.EventSessionRenamed, json.RawMessage(`{"title":"b"}`))
	second := other.After().Next("spoilt", 1, 2, "ann", clew.EventSessionRenamed, json.RawMessage(`{"title":"c"}`))
	for _, r := range []clew.Record{first, second} {
		if _, err := g.j.js.Publish(t.Context(), subject, r.Line()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.h.Watch(t.Context(), "spoilt"); clew.CodeOf(err) != clew.SessionDamaged {
		t.Errorf("it is served: %v", err)
	}
	g.whole("whole", 1)
}
