package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// samples reads one envelope a line, with every field of its type filled in
// somewhere.
func samples(t testing.TB, file string) [][]byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		lines = append(lines, bytes.Clone(s.Bytes()))
	}
	return lines
}

func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%v in %s", err, a)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return reflect.DeepEqual(x, y)
}

// Each sample decodes and encodes to the same JSON: no field of the protocol
// is lost, none is added.
func TestEventSamples(t *testing.T) {
	seen := map[string]bool{}
	for _, frame := range samples(t, "events.jsonl") {
		env, ev, err := DecodeEnvelope(frame)
		if err != nil {
			t.Errorf("%v in %s", err, frame)
			continue
		}
		seen[env.Type] = true
		data := ev.Data
		if env.Data == nil {
			data = nil
		}
		out, err := Encode(ev.Type, env.SessionID, env.MessageID, 0, data)
		if err != nil {
			t.Errorf("%s: %v", env.Type, err)
			continue
		}
		out = bytes.Replace(out, []byte(clew.Timestamp(0)), []byte(env.Timestamp), 1)
		if !sameJSON(t, frame, out) {
			t.Errorf("sample\n%s\nbecame\n%s", frame, out)
		}
		info, _ := clew.EventInfoOf(ev.Type)
		isRecord := strings.HasPrefix(env.MessageID, "msg_")
		if isRecord && !info.Kind.Journaled() || !isRecord && info.Kind == clew.KindRecord {
			t.Errorf("%s is a %s but the sample has message_id %q", env.Type, info.Kind, env.MessageID)
		}
		if (env.Seq() != 0) != isRecord {
			t.Errorf("%s has seq %d with message_id %q", env.Type, env.Seq(), env.MessageID)
		}
	}
	for _, e := range clew.Events {
		if !seen[string(e.Type)] {
			t.Errorf("no sample of %s", e.Type)
		}
	}
}

func TestCommandSamples(t *testing.T) {
	seen := map[string]bool{}
	for _, frame := range samples(t, "commands.jsonl") {
		cmd, err := DecodeCommand(frame, "sess_demo")
		if err != nil {
			t.Errorf("%v in %s", err, frame)
			continue
		}
		seen[string(cmd.Type)] = true
		if cmd.Data == nil {
			t.Errorf("%s has no data", cmd.Type)
		}
		out, err := EncodeCommand("sess_demo", cmd)
		if err != nil {
			t.Errorf("%s: %v", cmd.Type, err)
			continue
		}
		var sent, again Envelope
		_ = json.Unmarshal(frame, &sent)
		_ = json.Unmarshal(out, &again)
		if sent.Data == nil {
			sent.Data = json.RawMessage("{}")
		}
		if !sameJSON(t, sent.Data, again.Data) || sent.MessageID != again.MessageID {
			t.Errorf("sample\n%s\nbecame\n%s", frame, out)
		}
		if made := clew.NewCommand(clew.Principal{}, cmd.Data); made.Type != cmd.Type {
			t.Errorf("data of %s makes a %s", cmd.Type, made.Type)
		}
	}
	for _, c := range clew.Commands {
		if !seen[string(c.Type)] {
			t.Errorf("no sample of %s", c.Type)
		}
	}
}

// Every field that a data struct can have appears in some sample, so that the
// samples show the whole protocol.
func TestSamplesAreComplete(t *testing.T) {
	have := map[string]map[string]bool{}
	note := func(direction string, frame []byte) {
		var e struct {
			Type string         `json:"type"`
			Data map[string]any `json:"data"`
		}
		if err := json.Unmarshal(frame, &e); err != nil {
			t.Fatal(err)
		}
		key := direction + e.Type
		if have[key] == nil {
			have[key] = map[string]bool{}
		}
		for name := range e.Data {
			have[key][name] = true
		}
	}
	for _, f := range samples(t, "events.jsonl") {
		note("event ", f)
	}
	for _, f := range samples(t, "commands.jsonl") {
		note("command ", f)
	}
	for _, e := range clew.Events {
		for _, f := range shapeOf(reflect.TypeOf(e.Data)).fields {
			if !have["event "+string(e.Type)][f.name] {
				t.Errorf("no sample of %s has %s", e.Type, f.name)
			}
		}
	}
	either := map[string]bool{"message_id": true, "ts": true, "index": true, "offset": true}
	for _, c := range clew.Commands {
		for _, f := range shapeOf(reflect.TypeOf(c.Data)).fields {
			if !have["command "+string(c.Type)][f.name] && !either[f.name] {
				t.Errorf("no sample of %s has %s", c.Type, f.name)
			}
		}
	}
}
