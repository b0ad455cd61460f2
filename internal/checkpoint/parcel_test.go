package checkpoint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/checkpoint/object"
)

// Checkpoints go to another store and are those of another session there, also
// after a restart; what they bring back is exact.
func TestParcel(t *testing.T) {
	from, root := place(t, nil, checkpoint.Options{}, checkpoint.Rules{})
	odd(t, root)
	first := save(t, from)
	want := readTree(t, root, nil)
	put(t, root, "later", strings.Repeat("much ", 10_000))
	second := save(t, from)
	put(t, root, "later", strings.Repeat("much ", 10_000)+"more")
	third := save(t, from)
	_, err := from.GC(t.Context(), nil) // the packs become one, with differences
	must(t, err)
	var pack bytes.Buffer
	gone := strings.Repeat("0", 64)
	missing, err := from.Pack(t.Context(), []string{third.Hash, gone, first.Hash}, &pack)
	must(t, err)
	if !slices.Equal(missing, []string{gone}) {
		t.Errorf("missing %v", missing)
	}
	var none bytes.Buffer
	if missing, err := from.Pack(t.Context(), []string{gone}, &none); err != nil || len(missing) != 1 || none.Len() > 0 {
		t.Errorf("%v, %v, %d bytes", missing, err, none.Len())
	}

	dir := t.TempDir()
	there, data, tmp := filepath.Join(dir, "there"), filepath.Join(dir, "data"), filepath.Join(dir, "tmp")
	must(t, os.Mkdir(there, 0o755))
	must(t, os.Mkdir(tmp, 0o755))
	s, err := checkpoint.Open(data, checkpoint.Options{})
	must(t, err)
	parcel, err := s.Receive(t.Context(), tmp, &pack, checkpoint.ParcelLimits{})
	must(t, err)
	p, err := s.Workspace(t.Context(), there, checkpoint.Rules{})
	must(t, err)
	if list, err := p.List(t.Context(), ""); err != nil || len(list) > 0 || parcel.Len() != 2 {
		t.Errorf("before it is accepted: %v, %v; %d", list, err, parcel.Len())
	}
	must(t, p.Accept(t.Context(), parcel, "another"))
	must(t, p.Accept(t.Context(), parcel, "another")) // a second time changes nothing
	if err := p.Accept(t.Context(), parcel, "../x"); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("a name that leads out: %v", err)
	}
	parcel.Close()
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	must(t, s.Close())

	s = store(t, data, checkpoint.Options{})
	p, err = s.Workspace(t.Context(), there, checkpoint.Rules{})
	must(t, err)
	list, err := p.List(t.Context(), "another")
	must(t, err)
	if all, err := p.List(t.Context(), ""); err != nil || len(list) != 2 || len(all) != 2 || list[0].Hash != first.Hash || list[0].ID != first.ID {
		t.Errorf("%+v, %+v, %v", list, all, err)
	}
	if _, err := p.Restore(t.Context(), second.Hash, checkpoint.RestoreOptions{Session: "another", ID: "r0"}); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("one that was not packed: %v", err)
	}
	_, err = p.GC(t.Context(), func(c checkpoint.Checkpoint) bool { return c.Session == "another" })
	must(t, err)
	_, err = p.Restore(t.Context(), first.Hash, checkpoint.RestoreOptions{Session: "another", ID: "r1"})
	must(t, err)
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(there, "closed"), 0o755) })
	if d := differ(want, readTree(t, there, nil)); d != "" {
		t.Error(d)
	}
	healthy(t, p)
}

// A forger makes packs that clew would not make.
type forger struct {
	*testing.T
	pack *object.Packer
	z    *object.Deflater
}

func (f *forger) put(k object.Kind, data string) object.ID {
	f.Helper()
	h, err := f.pack.Put(k, []byte(data), f.z)
	must(f, err)
	return h
}

func (f *forger) tree(entries ...object.Entry) object.ID {
	f.Helper()
	return f.put(object.Tree, string(object.EncodeTree(entries)))
}

func (f *forger) file(name, text string) object.Entry {
	f.Helper()
	return object.Entry{Mode: object.ModeFile, Name: name, ID: f.put(object.Blob, text)}
}

func (f *forger) link(target string) object.Entry {
	f.Helper()
	return object.Entry{Mode: object.ModeLink, Name: "link", ID: f.put(object.Blob, target)}
}

func folder(name string, h object.ID) object.Entry {
	return object.Entry{Mode: object.ModeTree, Name: name, ID: h}
}

// note is what a sound checkpoint says of itself.
func note(change ...any) string {
	m := map[string]any{"session": "s", "id": "cp", "at": int64(1e18), "files": 1, "bytes": 1}
	for i := 0; i+1 < len(change); i += 2 {
		m[change[i].(string)] = change[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (f *forger) commit(top object.ID, head, note string) object.ID {
	f.Helper()
	const who = "clew <clew@localhost> 1000000000 +0000\n"
	return f.put(object.Commit, "tree "+top.String()+"\n"+head+"author "+who+"committer "+who+"\ncheckpoint\n\n"+note+"\n")
}

// checkpoint makes one of a directory with these entries.
func (f *forger) checkpoint(entries ...object.Entry) {
	f.Helper()
	f.commit(f.tree(folder("files", f.tree(entries...))), "", note())
}

func forge(t *testing.T, write func(f *forger)) []byte {
	t.Helper()
	dir := t.TempDir()
	must(t, object.Git(t.Context(), dir, nil, nil, "init", "--bare", "--quiet", "--object-format=sha256", "--template="))
	must(t, os.MkdirAll(filepath.Join(dir, "objects", "pack"), 0o700))
	s, err := object.Open(dir)
	must(t, err)
	defer s.Release()
	f := &forger{t, object.NewPacker(s, -1), object.NewDeflater()}
	write(f)
	must(t, f.pack.Seal())
	must(t, f.pack.Publish())
	b, err := os.ReadFile(s.Packs[0].File)
	must(t, err)
	return b
}

// bomb is a tree of trees that all are the same one.
func (f *forger) bomb(wide, deep int) object.ID {
	h := f.tree(f.file("f", "x"))
	for range deep {
		var entries []object.Entry
		for i := range wide {
			entries = append(entries, folder(fmt.Sprint("d", i), h))
		}
		h = f.tree(entries...)
	}
	return h
}

// Whatever a stranger packs, it is taken only if clew could have packed it: no
// restore to it can leave the workspace, run anything, or fill the disk.
func TestHostileParcels(t *testing.T) {
	s := store(t, t.TempDir(), checkpoint.Options{Now: func() time.Time { return time.Unix(0, 1e18) }})
	good := forge(t, func(f *forger) { f.checkpoint(f.file("a", "1"), f.link("../b"), folder("d", f.tree())) })
	missing := object.Hash(object.Blob, []byte("nowhere"))
	withMeta := func(f *forger, said string, more ...object.Entry) {
		m := object.Entry{Mode: object.ModeFile, Name: "m", ID: f.put(object.Blob, said)}
		f.commit(f.tree(folder("files", f.tree(f.file("a", "1"))), folder("meta", f.tree(append(more, m)...))), "", note())
	}
	top := func(f *forger) object.ID { return f.tree(folder("files", f.tree(f.file("a", "1")))) }
	cases := map[string]func(f *forger){
		"a repository":        func(f *forger) { f.checkpoint(folder(".git", f.tree(f.file("config", "x")))) },
		"a repository, large": func(f *forger) { f.checkpoint(folder("d", f.tree(f.file(".GIT", "gitdir: /")))) },
		"up":                  func(f *forger) { f.checkpoint(folder("..", f.tree(f.file("a", "1")))) },
		"here":                func(f *forger) { f.checkpoint(f.file(".", "1")) },
		"a path":              func(f *forger) { f.checkpoint(f.file("a/../../b", "1")) },
		"from the root":       func(f *forger) { f.checkpoint(f.file("/etc/cron.d/x", "1")) },
		"no name":             func(f *forger) { f.checkpoint(f.file("", "1")) },
		"a long name":         func(f *forger) { f.checkpoint(f.file(strings.Repeat("x", 256), "1")) },
		"twice":               func(f *forger) { f.checkpoint(f.file("a", "1"), f.file("a", "2")) },
		"a link and a folder": func(f *forger) { f.checkpoint(f.link("/etc"), folder("link", f.tree(f.file("passwd", "1")))) },
		"a link to nothing":   func(f *forger) { f.checkpoint(f.link("")) },
		"a link with NUL":     func(f *forger) { f.checkpoint(f.link("a\x00b")) },
		"a long link":         func(f *forger) { f.checkpoint(f.link(strings.Repeat("x", 4096))) },
		"a submodule": func(f *forger) {
			f.checkpoint(object.Entry{Mode: 0o160000, Name: "sub", ID: missing})
		},
		"a device":         func(f *forger) { e := f.file("a", "1"); e.Mode = 0o020644; f.checkpoint(e) },
		"a missing file":   func(f *forger) { f.checkpoint(object.Entry{Mode: object.ModeFile, Name: "a", ID: missing}) },
		"a missing folder": func(f *forger) { f.checkpoint(folder("a", missing)) },
		"a file for a folder": func(f *forger) {
			e := f.file("a", "1")
			e.Mode = object.ModeTree
			f.checkpoint(e)
		},
		"a folder for a file": func(f *forger) { e := folder("a", f.tree()); e.Mode = object.ModeFile; f.checkpoint(e) },
		"too many files":      func(f *forger) { f.checkpoint(folder("d", f.bomb(20, 12))) },
		"nested":              func(f *forger) { f.checkpoint(folder("d", f.bomb(1, 1100))) },
		"nested in two steps": func(f *forger) {
			f.checkpoint(folder("a", f.bomb(1, 600)), folder("b", f.bomb(1, 1050)))
		},
		"another's rights":   func(f *forger) { withMeta(f, "f 4755 a\x00") },
		"another group's":    func(f *forger) { withMeta(f, "f 2755 a\x00") },
		"nonsense beside":    func(f *forger) { withMeta(f, "z 1\x00") },
		"no such folder":     func(f *forger) { withMeta(f, "", folder("dx", f.tree())) },
		"a stranger beside":  func(f *forger) { withMeta(f, "", folder("x", f.tree())) },
		"a parent":           func(f *forger) { f.commit(top(f), "parent "+missing.String()+"\n", note()) },
		"a signature":        func(f *forger) { f.commit(top(f), "gpgsig x\n", note()) },
		"a name leading out": func(f *forger) { f.commit(top(f), "", note("id", "../../x")) },
		"an option":          func(f *forger) { f.commit(top(f), "", note("id", "--exec")) },
		"paths leading out":  func(f *forger) { f.commit(top(f), "", note("paths", [][]byte{[]byte("../x")})) },
		"a path of git":      func(f *forger) { f.commit(top(f), "", note("paths", [][]byte{[]byte(".git/x")})) },
		"of the future":      func(f *forger) { f.commit(top(f), "", note("at", int64(1<<63-1))) },
		"of no time":         func(f *forger) { f.commit(top(f), "", note("at", -5)) },
		"no note":            func(f *forger) { f.commit(top(f), "", "words") },
		"no files":           func(f *forger) { f.commit(f.tree(), "", note()) },
		"more beside":        func(f *forger) { f.commit(f.tree(folder("files", f.tree()), f.file("x", "1")), "", note()) },
		"one good, one not":  func(f *forger) { f.checkpoint(f.file("a", "1")); f.checkpoint(f.file("..", "1")) },
	}
	bodies := map[string][]byte{
		"nothing": {}, "noise": []byte("noise, and more of it"), "cut": good[:len(good)-40], "without a sum": good[:len(good)-32],
		"something behind": append(slices.Clone(good), 'x'), "many": append([]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"), good[12:]...),
		"a tag": append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\x40"), good[13:]...),
	}
	for name, write := range cases {
		bodies[name] = forge(t, write)
	}
	for n := range 60 {
		flipped := slices.Clone(good)
		flipped[n*len(good)/60] ^= 0x10
		bodies[fmt.Sprint("bit ", n)] = flipped
	}
	for name, body := range bodies {
		dir := t.TempDir()
		p, err := s.Receive(t.Context(), dir, bytes.NewReader(body), checkpoint.ParcelLimits{Bytes: 1 << 20})
		if clew.CodeOf(err) != clew.InvalidMessage || p != nil {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
	p, err := s.Receive(t.Context(), t.TempDir(), bytes.NewReader(good), checkpoint.ParcelLimits{}) // the forger can be honest
	must(t, err)
	p.Close()
}
