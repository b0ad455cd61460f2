package transfer

import (
	"testing"

	"github.com/clew-run/clew"
)

// A message that waited leaves in the words it had last, once; one that was taken
// back does not leave at all.
func TestQueuedMessagesLeaveAsTheyEnded(t *testing.T) {
	sp, err := newSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer sp.close()
	shelf, talk := &blobStore{spool: sp, waiting: map[clew.MessageID]int{}}, newTalk(sp)
	said := func(seq uint64, text string) clew.Message {
		return clew.Message{MessageID: clew.MessageIDOf(seq), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: text}
	}
	for i, data := range []any{
		&clew.MessageCreatedData{Message: said(1, "first")},
		&clew.MessageCreatedData{Message: said(2, "gone")},
		&clew.MessageQueuedData{MessageID: clew.MessageIDOf(2)},
		&clew.MessageCreatedData{Message: said(4, "old words")},
		&clew.MessageQueuedData{MessageID: clew.MessageIDOf(4)},
		&clew.MessageUpdatedData{Message: said(4, "new words")},
		&clew.QueueChangedData{Queue: clew.List[clew.MessageID]{clew.MessageIDOf(4)}, Removed: clew.MessageIDOf(2)},
		&clew.MessageAcceptedData{MessageID: clew.MessageIDOf(4), Delivery: clew.DeliverySteer},
	} {
		r := clew.Record{Seq: uint64(i + 1), TS: int64(i)}
		if err := shelf.add(r, data); err != nil {
			t.Fatal(err)
		}
		if err := talk.add(r, data); err != nil {
			t.Fatal(err)
		}
	}
	var texts, entries []string
	for _, read := range talk.all() {
		m, err := read()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, m.Text)
	}
	for _, place := range shelf.entries {
		if place == (ref{}) {
			continue
		}
		e, err := shelf.read(place)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, *e.Content)
	}
	for what, got := range map[string][]string{"the transcript": texts, "the message store": entries} {
		if len(got) != 2 || got[0] != "first" || got[1] != "new words" {
			t.Errorf("%s has %q", what, got)
		}
	}
}
