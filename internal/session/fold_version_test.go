package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

const (
	foldGolden = "testdata/fold/golden.txt"
	// foldRecords has a file for each session, a record a line, so that two branches
	// that add one each can be merged.
	foldRecords = "testdata/fold/records"
)

// A change of State or of Apply that does not raise FoldVersion would have this
// program trust folds that it would make otherwise. The golden file has what the
// version stands for: the keys of State, and what comes of a fixed set of records.
func TestFoldVersion(t *testing.T) {
	chains := corpus(t)
	now := foldDescription(t, chains)
	then, err := os.ReadFile(foldGolden)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if string(then) == now {
		return
	}
	version := -1
	_, _ = fmt.Sscanf(string(then), "fold %d\n", &version)
	if core.FoldVersion <= version {
		t.Fatalf("State or what Apply makes of records has changed, and FoldVersion has not.\n"+
			"Raise FoldVersion in restore.go to %d, so that stored folds are made anew from the records, and then run\n"+
			"  go test ./internal/session -run TestFoldVersion -update\n%s", version+1, differing(string(then), now))
	}
	if !*update {
		t.Fatalf("FoldVersion is %d and %s is of %d: run go test ./internal/session -run TestFoldVersion -update", core.FoldVersion, foldGolden, version)
	}
	if err := os.WriteFile(foldGolden, []byte(now), 0o600); err != nil {
		t.Fatal(err)
	}
}

// differing lists the lines that only one of the two texts has.
func differing(then, now string) string {
	a, b := strings.Split(then, "\n"), strings.Split(now, "\n")
	var out strings.Builder
	for _, line := range a {
		if !slices.Contains(b, line) {
			fmt.Fprintln(&out, "-", line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			fmt.Fprintln(&out, "+", line)
		}
	}
	return out.String()
}

func foldDescription(t *testing.T, chains []recorded) string {
	var out strings.Builder
	fmt.Fprintln(&out, "fold", core.FoldVersion)
	for _, c := range chains {
		fmt.Fprintf(&out, "records %s: %d, fold %x\n", c.name, len(c.chain), digestOf(t, c.chain))
	}
	for _, path := range statePaths() {
		fmt.Fprintln(&out, path)
	}
	return out.String()
}

// digestOf folds a chain and sums up what it is on the way.
func digestOf(t *testing.T, chain []clew.Record) []byte {
	t.Helper()
	b := &bench{records: chain, folds: map[uint64][]byte{}}
	f := core.Folder{State: &core.State{ID: "s"}, Past: b.fresh}
	sum := sha256.New()
	for i, r := range chain {
		if err := f.Add(r); err != nil {
			t.Fatalf("record %d (%s): %v", r.Seq, r.Type, err)
		}
		if i%20 == 0 || i == len(chain)-1 {
			state, err := json.Marshal(f.State) // without the version
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(state)
		}
	}
	return sum.Sum(nil)[:12]
}

// statePaths lists the keys of a stored fold with their kinds, as far as types
// tell.
func statePaths() []string {
	w := pathWalk{seen: map[reflect.Type]string{}}
	w.walk("", reflect.TypeFor[core.State]())
	slices.Sort(w.paths)
	return w.paths
}

type pathWalk struct {
	paths []string
	seen  map[reflect.Type]string // where a struct was listed
}

func (w *pathWalk) walk(path string, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		w.walk(path, t.Elem())
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			w.add(path, "bytes")
			return
		}
		w.walk(path+"[]", t.Elem())
	case reflect.Map:
		w.walk(path+"{}", t.Elem())
	case reflect.Struct:
		if at, ok := w.seen[t]; ok {
			w.add(path, "as "+at)
			return
		}
		w.seen[t] = path
		if t == reflect.TypeFor[clew.Question]() {
			w.questions(path)
			return
		}
		w.fields(path, t)
	default:
		w.add(path, t.Kind().String())
	}
}

// questions lists what a question may be: its type says which data it has.
func (w *pathWalk) questions(path string) {
	for _, e := range clew.Events {
		if view.IsAsking(e.Type) {
			w.fields(path+"("+string(e.Type)+")", reflect.TypeOf(e.Data))
		}
	}
}

func (w *pathWalk) fields(path string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			w.fields(path, embedded)
		case f.IsExported() && name != "-":
			if name == "" {
				name = f.Name
			}
			next := strings.TrimPrefix(path+"."+name, ".")
			if strings.Contains(options, "string") {
				next += ",string"
			}
			w.walk(next, f.Type)
		}
	}
}

func (w *pathWalk) add(path, kind string) { w.paths = append(w.paths, path+" "+kind) }

// recorded is a session of the corpus. The first ones have numbers for names, those
// that came with new record types the first of these.
type recorded struct {
	name  string
	chain []clew.Record
}

// corpus reads the records that the golden file is about, in the order of their names.
// They are never made anew: they stand for what is in people's journals. A record type
// that has come since is added with -update.
func corpus(t *testing.T) []recorded {
	t.Helper()
	chains := readCorpus(t)
	missing := missingTypes(chains)
	if len(missing) == 0 {
		return chains
	}
	if !*update {
		t.Fatalf("%s has no record of %v: raise FoldVersion and run go test ./internal/session -run TestFoldVersion -update", foldRecords, missing)
	}
	writeRecords(t, filepath.Join(foldRecords, string(missing[0])+".jsonl"), filled(t, missing))
	return readCorpus(t)
}

func readCorpus(t testing.TB) []recorded {
	t.Helper()
	files, err := filepath.Glob(foldRecords + "/*.jsonl") // sorted
	if err != nil || len(files) == 0 {
		t.Fatalf("no records in %s: %v", foldRecords, err)
	}
	var chains []recorded
	for _, file := range files {
		chains = append(chains, recorded{strings.TrimSuffix(filepath.Base(file), ".jsonl"), readRecords(t, file)})
	}
	return chains
}

func readRecords(t testing.TB, file string) []clew.Record {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var chain []clew.Record
	for line := range bytes.Lines(data) {
		r, err := clew.ParseRecord(bytes.TrimSuffix(line, []byte{'\n'}))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		chain = append(chain, r)
	}
	return chain
}

func writeRecords(t *testing.T, file string, chain []clew.Record) {
	t.Helper()
	var out bytes.Buffer
	for _, r := range chain {
		out.Write(append(r.Line(), '\n'))
	}
	if err := os.WriteFile(file, out.Bytes(), fs.FileMode(0o600)); err != nil {
		t.Fatal(err)
	}
}

func missingTypes(chains []recorded) []clew.EventType {
	have := map[clew.EventType]bool{}
	for _, c := range chains {
		for _, r := range c.chain {
			have[r.Type] = true
		}
	}
	var missing []clew.EventType
	for _, e := range clew.Events {
		if e.Kind.Journaled() && !have[e.Type] {
			missing = append(missing, e.Type)
		}
	}
	return missing
}

// filled makes a session with a record of each of these types, with something in
// every field.
func filled(t *testing.T, types []clew.EventType) []clew.Record {
	t.Helper()
	b := newBench()
	b.create()
	must(b.say("m1"))
	for _, typ := range types {
		info, _ := clew.EventInfoOf(typ)
		data := info.New()
		fill(reflect.ValueOf(data).Elem(), 0)
		raw, err := clew.MarshalData(data)
		if err != nil {
			t.Fatal(err)
		}
		b.now++
		r := b.head.Write("s", 1, b.now, clew.Draft{By: "ann", Type: typ, Data: raw})
		b.head = r.After()
		b.records = append(b.records, r)
	}
	return b.records
}

func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		if depth < 4 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if depth < 4 && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), depth+1)
			}
		}
	}
}

// BenchmarkFoldAnew is what a session costs, by the record, when it is first opened
// after FoldVersion was raised.
func BenchmarkFoldAnew(b *testing.B) {
	chain := readCorpus(b)[0].chain
	past := &bench{records: chain, folds: map[uint64][]byte{}}
	n := 0
	for b.Loop() {
		f := core.Folder{State: &core.State{ID: "s"}, Past: past.fresh}
		for _, r := range chain {
			if err := f.Add(r); err != nil {
				b.Fatal(err)
			}
		}
		n += len(chain)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
}
