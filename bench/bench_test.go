package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary play the roles that the bench starts itself in.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-role" {
		main()
		return
	}
	m.Run()
}

// The JSON mode prints one object with every figure, and each is a real one.
func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-quick", "-smoke", "-json"}, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Fatalf("%d lines on stdout, want one: %s", n, out.String())
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, d := range definitions {
		v, ok := got[d.name].(float64)
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s is %v", d.name, got[d.name])
		}
		if !strings.HasSuffix(d.name, "_ms") && !strings.HasSuffix(d.name, "_vs_append") && v <= 0 {
			t.Errorf("%s is %v, want a ratio above 0", d.name, v)
		}
	}
	if len(got) != len(definitions)+1 {
		t.Errorf("%d fields, want the figures and detail", len(got))
	}
	detail, ok := got["detail"].(map[string]any)
	if !ok {
		t.Fatal("no detail")
	}
	for _, name := range []string{"append", "fanout", "replay_warm", "replay_cold", "open_many_sessions", "open_long_session", "delta", "token", "tool_call", "first_checkpoint", "checkpoint", "restore_one", "rewind_long", "centrifugo", "mode"} {
		if detail[name] == nil {
			t.Errorf("detail has no %s", name)
		}
	}
}

func TestScale(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-scale", "-smoke", "-json"}, &out); err != nil {
		t.Fatal(err)
	}
	var got Scale
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Connections == 0 || got.OpenManySessions <= 0 || got.OpenLongSession <= 0 || got.PageLongSession <= 0 {
		t.Errorf("got %+v", got)
	}
}

// A socket counts the same however the bytes are cut.
func TestSocketCounts(t *testing.T) {
	var stream []byte
	frame := func(op byte, payload string) {
		stream = append(stream, 0x80|op)
		switch n := len(payload); {
		case n < 126:
			stream = append(stream, byte(n))
		default:
			stream = append(stream, 126, byte(n>>8), byte(n)) //nolint:gosec // short texts
		}
		stream = append(stream, payload...)
	}
	frame(1, "one")
	frame(9, "a ping, not a message")
	frame(1, strings.Repeat("x", 300))
	frame(1, "three\nfour\nfive")
	frame(1, "six\n")
	for cut := 1; cut < 40; cut++ {
		var s socket
		for b := stream; len(b) > 0; {
			n := min(cut, len(b))
			s.feed(b[:n])
			b = b[n:]
		}
		if got := s.count.Load(); got != 6 {
			t.Errorf("cut in pieces of %d: %d messages, want 6", cut, got)
		}
	}
}

func TestStamps(t *testing.T) {
	before := time.Now().UnixNano()
	at, ok := stampOf(fmt.Appendf(nil, `{"data":{"delta":%q}}`, stamped(deltaSize)))
	if !ok || at < before || at > time.Now().UnixNano() {
		t.Errorf("stamp is %d, %v", at, ok)
	}
	if _, ok := stampOf([]byte("nothing")); ok {
		t.Error("found a stamp in nothing")
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("median of three is %v", got)
	}
	if got := median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("median of four is %v", got)
	}
	if got := round(0.123456); got != 0.1235 {
		t.Errorf("rounded to %v", got)
	}
}
