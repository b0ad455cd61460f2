package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// Whatever comes in, decoding ends with a command or a *clew.Error; and what
// it accepts is JSON, survives being sent again, and means the same then.
func FuzzDecodeCommand(f *testing.F) {
	for _, s := range samples(f, "commands.jsonl") {
		f.Add(s)
	}
	f.Add([]byte(`{"type":"user_message","data":{"text":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		cmd, err := DecodeCommand(frame, "sess_demo")
		if err != nil {
			var e *clew.Error
			if !errors.As(err, &e) || e.Code != clew.InvalidMessage && e.Code != clew.HitlInvalidResponse {
				t.Fatalf("error %v", err)
			}
			if !utf8.ValidString(e.Message) {
				t.Fatalf("message %q is not text", e.Message)
			}
			return
		}
		if !json.Valid(frame) || !utf8.Valid(frame) {
			t.Fatalf("accepted %q", frame)
		}
		again, err := EncodeCommand("sess_demo", cmd)
		if err != nil {
			t.Fatalf("cannot encode what was decoded: %v", err)
		}
		back, err := DecodeCommand(again, "sess_demo")
		if err != nil {
			t.Fatalf("%v for %s, made from %s", err, again, frame)
		}
		third, err := EncodeCommand("sess_demo", back)
		if err != nil || string(third) != string(again) {
			t.Fatalf("%s became %s (%v)", again, third, err)
		}
	})
}

// The scan agrees with a real tokenizer.
func FuzzDepth(f *testing.F) {
	for _, s := range []string{`{}`, `[[[]]]`, `"[[["`, `{"a":"\"[","b":[{}]}`, `[`, `]]]`, `"\`} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		if limit < 1 || limit > MaxDepth {
			limit = MaxDepth
		}
		ok := depthOK(b, limit)
		if !json.Valid(b) {
			return
		}
		if want := depthOf(t, b) <= limit; ok != want {
			t.Fatalf("depthOK(%s, %d) = %v", b, limit, ok)
		}
	})
}

func depthOf(t *testing.T, b []byte) int {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber() // a number of any length is JSON
	depth, deepest := 0, 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return deepest
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// A cursor has one spelling: what parses is what the server would write.
//
// Covers: C-01
func FuzzMessageID(f *testing.F) {
	for _, s := range []string{"msg_000000000001", "msg_1", "msg_0000000000001", "msg_18446744073709551616", "snap_1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		seq, err := clew.MessageID(s).Seq()
		if err != nil {
			if clew.CodeOf(err) != clew.InvalidMessage {
				t.Fatalf("error %v", err)
			}
			return
		}
		if clew.MessageIDOf(seq) != clew.MessageID(s) {
			t.Fatalf("%q and %q are the same cursor", s, clew.MessageIDOf(seq))
		}
	})
}

// A session id that is taken can be part of a path, a subject and an envelope.
//
// Covers: C-05
func FuzzSessionID(f *testing.F) {
	for _, s := range []string{"sess_1", "..", "a/b", "a.b", "a b", "é", "-", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !clew.SessionID(s).Valid() {
			return
		}
		if len(s) == 0 || len(s) > 128 {
			t.Fatalf("%q has a length of %d", s, len(s))
		}
		frame, err := Encode(clew.EventPing, clew.SessionID(s), "", 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		env, _, err := DecodeEnvelope(frame)
		if err != nil || env.SessionID != clew.SessionID(s) {
			t.Fatalf("%s: %v", frame, err)
		}
	})
}

// Server frames are decoded leniently, but never with a panic.
func FuzzDecodeEnvelope(f *testing.F) {
	for _, s := range samples(f, "events.jsonl") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		env, ev, err := DecodeEnvelope(frame)
		if err == nil && (env.Type == "" || string(ev.Type) != env.Type || ev.Data == nil) {
			t.Fatalf("%s became %+v, %v", frame, env, reflect.TypeOf(ev.Data))
		}
	})
}
