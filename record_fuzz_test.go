package clew

import (
	"bytes"
	"encoding/json"
	"testing"
)

// A stored line never makes ParseRecord panic; what it accepts and is rebuilt
// from its parts is the same line again, so damage cannot pass unnoticed.
//
// Covers: C-01
func FuzzParseRecord(f *testing.F) {
	first := Head{}.Next("sess_1", 1, 1790000000000, "ada", EventSessionCreated, json.RawMessage(`{"owner":"ada","title":"t"}`))
	second := first.After().Next("sess_1", 2, 5, `q"\`, EventSessionRenamed, nil)
	f.Add(first.Line())
	f.Add(second.Line())
	f.Add([]byte(`{"seq":1,"term":1,"ts":0,"by":"","prev":""}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		kept := bytes.Clone(line)
		r, err := ParseRecord(line)
		if err != nil {
			return
		}
		if !bytes.Equal(line, kept) {
			t.Fatal("ParseRecord changed its input")
		}
		_ = r.Hash()
		if r.MessageID() != MessageIDOf(r.Seq) || r.After().Seq != r.Seq {
			t.Fatalf("seq %d", r.Seq)
		}
		var env struct {
			SessionID SessionID `json:"session_id"`
			Timestamp string    `json:"timestamp"`
		}
		if json.Unmarshal(r.Envelope(), &env) != nil || !env.SessionID.Valid() || env.Timestamp != Timestamp(r.TS) {
			return // the envelope's inside is not the parser's business
		}
		head := Head{Seq: r.Seq - 1, TS: r.TS - 1, Hash: r.Prev}
		again := head.Next(env.SessionID, r.Term, r.TS, r.By, r.Type, r.Data())
		if back, err := ParseRecord(again.Line()); err != nil || back.Seq != r.Seq || back.Prev != r.Prev ||
			back.By != r.By || back.Type != r.Type || !bytes.Equal(back.Data(), again.Data()) {
			t.Fatalf("rebuilt\n%s\nfrom\n%s\n%v", again.Line(), line, err)
		}
	})
}
