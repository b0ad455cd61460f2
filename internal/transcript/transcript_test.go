package transcript

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/clew-run/clew/client/clienttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is the in-memory server behind a real port.
type fake struct {
	*clienttest.Server
	http *httptest.Server
}

func newFake(t *testing.T) *fake {
	f := &fake{Server: clienttest.New(t)}
	f.http = httptest.NewServer(f.Handler())
	t.Cleanup(f.http.Close)
	return f
}

func (f *fake) URL() string              { return f.http.URL }
func (f *fake) Token(user string) string { return "token-" + user }
func (f *fake) Kill() error              { f.DropAll(); return nil }
func (f *fake) Restart() error           { return nil }

func TestRunDir(t *testing.T) {
	f := newFake(t)
	RunDir(t, "testdata", func(*testing.T) Server { return f })
}

// opening is how the scripts of these tests begin.
const opening = `-- setup --
create s1 as=alice
-- connect a --
GET /ws/{s1}?client_id=tab1 as=alice
`

func run(t *testing.T, text string, update bool) (*script, bool, error) {
	t.Helper()
	s, err := parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	changed, err := s.run(t.Context(), newFake(t), update)
	return s, changed, err
}

// A transcript that does not fit fails, and says where.
func TestMismatchesAreFound(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"value":          {"-- server a --\n{\"type\":\"session_state\",\"data\":{\"status\":\"busy\",\"...\":\"...\"},\"...\":\"...\"}\n", `.data.status is "idle", want "busy"`},
		"unnamed field":  {"-- server a --\n{\"type\":\"session_state\"}\n", "is not in the pattern"},
		"missing field":  {"-- server a --\n{\"nope\":1,\"...\":\"...\"}\n", ".nope is missing"},
		"kept value":     {"-- server a --\n{\"session_id\":\"{s1}\",\"type\":\"{s1}\",\"...\":\"...\"}\n", ".type is"},
		"not connected":  {"-- client b --\nx\n", "client b is not connected"},
		"status":         {"-- request --\nGET /api/v1/sessions as=alice\n-- response --\n404\n", "status 200, want 404"},
		"body":           {"-- request --\nGET /api/v1/sessions/{s1} as=alice\n-- response --\n200\n{\"owner\":\"bob\",\"...\":\"...\"}\n", `.owner is "alice"`},
		"refused":        {"-- connect b --\nGET /ws/{s1} as=bob\n", "404"},
		"not refused":    {"-- connect b --\nGET /ws/{s1} as=alice\nstatus 401\n", "got 101, want 401"},
		"frame at close": {"-- close a --\n1000 BYE\n", "before the close"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := run(t, opening+tc.text, false)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestBadScriptsAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "-- dance --\n", "-- server --\n", "-- kill a --\n", "-- server a --\nnot json\n",
		"-- wait --\nlong\n", "-- connect a --\n", "-- connect a --\nGET /ws as=a\nfoo\n",
		"-- response --\n", "-- close a --\n", "-- request --\nGET\n", "-- request --\nGET /x by=me\n",
	} {
		if _, err := parse("test", []byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// With update, sections that fit stay byte for byte, others are made from what
// was heard; the result runs without update.
func TestUpdate(t *testing.T) {
	text := opening + `-- server a --
{"type":"session_state","data":{"status":"busy","last_message_id":"{first}","...":"..."},"...":"..."}
-- client a --
{"type":"user_message","message_id":"c1","data":{"text":"hello"}}
-- server a --
-- request --
GET /api/v1/sessions/{s1} as=alice
-- response --
500
`
	s, changed, err := run(t, text, true)
	if err != nil || !changed {
		t.Fatalf("changed %v, %v", changed, err)
	}
	got := string(txtar.Format(s.archive))
	for _, want := range []string{
		`{"type":"session_state","data":{"status":"idle","last_message_id":"{first}","...":"..."},"...":"..."}`,
		`{"type":"sync_complete","session_id":"{s1}","timestamp":"*","data":{"last_message_id":"{first}","replayed":0}}`,
		`"type":"message_accepted"`,
		"-- response --\n200\n{\"session_id\":\"{s1}\",\"owner\":\"alice\"",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %s in\n%s", want, got)
		}
	}
	if _, changed, err := run(t, got, true); err != nil || changed {
		t.Errorf("a second update changed it again: %v", err)
	}
}

func TestUpdateRewritesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.txtar")
	text := "# Kept.\n" + opening + "-- server a --\n{\"type\":\"x\"}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	*update = true
	defer func() { *update = false }()
	Run(t, newFake(t), path)
	b, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(b), "# Kept.\n") || !strings.Contains(string(b), "sync_complete") {
		t.Fatalf("%s (%v)", b, err)
	}
}
