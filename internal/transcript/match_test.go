package transcript

import "testing"

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern, heard string
		ok             bool
	}{
		{`1`, `1`, true},
		{`1`, `1.0`, false},
		{`"*"`, `{"a":[1]}`, true},
		{`"a*c"`, `"abc"`, true},
		{`"a*c"`, `"abd"`, false},
		{`"a*"`, `7`, false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1,"...":"..."}`, `{"a":1,"b":2}`, true},
		{`[1,2]`, `[1,2,3]`, false},
		{`[1,"..."]`, `[1,2,3]`, true},
		{`[1,"..."]`, `[]`, false},
		{`["{x}","{x}"]`, `["u","u"]`, true},
		{`["{x}","{x}"]`, `["u","v"]`, false},
		{`["{x}","{x}"]`, `[{"a":1},{"a":1}]`, true},
		{`["{x}","id-{x}"]`, `[7,"id-7"]`, true},
		{`["msg_{n}","{n}"]`, `["msg_12","12"]`, true},
		{`["msg_{n}","{n}"]`, `["msg_12","13"]`, false},
		{`"{known}"`, `"v"`, true},
		{`"{known}"`, `"w"`, false},
		{`null`, `null`, true},
		{`true`, `false`, false},
	} {
		p, err := parseJSON([]byte(tc.pattern))
		if err != nil {
			t.Fatal(err)
		}
		h, err := parseJSON([]byte(tc.heard))
		if err != nil {
			t.Fatal(err)
		}
		v := vars{"known": "v"}
		if err := v.match(p, h); (err == nil) != tc.ok {
			t.Errorf("%s against %s: %v", tc.heard, tc.pattern, err)
		} else if err != nil && len(v) != 1 {
			t.Errorf("%s against %s kept %v", tc.heard, tc.pattern, v)
		}
	}
}

func TestOutgoing(t *testing.T) {
	v := vars{"s1": "sess_1", "n7": parsed(t, `7`)}
	for line, want := range map[string]string{
		`{"a":"{s1}","b":{n7}}`: `{"a":"sess_1","b":7}`,
		`{x*3}|{ab*2}`:          `xxx|abab`,
		`{"text":"{nobody}"}`:   `{"text":"{nobody}"}`,
	} {
		got, err := v.outgoing(line)
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s sends %q (%v), want %s", line, got, err, want)
		}
	}
	if got, err := v.outgoing(`repeat 2 m{n}`); err != nil || len(got) != 2 || got[1] != "m2" {
		t.Errorf("repeat sends %q (%v)", got, err)
	}
	if _, err := v.outgoing(`repeat x`); err == nil {
		t.Error("a bad repeat was taken")
	}
}

func parsed(t *testing.T, s string) any {
	v, err := parseJSON([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Field order and text survive reading and writing.
func TestWriteJSON(t *testing.T) {
	const s = `{"z":1,"a":["<&>",null,true,{"k":1.50}],"m":{}}`
	if got := writeJSON(parsed(t, s)); got != s {
		t.Errorf("wrote %s", got)
	}
}

// Text that was recorded while it grew comes by the clock; nothing else of it does.
func TestSnapshot(t *testing.T) {
	for frame, want := range map[string]bool{
		`{"type":"message_updated","data":{"message":{"text":"gr","partial":true}}}`: true,
		`{"type":"message_updated","data":{"message":{"text":"gr"}}}`:                false,
		`{"type":"message_created","data":{"message":{"partial":true}}}`:             false,
		`{"type":"message_updated"}`:                                                 false,
		`[]`:                                                                         false,
	} {
		v, err := parseJSON([]byte(frame))
		if err != nil || snapshot(v) != want {
			t.Errorf("%s: %v, %v", frame, snapshot(v), err)
		}
	}
}
