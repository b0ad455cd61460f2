package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
)

// preview has one of each thing that a rewind can change.
var preview = clew.RewindPreviewAnswer{
	FromMessageID: clew.MessageIDOf(12), Count: 3, RemovedMessageIDs: clew.List[clew.MessageID]{clew.MessageIDOf(12)}, Running: true,
	Files: []clew.CheckpointFile{
		{Paths: clew.FilePaths{Relative: "a.txt"}, Status: "modified", Kind: "file", Unified: "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n a\n--- b\n+c\n+d\n"},
		{Paths: clew.FilePaths{Relative: "new\x1b[2J"}, Status: "deleted", Kind: "file", Binary: true},
		{Paths: clew.FilePaths{Relative: "b", Old: "c"}, Status: "renamed", Kind: "link"},
		{Paths: clew.FilePaths{Relative: "d"}, Status: "added", Kind: "directory"},
		{Status: "mode", Kind: "directory"},
	},
	FilesCount: 40,
	Todos:      []clew.TodoChange{{ID: "t1", Task: "Build it.", From: clew.TodoCompleted, To: clew.TodoPending}, {ID: "t2", From: clew.TodoPending}},
	Reopened:   []clew.Question{{Type: clew.EventHitlInputRequest, Data: &clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "req_1"}, Question: "Which one?"}}},
	Withdrawn: []clew.Question{{Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{
		Asking: clew.Asking{RequestID: "req_2"}, Effect: &clew.Effect{Command: "make"},
	}}},
	Forgotten: []clew.RememberedRule{{Tool: "execute_command", Pattern: "go test *"}, {Tool: "write_file"}},
	Kernels: []clew.KernelPreview{
		{NotebookID: "nb_1", Path: "a.ipynb", Policy: clew.KernelAsk, Cells: 2, DurationMS: 61_000},
		{NotebookID: "nb_2", Path: "b.ipynb", Policy: clew.KernelKeep, Cells: 2},
		{NotebookID: "nb_3", Ends: true},
	},
	Usage:             &clew.Usage{TokensIn: 100, TokensOut: 20, CostUSD: 0.25},
	Irreversible:      []clew.IrreversibleStep{{MessageID: clew.MessageIDOf(14), Tool: "fetch", Reason: "it spoke to http://x"}},
	IrreversibleCount: 1,
}

func TestPrintPreview(t *testing.T) {
	var b strings.Builder
	if err := history.PrintPreview(&b, &preview, true); err != nil {
		t.Fatal(err)
	}
	want := `Back to before msg_000000000012:
  3 messages go
  agents are at work and will be stopped
  40 files change
    a.txt changes, +2 -1
    new` + "\uFFFD" + `[2J is removed, binary
    c → b (link) is renamed
    d/ comes back
    the workspace itself gets other permissions
    … and 35 more
  2 todos change
    Build it: completed → pending
    t2: pending → gone
  1 question will be open again
    Which one?
  1 question will be gone
    make
  no longer allowed without asking, not even after an undo:
    execute_command go test *
    write_file
  3 kernels cannot go back:
    a.ipynb: you are asked whether to run again what ran before, start a fresh one or keep it (2 cells, 1 min 1 s)
    b.ipynb: it stays, ahead of the notebook
    the notebook: it is shut down, its notebook is not open there
  the session's total goes down by 120 tokens and $0.25; they stay spent
  1 step cannot be undone
    fetch: it spoke to http://x (msg_000000000014)
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// travelServer answers like a server with one session, and says what it was
// told.
func travelServer(t *testing.T) (address string, told func() []string) {
	t.Helper()
	var mu sync.Mutex
	var types []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/sessions/s1", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"session_id":"s1","title":"First"}`)
	})
	mux.HandleFunc("GET /api/v1/sessions/s1/messages", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"messages":[{"message_id":"msg_000000000012","role":"user","text":"hello"}],"total":1}`)
	})
	mux.HandleFunc("GET /api/v1/sessions/s1/timeline", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"marks":[{"message_id":"msg_000000000012","kind":"user","label":"hello","target":true}]}`)
	})
	mux.HandleFunc("POST /api/v1/sessions/s1/commands", func(w http.ResponseWriter, r *http.Request) {
		var cmd struct {
			Type clew.CommandType `json:"type"`
		}
		if err := json.NewDecoder(r.Body).Decode(&cmd); err != nil {
			t.Error(err)
		}
		mu.Lock()
		types = append(types, string(cmd.Type))
		mu.Unlock()
		answer := map[string]any{"records": []string{"msg_000000000050"}}
		if cmd.Type == clew.CommandRewindPreview {
			answer = map[string]any{"records": []string{}, "answer": map[string]any{"type": "rewind_preview", "data": preview}}
		}
		if cmd.Type == clew.CommandCheckpointDiff {
			answer = map[string]any{"records": []string{}, "answer": map[string]any{"type": "checkpoint_diff", "data": clew.CheckpointDiffAnswer{Files: preview.Files}}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(types)
	}
}

// On a terminal a person is asked, and only a yes counts.
func TestRewindAsks(t *testing.T) {
	address, told := travelServer(t)
	testscript.Run(t, testscript.Params{
		Files: []string{"testdata/terminal/rewind.txtar", "testdata/terminal/restore.txtar"},
		Setup: func(e *testscript.Env) error {
			e.Setenv("CLEW_SERVER", address)
			e.Setenv("CLEW_TOKEN", "t")
			return nil
		},
	})
	t.Cleanup(func() { // after the script, which is a parallel test
		want := []string{"checkpoint_diff", "checkpoint_diff", "checkpoint_restore", "rewind", "rewind_preview", "rewind_preview", "rewind_preview"}
		got := told()
		slices.Sort(got) // the scripts run beside each other
		if !slices.Equal(got, want) {
			t.Errorf("the server was told %v, want %v", got, want)
		}
	})
}

// Nobody to ask is a mistake of the caller, found before anything is sent.
func TestRewindNeedsAYes(t *testing.T) {
	address, told := travelServer(t)
	for _, args := range [][]string{{"rewind", "s1", "-1"}, {"rewind", "s1", "-1", "--json"}} {
		got := call(t, env.Backend{}, []string{"CLEW_TOKEN=t", "CLEW_SERVER=" + address}, args...)
		if got.code != env.ExitUsage || !strings.Contains(got.errOut, "--yes") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := told(); len(got) != 0 {
		t.Errorf("the server was told %v", got)
	}
	got := call(t, env.Backend{}, []string{"CLEW_TOKEN=t", "CLEW_SERVER=" + address}, "rewind", "s1", "-1", "--yes", "--json")
	if got.code != env.ExitOK || !json.Valid([]byte(got.out)) || !strings.Contains(got.out, `"done":true`) {
		t.Errorf("%+v", got)
	}
}

func TestNumbersFromTheEnd(t *testing.T) {
	for in, want := range map[string]string{
		"rewind s1 -3":           "rewind s1 #-3",
		"rewind --yes s1 -3":     "rewind --yes s1 #-3",
		"fork s1 -1 --title -1":  "fork s1 #-1 --title -1",
		"settings set limit -3":  "settings set limit -3",
		"rewind s1 --server -x":  "rewind s1 --server -x",
		"rewind s1 msg_1 --json": "rewind s1 msg_1 --json",
	} {
		if got := strings.Join(history.WithoutDashes(strings.Fields(in)), " "); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 3, 5, 18, 0, 0, 0, zone)
	for in, want := range map[string]time.Time{
		"14:30":                time.Date(2026, 3, 5, 14, 30, 0, 0, zone),
		"14:30:07":             time.Date(2026, 3, 5, 14, 30, 7, 0, zone),
		"2026-01-31 14:30":     time.Date(2026, 1, 31, 14, 30, 0, 0, zone),
		"2026-01-31 14:30:07":  time.Date(2026, 1, 31, 14, 30, 7, 0, zone),
		"2026-01-31T14:30:07":  time.Date(2026, 1, 31, 14, 30, 7, 0, zone),
		"2026-01-31T14:30:07Z": time.Date(2026, 1, 31, 16, 30, 7, 0, zone),
	} {
		if got, ok := env.TimeOf(in, now); !ok || !got.Equal(want) {
			t.Errorf("%q is %v, %v, want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"msg_000000000012", "12", "25:00", "yesterday", ""} {
		if got, ok := env.TimeOf(in, now); ok {
			t.Errorf("%q is %v", in, got)
		}
	}
}

// A time stands for the first message since then, however many there are.
func TestMessageSince(t *testing.T) {
	const total, step = 1200, 1000 // messages, and ms between them
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/sessions/s1/messages", func(w http.ResponseWriter, r *http.Request) {
		offset, _ := strconv.Atoi(r.FormValue("offset"))
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		list := []map[string]any{}
		for i := max(0, total-offset-limit); i < total-offset; i++ {
			list = append(list, map[string]any{"message_id": clew.MessageIDOf(uint64(i + 1)), "ts": (i + 1) * step})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"messages": list, "total": total})
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := &env.Rest{Base: base, HTTP: http.DefaultClient}
	for ms, want := range map[int64]clew.MessageID{
		0: clew.MessageIDOf(1), 1000: clew.MessageIDOf(1), 1001: clew.MessageIDOf(2), 450_000: clew.MessageIDOf(450), 701_000: clew.MessageIDOf(701), 700_001: clew.MessageIDOf(701), 1_200_000: clew.MessageIDOf(1200),
	} {
		if got, err := history.Since(t.Context(), c, "s1", time.UnixMilli(ms)); err != nil || got != want {
			t.Errorf("since %d ms: %s, %v, want %s", ms, got, err, want)
		}
	}
	if got, err := history.Since(t.Context(), c, "s1", time.UnixMilli(1_200_001)); clew.CodeOf(err) != clew.MessageNotFound {
		t.Errorf("since the end: %s, %v", got, err)
	}
}

// A rewind that the server cannot describe any more is done all the same.
func TestPrintMove(t *testing.T) {
	files := &clew.FilesReturned{Changed: 2, Removed: 1, Left: []string{"big.iso"}}
	tests := []struct {
		name string
		r    history.Rewound
		want string
	}{
		{"rewind", history.Rewound{Event: clew.EventHistoryRewound, Data: &clew.HistoryRewoundData{RemovedCount: 3, Return: clew.Return{Files: files}}},
			"Done: 3 messages removed.\nFiles: 2 written, 1 removed.\n  left as it is: big.iso\nNothing continues by itself now: send a message, answer what is open, or resume the run.\nTake it back: clew undo s1\n"},
		{"undo", history.Rewound{Event: clew.EventRewindUndone, Data: &clew.RewindUndoneData{
			FromMessageID: clew.MessageIDOf(7), RestoredMessageIDs: clew.List[clew.MessageID]{"a", "call"}, RestoredCount: 1, RemovedMessageIDs: []clew.MessageID{"b", "c"}, RemovedCount: 2,
		}}, "Done: the rewind to msg_000000000007 is undone, 1 message back.\nWhat was said since, 2 messages, is hidden now.\nDo it again: clew redo s1\n"},
		{"files", history.Rewound{Event: clew.EventCheckpointRestored, Data: &clew.CheckpointRestoredData{
			CommitHash: strings.Repeat("a", 64), Files: &clew.FilesReturned{Changed: 1, Before: strings.Repeat("b", 64)},
		}}, "Done: the files are those of aaaaaaaaaaaa.\nFiles: 1 written, 0 removed.\nTake it back: clew checkpoint restore s1 bbbbbbbbbbbb\n"},
		{"untold", history.Rewound{Records: []clew.MessageID{"a"}}, "Done.\nNothing continues by itself now: send a message, answer what is open, or resume the run.\nTake it back: clew undo s1\n"},
		{"asked", history.Rewound{Event: clew.EventHistoryRewound, Data: &clew.HistoryRewoundData{RemovedCount: 3}, Asked: []clew.RequestID{"req_1"}},
			"Done: 3 messages removed.\nA kernel has run cells after this point. Say what happens to it: clew answer req_1\nNothing continues by itself now: send a message, answer what is open, or resume the run.\nTake it back: clew undo s1\n"},
		{"rerun", history.Rewound{Event: clew.EventHistoryRewound, Data: &clew.HistoryRewoundData{RemovedCount: 3}, Rerun: true},
			"Done: 3 messages removed.\nCells run again now; agents wait until that is done.\nNothing else continues by itself: send a message, answer what is open, or resume the run.\nTake it back: clew undo s1\n"},
		{"undone", history.Rewound{Event: clew.EventRewindUndone, Data: &clew.RewindUndoneData{FromMessageID: clew.MessageIDOf(7), RestoredCount: 1}, Rerun: true},
			"Done: the rewind to msg_000000000007 is undone, 1 message back.\nCells run again now; agents wait until that is done.\nDo it again: clew redo s1\n"},
		{"nothing", history.Rewound{}, "The session is there already: nothing was changed.\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.SessionID = "s1"
			var b strings.Builder
			if err := history.PrintMove(&b, tt.r, env.Remote{}); err != nil {
				t.Fatal(err)
			}
			if b.String() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), tt.want)
			}
		})
	}
}
