package transfer_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/transfer"
)

var savedHash = strings.Repeat("abcd", 16)

// sample is a server with one session that has a bit of everything.
func sample(t *testing.T) (*server, *scribe) {
	t.Helper()
	s := newServer(t.TempDir())
	address, err := s.blobs.PutBlob(t.Context(), blob.For{}, []byte(png))
	if err != nil {
		t.Fatal(err)
	}
	w := newScribe("sess_1")
	w.ask("task_1", "first", session.BlobScheme+address)
	w.tools("task_1", "a", "b")
	w.answer("task_1", "an answer")
	w.add(&clew.CheckpointSavedData{Kind: clew.CheckpointWorkspace, ToHash: savedHash})
	w.add(&clew.AccessChangedData{UserID: "eve", Role: clew.RoleViewer})
	back := w.say(clew.Message{Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "taken back", TaskID: "task_1"})
	seq, _ := back.Seq()
	w.add(&clew.HistoryRewoundData{Return: clew.Return{To: clew.MessageIDOf(seq - 1)}, FromMessageID: back})
	w.complete("task_1", "done")
	s.has(t, w)
	return s, w
}

func entries(t *testing.T, bundle []byte) (map[string]string, []string) {
	t.Helper()
	z, err := zstd.NewReader(bytes.NewReader(bundle))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return unpacked(t, b)
}

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(b, nil)
}

func TestBundleHasAll(t *testing.T) {
	first, w := sample(t)
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	files, order := entries(t, bundle)
	if len(order) != 5 || order[0] != "manifest.json" || order[1] != "records.jsonl" || order[4] != "sums.json" {
		t.Errorf("files %v", order)
	}
	if n := strings.Count(files["records.jsonl"], "\n"); n != len(w.records) || !strings.Contains(files["records.jsonl"], "taken back") {
		t.Errorf("%d records", n)
	}
	second := newServer(t.TempDir())
	got := second.take(t, bundle, transfer.Upload{Workspace: "/elsewhere", Title: "Mine"})
	if got != (transfer.Imported{SessionID: "sess_1", Format: transfer.Bundle, From: "sess_1", Records: uint64(len(w.records))}) {
		t.Errorf("%+v", got)
	}
	if d := second.data["sess_1"]; !reflect.DeepEqual(d, clew.SessionImportedData{Owner: "ada", Workspace: "/elsewhere", Title: "Mine", From: "sess_1", Format: "bundle"}) {
		t.Errorf("%+v", d)
	}
	if len(second.blobs.m) != 1 || string(second.packs.got) != "files of "+savedHash || second.packs.open != 0 || second.packs.place.Dir != "/elsewhere" {
		t.Errorf("%d blobs, checkpoints %q for %+v", len(second.blobs.m), second.packs.got, second.packs.place)
	}
	second.packs.got = nil
	_, err := second.importer().Import(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: ada})
	if clew.CodeOf(err) != clew.SessionExists || second.packs.got != nil {
		t.Errorf("a second time: %v, checkpoints %q", err, second.packs.got)
	}
}

// A refusal does not tell which sessions others have: whoever is no administrator
// gets a new id, whether there is one of that name or not (T11).
func TestImportTellsNothingOfOthers(t *testing.T) {
	first, _ := sample(t)
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	roles := map[clew.UserID]clew.Role{"ada": clew.RoleOwner, "val": clew.RoleViewer}
	for name, c := range map[string]struct {
		by     clew.Principal
		there  bool
		code   clew.Code
		keepID bool
	}{
		"a stranger, taken":      {clew.Principal{User: "eve", Role: clew.RoleOwner}, true, "", false},
		"a stranger, free":       {clew.Principal{User: "eve", Role: clew.RoleOwner}, false, "", false},
		"the owner, taken":       {ada, true, clew.SessionExists, false},
		"a viewer, taken":        {clew.Principal{User: "val", Role: clew.RoleOwner}, true, clew.SessionExists, false},
		"an administrator":       {clew.Principal{User: "root", Role: clew.RoleAdmin}, false, "", true},
		"an administrator, late": {clew.Principal{User: "root", Role: clew.RoleAdmin}, true, clew.SessionExists, false},
	} {
		s := newServer(t.TempDir())
		if c.there {
			s.take(t, bundle, transfer.Upload{})
		}
		x := s.importer()
		x.Access = func(_ context.Context, id clew.SessionID, by clew.Principal) (clew.Role, error) {
			if role := roles[by.User]; c.there && id == "sess_1" && role != "" {
				return role, nil
			}
			return clew.RoleNone, clew.Errorf(clew.SessionNotFound, "no such session")
		}
		got, err := x.Import(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: c.by})
		if clew.CodeOf(err) != c.code || err == nil && (got.SessionID == "sess_1") != c.keepID {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Checkpoints that are not sound are refused before anything is made, though all
// sums are right; those that cannot be stored in the end are named.
func TestBundleWithBadCheckpoints(t *testing.T) {
	first, _ := sample(t)
	first.packs.text = "hooks of "
	s := newServer(t.TempDir())
	_, err := s.importer().Import(t.Context(), bytes.NewReader(first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})), transfer.Upload{By: ada})
	if clew.CodeOf(err) != clew.InvalidMessage || len(s.heads) > 0 || len(s.blobs.m) > 0 || s.packs.got != nil {
		t.Errorf("%v; %d sessions, %d blobs", err, len(s.heads), len(s.blobs.m))
	}
	first.packs.text = ""
	s.packs.fail = clew.Errorf(clew.CheckpointFailed, "no room")
	_, err = s.importer().Import(t.Context(), bytes.NewReader(first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})), transfer.Upload{By: ada})
	if clew.CodeOf(err) != clew.CheckpointFailed || !strings.Contains(err.Error(), "sess_1 is there") || len(s.heads) != 1 || s.packs.open != 0 {
		t.Errorf("%v; %d sessions", err, len(s.heads))
	}
	first.packs.gone = true
	files, order := entries(t, first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle}))
	if slices.Contains(order, "checkpoints.pack") || !strings.Contains(files["sums.json"], savedHash) {
		t.Errorf("%v, %s", order, files["sums.json"])
	}
	newServer(t.TempDir()).take(t, first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle}), transfer.Upload{})
}

// Where the caller may not work, nothing is read and nothing is kept.
func TestImportAsksForThePlace(t *testing.T) {
	first, _ := sample(t)
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	s := newServer(t.TempDir())
	im := s.importer()
	im.Place = func(_ clew.Principal, dir string) (string, error) {
		if dir == "/link" {
			return "/real", nil
		}
		return "", clew.Errorf(clew.Forbidden, "not there")
	}
	body := bytes.NewReader(bundle)
	if _, err := im.Import(t.Context(), body, transfer.Upload{By: ada, Workspace: "/etc"}); clew.CodeOf(err) != clew.Forbidden || body.Len() != len(bundle) || s.packs.read != nil {
		t.Errorf("%v, %d bytes left of %d", err, body.Len(), len(bundle))
	}
	if _, err := im.Import(t.Context(), body, transfer.Upload{By: ada, Workspace: "/link"}); err != nil || s.packs.place.Dir != "/real" || s.data["sess_1"].Workspace != "/real" {
		t.Errorf("%v, %+v", err, s.packs.place)
	}
}

// Under a new id the records say the same and have a chain of their own.
func TestBundleNewID(t *testing.T) {
	first, _ := sample(t)
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	got := first.take(t, bundle, transfer.Upload{NewID: true})
	if got.SessionID == "sess_1" || got.From != "sess_1" {
		t.Fatalf("%+v", got)
	}
	old, now := first.lines(t, "sess_1"), first.lines(t, got.SessionID)
	var head clew.Head
	for i, line := range now[:len(now)-1] {
		a, err := clew.ParseRecord([]byte(old[i]))
		if err != nil {
			t.Fatal(err)
		}
		b, err := clew.ParseRecord([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Follows(head); err != nil || string(a.Data()) != string(b.Data()) || a.TS != b.TS || a.By != b.By || a.Type != b.Type ||
			!strings.Contains(line, string(got.SessionID)) {
			t.Fatalf("record %d: %v\n%s\n%s", i+1, err, old[i], line)
		}
		head = b.After()
	}
}

// The fold that comes with an import is that of the records, also over rewinds,
// and folds are kept on the way.
func TestBundleFolds(t *testing.T) {
	first := newServer(t.TempDir())
	w := newScribe("sess_1")
	for i := range 30 {
		w.ask(clew.TaskID(fmt.Sprint("task_", i)), "hello")
		back := w.next()
		for range 25 {
			w.answer(clew.TaskID(fmt.Sprint("task_", i)), "an answer")
		}
		if i%3 == 0 {
			seq, _ := back.Seq()
			w.add(&clew.HistoryRewoundData{Return: clew.Return{To: clew.MessageIDOf(seq - 1)}, FromMessageID: back})
		}
	}
	first.has(t, w)
	second := &keeping{server: newServer(t.TempDir())}
	im := second.importer()
	im.Sessions = second
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	if _, err := im.Import(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: ada}); err != nil {
		t.Fatal(err)
	}
	states := map[uint64][]byte{}
	f := core.Folder{State: &core.State{ID: "sess_1"}, Past: func(seq uint64) ([]byte, error) { return states[seq], nil }}
	for _, r := range w.records {
		if err := f.Add(r); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(second.kept, r.Seq) && r.Seq != w.head.Seq {
			continue
		}
		b, err := f.State.Encode()
		if err != nil {
			t.Fatal(err)
		}
		states[r.Seq] = b
	}
	if !bytes.Equal(second.f.State, states[w.head.Seq]) || second.f.Head != w.head {
		t.Error("the fold is another")
	}
	kept := second.kept
	for i, seq := range kept {
		if !bytes.Equal(second.states[i], states[seq]) {
			t.Errorf("the fold at %d is another", seq)
		}
	}
	if !slices.IsSorted(kept) || !slices.Contains(kept, 1000) || !slices.Contains(kept, 3000) {
		t.Errorf("kept at %v", kept)
	}
}

// keeping looks at what it is given while it is there.
type keeping struct {
	*server
	f      session.InitialHistory
	kept   []uint64
	states [][]byte
}

func (k *keeping) Import(_ context.Context, _ clew.Principal, _ clew.SessionID, f session.InitialHistory, _ clew.SessionImportedData) error {
	k.f = f
	for seq, state := range f.Kept {
		k.kept, k.states = append(k.kept, seq), append(k.states, state)
	}
	return nil
}

// Whatever is wrong with a bundle, nothing comes of it.
func TestDamagedBundles(t *testing.T) {
	first, _ := sample(t)
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	files, order := entries(t, bundle)
	rebuilt := func(change func(files map[string]string, order []string) []string) []byte {
		copied := map[string]string{}
		for k, v := range files {
			copied[k] = v
		}
		var list []string
		for _, name := range change(copied, slices.Clone(order)) {
			list = append(list, name, copied[name])
		}
		return zipped(t, packed(t, list...))
	}
	edit := func(name, old, now string) []byte {
		return rebuilt(func(files map[string]string, order []string) []string {
			if !strings.Contains(files[name], old) {
				t.Fatalf("no %q in %s", old, name)
			}
			files[name] = strings.Replace(files[name], old, now, 1)
			return order
		})
	}
	drop := func(name string) []byte {
		return rebuilt(func(_ map[string]string, order []string) []string {
			return slices.DeleteFunc(order, func(s string) bool { return s == name })
		})
	}
	blob := order[2]
	cases := map[string][]byte{
		"no manifest": drop("manifest.json"), "no records": drop("records.jsonl"), "no sums": drop("sums.json"), "no blob": drop(blob),
		"no checkpoints": drop("checkpoints.pack"), "a word changed": edit("records.jsonl", "first", "fleas"),
		"a record gone": edit("records.jsonl", strings.SplitAfter(files["records.jsonl"], "\n")[3], ""),
		"the end gone":  edit("records.jsonl", strings.SplitAfter(files["records.jsonl"], "\n")[strings.Count(files["records.jsonl"], "\n")-1], ""),
		"an empty line": edit("records.jsonl", "\n", "\n\n"), "a blob changed": edit(blob, "picture", "pixture"),
		"checkpoints changed": edit("checkpoints.pack", "abc", "abd"), "another head": edit("manifest.json", `"seq": `, `"seq": 1`),
		"a newer version": edit("manifest.json", `"version": 1`, `"version": 2`), "another session": edit("manifest.json", "sess_1", "sess_2"),
		"another title": edit("manifest.json", "A talk", "B talk"),
		"a stranger": rebuilt(func(files map[string]string, order []string) []string {
			files["evil.sh"] = "x"
			return append([]string{order[0], "evil.sh"}, order[1:]...)
		}),
		"something behind": rebuilt(func(files map[string]string, order []string) []string {
			files["blobs/x"] = "x"
			return append(order, "blobs/x")
		}),
		"a blob nobody knows": rebuilt(func(files map[string]string, order []string) []string {
			name := "blobs/" + strings.Repeat("0", 64)
			files[name] = "x"
			return slices.Insert(order, 2, name)
		}),
		"another order": rebuilt(func(_ map[string]string, order []string) []string {
			order[1], order[2] = order[2], order[1]
			return order
		}),
		"nothing": {}, "noise": []byte("noise"), "only the magic": bundle[:4], "no tar": zipped(t, []byte("text")),
	}
	for _, n := range []int{10, len(bundle) / 2, len(bundle) - 1} {
		cases[fmt.Sprint("cut at ", n)] = bundle[:n]
	}
	for n := range 40 {
		flipped := bytes.Clone(bundle)
		flipped[(n*len(bundle))/40] ^= 0x40
		cases[fmt.Sprint("bit flipped ", n)] = flipped
	}
	for name, body := range cases {
		dir := t.TempDir()
		s := newServer(dir)
		_, err := s.importer().Import(t.Context(), bytes.NewReader(body), transfer.Upload{By: ada})
		code := clew.CodeOf(err)
		if tooNew := code == clew.SessionTooNew; tooNew != (name == "a newer version") || !tooNew && code != clew.InvalidMessage && code != clew.MessageTooLarge {
			t.Errorf("%s: %v", name, err)
		}
		left, _ := os.ReadDir(dir)
		if len(s.heads) != 0 || len(s.blobs.m) != 0 || s.packs.got != nil || len(left) != 0 {
			t.Errorf("%s: something was left behind", name)
		}
	}
}

// Records that a bundle's maker forged, with all sums right.
func TestForgedRecords(t *testing.T) {
	forge := func(write func(s *scribe)) []byte {
		s := newServer(t.TempDir())
		w := newScribe("sess_1")
		write(w)
		s.has(t, w)
		return s.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	}
	for name, body := range map[string][]byte{
		"back to itself": forge(func(s *scribe) {
			s.add(&clew.HistoryRewoundData{Return: clew.Return{To: s.next()}})
		}),
		"back to the future": forge(func(s *scribe) {
			s.add(&clew.HistoryRewoundData{Return: clew.Return{To: clew.MessageIDOf(99)}})
		}),
		"an event that is no record": forge(func(s *scribe) {
			s.add(&clew.PingData{})
		}),
		"no beginning": forge(func(s *scribe) {
			s.records, s.head = nil, clew.Head{}
			s.say(clew.Message{Say: clew.SayText, Text: "x"})
		}),
	} {
		s := newServer(t.TempDir())
		if _, err := s.importer().Import(t.Context(), bytes.NewReader(body), transfer.Upload{By: ada}); clew.CodeOf(err) != clew.InvalidMessage || len(s.heads) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Archives that are made to do harm.
func TestHostileArchives(t *testing.T) {
	header := func(h tar.Header, content string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		h.Size = int64(len(content))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, content)
		_ = w.Close()
		return b.Bytes()
	}
	bomb := zipped(t, packed(t, "manifest.json", strings.Repeat(" ", 32<<20)))
	many := make([]string, 0, 400)
	for i := range 200 {
		many = append(many, fmt.Sprint("tasks/t/x", i), "")
	}
	for name, c := range map[string]struct {
		body []byte
		code clew.Code
	}{
		"a link":          {header(tar.Header{Name: "tasks/t/ui_messages.json", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, ""), clew.InvalidMessage},
		"a hard link":     {header(tar.Header{Name: "tasks/t/ui_messages.json", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, ""), clew.InvalidMessage},
		"a device":        {header(tar.Header{Name: "tasks/t/ui_messages.json", Typeflag: tar.TypeChar}, ""), clew.InvalidMessage},
		"a way out":       {packed(t, "tasks/../../../etc/x", "x"), clew.InvalidMessage},
		"from the root":   {packed(t, "/tasks/t/ui_messages.json", "[]"), clew.InvalidMessage},
		"backslashes":     {packed(t, `tasks\..\x`, "[]"), clew.InvalidMessage},
		"a name too odd":  {packed(t, "tasks/a b/ui_messages.json", "[]"), clew.InvalidMessage},
		"twice":           {packed(t, "tasks/t/ui_messages.json", "[]", "./tasks/t/ui_messages.json", "[]"), clew.InvalidMessage},
		"nothing of ours": {packed(t, "readme.txt", "[]"), clew.InvalidMessage},
		"a bomb":          {bomb, clew.MessageTooLarge},
		"too many files":  {packed(t, many...), clew.MessageTooLarge},
		"too large":       {packed(t, "tasks/t/x", strings.Repeat("x", 2<<20)), clew.MessageTooLarge},
		"a long line":     {packed(t, "session_logs/ses-1-a/messages.jsonl", strings.Repeat("x", 600<<10)), clew.MessageTooLarge},
		"a long message":  {packed(t, "tasks/t/ui_messages.json", `[{"text":"`+strings.Repeat("x", 900<<10)+`"}]`), clew.InvalidMessage},
	} {
		dir := t.TempDir()
		s := newServer(dir)
		im := s.importer()
		im.Limits = transfer.Limits{Bytes: 1 << 20, Unpacked: 1 << 20, Entries: 100, Element: 500 << 10}
		_, err := im.Import(t.Context(), bytes.NewReader(c.body), transfer.Upload{By: ada})
		if clew.CodeOf(err) != c.code || len(s.heads) > 0 {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: files are left", name)
		}
	}
}

// What cannot be stored says so, and the import can be tried again.
func TestImportFails(t *testing.T) {
	first, _ := sample(t)
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	s := newServer(t.TempDir())
	s.fail = errors.New("disk full")
	if _, err := s.importer().Import(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: ada}); !errors.Is(err, s.fail) {
		t.Error(err)
	}
	s.fail = nil
	s.take(t, bundle, transfer.Upload{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newServer(t.TempDir()).importer().Import(ctx, bytes.NewReader(bundle), transfer.Upload{By: ada}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A blob that is gone does not keep the rest from leaving.
func TestBundleWithoutABlob(t *testing.T) {
	first, _ := sample(t)
	clear(first.blobs.m)
	files, order := entries(t, first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle}))
	var end struct{ Missing []string }
	if err := json.Unmarshal([]byte(files["sums.json"]), &end); err != nil || len(end.Missing) != 1 || len(order) != 4 {
		t.Errorf("%v, %+v, %v", order, end, err)
	}
	// Where somebody has it, the session that is imported does not.
	second := newServer(t.TempDir())
	address, err := second.blobs.PutBlob(t.Context(), blob.For{}, []byte(png))
	if err != nil {
		t.Fatal(err)
	}
	second.take(t, first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle}), transfer.Upload{})
	if d := second.data["sess_1"]; !slices.Equal(d.MissingBlobs, []string{address}) {
		t.Errorf("missing are %q", d.MissingBlobs)
	}
}
