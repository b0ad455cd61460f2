package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/transfer"
)

// strict are the limits of a fuzzed import, and most is what one may take of the
// memory from its begin to its end.
var strict = transfer.Limits{Bytes: 1 << 20, Unpacked: 4 << 20, Entries: 50, Records: 2000, Element: 256 << 10, Blob: 1 << 20, Jumps: 8 << 20, Disk: 16 << 20}

const most = 512 << 20

// The ways in which the fuzzer's bytes become a file.
const (
	asIs       = iota // any bytes
	asRecords         // lines "type data" become the records of a bundle whose sums are right
	asTar             // name, zero, content, zero become the files of an archive
	asStranger        // as it is, of somebody who is no administrator
	ways
)

// Whatever somebody uploads is refused and leaves nothing behind, or it is a
// session that leaves as it came: as a bundle record by record, in the other forms
// with the same bytes once it was taken. Nobody else's sessions are touched.
//
// Covers: STO-10, STO-21
func FuzzImport(f *testing.F) {
	place := f.TempDir()
	dir := filepath.Join(place, "spool")
	if err := os.Mkdir(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	first := newServer(dir)
	address, err := first.blobs.PutBlob(f.Context(), blob.For{}, []byte(png))
	if err != nil {
		f.Fatal(err)
	}
	w := newScribe("sess_1")
	w.ask("task_1", "first", session.BlobScheme+address)
	w.tools("task_1", "a", "b")
	w.answer("task_1", "an answer")
	w.usage("task_1")
	w.complete("task_1", "done")
	first.has(f, w)
	seedImport(f, first, w)
	f.Fuzz(func(t *testing.T, data []byte, way uint8) {
		body, ok := uploadOf(t, data, way%ways)
		if !ok {
			return
		}
		s := newServer(dir)
		other := newScribe("sess_other")
		other.ask("task_1", "of somebody else")
		s.has(t, other)
		by := clew.Principal{User: ada.User, Role: clew.RoleAdmin}
		if way%ways == asStranger {
			by = ada
		}
		im := s.importer()
		im.Limits = strict
		im.Access = func(context.Context, clew.SessionID, clew.Principal) (clew.Role, error) {
			return clew.RoleNone, clew.Errorf(clew.SessionNotFound, "no such session")
		}
		before := allocated()
		got, err := im.Import(t.Context(), bytes.NewReader(body), transfer.Upload{By: by, Workspace: "/w"})
		if used := allocated() - before; used > most {
			t.Fatalf("an upload of %d bytes took %d bytes", len(body), used)
		}
		untouched(t, s, other, place)
		if err != nil {
			refusedWhole(t, s, err)
			return
		}
		if _, there := s.heads[got.SessionID]; !there || len(s.heads) != 2 || got.SessionID == other.id {
			t.Fatalf("%+v is not the one session that was made of %d", got, len(s.heads))
		}
		if way%ways == asStranger && got.SessionID == got.From {
			t.Fatalf("a stranger chose the name %s", got.SessionID)
		}
		leaves(t, s, got)
	})
}

// seedImport gives the fuzzer a session in every form, and what each way needs.
func seedImport(f *testing.F, s *server, w *scribe) {
	f.Add([]byte(analysis), uint8(asIs))
	f.Add([]byte(talking), uint8(asIs))
	f.Add([]byte(talking), uint8(asStranger))
	for _, format := range conversations {
		file := s.export(f, transfer.What{Session: "sess_1", Format: format, All: true})
		f.Add(file, uint8(asIs))
		f.Add(file, uint8(asStranger))
		f.Add(file[:len(file)/2], uint8(asIs))
		if format == transfer.TaskFolder || format == transfer.SessionLog {
			files, order := unpacked(f, file)
			var parts []string
			for _, name := range order {
				parts = append(parts, name, files[name])
			}
			f.Add([]byte(strings.Join(parts, "\x00")), uint8(asTar))
		}
	}
	var lines []string
	for _, r := range w.records {
		lines = append(lines, string(r.Type)+" "+string(r.Data()))
	}
	f.Add([]byte(strings.Join(lines, "\n")), uint8(asRecords))
	f.Add([]byte(strings.Join(append(lines, `history_rewound {"to":"msg_000000000003","from_message_id":"msg_000000000004"}`), "\n")), uint8(asRecords))
	f.Add([]byte("../../evil\x00x\x00/etc/passwd\x00x\x00a/../../b\x00x"), uint8(asTar))
}

// uploadOf makes a file of the fuzzer's bytes.
func uploadOf(t *testing.T, data []byte, way uint8) ([]byte, bool) {
	t.Helper()
	switch way {
	case asRecords:
		return bundleOf(t, data)
	case asTar:
		parts := strings.Split(string(data), "\x00")
		if len(parts) > 40 {
			return nil, false
		}
		for i := 0; i < len(parts); i += 2 {
			if parts[i] == "" || len(parts[i]) > 90 || strings.HasSuffix(parts[i], "/") {
				return nil, false // no archive can say it
			}
		}
		return packed(t, parts[:len(parts)/2*2]...), true
	}
	return data, true
}

// bundleOf makes a bundle of lines: only what the records say is the fuzzer's, so
// that it comes past the sums.
func bundleOf(t *testing.T, data []byte) ([]byte, bool) {
	t.Helper()
	s := newServer(t.TempDir())
	w := newScribe("sess_1")
	for line := range strings.SplitSeq(string(data), "\n") {
		typ, raw, ok := strings.Cut(line, " ")
		if _, known := clew.EventInfoOf(clew.EventType(typ)); !ok || !known || len(w.records) > 60 {
			return nil, false
		}
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(raw)) != nil {
			return nil, false
		}
		r := w.head.Write(w.id, 3, w.ts(), clew.Draft{By: "ada", Type: clew.EventType(typ), Data: compact.Bytes()})
		if _, err := clew.ParseRecord(r.Line()); err != nil {
			return nil, false
		}
		w.head, w.records = r.After(), append(w.records, r)
	}
	s.has(t, w)
	e, err := s.exporter().Prepare(t.Context(), transfer.What{Session: w.id, Format: transfer.Bundle, Head: w.head.Seq})
	if err != nil {
		return nil, false // no server could have sent it
	}
	var b bytes.Buffer
	err = e.Write(t.Context(), &b)
	return b.Bytes(), err == nil
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// untouched checks that an import left nothing on the disk, and a stranger's
// session as it was.
func untouched(t *testing.T, s *server, other *scribe, place string) {
	t.Helper()
	for dir, want := range map[string]int{place: 1, s.dir: 0} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != want {
			t.Fatalf("left behind: %v, %v", left, err)
		}
	}
	var want []string
	for _, r := range other.records {
		want = append(want, string(r.Line()))
	}
	if !slices.Equal(s.lines(t, other.id), want) {
		t.Fatal("another session was changed")
	}
}

// refusedWhole checks a refusal: its code says whose fault it is, and nothing came
// of the file.
func refusedWhole(t *testing.T, s *server, err error) {
	t.Helper()
	switch clew.CodeOf(err) {
	case clew.InvalidMessage, clew.MessageTooLarge, clew.SessionTooNew, clew.SessionExists, clew.RateLimited:
	default:
		t.Fatalf("refused with %s: %v", clew.CodeOf(err), err)
	}
	if len(s.heads) != 1 || s.packs.open != 0 || s.packs.got != nil {
		t.Fatalf("refused, and %d sessions are there: %v", len(s.heads), err)
	}
}

// leaves checks that what was taken leaves as it is, and is taken again.
func leaves(t *testing.T, s *server, got transfer.Imported) {
	t.Helper()
	s.packs.text = ""
	bundle := s.export(t, transfer.What{Session: got.SessionID, Format: transfer.Bundle})
	third := newServer(s.dir)
	again := third.take(t, bundle, transfer.Upload{Workspace: "/w"})
	old, now := s.lines(t, got.SessionID), third.lines(t, again.SessionID)
	if again.SessionID != got.SessionID || !slices.Equal(old, now[:len(now)-1]) {
		t.Fatalf("records differ:\n%s\n%s", old, now)
	}
	if got.Format == transfer.Bundle {
		return
	}
	what := transfer.What{Session: got.SessionID, Format: got.Format, All: true}
	file := s.export(t, what)
	fourth := newServer(s.dir)
	what.Session = fourth.take(t, file, transfer.Upload{Workspace: "/w"}).SessionID
	next := fourth.export(t, what)
	if got.Format == transfer.Notebook { // each notes its own session
		if a, b := without(parse(t, file), "hdsp_agent"), without(parse(t, next), "hdsp_agent"); !reflect.DeepEqual(a, b) {
			t.Fatalf("%s\nthen\n%s", file, next)
		}
		return
	}
	compare(t, got.Format, file, next)
}
