package requirements

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// full is a record of everything but some.
func full(but ...string) Record {
	r := Record{}
	for _, e := range clew.Events {
		r["event "+string(e.Type)] = true
	}
	for _, c := range clew.Commands {
		r["command "+string(c.Type)] = true
	}
	for _, line := range but {
		delete(r, line)
	}
	return r
}

func TestCheckRecord(t *testing.T) {
	rows := []Row{
		{ID: "WS-1", State: Behaves, Types: []string{"ping", "pong"}},
		{ID: "WS-2", State: Behaves, Types: []string{"export_settings"}}, // a command and its answer
		{ID: "WS-3", State: Vocabulary, Types: []string{"show_view"}},
	}
	for name, tt := range map[string]struct {
		record Record
		want   []string
	}{
		"everything":            {full(), nil},
		"a type of a row":       {full("command pong"), []string{"WS-1 behaves, and no server saw command pong"}},
		"one of the two":        {full("event export_settings"), []string{"WS-2 behaves, and no server saw event export_settings"}},
		"vocabulary":            {full("event show_view"), nil},
		"a type without a row":  {full("event invoke"), []string{"no server saw invoke"}},
		"excused by none":       {full("event ping"), []string{"WS-1 behaves, and no server saw event ping", "no server saw ping"}},
		"nothing at all is bad": {Record{}, []string{"WS-1 behaves", "WS-2 behaves", "no server saw user_message"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckRecord(rows, tt.record)
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("%v", err)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
		})
	}
}

func TestReadRecord(t *testing.T) {
	r, err := ReadRecord(strings.NewReader("event ping\ncommand pong\nevent ping\nevent inbox_state\n"))
	if err != nil || !r["event ping"] || !r["command pong"] || r["command ping"] {
		t.Errorf("%v, %v", r, err)
	}
	events, commands := r.Unseen()
	if len(events) != len(clew.Events)-1 || len(commands) != len(clew.Commands)-1 || slices.Contains(events, "ping") {
		t.Errorf("unseen: %v, %v", events, commands)
	}
	for _, bad := range []string{"ping\n", "frame ack\n", "event \n", "\n"} {
		if _, err := ReadRecord(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
