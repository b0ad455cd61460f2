package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

var testKey = signer("key")

// signed makes the frames of a message of these parts.
func signed(parts ...string) [][]byte {
	var b [][]byte
	for _, p := range parts {
		b = append(b, []byte(p))
	}
	return append([][]byte{[]byte("topic"), []byte(delimiter), testKey.sign(b)}, b...)
}

// TestSignature holds the signature against one that Python made:
// hmac.new(b"key", b'{"a":1}{}{}{}', "sha256").hexdigest().
func TestSignature(t *testing.T) {
	got := testKey.sign([][]byte{[]byte(`{"a":1}`), []byte("{}"), []byte("{}"), []byte("{}")})
	if want := "f1128388193e4dd1aa760827bd756a1b40b627676b5efe22c0e8297919bfa218"; string(got) != want {
		t.Errorf("signed %s", got)
	}
}

func TestEncodeAndDecode(t *testing.T) {
	frames, err := testKey.encode(header{MsgID: "m", Type: "x_request", Session: "s"}, &header{MsgID: "p"}, map[string]string{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := testKey.decode(Shell, append(frames, []byte("buffer")))
	if err != nil || m.Problem != "" || m.MsgID != "m" || m.ParentID != "p" || m.Type != "x_request" || string(m.Content) != `{"a":"b"}` || len(m.Buffers) != 1 {
		t.Errorf("got %+v, %v", m, err)
	}
}

// TestEveryByteIsSigned changes each byte of a message in turn.
func TestEveryByteIsSigned(t *testing.T) {
	frames := signed(`{"msg_id":"m","msg_type":"t"}`, `{"msg_id":"p"}`, `{}`, `{"text":"hello"}`)
	for i := 2; i < len(frames); i++ {
		for at := range frames[i] {
			frames[i][at] ^= 1
			if m, err := testKey.decode(IOPub, frames); !errors.Is(err, ErrSignature) || m.Type != "" {
				t.Errorf("frame %d, byte %d: %+v, %v", i, at, m, err)
			}
			frames[i][at] ^= 1
		}
	}
	if m, err := testKey.decode(IOPub, frames); err != nil || m.Problem != "" {
		t.Errorf("unchanged: %+v, %v", m, err)
	}
}

func TestFramesThatAreNoMessage(t *testing.T) {
	good := signed("{}", "{}", "{}", "{}")
	for name, frames := range map[string][][]byte{
		"none":            nil,
		"no delimiter":    good[2:],
		"cut off":         good[:6],
		"too many topics": append(bytes.Split(bytes.Repeat([]byte("t"), maxTopics), nil), good...),
	} {
		if _, err := testKey.decode(IOPub, frames); err == nil || errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProblems(t *testing.T) {
	const h = `{"msg_id":"m","msg_type":"t"}`
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, c := range []struct {
		parts   []string
		problem string
		kind    string
	}{
		{[]string{h, "{}", "{}", "{}"}, "", "t"},
		{[]string{h, "{}", "{}", deep(64)}, "", "t"},
		{[]string{h, "{}", "{}", `{"a":"[[[` + strings.Repeat("[{", 100) + `\""}`}, "", "t"},
		{[]string{h, "{}", "{}", deep(65)}, "content: deeper", "t"},
		{[]string{h, "{}", deep(65), "{}"}, "metadata: deeper", "t"},
		{[]string{h, deep(65), "{}", "{}"}, "parent_header: deeper", "t"},
		{[]string{deep(65), "{}", "{}", "{}"}, "header: deeper", ""},
		{[]string{h, "{}", "{}", "[]"}, "content: not a JSON object", "t"},
		{[]string{h, "{}", "{}", `{"a":}`}, "content: not a JSON object", "t"},
		{[]string{h, "{}", "", "{}"}, "metadata: not a JSON object", "t"},
		{[]string{`{"msg_id":1}`, "{}", "{}", "{}"}, "header: its fields", ""},
		{[]string{fmt.Sprintf(`{"msg_id":%q}`, strings.Repeat("i", 257)), "{}", "{}", "{}"}, "header: its names", ""},
	} {
		m, err := testKey.decode(IOPub, signed(c.parts...))
		if err != nil || !strings.HasPrefix(m.Problem, c.problem) || (c.problem == "") != (m.Problem == "") || m.Type != c.kind {
			t.Errorf("%.80q: %+v, %v", c.parts, m, err)
		}
		if (m.Content == nil) != (m.Problem != "") {
			t.Errorf("%.80q: content %q", c.parts, m.Content)
		}
	}
}

// FuzzMessage reads whatever was signed: either there is a problem, or content
// and metadata are JSON objects that are not too deep.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"msg_id":"m","msg_type":"stream"}`), []byte(`{"msg_id":"p"}`), []byte(`{}`), []byte(`{"name":"stdout","text":"a\"[{"}`))
	f.Add([]byte(`{"msg_id":["m"]}`), []byte(`null`), []byte(`[]`), []byte(strings.Repeat(`{"a":`, 70)))
	f.Add([]byte(`{}`), []byte(`{}`), []byte("\t{}\n"), []byte(`{"\ud800":1e999}`))
	f.Fuzz(func(t *testing.T, h, parent, metadata, content []byte) {
		frames := signed(string(h), string(parent), string(metadata), string(content))
		m, err := testKey.decode(IOPub, frames)
		if err != nil {
			t.Fatalf("signed, and refused: %v", err)
		}
		if len(m.MsgID) > maxName || len(m.ParentID) > maxName || len(m.Type) > maxName {
			t.Fatal("a name is too long")
		}
		if m.Problem != "" {
			return
		}
		for _, part := range []json.RawMessage{m.Content, m.Metadata} {
			var o map[string]any
			if err := json.Unmarshal(part, &o); err != nil && !strings.Contains(err.Error(), "number") {
				t.Fatalf("%q: %v", part, err)
			}
			if nested(o) > maxDepth {
				t.Fatalf("%q is too deep", part)
			}
		}
		frames[2][0] ^= 1
		if _, err := testKey.decode(IOPub, frames); !errors.Is(err, ErrSignature) {
			t.Fatalf("a wrong signature: %v", err)
		}
	})
}

// nested counts the levels of a value by walking it.
func nested(v any) int {
	deepest := -1
	switch v := v.(type) {
	case map[string]any:
		deepest = 0
		for _, e := range v {
			deepest = max(deepest, nested(e))
		}
	case []any:
		deepest = 0
		for _, e := range v {
			deepest = max(deepest, nested(e))
		}
	}
	return deepest + 1
}
