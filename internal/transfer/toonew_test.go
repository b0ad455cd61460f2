package transfer_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/transfer"
)

// A session with a record that only a newer server knows leaves as a bundle, whole.
// Forms for which every record has to be understood say that it is too new, and so
// does a server that is given the bundle.
func TestTooNewSession(t *testing.T) {
	s := newServer(t.TempDir())
	w := newScribe("sess_1")
	w.ask("task_1", "first")
	rose := w.head.Write(w.id, 3, w.ts(), clew.Draft{By: "ada", Type: "sun_rose", Data: []byte(`{"at":"six"}`)})
	w.head, w.records = rose.After(), append(w.records, rose)
	w.complete("task_1", "done")
	s.has(t, w)
	bundle := s.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	files, _ := entries(t, bundle)
	whole := false
	for _, text := range files {
		whole = whole || strings.Contains(text, string(rose.Line()))
	}
	if !whole {
		t.Error("the bundle is without the record")
	}
	other := newServer(t.TempDir())
	if _, err := other.importer().Import(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: ada}); clew.CodeOf(err) != clew.SessionTooNew {
		t.Errorf("import: %v", err)
	}
	for _, format := range []transfer.Format{transfer.TaskFolder, transfer.SessionLog, transfer.MessageStore} {
		e, err := s.exporter().Prepare(t.Context(), transfer.What{Session: "sess_1", Format: format, Head: w.head.Seq})
		if err == nil {
			err = e.Write(t.Context(), new(bytes.Buffer))
		}
		if clew.CodeOf(err) != clew.SessionTooNew {
			t.Errorf("%s: %v", format, err)
		}
	}
}
