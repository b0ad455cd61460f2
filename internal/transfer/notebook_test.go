package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/transfer"
)

const analysis = `{"cells": [
 {"cell_type": "markdown", "id": "intro", "metadata": {"tags": ["a"]}, "source": ["# One\n", "two"], "attachments": {"a.png": {"image/png": "aGk="}}},
 {"cell_type": "code", "execution_count": 7, "id": "load", "metadata": {"mine": {"z": 1, "a": 2.0}}, "source": "df = 1",
  "outputs": [{"output_type": "stream", "name": "stdout", "text": ["x\n", "y"]}, {"output_type": "execute_result", "execution_count": 7, "data": {"text/plain": "1"}, "metadata": {}}]}],
 "metadata": {"kernelspec": {"display_name": "R", "name": "ir", "language": "R"}, "language_info": {"name": "R"}, "mine": [1e3]}, "nbformat": 4, "nbformat_minor": 5}`

func stateOf(t T, s *server, id clew.SessionID) *core.State {
	t.Helper()
	f := core.Folder{State: &core.State{ID: id}}
	for r, err := range s.node.Read(context.Background(), id, 1, 1<<40) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return f.State
}

func without(n *ipynb.Notebook, key string) *ipynb.Notebook {
	delete(n.Metadata, key)
	return n
}

func parse(t T, b []byte) *ipynb.Notebook {
	t.Helper()
	n, err := ipynb.Read(b)
	if err != nil {
		t.Fatalf("%v\n%.1000s", err, b)
	}
	return n
}

// A notebook file becomes a session with that notebook, and the session gives the same
// notebook again. It notes the session that it came from.
//
// Covers: JUP-13, JUP-20
func TestNotebookRoundTrip(t *testing.T) {
	s := newServer(t.TempDir())
	got := s.take(t, []byte(analysis), transfer.Upload{Name: "some/dir/analysis.ipynb"})
	if got.Format != transfer.Notebook {
		t.Fatalf("%+v", got)
	}
	state := stateOf(t, s, got.SessionID)
	if state.Title != "analysis" || len(state.OpenNotebooks()) != 1 {
		t.Fatalf("%q, %+v", state.Title, state.Notebooks)
	}
	n := state.OpenNotebooks()[0]
	if n.Path != "analysis.ipynb" || n.Status != clew.NotebookReady || n.Kernel.State != clew.KernelNone || n.KernelName != "ir" || n.HasWork() || len(n.Cells) != 2 || !n.Unsaved() {
		t.Fatalf("%+v", n)
	}
	file := s.export(t, transfer.What{Session: got.SessionID, Format: transfer.Notebook})
	out := parse(t, file)
	agent, ok := ipynb.AgentState(out)
	if !ok || agent.SessionID != string(got.SessionID) {
		t.Fatalf("%+v", agent)
	}
	if want := parse(t, []byte(analysis)); !reflect.DeepEqual(without(out, "hdsp_agent"), want) {
		t.Errorf("%+v\nwant %+v", out, want)
	}
	// And again, by way of a bundle to another server.
	other := newServer(t.TempDir())
	moved := other.take(t, s.export(t, transfer.What{Session: got.SessionID, Format: transfer.Bundle}), transfer.Upload{})
	if again := other.export(t, transfer.What{Session: moved.SessionID, Format: transfer.Notebook}); !bytes.Equal(again, file) {
		t.Errorf("%s\nwas\n%s", again, file)
	}
}

// talking is the same with a conversation.
var talking = strings.Replace(analysis, `"mine": [1e3]`, `"hdsp_agent": {"session_id": "sess_talk", "task_id": "task_9", "other": 1,
	 "checkpoints": [{"timestamp": 1700000000.5, "cell_index": 1, "state_hash": "abcd1234", "variables": ["df"]}],
	 "messages": [{"ts": 1700000000000, "type": "say", "say": "user_feedback", "text": "load it"}, {"ts": 1700000001000, "type": "say", "say": "text", "text": "done"}],
	 "api_history": [{"role": "user", "content": [{"type": "text", "text": "load it"}], "ts": 1700000000000}, {"role": "assistant", "content": [{"type": "text", "text": "done"}], "ts": 1700000001000}]}`, 1)

// talkative makes a session with a conversation and a notebook.
func talkative(t *testing.T, s *server) clew.SessionID {
	t.Helper()
	got := s.take(t, []byte(talking), transfer.Upload{})
	if got.SessionID != "sess_talk" || got.From != "sess_talk" {
		t.Fatalf("%+v", got)
	}
	return got.SessionID
}

// What was said comes along with an export, and is taken where the session does not exist:
// both histories, under the same session and task. Both forms of checkpoints are one then.
//
// Covers: C-38, C-80, JUP-14, JUP-19
func TestNotebookTalk(t *testing.T) {
	s := newServer(t.TempDir())
	id := talkative(t, s)
	state := stateOf(t, s, id)
	task := state.Task("task_9")
	if task == nil || len(state.OpenNotebooks()) != 1 {
		t.Fatalf("%+v", state.Tasks)
	}
	file := s.export(t, transfer.What{Session: id, Format: transfer.Notebook})
	agent, ok := ipynb.AgentState(parse(t, file))
	if !ok || agent.TaskID != "task_9" || agent.SessionID != "sess_talk" {
		t.Fatalf("%+v", agent)
	}
	var said []struct{ Text string }
	var heard []struct{ Role string }
	if json.Unmarshal(agent.Messages, &said) != nil || json.Unmarshal(agent.APIHistory, &heard) != nil {
		t.Fatalf("%s %s", agent.Messages, agent.APIHistory)
	}
	if len(said) != 2 || said[0].Text != "load it" || said[1].Text != "done" || len(heard) != 2 || heard[1].Role != "assistant" {
		t.Errorf("%s\n%s", agent.Messages, agent.APIHistory)
	}
	if want := []ipynb.Checkpoint{{TS: 1700000000500, CellIndex: 1, StateHash: "abcd1234", Variables: []string{"df"}}}; !reflect.DeepEqual(agent.Checkpoints, want) {
		t.Errorf("%+v", agent.Checkpoints)
	}
	if !bytes.Contains(file, []byte(`"other": 1`)) {
		t.Error("what else stood there is gone")
	}
	// On another server it is the same session, and gives the same file.
	other := newServer(t.TempDir())
	moved := other.take(t, file, transfer.Upload{})
	if again := other.export(t, transfer.What{Session: moved.SessionID, Format: transfer.Notebook}); moved.SessionID != id || !bytes.Equal(again, file) {
		t.Errorf("%s: %s\nwas\n%s", moved.SessionID, again, file)
	}
	// Where it exists, the notebook comes alone, in a session of its own.
	x := s.importer()
	x.Access = func(_ context.Context, asked clew.SessionID, _ clew.Principal) (clew.Role, error) {
		if asked == id {
			return clew.RoleOwner, nil
		}
		return clew.RoleNone, errors.New("no such session")
	}
	got, err := x.Import(t.Context(), bytes.NewReader(file), transfer.Upload{By: ada})
	if err != nil || got.SessionID == id {
		t.Fatalf("%+v %v", got, err)
	}
	if state := stateOf(t, s, got.SessionID); len(state.Tasks) != 0 || len(state.OpenNotebooks()) != 1 {
		t.Errorf("%+v", state.Tasks)
	}
}

// A session without a notebook says so; of several one is chosen.
func TestWhichNotebook(t *testing.T) {
	s := newServer(t.TempDir())
	refused := func(what transfer.What, want string) {
		t.Helper()
		what.Head, what.Format = s.heads[what.Session].Seq, transfer.Notebook
		if _, err := s.exporter().Prepare(t.Context(), what); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	none := s.take(t, []byte(`{"sessionId":"sess_none","messages":[]}`), transfer.Upload{})
	if none.Format != transfer.MessageStore {
		t.Fatalf("%+v", none)
	}
	refused(transfer.What{Session: none.SessionID}, "has no notebook")
	id := s.take(t, []byte(analysis), transfer.Upload{Name: "../one.ipynb"}).SessionID
	second := []any{
		&clew.NotebookOpenedData{NotebookID: "nb_second", Path: "two.ipynb"},
		&clew.NotebookReadData{NotebookID: "nb_second", Cells: clew.List[clew.NotebookCell]{{CellID: "x", Type: clew.CellRaw, Source: "two"}}},
		&clew.NotebookOpenedData{NotebookID: "nb_third", Path: "three.ipynb"},
		&clew.NotebookReadData{NotebookID: "nb_third", Cells: clew.List[clew.NotebookCell]{}, Problem: "it is a picture"},
	}
	for _, data := range second {
		raw, err := clew.MarshalData(data)
		if err != nil {
			t.Fatal(err)
		}
		r := s.heads[id].Write(id, 1, nowMS, clew.Draft{By: "ada", Type: clew.NewEvent(data).Type, Data: raw})
		if err := s.append(t.Context(), id, r); err != nil {
			t.Fatal(err)
		}
	}
	if n := parse(t, s.export(t, transfer.What{Session: id, Format: transfer.Notebook})); len(n.Cells) != 2 {
		t.Errorf("%+v", n)
	}
	if n := parse(t, s.export(t, transfer.What{Session: id, Format: transfer.Notebook, Notebook: "nb_second"})); len(n.Cells) != 1 || n.Cells[0].Source != "two" {
		t.Errorf("%+v", n)
	}
	refused(transfer.What{Session: id, Notebook: "nb_third"}, "no notebook \"nb_third\"")
}

// Hostile files are refused or become a harmless notebook; what is refused leaves no
// session, and none takes memory beyond a few times its size.
func TestHostileNotebooks(t *testing.T) {
	files, err := filepath.Glob("../notebook/ipynb/testdata/*/*.ipynb")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	bodies := map[string][]byte{
		"not JSON":       []byte(`{"cells": [`),
		"too many cells": []byte(`{"cells": [` + strings.TrimSuffix(strings.Repeat(`{"cell_type":"raw","metadata":{},"source":""},`, 1001), ",") + `],"metadata":{},"nbformat":4,"nbformat_minor":4}`),
		"deep":           []byte(`{"cells": ` + strings.Repeat("[", 1<<20)),
		"large":          slices.Concat([]byte(`{"cells": [{"cell_type":"raw","id":"a","metadata":{},"source":"`), bytes.Repeat([]byte("x"), 30<<20), []byte(`"}],"metadata":{},"nbformat":4,"nbformat_minor":5}`)),
		"too large":      slices.Concat([]byte(`{"cells": "`), bytes.Repeat([]byte("x"), 65<<20)),
		"wrong messages": []byte(`{"cells": [],"metadata":{"hdsp_agent":{"session_id":"../../x","task_id":"/etc","messages":[{"type":"x"}]}},"nbformat":4,"nbformat_minor":5}`),
		"wrong history":  []byte(`{"cells": [],"metadata":{"hdsp_agent":{"session_id":"s","api_history":[5]}},"nbformat":4,"nbformat_minor":5}`),
	}
	for _, file := range files {
		if bodies[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	taken, refused, most := 0, 0, uint64(0)
	for name, body := range bodies {
		dir := t.TempDir()
		s := newServer(dir)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := s.importer().Import(t.Context(), bytes.NewReader(body), transfer.Upload{By: ada, Format: transfer.Notebook, Name: "../../etc/x.ipynb"})
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		most = max(most, took)
		if limit := uint64(16*len(body) + 16<<20); took > limit {
			t.Errorf("%s: %d MiB for %d", name, took>>20, len(body)>>20)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s left %v", name, left)
		}
		if err != nil {
			if refused++; len(s.heads) > 0 || len(s.blobs.m) > 0 {
				t.Errorf("%s: %v, and there is something", name, err)
			}
			if code := clew.CodeOf(err); code != clew.InvalidMessage && code != clew.MessageTooLarge {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		taken++
		if n := stateOf(t, s, got.SessionID).OpenNotebooks(); len(n) != 1 || n[0].Path != "x.ipynb" || n[0].HasWork() || n[0].Kernel.State != clew.KernelNone {
			t.Errorf("%s: %+v", name, n)
		}
		parse(t, s.export(t, transfer.What{Session: got.SessionID, Format: transfer.Notebook}))
	}
	t.Logf("%d files taken, %d refused; at most %d MiB were taken in the course of one", taken, refused, most>>20)
	if taken < 10 || refused < 10 {
		t.Error("these are too few")
	}
}
